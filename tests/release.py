"""Build the files of a release: `python -m tests.release TAG FOLDER`, in a checkout of the tag.

The files are wheel and source archive, built with the locked build packages, an SBOM of the locked
packages, notes from the changelog, and checksums. A tag must match the version in the tree.
"""

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from reconciler import __version__
from tests.caches import ROOT

LOCK = "requirements.lock"
SUMS = "SHA256SUMS"
NOTES = "notes.md"
_HEADING = re.compile(r"^## \[(\S+)\] - (\S+)$", re.MULTILINE)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)(.*?)(?=^\S|\Z)", re.MULTILINE | re.DOTALL)
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


class WrongReleaseError(Exception):
    """The tree does not match the tag."""


def main(tag: str, folder: Path) -> int:
    try:
        text = notes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), tag, __version__)
        require_joined(ROOT / "changes")
        if folder.exists():  # exclude files of earlier builds
            raise WrongReleaseError(f"{folder} is there already: remove it")
        folder.mkdir(parents=True)
        _build(folder)
        (folder / NOTES).write_text(text, encoding="utf-8")
        bill = sbom((ROOT / LOCK).read_text(encoding="utf-8"), __version__)
        name = f"gitops_ipam-{__version__}.cdx.json"
        (folder / name).write_text(json.dumps(bill, indent=2) + "\n", encoding="utf-8")
        (folder / SUMS).write_text(sums(folder), encoding="utf-8")
    except (WrongReleaseError, OSError) as failed:
        print(f"release: {failed}", file=sys.stderr)  # noqa: T201
        return 1
    return 0


def notes(changelog: str, tag: str, version: str) -> str:
    """Return the entry of a version in the changelog.

    Raises:
        WrongReleaseError: The tag has another version, or the changelog has no date for it.
    """
    if tag != f"v{version}":
        raise WrongReleaseError(f"tag {tag} is not v{version}, which the program calls itself")
    for found in _HEADING.finditer(changelog):
        if found[1] != version:
            continue
        if not _DAY.fullmatch(found[2]):
            raise WrongReleaseError(f"CHANGELOG.md: {version} has {found[2]!r}, expected a date")
        rest = changelog[found.end() :]
        following = _HEADING.search(rest)
        return rest[: following.start() if following else None].strip() + "\n"
    raise WrongReleaseError(f"CHANGELOG.md: no heading '## [{version}] - DATE'")


def require_joined(changes: Path) -> None:
    """Refuse a release if the changelog lacks entries.

    Raises:
        WrongReleaseError: `changes` has entries that towncrier has not joined.
    """
    if left := sorted(path.name for path in changes.iterdir() if path.name != "README.md"):
        raise WrongReleaseError(f"changes/ has {', '.join(left)}: run towncrier build")


def sbom(lock: str, version: str) -> dict[str, Any]:
    """Return all packages of a lock as CycloneDX: the same bytes for the same lock."""
    own = f"pkg:pypi/gitops-ipam@{version}"
    parts = [_component(found[1], found[2], found[3]) for found in _PIN.finditer(lock)]
    known = hashlib.sha256(lock.encode()).hexdigest()
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid5(NAMESPACE_URL, f'{own} {known}')}",
        "version": 1,
        "metadata": {
            "component": {
                **{"type": "application", "bom-ref": own, "name": "gitops-ipam"},
                **{"version": version, "purl": own},
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            }
        },
        "components": parts,
        "dependencies": [{"ref": own, "dependsOn": [part["bom-ref"] for part in parts]}],
    }


def _component(name: str, version: str, rest: str) -> dict[str, Any]:
    purl = f"pkg:pypi/{name.lower()}@{version}"
    # A lock has the hashes of the files for all machines.
    files = [
        {"type": "distribution", "url": purl, "hashes": [{"alg": "SHA-256", "content": found}]}
        for found in _HASH.findall(rest)
    ]
    about = {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}
    return {**about, "externalReferences": files}


def sums(folder: Path) -> str:
    """Return input of `sha256sum --check` for all files but the notes, which people can edit later."""
    return "".join(
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
        for path in sorted(folder.iterdir())
        if path.name not in (NOTES, SUMS)
    )


def _build(folder: Path) -> None:
    """Build wheel and source archive, which both name the commit."""
    for kind in ("sdist", "wheel"):
        command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)]
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    require_commit(folder)


def require_commit(folder: Path) -> None:
    """Refuse a wheel without a commit.

    Raises:
        WrongReleaseError: Files of the tree were changed, or it is not a checkout.
    """
    import zipfile

    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        if "reconciler/shipped/commit" not in archive.namelist():
            raise WrongReleaseError(
                "the tree is of no commit: files were changed, or Git is not there"
            )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
