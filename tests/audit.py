"""Known vulnerabilities of code, workflows, and packages: `python -m tests.audit`, or `make audit`.

bandit reads the code, and zizmor reads the workflows. pip-audit asks an advisory service about the
packages of the locks. If the service does not answer, or knows none of them, this is reported, but
is not a failure. Fix each finding, or ignore it with a reason on its line.
"""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LOCKS = (
    *("requirements.lock", "requirements-check.lock"),
    *("requirements-build.lock", "requirements-dev.lock", "requirements-docs.lock"),
)
# Packages in these locks are also in another lock, at the same version.
PARTS = ("requirements-check.lock",)
WORKFLOWS = (".github", "example-repo/.github", "starter/ci/github.yml", "starter/ci/gitea.yml")
_BIN = Path(sys.executable).parent
_SECONDS = 300


def main() -> int:
    found = [
        _run("bandit", "--quiet", "--recursive", "reconciler"),
        _run("zizmor", "--offline", "--quiet", *WORKFLOWS),
        *(_packages(lock) for lock in LOCKS if lock not in PARTS),
    ]
    return int(any(found))


def _run(tool: str, *arguments: str) -> bool:
    done = subprocess.run([str(_BIN / tool), *arguments], cwd=ROOT, check=False)
    return done.returncode != 0


def _packages(lock: str) -> bool:
    command = [
        str(_BIN / "pip-audit"), "--format", "json", "--progress-spinner", "off", "--disable-pip",
        "--require-hashes", "--requirement", lock,
    ]  # fmt: skip
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=_SECONDS
        )
        said = done.stdout
    except subprocess.TimeoutExpired:
        said = ""
    weak, sentence = judged(said, lock)
    print(sentence, file=sys.stderr)  # noqa: T201 - a script
    return weak


def judged(said: str, lock: str) -> tuple[bool, str]:
    """Return whether pip-audit found a vulnerability, and a sentence about the result.

    Args:
        said: Its output: JSON, or empty if no advisory service answered.
        lock: The lock that it read.
    """
    listed = _dependencies(said)
    if not listed:
        reason = "the advisory service cannot be reached"
        return False, f"pip-audit: {lock}: nothing was looked up: {reason}"
    skipped = [item["name"] for item in listed if "skip_reason" in item]
    known = len(listed) - len(skipped)
    weak = [item for item in listed if item.get("vulns")]
    if weak:
        lines = [
            f"pip-audit: {lock}: {len(weak)} packages with known weaknesses",
            *map(_describe, weak),
        ]
        return True, "\n".join(lines)
    if not known:
        reason = f"the advisory service knows none of {len(skipped)} packages"
        return False, f"pip-audit: {lock}: nothing was looked up: {reason}"
    rest = f"; not looked up: {', '.join(skipped)}" if skipped else ""
    return False, f"pip-audit: {lock}: no weakness known in {known} packages{rest}"


def _dependencies(said: str) -> Sequence[Mapping[str, Any]]:
    try:
        document = json.loads(said)
    except ValueError:
        return []
    listed = document.get("dependencies") if isinstance(document, dict) else None
    return listed if isinstance(listed, list) else []


def _describe(item: Mapping[str, Any]) -> str:
    """Return a line about a package, with its vulnerabilities and the versions that fix them."""
    ids = ", ".join(
        f"{it['id']} (fixed in {', '.join(it.get('fix_versions', [])) or 'no version'})"
        for it in item["vulns"]
    )
    return f"  {item['name']} {item.get('version', '')}: {ids}"


if __name__ == "__main__":
    sys.exit(main())
