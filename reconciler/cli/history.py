"""`history`: events of addresses, newest first."""

from collections.abc import Callable, Iterator
from itertools import islice, takewhile
from pathlib import Path

import click

from reconciler.cli import output as cli_output
from reconciler.cli.opening import history_of, open_source
from reconciler.cli.options import Number, option, output_options, repository_option
from reconciler.cli.output import emit, emit_document, painter, tell
from reconciler.history.commits import Caused
from reconciler.history.who import moment_of, near, what_happened
from reconciler.model.errors import ExitCode, UsageError
from reconciler.planning.read import read_own_settings
from reconciler.report.queries import happening_rows, history_document
from reconciler.report.text.queries import happening_text
from reconciler.report.text.table import Painter

_MAX_HISTORY = 20


@click.command()
@click.argument("asked", metavar="[CLAIM|POOL]", required=False)
@repository_option
@option("--rev", default="HEAD", show_default=True, help="Revision up to which it is told.")
@option("--since", metavar="DATE", help="Not what is older: a day, a time, or 30d before.")
@option("-n", "--number", type=Number(), default=_MAX_HISTORY, show_default=True, help="0 for all.")
@output_options("text", "json", "yaml", "csv")
def history(
    asked: str | None,
    repo: Path,
    rev: str,
    since: str | None,
    number: int,
    output: str,
    color: str,
) -> int:
    """Tell what happened to addresses: given, grown, moved, released, come free.

    Of a claim, a tenant, a record, a pool or addresses; else of all. Each line names the commit
    that did it, and the person, the pull request and the document that brought it about.
    """
    read = open_source(repo, rev, worktree=False)
    past = history_of(read, read_own_settings(read.source).settings)
    told = what_happened(past, asked) if asked is not None else past.told()
    if since is not None:
        told = takewhile(_later(since, read.source.clock()), told)
    found = list(islice(told, number or None)) if output in ("json", "yaml") else []
    count = len(found)
    if output in ("json", "yaml"):
        emit_document(history_document(past.start, found), output)
    else:
        for line in _lines(islice(told, number or None), output, painter(color)):
            emit(line)
            cli_output.flush()  # show each event early: the full search can be slow
            count += 1
        count -= output == "csv"
    if count and next(told, None) is not None:
        tell(f"there is more than these {count}; -n 0 tells all")
    if count or (asked is None or since is not None):
        return ExitCode.OK
    meant = near(past, asked)
    tell(f"nothing ever happened to {asked!r}{f'; did you mean {meant}?' if meant else ''}")
    return ExitCode.WRONG


def _later(since: str, clock: int) -> Callable[[Caused], bool]:
    moment = moment_of(since, clock, is_end=False)
    if moment is None:
        hint = "write 2026-02-15, 2026-02-15T10:00Z, or 30d (before the revision)"
        raise UsageError(f"--since {since!r} is not a time", hint)
    return lambda told: told[0].row.clock >= moment


def _lines(told: Iterator[Caused], output: str, brush: Painter) -> Iterator[str]:
    if output == "csv":
        return happening_rows(told)
    return (happening_text(item, brush) for item in told)
