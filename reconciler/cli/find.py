"""`find`: search for free ranges."""

from pathlib import Path

import click

from reconciler.cli.opening import open_source
from reconciler.cli.options import Number, option, output_options, reading_options
from reconciler.cli.output import emit, emit_document, painter, progress
from reconciler.documents.text import escape
from reconciler.history.queries import find as find_runs
from reconciler.history.runs import FreeQuery
from reconciler.model.errors import ExitCode, UsageError
from reconciler.reconcile.simulate import newcomer
from reconciler.report.queries import free_runs_document
from reconciler.report.text.queries import find_text


@click.command(context_settings={"allow_extra_args": True})
@click.pass_context
@reading_options
@option("--count", type=Number(1), help="So many addresses in a row.")
@option("--prefix", type=Number(1, 128), help="A CIDR block of this length: 28 for a /28.")
@option("--pool", metavar="POOL", help="Look in this pool alone.")
@option(
    "--provider", metavar="NAME", help=f"Look in the pools of this {newcomer().chooses.kind} alone."
)
@output_options("text", "json", "yaml")
def find(
    ctx: click.Context,
    repo: Path,
    rev: str,
    worktree: bool,
    count: int | None,
    prefix: int | None,
    pool: str | None,
    provider: str | None,
    output: str,
    color: str,
) -> int:
    """Find where a run of addresses is free, in the order in which pools would give it.

    What the revision asks for already counts as given. Exit code 1 when it fits nowhere.
    """
    if ctx.args:
        name = ctx.args[0]
        message = f"find looks for free addresses, and takes no name ({escape(name)})"
        raise UsageError(message, _instead(name))
    if count is None and prefix is None:
        raise UsageError("say how many addresses, or which block", "--count 8, or --prefix 28")
    if count is not None and prefix is not None:
        raise UsageError("--count and --prefix exclude each other", "--count 8, or --prefix 29")
    source = open_source(repo, rev, worktree=worktree).source
    with progress("looking"):
        found = find_runs(source, FreeQuery(count or 0, prefix), pool, provider)
    if output == "text":
        emit(find_text(found, painter(color)))
    else:
        emit_document(free_runs_document(found), output)
    return ExitCode.OK if found.fits else ExitCode.WRONG


def _instead(name: str) -> str:
    """Return a suggestion for an invalid size: a count, a prefix length, or a name."""
    length = name.removeprefix("/")
    if not (length.isascii() and length.isdigit()):
        return f"ipam who {escape(name)} tells who has which"
    return f"ipam find --{'count' if length == name else 'prefix'} {length}"
