"""`move`: file changes that move a claim to another pool."""

from pathlib import Path
from shlex import quote

import click

from reconciler.cli import options
from reconciler.cli.files import write_edit
from reconciler.cli.opening import open_source
from reconciler.cli.options import option, repository_option, talk_options
from reconciler.cli.output import emit, painter, progress
from reconciler.documents.text import escape
from reconciler.model.errors import ExitCode, UsageError
from reconciler.model.instant import format_instant, parse_instant
from reconciler.reconcile.move import MoveEdits, MoveRequest, prepare, staying_lines
from reconciler.report.text.plan import moves_text
from reconciler.report.text.table import Painter

_DAYS_30 = 30 * 86_400
_IN_THE_WAY = "commit or remove what is there, then run it again"


@click.command()
@click.argument("claim")
@option("--to", "pool", metavar="POOL", required=True, help="The pool that it moves to.")
@option("--reason", default="", help="Why, for whoever reads the Override.")
@option("--expires", metavar="TIME", help="When the Override ends; else in 30 days.")
@repository_option
@talk_options
def move(claim: str, pool: str, reason: str, expires: str | None, repo: Path, color: str) -> int:
    """Write the files by which CLAIM moves to another pool, and show what will happen.

    Two changes are made of them: first the Override, then the move. The claim gets a range of the
    pool, and its old range stays announced until nobody uses it. Nothing is committed.

    All that serves a tenant as one moves along, by whichever of its claims it is named: a request
    that is its own claim, and what it has grown by. Each range has an Override of its own. What
    else the tenant holds is named, with what moves it.

    CLAIM is a key as plan -o json shows it, or namespace/name, or the name of a record.
    """
    read = open_source(repo, "HEAD", worktree=True)
    root = read.ground
    now = int(options.now() if options.now is not None else read.source.clock())
    with progress("planning"):
        found = prepare(read.source, MoveRequest(claim, pool, reason, now, _end(expires, now)))
    for change in found.overrides:
        write_edit(root, change, _IN_THE_WAY, is_new=True)
    for change in found.changes:
        write_edit(root, change, _IN_THE_WAY, is_new=False)
    emit(_describe(found, painter(color)))
    return ExitCode.OK


def _end(expires: str | None, now: int) -> int:
    if expires is None:
        return now + _DAYS_30
    end = parse_instant(expires)
    if end is None or end <= now:
        hint = f"write it as {format_instant(now + _DAYS_30)} (RFC 3339, in UTC)"
        raise UsageError(f"--expires {expires!r} is no time to come", hint)
    return end


def _describe(found: MoveEdits, brush: Painter) -> str:
    """Return the text of the two changes and their effect."""
    claim, to = found.claims[0].short, found.pool.name
    pairs = zip(found.allowed_by, found.claims, strict=True)
    let = [f"{path} lets {it.short} move" for path, it in pairs]
    made = " ".join(it.path for it in found.overrides)
    if not made:
        lines = [f"{'; '.join(let)}: one change is left to be merged."]
    else:
        lines = [
            "Two changes, each merged by itself:",
            f"  1. {let[0]}",
            *(f"     {it}" for it in let[1:]),
            f"     git add {made} && git commit -m 'Let {claim} move to {to}'",
        ]
    number = 2 if made else 1
    files = " ".join(quote(it.path) for it in found.changes)
    edits = [f"{place.path}:{place.line}: {words}" for place, words in found.edits]
    lines += [
        f"  {number}. {edits[0]}",
        *(f"     {edit}" for edit in edits[1:]),
        f"     git add {files} && git commit -m 'Move {claim} to {to}'",
        "Then reconcile does this:",
    ]
    stays = staying_lines(found.staying, found.pool)
    told, rest = ("".join(f"{escape(line)}\n" for line in part) for part in (lines, stays))
    return f"{told}{moves_text(found.evaluation, brush)}{rest}"
