"""Options and arguments that commands share."""

import logging
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from reconciler.gitio.interface import Source
from reconciler.model.errors import UsageError
from reconciler.model.instant import format_instant, parse_duration, parse_instant
from reconciler.planning.read import as_of

F = TypeVar("F", bound=Callable[..., Any])


class Number(click.ParamType[int]):
    """Unsigned decimal number in ASCII digits. click's own type accepts digits of any script."""

    name = "number"

    def __init__(self, least: int = 0, most: int = 999_999_999) -> None:
        self._least = least
        self._most = most

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Return the number."""
        text = str(value)
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1
        if not self._least <= number <= self._most:
            self.fail(f"{text!r} is not a number from {self._least} to {self._most}.", param, ctx)
        return number


def option(*names: str, **attributes: Any) -> Callable[[F], F]:
    """Return a click option with an environment variable, such as `IPAM_ALLOW_RELEASE`.

    If it has several long names, the first variable with a value counts.
    """
    variables = [
        f"IPAM_{name.partition('/')[0].removeprefix('--').replace('-', '_').upper()}"
        for name in names
        if name.startswith("--")
    ]
    return click.option(*names, envvar=variables, show_envvar=False, **attributes)


def reading_options(function: F) -> F:
    """Add `--repo`, `--rev`, and `--worktree`."""
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


base_option = option("--base", metavar="REV", help="Revision that the change is made to.")
fetch_option = option(
    "--fetch-missing",
    is_flag=True,
    help="Fetch what a filter left out of the clone and is to be read.",
)
proposed_option = option(
    "--proposed",
    metavar="REV",
    help="With --base: the branch that nobody but reconcile may push to.",
)
at_option = option("--at", metavar="TIME", help="Show a later day: now, or a time in RFC 3339.")


def output_options(*formats: str) -> Callable[[F], F]:
    """Add `-o` with some formats, `--color`, and `--debug`."""

    def decorated(function: F) -> F:
        choice = click.Choice(formats)
        help_text = "Form of the result."
        formed = option(
            "-o", "--output", type=choice, default=formats[0], show_default=True, help=help_text
        )
        return talk_options(formed(function))

    return decorated


def talk_options(function: F) -> F:
    """Add `--color` and the options of all commands."""
    choice = click.Choice(["auto", "always", "never"])
    coloured = option("--color", type=choice, default="auto", help="Colour the text.")
    return coloured(debug_option(function))


def _start_log(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    del ctx, param
    level = logging.DEBUG if value else logging.WARNING
    logging.basicConfig(stream=sys.stderr, level=level, format="%(levelname)s %(message)s")
    # GitPython logs the start of Git in hundreds of words. The log of ipam has the arguments.
    logging.getLogger("git").setLevel(logging.INFO)


def _say_steps(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    del param
    ctx.meta[_VERBOSE] = value or ctx.meta.get(_VERBOSE, False)  # also before the command
    level = logging.DEBUG if ctx.meta[_VERBOSE] else logging.NOTSET
    logging.getLogger("reconciler").setLevel(level)


def _be_quiet(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    del param
    if value:
        ctx.meta[QUIET] = True


def _change_folder(ctx: click.Context, param: click.Parameter, value: Path | None) -> None:
    del ctx
    if value is None:
        return
    try:
        os.chdir(value)
    except OSError as failure:
        said = f"{value}: {failure.strerror or failure}"
        raise click.BadParameter(said, param=param) from None


def _take_root(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    said = ctx.get_parameter_source(param.name or "") is click.core.ParameterSource.COMMANDLINE
    if value is not None and (said or ROOT not in ctx.meta):  # not IPAM_ROOT
        ctx.meta[ROOT] = value


ROOT = "ipam.root"
"""Context key of the folder that `--root` names."""

QUIET = "ipam.quiet"
"""Context key of the flag that suppresses notes."""

_VERBOSE = "ipam.verbose"

directory_option = option(
    "-C",
    "--directory",
    type=click.Path(path_type=Path),
    metavar="DIR",
    expose_value=False,
    help="Go there first.",
    callback=_change_folder,
    is_eager=True,
)


root_option = option(
    "--root",
    metavar="DIR",
    expose_value=False,
    help="Folder of the repository to work in; else the nearest with ipam.yaml.",
    callback=_take_root,
    is_eager=True,
)


def voice_options(function: F) -> F:
    """Add `-q` and `-v`."""
    quiet = option(
        "-q",
        "--quiet",
        is_flag=True,
        expose_value=False,
        help="On stderr only what is wrong.",
        callback=_be_quiet,
        is_eager=True,
    )
    verbose = option(
        "-v",
        "--verbose",
        is_flag=True,
        expose_value=False,
        help="Tell each call of git.",
        callback=_say_steps,
        is_eager=True,
    )
    return quiet(verbose(function))


def common_options(function: F) -> F:
    """Add the options that can also precede the command: `-C`, `--root`, `-q`, and `-v`."""
    return directory_option(root_option(voice_options(function)))


def debug_option(function: F) -> F:
    """Add the options of all commands: `-C`, `--root`, `-q`, `-v`, and `--debug`."""
    debug = option(
        "--debug",
        is_flag=True,
        expose_value=False,
        help="Show tracebacks and steps.",
        callback=_start_log,
        is_eager=True,
    )
    return common_options(debug(function))


def parse_seconds(name: str, text: str) -> int:
    """Return the seconds of a duration option.

    Raises:
        UsageError: The text is not a positive duration.
    """
    try:
        seconds = parse_duration(text)
    except ValueError:
        seconds = 0
    if seconds <= 0:
        raise UsageError(f"{name} {text!r} is not a duration", "write 60s, 5m or 1h")
    return seconds


def parse_identity(author: str | None) -> tuple[str, str] | None:
    """Return name and address of `--author`, if it is given.

    Raises:
        UsageError: The text is not in Git's format.
    """
    if author is None:
        return None
    name, opened, rest = author.partition(" <")
    email, closed, after = rest.partition(">")
    if not (name.strip() and opened and email and closed and not after) or not author.isprintable():
        raise UsageError(f"--author {author!r} is not 'Name <address>'")
    return name.strip(), email


now: Callable[[], float] | None = time.time
"""The machine's clock, or None if time is fixed, as in tests."""


def source_at(source: Source, at: str | None) -> Source:
    """Return a source whose clock is the later time of `--at`.

    Args:
        source: The source.
        at: `now`, or a time, or None for the source's own clock.

    Raises:
        UsageError: The time is invalid, or before the source's clock.
    """
    if at is None:
        return source
    own = source.clock()
    clock = max(own, int(now() if now is not None else 0)) if at == "now" else parse_instant(at)
    if clock is None:
        hint = "write it as 2026-02-15T10:00:30Z (RFC 3339, in UTC), or now"
        raise UsageError(f"--at {at!r} is not a time", hint)
    if clock < own:
        message = f"--at {at} is before the date of the revision, {format_instant(own)}"
        raise UsageError(message, "what it asked for then is told by an earlier revision: --rev")
    return as_of(source, clock, source.clock_ahead())
