"""Options and arguments that commands share."""

import logging
import os
import sys
import time
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import click
from msgspec import Struct

from reconciler.model.errors import UsageError
from reconciler.model.instant import parse_duration

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[F], F]

ROOT = "ipam.root"
"""Context key of the folder that `--root` names."""
QUIET = "ipam.quiet"
"""Context key of the flag that suppresses notes."""
_VERBOSE = "ipam.verbose"

now: Callable[[], float] | None = time.time
"""The machine's clock, or None if time is fixed, as in tests."""


class _Option(click.Option):  # its help omits a range without an upper end, such as `x>=0`
    def get_help_extra(self, ctx: click.Context) -> Any:
        found = super().get_help_extra(ctx)
        return cast(Any, {k: v for k, v in found.items() if k != "range" or "<" in str(v)})


def option(*names: str, **attributes: Any) -> Callable[[F], F]:
    """Return a click option with an environment variable: `--dry-run` has `IPAM_DRY_RUN`."""
    long = next(name for name in names if name.startswith("--"))
    variable = long.partition("/")[0].removeprefix("--").replace("-", "_").upper()
    return click.option(*names, cls=_Option, envvar=f"IPAM_{variable}", **attributes)


def repeatable(name: str, metavar: str, text: str, dest: str | None = None) -> Callable[[F], F]:
    """Return an option that can be given several times, and is passed as a tuple."""
    names = (name,) if dest is None else (name, dest)
    return option(*names, metavar=metavar, multiple=True, help=f"{text} Repeatable.")


def gathered(name: str, build: Callable[..., object], *options: Decorator[Any]) -> Callable[[F], F]:
    """Return a decorator that passes options as one argument, which `build` makes of their values."""

    def probe() -> None:
        """Collect the options."""

    for decorate in options:
        decorate(probe)
    keys = [it.name for it in vars(probe)["__click_params__"] if it.expose_value]

    def decorated(function: F) -> F:
        @wraps(function)
        def command(*words: Any, **values: Any) -> Any:
            own = {key: values.pop(key) for key in keys}
            return function(*words, **values, **{name: build(**own)})

        result: Any = command
        for decorate in reversed(options):
            result = decorate(result)
        return cast(F, result)

    return decorated


class Reading(Struct, frozen=True):
    """The files that a command reads."""

    repo: Path = Path()
    rev: str = "HEAD"
    worktree: bool = False


_PATH = click.Path(path_type=Path)
repository = option(
    "--repo", type=_PATH, default=Path(), show_default=True, help="Read this repository."
)
rev = option("--rev", metavar="REV", default="HEAD", show_default=True, help="Read this revision.")
reading: Decorator[Any] = gathered(
    "reading",
    Reading,
    repository,
    rev,
    option("--worktree", is_flag=True, help="Read the work tree instead of a revision."),
)
"""Adds `--repo`, `--rev`, and `--worktree`, and passes them as `reading`."""
history: Decorator[Any] = gathered("reading", Reading, repository, rev)
"""Adds `--repo` and `--rev`, and passes them as `reading`."""

remote = option("--remote", metavar="URL", help="Use this remote instead of a checkout.")
branch = option(
    "--branch",
    metavar="NAME",
    help="Use this branch. Default: the checked-out one, or the remote's.",
)
base = option("--base", metavar="REV", help="Compare with this revision, the target of the merge.")
past = option(
    "--at", metavar="DATE|REV", help="Show the state at this date, time, age (30d), or revision."
)
dry_run = option("--dry-run", is_flag=True, help="Show the changes without writing them.")
detailed_exitcode = option(
    "--detailed-exitcode", is_flag=True, help="Exit with 2 if changes are pending."
)
allow_exec = option(
    "--allow-exec",
    is_flag=True,
    help="Allow kubeconfigs to run programs, read files, and use proxies.",
)
timeout = option(
    "--timeout",
    metavar="DURATION",
    default="60s",
    show_default=True,
    help="Limit the time per cluster.",
)
break_glass = repeatable("--break-glass", "GROUP", "With --policies: allow GROUP to write.")


def out(content: str, *, is_folder: bool, **attributes: Any) -> Callable[[F], F]:
    """Return `--out`, the file or folder that a command writes."""
    kind = click.Path(path_type=Path, file_okay=not is_folder, dir_okay=is_folder)
    text = f"Write {content} to this {'folder' if is_folder else 'file'}."
    return option("--out", metavar="PATH", type=kind, help=text, **attributes)


def _start_log(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    del ctx, param
    level = logging.DEBUG if value else logging.WARNING
    logging.basicConfig(stream=sys.stderr, level=level, format="%(levelname)s %(message)s")
    # GitPython logs the start of Git in hundreds of words. The log of ipam has the arguments.
    logging.getLogger("git").setLevel(logging.INFO)


def _set_verbose(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    del param
    ctx.meta[_VERBOSE] = value or ctx.meta.get(_VERBOSE, False)  # also before the command
    level = logging.DEBUG if ctx.meta[_VERBOSE] else logging.NOTSET
    logging.getLogger("reconciler").setLevel(level)


def _set_quiet(ctx: click.Context, param: click.Parameter, value: bool) -> None:
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
        message = f"{value}: {failure.strerror or failure}"
        raise click.BadParameter(message, param=param) from None


def _set_root(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    is_typed = ctx.get_parameter_source(param.name or "") is click.core.ParameterSource.COMMANDLINE
    if value is not None and (is_typed or ROOT not in ctx.meta):  # not IPAM_ROOT
        ctx.meta[ROOT] = value


def _eager(*names: str, **attributes: Any) -> Callable[[F], F]:
    return option(*names, expose_value=False, is_eager=True, **attributes)


_COMMON: tuple[Decorator[Any], ...] = (
    _eager(
        *("-C", "--directory"),
        type=_PATH,
        metavar="DIR",
        help="Change to this folder first.",
        callback=_change_folder,
    ),
    _eager(
        "--root",
        metavar="DIR",
        help="Repository folder. Default: nearest with ipam.yaml.",
        callback=_set_root,
    ),
    _eager("-q", "--quiet", is_flag=True, help="Show only errors on stderr.", callback=_set_quiet),
    _eager("-v", "--verbose", is_flag=True, help="Log each Git command.", callback=_set_verbose),
)


def common(function: F) -> F:
    """Add the options that can also precede the command."""
    for decorate in reversed(_COMMON):
        function = decorate(function)
    return function


def debug(function: F) -> F:
    """Add the options of all commands: `-C`, `--root`, `-q`, `-v`, and `--debug`."""
    own = {"is_flag": True, "help": "Show tracebacks and steps.", "callback": _start_log}
    return common(_eager("--debug", **own)(function))


def color(function: F) -> F:
    """Add `--color` and the options of all commands."""
    choice = click.Choice(["auto", "always", "never"])
    own = option("--color", type=choice, default="auto", help="Color the text.")
    return own(debug(function))


def parse_seconds(name: str, text: str) -> int:
    """Return the seconds of a duration option."""
    try:
        seconds = parse_duration(text)
    except ValueError:
        seconds = 0
    if seconds <= 0:
        raise UsageError(f"{name} {text!r} is not a duration", "write 60s, 5m or 1h")
    return seconds
