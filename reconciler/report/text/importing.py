"""`import`: old = new for every range, what a person has to decide, and the plan."""

from collections.abc import Sequence

from reconciler.addresses import IPRange
from reconciler.addresses.notation import format_short
from reconciler.findings import few
from reconciler.importing.assembling import Imported, writing
from reconciler.importing.outcome import Line
from reconciler.report.escape import escape
from reconciler.report.importing import moved
from reconciler.report.text.findings import findings_text
from reconciler.report.text.plan import counted
from reconciler.report.text.table import Cell, Colour, Painter, table

MOST_LINES = 500
MOST_NOTES = 20
_HEADERS = ("OWNER", "TYPE", "POOL", "OLD", "", "NEW", "FROM", "USED BY")


def import_text(result: Imported, written: Sequence[str], painter: Painter, out: str) -> str:
    """The table, the worklist, the files and the plan.

    Args:
        result: The import.
        written: Paths of the files that were written.
        painter: How words are set off.
        out: The folder of the files, for people.
    """
    lines = result.lines
    parts = [table(_HEADERS, [_row(line) for line in lines[:MOST_LINES]], painter)]
    if len(lines) > MOST_LINES:
        parts.append(f"and {len(lines) - MOST_LINES} more; -o json lists all\n")
    parts += [_notes(result.notes, painter), findings_text(result.conflicts, painter)]
    parts += [_free(result), _files(result, written, out)]
    parts.append(_plan(result, painter))
    if written and result.unnamed:
        parts.append(_requests(result.unnamed))
    return "".join(parts)


def _row(line: Line) -> list[Cell]:
    sign: Cell = ("=", Colour.GREEN) if line.is_same else ("→", Colour.RED)
    if line.is_new:
        sign = ("+", Colour.YELLOW)
    place = f"{line.place}{line.place.pointer}" if not line.place.line else str(line.place)
    old, new = _range(line.old, "nothing"), _range(line.new, "refused")
    return [line.owner, line.type, line.pool, old, sign, new, place, few(line.users)]


def _range(item: IPRange | None, otherwise: str) -> str:
    return format_short(item) if item is not None else otherwise


def _notes(notes: Sequence[str], painter: Painter) -> str:
    told = [painter.paint(f"note: {escape(note)}", Colour.DIM) for note in notes[:MOST_NOTES]]
    if len(notes) > MOST_NOTES:
        told.append(f"and {len(notes) - MOST_NOTES} more notes; -o json lists all")
    return "".join(f"{line}\n" for line in told)


def _files(result: Imported, written: Sequence[str], out: str) -> str:
    if written:
        names = "".join(f"  {escape(path)}\n" for path in written)
        more = "Addresses of conflicts are held for nobody yet.\n" if result.conflicts else ""
        return f"Written to {escape(out)}:\n{names}{more}"
    count = len(result.files)
    if not count:
        return "Nothing to write.\n"
    files = "1 file" if count == 1 else f"{count} files"
    if result.conflicts:
        return (
            f"Nothing was written: decide the conflicts, or --partial writes the other {files}.\n"
        )
    return f"Nothing was written: {files} would be, or are there just so.\n"


def _plan(result: Imported, painter: Painter) -> str:
    text = f"Plan: {counted(result.after)}, {moved(result)} moved."
    count = len(result.conflicts)
    conflicts = f" {count} conflict{'s' if count > 1 else ''}." if count else ""
    fresh = sum(1 for line in result.lines if line.is_new)
    new = f" {fresh} get addresses that they do not have yet." if fresh else ""
    head = painter.paint(text, Colour.BOLD)
    return f"{head}{new}{painter.paint(conflicts, Colour.RED) if conflicts else ''}\n"


def _free(result: Imported) -> str:
    """What the source did not name is free: a table that is not whole ends in a collision."""
    usage, pools = result.after.plan.after, result.after.state.pools
    free = [
        f"{pool.key.name} ({usage[key].available})"
        for key, pool in pools.items()
        if pool.source.path in result.files and usage[key].available
    ]
    if not free:
        return ""
    return (
        f"Addresses that nothing above names are free, and are given out from now on: {few(free)}.\n"
        "Reserve what something uses all the same: spec.reserved of the pool.\n"
    )


def _requests(owners: Sequence[str]) -> str:
    """What a request is not: a cluster that is managed."""
    named, kind = escape(few(owners)), writing().cluster_title
    verb = "has a request" if len(owners) == 1 else "have requests"
    return (
        f"{named} {verb}, and no {kind}: these addresses are held, and no others are given.\n"
        f"Add a {kind} of that name for each cluster that ipam is to manage.\n"
    )
