"""A killed import leaves only complete files, and the next one continues."""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.cli.running import environment
from tests.world import git, repository

TABLE = "ip,cluster\n10.0.0.5,a/web\n10.0.0.9,a/shop\n10.0.0.20,b/blog\n"
KILLED = """
import os, sys
call, left = sys.argv.pop(1), [int(sys.argv.pop(1))]
real = getattr(os, call)
def dying(*arguments, **more):
    if not left[0]:
        os.kill(os.getpid(), 9)
    left[0] -= 1
    return real(*arguments, **more)
setattr(os, call, dying)
from reconciler.cli import main
main()
"""
RUN = ("-m", "reconciler")


def run(folder: Path, program: Iterable[str]) -> int:
    words = [*program, "import", "csv", str(folder.parent / "a.csv"), "--repo", str(folder)]
    return subprocess.run([sys.executable, *words], check=False, env=environment()).returncode


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*.yaml"))
    }


@pytest.mark.parametrize(("call", "at"), [("fsync", 0), ("fsync", 2), ("link", 0), ("link", 2)])
def test_a_killed_import_leaves_the_repository_as_it_was_and_whole_files(
    tmp_path: Path, call: str, at: int
) -> None:
    (tmp_path / "a.csv").write_text(TABLE)
    whole = repository(tmp_path / "whole", {"README.md": "x\n"})
    assert run(whole, RUN) == 0
    folder = repository(tmp_path / "killed", {"README.md": "x\n"})
    head = git(folder, "rev-parse", "HEAD")
    assert run(folder, ("-c", KILLED, call, str(at))) == -9
    left = files(folder)
    assert git(folder, "rev-parse", "HEAD") == head
    assert left.items() <= files(whole).items()
    assert len(left) == (at if call == "link" else 0)
    # Written documents are known by then, and the rest is imported again.
    assert run(folder, RUN) == 0
    assert files(folder) == files(whole)
