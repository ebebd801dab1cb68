"""Options that verbs share, and the session that they open from them."""

import logging
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

import reconciler
from reconciler.adapters.facts import SqliteFacts, program_id
from reconciler.adapters.git import GitRepository
from reconciler.adapters.git_open import open_repository, open_worktree
from reconciler.adapters.git_process import PASSED, TOKEN
from reconciler.cli import streams
from reconciler.documents.shipped import folder
from reconciler.ports import Facts, Source, UsageError
from reconciler.report.table import Painter

F = TypeVar("F", bound=Callable[..., Any])


class Number(click.ParamType[int]):
    """A decimal number without a sign; click's own takes digits of any script."""

    name = "number"

    def __init__(self, least: int = 0, most: int = 999_999_999) -> None:
        self._least = least
        self._most = most

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """The number."""
        text = str(value)
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1
        if not self._least <= number <= self._most:
            self.fail(f"{text!r} is not a number from {self._least} to {self._most}.", param, ctx)
        return number


def option(*names: str, **attributes: Any) -> Callable[[F], F]:
    """A click option with its environment variable: `--allow-release` is `IPAM_ALLOW_RELEASE`."""
    long = next(name for name in names if name.startswith("--"))
    variable = long.partition("/")[0].removeprefix("--").replace("-", "_").upper()
    return click.option(*names, envvar=f"IPAM_{variable}", show_envvar=False, **attributes)


def reading_options(function: F) -> F:
    """`--repo`, `--rev`, `--worktree`."""
    for decorate in (
        option("--worktree", is_flag=True, help="Read the work tree instead of a revision."),
        option("--rev", default="HEAD", show_default=True, help="Revision to read."),
        repository_option,
    ):
        function = decorate(function)
    return function


repository_option = option(
    "--repo",
    type=click.Path(path_type=Path),
    default=Path(),
    show_default="the current folder",
    help="Git repository.",
)


def output_options(*formats: str) -> Callable[[F], F]:
    """`-o` with some formats, `--color` and `--debug`."""

    def decorated(function: F) -> F:
        if formats:
            choice = click.Choice(formats)
            help_text = "Form of the result."
            function = option(
                "-o", "--output", type=choice, default=formats[0], show_default=True, help=help_text
            )(function)
        return talk_options(function)

    return decorated


def talk_options(function: F) -> F:
    """`--color` and `--debug`."""
    choice = click.Choice(["auto", "always", "never"])
    coloured = option("--color", type=choice, default="auto", help="Colour the text.")
    return coloured(debug_option(function))


def _start_log(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    del ctx, param
    level = logging.DEBUG if value else logging.WARNING
    logging.basicConfig(stream=sys.stderr, level=level, format="%(levelname)s %(message)s")


debug_option = option(
    "--debug",
    is_flag=True,
    expose_value=False,
    help="Show tracebacks and steps.",
    callback=_start_log,
    is_eager=True,
)


def painter(color: str) -> Painter:
    """Colour on a terminal, or as `--color`, `NO_COLOR` and `FORCE_COLOR` say."""
    if color != "auto":
        return Painter(is_on=color == "always")
    if os.environ.get("NO_COLOR"):
        return Painter(is_on=False)
    if os.environ.get("FORCE_COLOR"):
        return Painter(is_on=True)
    return Painter(is_on=sys.stdout.isatty() and os.environ.get("TERM") != "dumb")


def environment() -> Mapping[str, str]:
    """What git may know of the environment."""
    names = (*PASSED, TOKEN, "HOME", "GNUPGHOME", "GPG_TTY")
    return {name: os.environ[name] for name in names if name in os.environ}


def cache_folder() -> Path:
    """`$XDG_CACHE_HOME/gitops-ipam`: disposable, whatever is in it."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "gitops-ipam"


@dataclass(frozen=True, slots=True)
class Read:
    """A repository and the files of it that a verb reads."""

    repository: GitRepository
    source: Source


def open_source(repo: Path, rev: str, *, worktree: bool) -> Read:
    """The files that `--repo`, `--rev` and `--worktree` name."""
    repository = open_repository(repo, environment())
    if worktree and rev != "HEAD":
        raise UsageError("--worktree and --rev exclude each other")
    if worktree:
        return Read(repository, open_worktree(repository, repo))
    return Read(repository, repository.source(rev))


def open_facts(repository: GitRepository) -> Facts:
    """The cache of what is known about a repository's files."""
    program = program_id(Path(reconciler.__file__).parent, Path(str(folder("schemas"))))
    return SqliteFacts(cache_folder(), str(repository.git.git_dir), program)


def emit(text: str) -> None:
    """Print a result on stdout."""
    streams.write(text)


def tell(text: str) -> None:
    """Print something that is not the result, on stderr."""
    click.echo(text, err=True, nl=not text.endswith("\n"))
