"""Maps of pools as JSON: their addresses in parts."""

from collections.abc import Iterable
from typing import Any

from reconciler.asking.cells import PoolMap
from reconciler.asking.parts import Part
from reconciler.report.free_runs import ends
from reconciler.report.machine import envelope


def pool_map_document(revision: str | None, maps: Iterable[PoolMap]) -> dict[str, Any]:
    """The maps of some pools."""
    return {
        **envelope("PoolMap"),
        "revision": revision,
        "items": [
            {"pool": str(found.pool), "parts": [_part(part) for part in found.parts]}
            for found in maps
        ],
    }


def _part(part: Part) -> dict[str, Any]:
    record = part.record
    return {
        **ends(part.range),
        "count": part.range.size,
        "state": part.sort.value,
        "holder": part.title or None,
        "claim": str(record.claim) if record is not None else None,
    }
