"""How long pools will do, as JSON."""

from collections.abc import Iterable
from typing import Any

from reconciler.asking.idle import Headroom, Idle
from reconciler.asking.outlook import MOST_TENANTS, TREND, Outlook, Past, Rate
from reconciler.engine.usage import percentage
from reconciler.model.instant import format_instant
from reconciler.report.machine import envelope


def outlook_document(
    revision: str, past: Past, found: Iterable[Outlook], idle: Idle | None = None
) -> dict[str, Any]:
    """The outlook of some pools, and what is idle where that is known."""
    return {
        **envelope("Forecast"),
        "revision": revision,
        "asOf": format_instant(past.clock),
        "historyDays": past.days,
        "items": [_pool(item) for item in found],
        "idle": None if idle is None else _idle(idle),
    }


def _idle(idle: Idle) -> dict[str, Any]:
    return {
        "resultRevision": idle.result,
        "isOtherRevision": idle.is_other,
        "tenants": [{"cluster": it.cluster, **_headroom(it)} for it in idle.items],
        "total": _headroom(idle.total),
    }


def _headroom(item: Headroom) -> dict[str, Any]:
    is_known = item.looked or not item.allocated
    return {
        "allocated": item.allocated,
        "used": item.used if is_known else None,
        "idle": item.idle if is_known else None,
        "notLookedAt": item.allocated - item.looked,
        "why": item.why or None,
    }


def _pool(item: Outlook) -> dict[str, Any]:
    return {
        "pool": str(item.pool),
        "total": item.total,
        "used": item.used,
        "utilizationPercent": percentage(item.used, item.total),
        "levels": [{"level": it.name, "addresses": it.addresses} for it in item.levels],
        "rates": [_rate(item, rate) for rate in item.rates],
        "medianShape": list(item.shape),
        "trend": [
            {"daysAgo": days, "used": used} for days, used in zip(TREND, item.trend, strict=False)
        ],
        "tenantsThatFit": item.fits,
        "moreFit": item.fits >= MOST_TENANTS,
    }


def _rate(item: Outlook, rate: Rate) -> dict[str, Any]:
    weeks = zip(item.levels, rate.weeks, strict=False)
    return {
        "days": rate.days,
        "enoughHistory": rate.change is not None,
        "change": rate.change,
        "weeks": [{"level": level.name, "weeks": count} for level, count in weeks],
    }
