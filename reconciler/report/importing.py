"""What an import comes to, as JSON."""

from collections.abc import Sequence
from typing import Any

from reconciler.addresses import IPRange
from reconciler.addresses.notation import format_range
from reconciler.importing.assembling import Imported
from reconciler.importing.outcome import Line
from reconciler.report.machine import envelope, listed, plan_document


def import_document(result: Imported, written: Sequence[str], exit_code: int) -> dict[str, Any]:
    """Old beside new for every range, conflicts, files, and the plan that they lead to.

    Args:
        result: The import.
        written: Paths of the files that were written.
        exit_code: Of the run.
    """
    return {
        **envelope("ImportResult"),
        "exitCode": int(exit_code),
        "moved": moved(result),
        "ranges": [_line(line) for line in result.lines],
        "conflicts": listed(result.conflicts),
        "notes": list(result.notes),
        "files": sorted(result.files),
        "written": sorted(written),
        "plan": plan_document(result.after),
    }


def moved(result: Imported) -> int:
    """How many ranges would get another place than they have."""
    return sum(1 for line in result.lines if line.old and line.new and not line.is_same)


def _line(line: Line) -> dict[str, Any]:
    place = line.place
    return {
        "owner": line.owner,
        "type": line.type,
        "pool": line.pool,
        "old": _range(line.old),
        "new": _range(line.new),
        "path": place.path,
        "line": place.line,
        "users": list(line.users),
    }


def _range(item: IPRange | None) -> str | None:
    return format_range(item) if item is not None else None
