"""Pictures of a terminal and a map, from real runs on the repository of `ipam demo`."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.caches import PYTHON
from tests.pictures.pages import FOLDER
from tests.pictures.recording import Shot, recording

COMMANDS = (
    "git switch -q add-refunds",
    "ipam plan --base main",
    "git switch -q main && git merge -q --no-ff -m 'Merge add-refunds' add-refunds && git push -q",
    "ipam reconcile",
    "ipam who 10.92.90.65",
    "ipam status --bars vlan40-pool vlan41-pool",
)
TITLE = (
    "A terminal: ipam plan shows two addresses for a new tenant; after the merge ipam reconcile commits the same"
    " two, ipam who tells whose they are and by which commit, ipam status --bars how full two pools are."
)
TERMINAL, MAP = FOLDER / "terminal.svg", FOLDER / "map.svg"
COLUMNS = 96
_DATE = "2026-03-02T09:00:00Z"
_PERSON = {"NAME": "Robin Example", "EMAIL": "robin@example.com"}


@dataclass
class Stage:
    """A shell with `ipam` on its path, in a clone of the demo's remote as it was at its beginning.

    Every commit has the same id everywhere, so whatever is printed has the same bytes.
    """

    folder: Path
    place: Path = field(init=False)

    def __post_init__(self) -> None:
        self.place = self.folder
        programs = self.folder / "bin"
        programs.mkdir(parents=True)
        ipam = programs / "ipam"
        ipam.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m reconciler "$@"\n', "utf-8")
        ipam.chmod(0o755)
        self.run("ipam demo demo")
        # A remote of its own: the demo's remembers what reconcile did.
        self.run("git init -q --bare -b main remote.git")
        sent = "$(git rev-list --max-parents=0 main):refs/heads/main add-refunds"
        self.run(f"cd demo/repo && git push -q ../../remote.git {sent}")
        shutil.rmtree(self.folder / "demo")
        self.run("git clone -q remote.git addresses")
        self.place = self.folder / "addresses"

    def run(self, command: str, **more: str) -> str:
        """What a command prints, on both streams."""
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.place,
            env=self._environment() | more,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        told = done.stdout.decode()
        assert done.returncode == 0, (command, told)
        return told

    def _environment(self) -> dict[str, str]:
        people = {
            f"GIT_{role}_{name}": value
            for role in ("AUTHOR", "COMMITTER")
            for name, value in {**_PERSON, "DATE": _DATE}.items()
        }
        return {
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            **PYTHON,
            **people,
            "HOME": str(self.folder),
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "LC_ALL": "C.UTF-8",
            "COLUMNS": str(COLUMNS),
        }


def drawn(folder: Path) -> Iterator[tuple[Path, str]]:
    """The pictures that are text, each with the file that it belongs in. Equal bytes on every machine."""
    stage = Stage(folder / "stage")
    yield MAP, map_of_change(stage)
    shots = [Shot(command, stage.run(command, FORCE_COLOR="1")) for command in COMMANDS]
    yield TERMINAL, recording(TITLE, shots)


def map_of_change(stage: Stage) -> str:
    """What the demo's pull request changes in its pool."""
    picture = stage.folder / "map.svg"
    stage.run("git switch -q add-refunds")
    stage.run(f"ipam check --base main --output-file svg={picture}")
    stage.run("git switch -q main")
    return picture.read_text(encoding="utf-8")
