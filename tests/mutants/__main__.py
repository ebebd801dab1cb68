"""Try planted bugs: `python -m tests.mutants [WORD ...]`.

Each mutant is a replacement in one source file, applied to a copy of the project; the tests that
it names then have to fail. A mutant that survives shows what no test would notice. Not part of
`make test`: run it before a release, and after a change of the planner or of records.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tests.envtest.assets import find
from tests.mutants.all import MUTANTS
from tests.mutants.mutant import SERVERS, Mutant

ROOT = Path(__file__).parents[2]
COPIED = ("reconciler", "schemas", "example-repo", "starter", "tests", "pyproject.toml")
LIMIT_SECONDS = 300


class Outcome(NamedTuple):
    """How tests took a mutant, and which: `killed`, `SURVIVED`, `DOES NOT APPLY`, `NOT TRIED`."""

    mutant: Mutant
    word: str
    by: str
    seconds: float


def attempt(mutant: Mutant) -> Outcome:
    """Plant one bug in a copy of the project and run the quick tests on it."""
    started = time.monotonic()
    source = (ROOT / "reconciler" / mutant.file).read_text(encoding="utf-8")
    if source.count(mutant.before) != 1:
        return Outcome(mutant, "DOES NOT APPLY", f"{source.count(mutant.before)} places", 0)
    if mutant.tests[0].startswith(SERVERS) and isinstance(missing := find(), str):
        return Outcome(mutant, "NOT TRIED", missing, 0)
    with tempfile.TemporaryDirectory(prefix="mutant-") as name:
        folder = Path(name)
        copy(folder)
        changed = source.replace(mutant.before, mutant.after)
        (folder / "reconciler" / mutant.file).write_text(changed, encoding="utf-8")
        word, by = verdict(folder, mutant.tests)
    return Outcome(mutant, word, by, time.monotonic() - started)


def copy(folder: Path) -> None:
    """What the quick tests need."""
    ignored = shutil.ignore_patterns("__pycache__", ".hypothesis", ".venv")
    for item in COPIED:
        source = ROOT / item
        if source.is_dir():
            shutil.copytree(source, folder / item, ignore=ignored)
        else:
            shutil.copy(source, folder / item)


def verdict(folder: Path, tests: Sequence[str]) -> tuple[str, str]:
    """Whether a test of the copy fails, and which."""
    there = [path for path in tests if (folder / path.partition("::")[0]).exists()]
    environment = {
        **os.environ,
        "PYTHONPATH": str(folder),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TESTS_WITHOUT_SHRINKING": "1",
    }
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-x", "-q", "--tb=no", *there],
            cwd=folder, env=environment, capture_output=True, text=True, check=False,
            timeout=LIMIT_SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "killed", "it does not end"
    if done.returncode == 0:
        return "SURVIVED", ""
    failed = [
        line.removeprefix("FAILED ").split(" - ")[0]
        for line in done.stdout.splitlines()
        if line.startswith(("FAILED", "ERROR"))
    ]
    return "killed", failed[0] if failed else "it does not run"


def main(words: Sequence[str]) -> int:
    """Try all mutants whose names hold one of the words, two at a time; 1 unless all are killed."""
    chosen = [
        mutant for mutant in MUTANTS if not words or any(word in mutant.name for word in words)
    ]
    survived = 0
    with ThreadPoolExecutor(2) as pool:
        for outcome in pool.map(attempt, chosen):
            survived += outcome.word != "killed"
            sys.stdout.write(
                f"{outcome.word:<14} {outcome.seconds:5.1f} s  {outcome.mutant.name:<48}"
                f" {outcome.by}\n"
            )
            sys.stdout.flush()
    sys.stdout.write(f"{len(chosen) - survived} of {len(chosen)} killed\n")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
