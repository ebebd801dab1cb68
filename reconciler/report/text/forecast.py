"""`forecast`: weeks until a pool warns, is refused by its gate, and is full."""

from collections.abc import Sequence

from reconciler.addresses.notation import format_count
from reconciler.asking.outlook import MOST_TENANTS, Outlook, Past, Rate
from reconciler.engine.usage import percentage
from reconciler.model.instant import format_instant
from reconciler.report.text.table import Cell, Colour, Painter, table

_LEVELS = ("warning", "gate", "full")
_IDLE = (
    "Idle headroom is not told: nothing in the repository says how many addresses Services use.\n"
)
_SOON = 4.0
"""Weeks that are shown in colour."""


def forecast_text(past: Past, found: Sequence[Outlook], painter: Painter) -> str:
    """A row for each pool and span, and how many more tenants fit."""
    if not found:
        return "No pools found.\n"
    head = f"As of {format_instant(past.clock)}, looking back {past.days} days.\n"
    rows = [_row(item, rate, past) for item in found for rate in item.rates]
    columns = ("POOL", "USED%", "SPAN", "CHANGE", *(name.upper() for name in _LEVELS))
    return "".join([head, table(columns, rows, painter, right=(1,)), *map(_more, found), _IDLE])


def _row(item: Outlook, rate: Rate, past: Past) -> list[Cell]:
    used = f"{percentage(item.used, item.total):.1f}"
    begin: list[Cell] = [item.pool.name, used, f"{rate.days} days"]
    if rate.change is None:
        return [*begin, (f"not enough history: {past.days} days", Colour.DIM), "", "", ""]
    sign = "+" if rate.change > 0 else ""
    weeks = dict(zip((level.name for level in item.levels), rate.weeks, strict=True))
    cells = [_weeks(weeks[name]) if name in weeks else "no gate" for name in _LEVELS]
    return [*begin, f"{sign}{rate.change}", *cells]


def _weeks(weeks: float | None) -> Cell:
    if weeks is None:
        return "never so"
    if weeks == 0:
        return "reached", Colour.RED
    return f"{weeks:g} weeks", Colour.YELLOW if weeks <= _SOON else None


def _more(item: Outlook) -> str:
    if not item.shape:
        return f"{item.pool.name}: has no tenants to tell a shape from\n"
    least = "at least " if item.fits >= MOST_TENANTS else ""
    shape = " + ".join(map(str, item.shape))
    count = format_count(item.fits)
    return f"{item.pool.name}: {least}{count} more tenants of the median shape ({shape}) fit\n"
