"""Runs `ipam` as a process of its own, or within this one."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from reconciler.cli import options, run
from tests.caches import PYTHON
from tests.world import copied, repository

STILL = (
    "-c",
    "from reconciler.cli import options as clock; clock.now = None;"
    " from reconciler.cli import main; main()",
)
"""Arguments of Python that run `ipam` where nothing falls due because of the day of the test."""


Capture = pytest.CaptureFixture[str]
Said = Callable[..., tuple[int, str]]
"""Runs a verb on a repository that is known: the exit code, and all that it says."""
Checked = Callable[..., tuple[int, list[str]]]
"""Runs `check` on it: the exit code, and the codes of all findings and gates."""


class Ran(NamedTuple):
    """The result of a run."""

    code: int
    out: str
    err: str


def environment() -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        **PYTHON,
        "XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"],
        "LC_ALL": "C.UTF-8",
    }


def given_out(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """A checkout on branch main that reconcile went over once."""

    def make(template: Path) -> None:
        repository(template, files)
        assert run(["reconcile", "--repo", str(template)]) == 0

    return copied(folder, ("given out", tuple(files.items()), options.now), make)


def ipam(capsys: Capture, *arguments: str | Path) -> Ran:
    capsys.readouterr()
    code = run([str(argument) for argument in arguments])
    return Ran(code, *capsys.readouterr())


def shell(command: str, **variables: str) -> Ran:
    """Run a line of bash in which `ipam` is this one."""
    done = subprocess.run(
        ["bash", "-c", f'ipam() {{ "{sys.executable}" -m reconciler "$@"; }}; {command}'],
        capture_output=True,
        check=False,
        env={**environment(), **variables},
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())
