"""Where a run of addresses is free, as a value and as JSON."""

from typing import Any

from msgspec import Struct

from reconciler.addresses import IPRange
from reconciler.addresses.notation import format_address
from reconciler.asking.runs import Held, Runs, Wanted
from reconciler.model.instant import format_instant
from reconciler.report.machine import envelope


class FreeRuns(Struct, frozen=True):
    """What pools have free for something.

    Attributes:
        revision: Id of the commit; None of a work tree.
        is_planned: The plan of the revision changes who holds what, and counts as carried out.
    """

    revision: str | None
    wanted: Wanted
    pools: tuple[Runs, ...]
    is_planned: bool = False

    @property
    def fits(self) -> bool:
        """It fits somewhere."""
        return any(runs.fits for runs in self.pools)


def free_runs_document(found: FreeRuns) -> dict[str, Any]:
    """The same as JSON."""
    return {
        **envelope("FreeRuns"),
        "revision": found.revision,
        "count": found.wanted.count if found.wanted.prefix is None else None,
        "prefix": found.wanted.prefix,
        "fits": found.fits,
        "items": [_pool(runs) for runs in found.pools],
    }


def _pool(runs: Runs) -> dict[str, Any]:
    return {
        "pool": str(runs.pool),
        "available": runs.free,
        "closed": runs.closed or None,
        "fits": [
            {"block": ends(fit.block), "run": _sized(fit.run), "isNext": fit.is_next}
            for fit in runs.fits
        ],
        "largest": [_sized(run) for run in runs.largest],
        "held": [_held(item) for item in runs.held],
        "fitsFrom": _instant(runs.fits_from),
    }


def _held(item: Held) -> dict[str, Any]:
    return {**_sized(item.range), "until": _instant(item.until)}


def _sized(item: IPRange) -> dict[str, Any]:
    return {**ends(item), "count": item.size}


def ends(item: IPRange) -> dict[str, str]:
    """The first and the last address."""
    return {
        "start": format_address(item.version, item.first),
        "end": format_address(item.version, item.last),
    }


def _instant(seconds: int | None) -> str | None:
    return None if seconds is None else format_instant(seconds)
