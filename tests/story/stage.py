"""Run the story: chapters of steps on one repository with a remote. A step is a shell command.

A chapter is a text file. Each paragraph is a step. `ipam` runs in this process, the rest in bash.
`@ by NAME` sets the author of the next steps, `@ in FOLDER` their folder, and `@ after 90m` the time
before them. `#` begins a comment.
"""

import re
import shlex
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from reconciler.model.instant import parse_duration
from tests.cli.running import Ran
from tests.documentation import masked
from tests.world import CLOCK, ENVIRONMENT

CHAPTERS = Path(__file__).parent / "chapters"
Ipam = Callable[[list[str]], Ran]


class Step(NamedTuple):
    """A command and its output."""

    command: str
    ran: Ran

    def text(self) -> str:
        ended = f"exit code {self.ran.code}\n" if self.ran.code else ""
        return f"$ {self.command}\n{masked(self.ran.out + self.ran.err)}{ended}"

    def is_(self, verb: str) -> bool:
        return self.command.split()[:2] == ["ipam", verb]


def chapters(folder: Path = CHAPTERS) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.txt"))


def paragraphs(chapter: str, folder: Path = CHAPTERS) -> list[str]:
    """Return the steps and directions of a chapter, without comments."""
    text = (folder / f"{chapter}.txt").read_text(encoding="utf-8")
    found = [re.sub(r"^# .*\n?", "", part, flags=re.MULTILINE) for part in text.split("\n\n")]
    return [part.strip() for part in found if part.strip()]


@dataclass
class Stage:
    """A folder in which the story runs.

    Attributes:
        ipam: Runs `ipam` in this process.
        told: Folder with the text of the chapters.
        place: Folder of the next step.
        clock: Time of the next step.
        who: The author of commits.
    """

    root: Path
    ipam: Ipam
    told: Path = CHAPTERS
    place: Path = field(init=False)
    clock: int = CLOCK
    who: str = "Ada"
    updates: bool = False

    def __post_init__(self) -> None:
        self.place = self.root

    def play(self, chapter: str) -> Iterator[Step]:
        for part in paragraphs(chapter, self.told):
            if part.startswith("@ "):
                self._direct(part)
            else:
                yield Step(part, self._do(part))
                self.clock += 60

    def require_golden(self, told_of: Mapping[str, list[Step]], folder: Path) -> None:
        """Compare the output of each chapter with its golden, or write it with --update-golden."""
        for chapter, steps in told_of.items():
            text = "\n".join(step.text() for step in steps).replace(str(self.root), "…")
            assert "Traceback" not in text
            assert "a bug" not in text
            place = folder / f"{chapter}.txt"
            if self.updates:
                place.write_text(text, encoding="utf-8")
            assert text == place.read_text(encoding="utf-8"), chapter

    def _direct(self, text: str) -> None:
        for line in text.splitlines():
            word, _, rest = line.removeprefix("@ ").partition(" ")
            if word == "by":
                self.who = rest
            elif word == "in":
                self.place = self.root / rest
            elif word == "after":
                self.clock += int(parse_duration(rest) or 0)
            else:
                raise ValueError(line)

    def _do(self, command: str) -> Ran:
        if command.startswith("ipam "):
            return self.ipam(shlex.split(command)[1:])
        person = {
            f"GIT_{role}_{part}": value
            for role in ("AUTHOR", "COMMITTER")
            for part, value in (
                ("NAME", self.who),
                ("EMAIL", f"{self.who.lower()}@example.com"),
                ("DATE", f"{self.clock} +0000"),
            )
        }
        done = subprocess.run(
            ["bash", "-c", f"set -e\n{command}"],
            cwd=self.place,
            env={**ENVIRONMENT, **person},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        return Ran(done.returncode, done.stdout.decode(), "")
