"""Where the demo plays: its folder, git as people run it, the verbs, and how it all is shown."""

import contextlib
import io
import os
import shlex
import shutil
import subprocess  # nosec B404  # git, as the person runs it
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path

from reconciler.cli import INTERRUPTED, run
from reconciler.cli.shared.output import emit, painter
from reconciler.documents.shipped import folder as shipped
from reconciler.ports import GitError, UsageError
from reconciler.report.escape import escape
from reconciler.report.text.table import Colour

MARKER = ".ipam-demo"
_WIDTH = 88
_TALKATIVE = ("commit", "merge", "push", "switch")
_PERSON = {"NAME": "Robin Example", "EMAIL": "robin@example.com"}


class Stage:
    """The folder of a demo, and all that is said and run in it.

    Git gets an identity and dates of the demo, and no configuration of the person who watches. So
    it runs in an empty environment, and its commits have the same ids everywhere.
    """

    def __init__(self, folder: Path, color: str) -> None:
        self.folder = folder.absolute()
        self.shown_folder = folder
        self.repo = self.folder / "repo"
        self.remote = self.folder / "remote.git"
        self._brush = painter(color)
        is_coloured = self._brush.paint("", Colour.BOLD) != ""
        self._colour = {"FORCE_COLOR" if is_coloured else "NO_COLOR": "1"}
        self._chapter = 0
        self._is_silent = False

    def prepare(self, date: int) -> bool:
        """Make the repository and its remote, unless an earlier run did; whether it is new.

        Raises:
            UsageError: The folder holds something else.
        """
        hint = "name a folder that is new or empty"
        if self.folder.exists() and not self.folder.is_dir():
            raise UsageError(f"{self.shown_folder} is not a folder", hint)
        marker = self.folder / MARKER
        if self.folder.is_dir() and any(self.folder.iterdir()) and not marker.is_file():
            raise UsageError(f"{self.shown_folder} holds something else than a demo", hint)
        if self.repo.is_dir():
            self._require_clean()
            return False
        self.folder.mkdir(parents=True, exist_ok=True)
        marker.write_text("made by ipam demo; remove the whole folder when done\n", "utf-8")
        self._make(date)
        return True

    def _make(self, date: int) -> None:
        """Build aside and move into place, so that an interrupted run leaves no half of it."""
        making = self.folder / ".making"
        for half_done in (making, self.remote):
            shutil.rmtree(half_done, ignore_errors=True)
        copy(shipped("example-repo"), making / "repo")
        self.git("init", "--quiet", "--bare", "--template=", "-b", "main",
                 str(making / "remote.git"), at=making)  # fmt: skip
        self.git("init", "--quiet", "--template=", "-b", "main", at=making / "repo")
        self.git("remote", "add", "origin", "../remote.git", at=making / "repo")
        self.git("add", "--all", at=making / "repo")
        self.git("commit", "--quiet", "-m", "Example repository", date=date, at=making / "repo")
        self.git("push", "--quiet", "--set-upstream", "origin", "main", at=making / "repo")
        (making / "remote.git").rename(self.remote)
        (making / "repo").rename(self.repo)
        making.rmdir()

    def _require_clean(self) -> None:
        if self.git("status", "--porcelain"):
            raise UsageError(
                f"{self.shown_folder / 'repo'} has changes that are not committed",
                f"commit or discard them, or remove {self.shown_folder} and begin anew",
            )
        self.git("switch", "--quiet", "main")

    def chapter(self, title: str, *paragraphs: str) -> None:
        """Begin a chapter with its number, its title and what it is about."""
        self._chapter += 1
        line = self._brush.paint(f"{self._chapter}. {title}", Colour.BOLD, Colour.BLUE)
        emit(f"\n{line}\n")
        self.say(*paragraphs)

    def suggest(self, command: str, why: str) -> None:
        """A command to try, and what for."""
        emit(f"  {self._brush.paint(command.ljust(40), Colour.BOLD)} {why}\n")

    def say(self, *paragraphs: str) -> None:
        """Tell something, in lines of a readable length."""
        for paragraph in paragraphs:
            emit(f"\n{textwrap.fill(paragraph, _WIDTH, break_on_hyphens=False)}\n")
        self._is_silent = False

    def show(self, *command: str, output: str = "", exit_code: int = 0) -> None:
        """Show a command as typed, with what it printed and how it ended."""
        line = self._brush.paint(escape(shlex.join(command)), Colour.BOLD)
        gap = "" if self._is_silent else "\n"
        emit(f"{gap}{self._brush.paint('$', Colour.DIM)} {line}\n")
        self._is_silent = not output
        bar = self._brush.paint("│", Colour.DIM)
        emit("".join(f"{bar} {line}".rstrip() + "\n" for line in output.splitlines()))
        if exit_code:
            emit(f"{bar} {self._brush.paint(f'exit code {exit_code}', Colour.YELLOW)}\n")

    def git(self, *arguments: str, date: int = 0, at: Path | None = None) -> str:
        """Run git as a person would, unseen; its output.

        Raises:
            GitError: It failed.
        """
        stamp = {f"GIT_{who}_DATE": f"{date} +0000" for who in ("AUTHOR", "COMMITTER")}
        person = {
            f"GIT_{who}_{part}": value
            for who in ("AUTHOR", "COMMITTER")
            for part, value in _PERSON.items()
        }
        done = subprocess.run(  # noqa: S603 - fixed commands, no shell  # nosec B603 B607
            ["git", *arguments],  # noqa: S607 - the git that the person uses
            cwd=at or self.repo,
            env={**_plain(), **person, **(stamp if date else {})},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise GitError(
                f"git {arguments[0]}: {done.stderr.strip()}",
                f"remove {self.shown_folder} and begin anew",
            )
        return done.stdout.rstrip("\n")

    def shown_git(self, *arguments: str, date: int = 0) -> None:
        """Run git and show it, without what it would say of its progress."""
        command, *rest = arguments
        quiet = ("--quiet",) if command in _TALKATIVE else ()
        self.show("git", *arguments, output=self.git(command, *quiet, *rest, date=date))

    def ipam(self, *arguments: str, expected: int = 0) -> None:
        """Run a verb in this process, in the repository, and show it.

        Raises:
            UsageError: It did not end as the story needs it to.
        """
        output = io.StringIO()
        with (
            contextlib.chdir(self.repo),
            _environment(self._colour),
            contextlib.redirect_stdout(output),
            contextlib.redirect_stderr(output),
        ):
            code = run(arguments)
        self.show("ipam", *arguments, output=output.getvalue(), exit_code=code)
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        if code != expected:
            raise UsageError(
                f"ipam {arguments[0]} ended with {code}, and not with {expected} as it does when"
                " nobody else changed the repository",
                f"remove {self.shown_folder} and begin anew",
            )


def copy(source: Path, target: Path) -> None:
    """Copy a shipped folder, wherever the package is installed."""
    target.mkdir(parents=True)
    for item in source.iterdir():
        if item.is_dir():
            copy(item, target / item.name)
        else:
            (target / item.name).write_bytes(item.read_bytes())


def _plain() -> dict[str, str]:
    """An environment without a person's configuration of git."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": "/nonexistent",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }


@contextlib.contextmanager
def _environment(extra: Mapping[str, str]) -> Iterator[None]:
    """The environment without what would change a verb, for as long as it runs."""
    before = dict(os.environ)
    for name in before:
        if name.startswith("IPAM_") or name in ("NO_COLOR", "FORCE_COLOR"):
            del os.environ[name]
    os.environ.update(extra)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
