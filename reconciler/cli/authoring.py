"""`move` and `schema`: files for authors of documents."""

import re
from collections.abc import Sequence
from pathlib import Path
from shlex import quote

import click

from reconciler.cli import opening, options, output
from reconciler.cli.commands import VerbCommand
from reconciler.cli.files import write_edit
from reconciler.cli.options import option
from reconciler.documents.findings import has_error, join_limited
from reconciler.documents.text import escape
from reconciler.documents.validators import schema as read_schema
from reconciler.families import families
from reconciler.model.errors import ExitCode, UsageError
from reconciler.model.instant import format_instant, parse_end
from reconciler.model.pool import Contract
from reconciler.planning.documents import schema_files
from reconciler.planning.ownership import contracts_of
from reconciler.reconcile.init import schemas, start_of
from reconciler.reconcile.move import MoveEdits, MoveRequest, prepare, staying_lines
from reconciler.report.formats import json_text
from reconciler.report.text.plan import moves_text, pools_text
from reconciler.report.text.table import Painter

_DAYS_30 = 30 * 86_400
_HEAD = """\
# Owners of folders, from the Team documents. Written by ipam schema --codeowners. The last match wins.
"""
# Paths without characters that forges interpret as patterns.
_PLACE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_][A-Za-z0-9_.-]*)*", re.ASCII)
_EXAMPLE = families()[0].kinds[0].name


@click.command(cls=VerbCommand)
@click.argument("claim")
@option("--to", "pool", metavar="POOL", required=True, help="Move the claim to this pool.")
@option("--reason", default="", help="Set the reason in the Override.")
@option("--expires", metavar="TIME", help="End the Override at this time. Default: in 30 days.")
@options.repository
@options.color
def move(claim: str, pool: str, reason: str, expires: str | None, repo: Path, color: str) -> int:
    """Write the files that move CLAIM to another pool, and show the resulting plan.

    Commit them as two changes: first the Override, then the move. The claim gets a range of the
    pool. Its old range stays announced until no Service uses it. ipam commits nothing.

    The claim of a tenant moves with its growth, and with a request that is its own claim. You can
    name any of them. Each range has its own Override. ipam lists the other ranges of the tenant,
    with the command that moves each.

    CLAIM is a key from plan -o json, namespace/name, or the name of a record.
    """
    read = opening.open_source(options.Reading(repo, worktree=True))
    now = int(options.now() if options.now is not None else read.source.clock())
    with output.progress("planning"):
        found = prepare(read.source, MoveRequest(claim, pool, reason, now, _end(expires, now)))
    hint = "commit or remove that file, then run the command again"
    for change in found.overrides:
        write_edit(read.ground, change, hint, is_new=True)
    for change in found.changes:
        write_edit(read.ground, change, hint)
    output.emit(_describe(found, output.painter(color)))
    return ExitCode.OK


def _end(expires: str | None, now: int) -> int:
    if expires is None:
        return now + _DAYS_30
    end = parse_end(expires)
    if end is None or end <= now:
        hint = f"write a later time, such as {format_instant(now + _DAYS_30)} (RFC 3339, in UTC)"
        raise UsageError(f"--expires {expires!r} must be in the future", hint)
    return end


def _describe(found: MoveEdits, brush: Painter) -> str:
    claim, to = found.claims[0].short, found.pool.name
    pairs = zip(found.allowed_by, found.claims, strict=True)
    let = [f"{path} permits {it.short} to move" for path, it in pairs]
    made = " ".join(it.path for it in found.overrides)
    if made:
        lines = [
            f"{'Merge two changes, one after the other' if found.changes else 'Merge this change'}:",
            f"  1. {let[0]}",
            *(f"     {it}" for it in let[1:]),
            f"     git add {made} && git commit -m 'Permit {claim} to move to {to}'",
        ]
    else:
        left = "merge this change:" if found.changes else "the next commit of the branch moves it."
        lines = [f"{'; '.join(let)}: {left}"]
    if found.changes:
        files = " ".join(quote(it.path) for it in found.changes)
        first, *others = (f"{place.path}:{place.line}: {words}" for place, words in found.edits)
        lines += [
            f"  {2 if made else 1}. {first}",
            *(f"     {edit}" for edit in others),
            f"     git add {files} && git commit -m 'Move {claim} to {to}'",
        ]
    lines.append("Then ipam reconcile makes this plan:")
    stays = staying_lines(found.staying, found.pool)
    before, after = ("".join(f"{escape(line)}\n" for line in part) for part in (lines, stays))
    return (
        f"{before}{moves_text(found.evaluation, brush)}{pools_text(found.evaluation, brush)}{after}"
    )


@click.command(
    cls=VerbCommand,
    help=f"""Print the JSON Schema of a kind. Without a kind, list the kinds.

    To use a schema in an editor: `# yaml-language-server: $schema=../.schemas/{_EXAMPLE}.json`.
    """,
)
@click.argument("kind", required=False)
@options.out("all schemas", is_folder=True)
@option("--codeowners", is_flag=True, help="Print CODEOWNERS from the Team documents.")
@options.reading
@options.debug
def schema(kind: str | None, out: Path | None, codeowners: bool, reading: options.Reading) -> int:
    """Print the JSON Schema of a kind, write all schemas, or print CODEOWNERS."""
    if codeowners:
        if kind is not None or out is not None:
            raise UsageError("--codeowners cannot be combined with a kind or --out", "omit both")
        return _codeowners(reading)
    files = schema_files()
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        start = start_of({it.name for it in out.iterdir()})
        written = schemas(start.kinds if start is not None else None)
        for path, text in written.items():
            (out / Path(path).name).write_text(text, encoding="utf-8", newline="\n")
        output.note(f"wrote {len(written)} schemas to {out}")
        return ExitCode.OK
    if kind is None:
        output.emit("".join(f"{name}\n" for name in files))
        return ExitCode.OK
    by_lower = {name.lower(): name for name in files}
    if kind.lower() not in by_lower:
        versions = [name for name in files if name.lower().startswith(f"{kind.lower()}.")]
        raise UsageError(f"no kind {kind!r}", f"use one of: {', '.join(versions or files)}")
    output.emit(json_text(read_schema(files[by_lower[kind.lower()]])))
    return ExitCode.OK


def _codeowners(reading: options.Reading) -> int:
    read = opening.open_source(reading)
    evaluation = read.evaluation(output.painter("auto"))
    if has_error(evaluation.findings):
        return ExitCode.WRONG
    output.emit(codeowners_text(contracts_of(evaluation.documents), read.repository.root))
    return ExitCode.OK


def codeowners_text(contracts: Sequence[Contract], place: str) -> str:
    """Return a CODEOWNERS line for each folder, nested ones after the enclosing one."""
    if place and _PLACE.fullmatch(place) is None:
        hint = "rename the root with letters, digits, -, _, and ."
        raise UsageError("the root has a name that a CODEOWNERS file cannot contain", hint)
    # A nested folder without a line would be reviewed by the team around it.
    lacking = [it.team for it in contracts if it.folders and not it.owners]
    if lacking:
        hint = 'gitops-ipam.dev/owners: "@acme/payments"'
        raise UsageError(f"no owners are set for the folders of {join_limited(lacking)}", hint)
    owners: dict[str, set[str]] = {}
    for contract in contracts:
        for folder in contract.folders:
            owners.setdefault(folder, set()).update(contract.owners)
    if not owners:
        hint = "add to its Team: gitops-ipam.dev/folders: tenants/payments"
        raise UsageError("no team has a folder", hint)
    top = f"/{place}/" if place else "/"
    lines = [f"{top}{folder} {' '.join(sorted(owners[folder]))}\n" for folder in sorted(owners)]
    return "".join([_HEAD, *lines])
