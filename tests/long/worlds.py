"""Random histories, read in several worlds: each gives the same findings, plans, and commits.

`python -m tests.long.worlds [--histories 1000] [--seed 1]`. A world is a process that reads one
history after the other. Prints each difference with its seed, and ends with 1 after one.
"""

import argparse
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any, NamedTuple

from reconciler.cli import opening, options, run
from reconciler.gitio.files import CacheFile
from reconciler.planning import cache
from tests.caches import PYTHON
from tests.long.pulls import End, Story, Violation
from tests.long.texts import say
from tests.world import git

_CHANGE = ("--rev", "open", "--base", "main")
_CALLS = (
    ("check", *_CHANGE, "-o", "json"),
    ("plan", *_CHANGE),
    ("plan", *_CHANGE, "-o", "json"),
    ("plan", "--rev", "open", "-o", "json"),
    ("reconcile", "--no-apply"),
)
Told = list[Any]
"""The answers to all calls, and the commit of reconcile."""


class World(NamedTuple):
    """How a process reads.

    Attributes:
        environment: Variables that differ.
        before: A change of the copy of a repository before it is read.
        cores: The number of processors. 0 means all.
        is_warm: Whether the files that earlier histories parsed are known, by one cache file.
    """

    environment: Mapping[str, str] = {}
    before: Callable[[Path], object] = bool
    cores: int = 0
    is_warm: bool = False


def _spoil(copy: Path) -> None:
    """Truncate the cache of the history before, or change a bit of it, or leave it as it is."""
    if (file := _kept()).exists():
        data, how = bytearray(file.read_bytes()), len(git(copy, "rev-list", "--all")) % 3
        data[len(data) // 2] ^= how == 1
        file.write_bytes(data[: len(data) // 2] if how == 2 else data)


def _kept() -> Path:
    return Path(os.environ["XDG_CACHE_HOME"]) / "gitops-ipam" / "parsed" / "one"


def _pack(copy: Path) -> None:
    git(copy, "repack", "-adfq")
    git(copy, "commit-graph", "write")


WORLDS = {
    "plain": World(),
    "elsewhere": World(
        {"PYTHONHASHSEED": "4294967295", "LC_ALL": "POSIX", "TZ": "Pacific/Kiritimati"},
        before=_pack,
        cores=1,
    ),
    "warm": World({"PYTHONHASHSEED": "1"}, before=_spoil, is_warm=True),
}


def read(copy: Path) -> Told:
    """Run all calls on a repository. Merge the change before the last one."""
    told: Told = []
    for words in _CALLS:
        if words is _CALLS[-1]:
            git(copy, "update-ref", "refs/heads/main", "refs/heads/open")
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = run([words[0], "--repo", str(copy), *words[1:]])
        told += [words[0], code, *(it.getvalue().replace(str(copy), "") for it in (out, err))]
    return [*told, git(copy, "rev-parse", "main")]


def live(world: World) -> None:
    """For each path of a repository on stdin, print a line with the results in a copy."""
    options.now = None
    if world.cores:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: world.cores])
    if world.is_warm:
        cache.MIN_FILES = 0
        setattr(opening, "CacheFile", lambda _: CacheFile(_kept()))  # noqa: B010 - a name that mypy does not see there
    for line in sys.stdin:
        with tempfile.TemporaryDirectory(prefix="world-") as folder:
            copy = Path(folder) / "copy.git"
            shutil.copytree(line.strip(), copy)
            world.before(copy)
            say(json.dumps(read(copy)))


@contextmanager
def worlds() -> Iterator[Callable[[int], list[str]]]:
    """Yield a function that plays the history of a seed, and gives the differences."""
    words = [sys.executable, "-m", "tests.long.worlds", "--world"]
    usual = {"PATH": os.environ["PATH"], **PYTHON, "LC_ALL": "C.UTF-8"}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        processes = {
            name: stack.enter_context(
                subprocess.Popen(
                    [*words, name],
                    env={**usual, "XDG_CACHE_HOME": str(folder / name), **world.environment},
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
                )
            )
            for name, world in WORLDS.items()
        }  # fmt: skip

        def differences(seed: int) -> list[str]:
            with tempfile.TemporaryDirectory(prefix="history-") as played:
                remote = history(Path(played), seed)
                for process in processes.values():
                    assert process.stdin is not None
                    process.stdin.write(f"{remote}\n")
                    process.stdin.flush()
                told = {name: _line(process) for name, process in processes.items()}
            first = told["plain"]
            return [
                f"seed {seed}, {name}:\n{there}\nplain:\n{here}"
                for name, answer in told.items()
                for here, there in zip(first, answer, strict=True)
                if here != there
            ]

        yield differences


def _line(process: subprocess.Popen[str]) -> Told:
    assert process.stdout is not None
    found: Told = json.loads(process.stdout.readline())
    return found


def history(folder: Path, seed: int) -> Path:
    """Create a bare repository with merged pull requests and an open one. Return its folder."""
    story = Story(folder, seed)
    with suppress(End, Violation):  # tests/properties/test_pulls.py looks for violations
        for _ in range(seed % 3):
            story.pull()
    story.edit("open")
    story.git("push", "-q", "origin", "open")
    return story.remote


def main() -> int:
    """Run histories, or be a worker in one environment. Return 1 after a difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--world", choices=WORLDS)
    wish = parser.parse_args()
    if wish.world:
        live(WORLDS[wish.world])
        return 0
    options.now = None
    begun, count = time.monotonic(), 0
    with worlds() as differences:
        for done, seed in enumerate(range(wish.seed, wish.seed + wish.histories), 1):
            for found in differences(seed):
                count += 1
                say(f"DIFFERENCE {found}\n")
            if done % 50 == 0:
                say(f"{done} histories, {count} differences, {time.monotonic() - begun:.0f} s")
    return 1 if count else 0


if __name__ == "__main__":
    raise SystemExit(main())
