"""`forecast`: weeks until a pool warns, is refused by its gate, and is full."""

from collections.abc import Sequence

from reconciler.addresses.notation import format_count
from reconciler.asking.idle import Headroom, Idle
from reconciler.asking.outlook import MOST_TENANTS, TREND, Outlook, Past, Rate
from reconciler.engine.usage import percentage
from reconciler.model.instant import format_instant
from reconciler.report.text.bar import sparkline
from reconciler.report.text.table import Cell, Colour, Painter, table

_LEVELS = ("warning", "gate", "full")
_IDLE = (
    "Idle headroom is not told: nothing in the repository says how many addresses Services use."
    " --apply-result FILE does.\n"
)
_SOON = 4.0
"""Weeks that are shown in colour."""


def forecast_text(
    past: Past,
    found: Sequence[Outlook],
    painter: Painter,
    idle: Idle | None = None,
    *,
    plain: bool = False,
) -> str:
    """A row for each pool and span, its use so far, what more fits, and what tenants leave idle.

    Args:
        past: What is known of the past.
        found: The outlook of each pool.
        painter: Paints.
        idle: What tenants leave idle, or None where nobody looked.
        plain: In ASCII, for a terminal without UTF-8.
    """
    if not found:
        return "No pools found.\n"
    head = f"As of {format_instant(past.clock)}, looking back {past.days} days.\n"
    rows = [_row(item, rate, past) for item in found for rate in item.rates]
    columns = ("POOL", "USED%", "SPAN", "CHANGE", *(name.upper() for name in _LEVELS))
    shown = table(columns, rows, painter, right=(1,))
    more = (f"{_trend(item, plain=plain)}{_more(item)}" for item in found)
    return "".join([head, shown, *more, _idle(idle, painter)])


def _idle(idle: Idle | None, painter: Painter) -> str:
    if idle is None:
        return _IDLE
    if not idle.items:
        return "Idle headroom: no tenant has load-balancer addresses.\n"
    said = f"Idle headroom by the apply of {idle.result[:12]}"
    if idle.is_other:
        said += f", another revision than {idle.revision[:12] or 'the work tree'}, which is read"
    total = idle.total._replace(cluster="TOTAL")
    rows = [_headroom(item) for item in (*idle.items, total)]
    columns = ("TENANT", "ALLOCATED", "USED", "IDLE", "NOT LOOKED AT")
    return f"{said}:\n" + table(columns, rows, painter, right=(1, 2, 3))


def _headroom(item: Headroom) -> list[Cell]:
    left = item.allocated - item.looked
    begin: list[Cell] = [item.cluster, str(item.allocated)]
    why = f"{left}: {item.why}" if item.why else str(left or "")
    if not item.looked and left:
        return [*begin, "unknown", "unknown", (why, Colour.DIM)]
    return [*begin, str(item.used), str(item.idle), (why, Colour.DIM) if why else ""]


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


def _trend(item: Outlook, *, plain: bool) -> str:
    """The use of a pool so far; nothing of one without addresses, or without a past."""
    known = [it for it in item.trend if it is not None]
    if len(known) < 2 or not item.total:
        return ""
    line = sparkline(item.trend, item.total, plain=plain)
    first, last = (f"{percentage(it, item.total):.1f}%" for it in (known[0], known[-1]))
    return f"{item.pool.name}: last {TREND[0]} days {line} {first} → {last}\n"


def _more(item: Outlook) -> str:
    if not item.shape:
        return f"{item.pool.name}: has no tenants to tell a shape from\n"
    least = "at least " if item.fits >= MOST_TENANTS else ""
    shape = " + ".join(map(str, item.shape))
    count = format_count(item.fits)
    return f"{item.pool.name}: {least}{count} more tenants of the median shape ({shape}) fit\n"
