"""Text, maps, and bar charts of pools."""

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from reconciler.addresses import IPRange, format_address, format_count, format_short
from reconciler.documents.text import escape
from reconciler.history.applied import Headroom, Idle
from reconciler.history.forecast import MAX_TENANTS, TREND, Outlook, Past, Rate
from reconciler.model.instant import format_instant
from reconciler.model.key import Key
from reconciler.model.plan import Usage
from reconciler.model.pool import Thresholds, Tier
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.pool_map import (
    CONFLICT,
    OTHERS,
    SIGNS,
    AddressPart,
    AddressUse,
    MapHolder,
    MapRow,
    PoolMap,
    strip,
)
from reconciler.planning.space import percentage
from reconciler.report.text.table import TIER_COLOURS, Cell, Colour, Painter, table

CELLS = 10
_SIGNS = "▓▒░"
_PLAIN = "#=."


def usage_bar(usage: Usage, *, plain: bool = False) -> str:
    """How full a pool is: allocated, held, free; one cell at least for what is not nothing.

    Args:
        usage: Of the pool.
        plain: In ASCII, for a terminal without UTF-8.
    """
    return "".join(parts_of(usage, CELLS, plain=plain))


def parts_of(
    usage: Usage, cells: int, levels: Sequence[int] = (), *, plain: bool = False
) -> tuple[str, str, str]:
    """A bar of so many cells in its parts: allocated, held, free; all empty of nothing.

    Args:
        usage: Of the pool.
        cells: How wide it is; 3 at least.
        levels: Percents, rising. The bar is over the cell of one exactly when it is reached, where
            each has a cell of its own.
        plain: In ASCII, for a terminal without UTF-8.
    """
    signs, total = _PLAIN if plain else _SIGNS, usage.total
    if total == 0:
        return "", "", ""
    used = usage.allocated + usage.held
    live, full = (_bar_cells(part, total, cells) for part in (usage.allocated, used))
    for level in levels:
        at = tick(level, cells)
        full = max(full, at + 1) if 100 * used >= level * total else min(full, at)
    full = max(min(full, cells - (used < total)), int(used > 0))
    held = full - min(live, full)
    if not usage.held:
        held = 0
    elif not held:  # it shows all the same, beside what is allocated
        held, full = 1, max(full, 1 + (live > 0))
    return signs[0] * (full - held), signs[1] * held, signs[2] * (cells - full)


def tick(level: int, cells: int) -> int:
    """The cell of a bar, from 0, that is filled once a percent is reached."""
    return min(max(-(-level * cells // 100) - 1, 0), cells - 1)


def sparkline(values: Sequence[int | None], total: int, *, plain: bool = False) -> str:
    """A share of something over time, a sign each: the lowest is nothing, the highest all of it.

    Args:
        values: Counts, the earliest first; None where nothing is known.
        total: What all of it is.
        plain: In ASCII, for a terminal without UTF-8: tenths, from 0 to 9.
    """
    signs, nothing = ("0123456789", ".") if plain else ("▁▂▃▄▅▆▇█", "·")
    top = len(signs) - 1
    line = []
    for value in values:
        if value is None:
            line.append(nothing)
            continue
        # One step at least for what is not nothing, and the highest for all of it alone.
        lowest = 1 if value > 0 and total else 0
        line.append(signs[min(max(value * top // max(total, 1), lowest), top)])
    return "".join(line)


def _bar_cells(part: int, whole: int, cells: int) -> int:
    """Cells of a share; one at least for what is not nothing, all of them only for the whole."""
    if part <= 0 or part >= whole:
        return cells if part > 0 else 0
    return min(max((2 * cells * part + whole) // (2 * whole), 1), cells - 1)


class StatusColumn(NamedTuple):
    """A column: its header, and what stands in it for a pool that is used so much.

    Attributes:
        exact: What stands in it in a wide table, where that is something else.
    """

    header: str
    cell: Callable[[Key, Usage], Cell]
    is_flush_right: bool = False
    exact: Callable[[Key, Usage], Cell] | None = None


def _counted(header: str, count: Callable[[Usage], int]) -> StatusColumn:
    """A column of counts that may be as large as IPv6 has them."""
    return StatusColumn(
        header,
        lambda _, usage: format_count(count(usage)),
        is_flush_right=True,
        exact=lambda _, usage: str(count(usage)),
    )


COLUMNS = (
    StatusColumn("NAME", lambda pool, _: pool.name),
    StatusColumn("KIND", lambda pool, _: pool.kind),
    _counted("TOTAL", lambda usage: usage.total),
    _counted("ALLOC", lambda usage: usage.allocated),
    _counted("HELD", lambda usage: usage.held),
    _counted("AVAIL", lambda usage: usage.available),
    StatusColumn("COUNT", lambda _, usage: str(usage.count), is_flush_right=True),
    StatusColumn("FRAG", lambda _, usage: str(usage.fragmentation), is_flush_right=True),
    StatusColumn("USED%", lambda _, usage: f"{usage.percent:.1f}", is_flush_right=True),
    StatusColumn("TIER", lambda _, usage: (usage.tier.value, TIER_COLOURS[usage.tier])),
)


def status_text(
    evaluation: Evaluation,
    painter: Painter,
    pools: Iterable[Key] | None = None,
    *,
    wide: bool = False,
    plain: bool = False,
) -> str:
    """A row for each pool, as it is used today.

    Args:
        evaluation: Of the revision.
        painter: Paints.
        pools: Keys of those that are meant; None for all.
        wide: Every number exact.
        plain: The bar in ASCII, for a terminal without UTF-8.
    """
    plan = evaluation.plan
    columns = (*COLUMNS, StatusColumn("USE", lambda _, usage: usage_bar(usage, plain=plain)))
    cells = [column.exact if wide and column.exact else column.cell for column in columns]
    rows = [
        [cell(key, plan.before[key]) for cell in cells]
        for key in (plan.after if pools is None else pools)
    ]
    headers = [column.header for column in columns]
    right = [at for at, column in enumerate(columns) if column.is_flush_right]
    return table(headers, rows, painter, right) or "No pools found.\n"


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
    more = (f"{_forecast_trend(item, plain=plain)}{_more(item)}" for item in found)
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


def _forecast_trend(item: Outlook, *, plain: bool) -> str:
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
    least = "at least " if item.fits >= MAX_TENANTS else ""
    shape = " + ".join(map(str, item.shape))
    count = format_count(item.fits)
    return f"{item.pool.name}: {least}{count} more tenants of the median shape ({shape}) fit\n"


MIN_BARS = 44
"""Columns at least: below that lines wrap."""
_BARS_INDENT = 2
_BARS_COLOURS = {**TIER_COLOURS, Tier.OK: Colour.GREEN}


class Barred(NamedTuple):
    """A pool that is drawn.

    Attributes:
        trend: Addresses that were allocated or held at each of `TREND`; None where nothing is known.
    """

    pool: Key
    usage: Usage
    thresholds: Thresholds
    trend: Sequence[int | None]


def bars_text(
    pools: Iterable[Barred],
    painter: Painter,
    width: int,
    *,
    wide: bool = False,
    plain: bool = False,
) -> str:
    """The pools one below the other, and what the signs mean.

    Args:
        pools: In the order in which they are drawn.
        painter: Paints.
        width: Columns; no line is wider, from 44 on.
        wide: Every number exact.
        plain: In ASCII, for a terminal without UTF-8.
    """
    width = max(width, MIN_BARS)
    blocks = ["\n".join(_block(item, painter, width, wide=wide, plain=plain)) for item in pools]
    if not blocks:
        return "No pools found.\n"
    live, held, free, mark = "#=.^" if plain else "▓▒░╵"
    signs = (f"{live} allocated", f"{held} held", f"{free} free", f"{mark} thresholds")
    told = "\n".join(painter.paint(line, Colour.DIM) for line in _wrapped(signs, width, ""))
    return "\n\n".join([*blocks, told]) + "\n"


def _block(item: Barred, painter: Painter, width: int, *, wide: bool, plain: bool) -> Iterable[str]:
    usage, inner = item.usage, width - _BARS_INDENT
    indent = " " * _BARS_INDENT
    yield from _bars_title(item, painter, width)
    if not usage.total:
        return
    live, held, free = parts_of(usage, inner, item.thresholds.levels, plain=plain)
    colour = _BARS_COLOURS[usage.tier]
    bar = painter.paint(live, colour) if live else ""
    bar += painter.paint(held, colour) if held else ""
    yield f"{indent}{bar}{painter.paint(free, Colour.DIM) if free else ''}"
    yield f"{indent}{_ticks(item.thresholds.levels, inner, '^' if plain else '╵')}"
    numbers = (usage.allocated, usage.held, usage.available)
    shown = (str(number) if wide else format_count(number) for number in numbers)
    words = ("allocated", "held", "free")
    figures = [f"{number} {word}" for number, word in zip(shown, words, strict=True)]
    yield from _wrapped([*figures, *_bars_trend(item, plain=plain)], inner, indent)


def _bars_title(item: Barred, painter: Painter, width: int) -> Iterable[str]:
    """The name; flush right how much is used, of how many, and the tier."""
    usage = item.usage
    tier = painter.paint(usage.tier.value, _BARS_COLOURS[usage.tier])
    told = (
        f"{usage.percent:.1f}% of {format_count(usage.total)}  "
        if usage.total
        else "no addresses  "
    )
    room = width - len(told) - len(usage.tier.value) - 2
    name = escape(item.pool.name)
    name = name if len(name) <= room else f"{name[: room - 3]}..."
    yield f"{painter.paint(name, Colour.BOLD)}{' ' * (room - len(name) + 2)}{told}{tier}"


def _ticks(levels: Sequence[int], cells: int, mark: str) -> str:
    """A mark below the cell of each level, with its number beside it where there is room."""
    line = [" "] * cells
    places = [tick(level, cells) for level in levels]
    for place in places:
        line[place] = mark
    for level, place in zip(levels, places, strict=True):
        label = str(level)
        after = range(place + 1, place + 1 + len(label))
        before = range(place - len(label), place)
        for at in (after, before):
            if at.start >= 0 and at.stop <= cells and all(line[it] == " " for it in at):
                line[at.start : at.stop] = label
                break
    return "".join(line).rstrip()


def _bars_trend(item: Barred, *, plain: bool) -> list[str]:
    """The use of the last days; nothing where the past tells nothing."""
    known = [it for it in item.trend if it is not None]
    if len(known) < 2:
        return []
    total = item.usage.total
    line = sparkline(item.trend, total, plain=plain)
    first, last = (f"{percentage(it, total):.1f}%" for it in (known[0], known[-1]))
    arrow = "->" if plain else "→"
    return [f"{TREND[0]} days {line} {first} {arrow} {last}"]


def _wrapped(parts: Iterable[str], width: int, indent: str) -> Iterable[str]:
    """Parts in as few lines as hold them; no part is torn."""
    line = ""
    for part in parts:
        longer = f"{line}   {part}" if line else part
        if line and len(longer) > width:
            yield f"{indent}{line}"
            longer = part
        line = longer
    if line:
        yield f"{indent}{line}"


GUTTER = 17
"""Columns before the cells: an address, and two spaces."""
WIDTH = 80
SHORT_ROWS = 2
"""Rows of a pool that is one of many."""
_MAP_INDENT = 5
_PICTURE = 100
_LOGARITHMIC = "widths are logarithms of sizes"
_MAP_COLOURS = {
    AddressUse.HELD: Colour.YELLOW,
    AddressUse.GATEWAY: Colour.BOLD,
    AddressUse.IN_USE: Colour.RED,
    AddressUse.RESERVED: Colour.DIM,
    AddressUse.FREE: None,
    AddressUse.UNUSED: Colour.DIM,
}
_BY_TURNS = (Colour.GREEN, Colour.BLUE)


def map_text(found: PoolMap, painter: Painter, width: int = WIDTH) -> str:
    """The map of a pool, and what its signs mean. No line is wider than a width of 40 or more."""
    scale = f"a cell is {format_count(found.per_cell)} addresses" if found.per_cell > 1 else ""
    if not found.per_cell:
        scale = _LOGARITHMIC
    lines = [*_map_title(found, scale, painter, width), *_drawn(found, painter, width)]
    if not found.per_cell:
        lines += _intervals(found, painter, width)
    lines += _legend(found, painter, width)
    return "\n".join(lines) + "\n"


def told_lines(found: PoolMap) -> list[str]:
    """What a picture tells of a pool: its title, and what its signs mean."""
    plain = Painter(is_on=False)
    scale = f"  a cell is {format_count(found.per_cell)} addresses" if found.per_cell > 1 else ""
    if not found.per_cell:
        scale = f"  {_LOGARITHMIC}"
    ranges = [] if found.per_cell else _intervals(found, plain, _PICTURE)
    return [f"{escape(found.pool.name)}{scale}", *ranges, *_legend(found, plain, _PICTURE)]


def short_text(found: Iterable[tuple[PoolMap, Usage]], painter: Painter, width: int = WIDTH) -> str:
    """A few rows for each pool, with what is used of it; and what the signs of all mean."""
    lines: list[str] = []
    shown: set[AddressUse] = set()
    is_torn = False
    for one, usage in found:
        free = format_count(usage.available)
        used = painter.paint(f"{usage.percent:.1f}% used", TIER_COLOURS[usage.tier])
        scale = f", a cell is {format_count(one.per_cell)}" if one.per_cell else ""
        lines += _map_title(one, f"{used}, {free} free{scale}", painter, width)
        lines += [*_drawn(one, painter, width), ""]
        shown |= {part.sort for part in one.parts}
        is_torn = is_torn or bool(one.conflicts)
    if not lines:
        return "No pools found.\n"
    told = [f"{SIGNS[sort]} {sort.value}" for sort in SIGNS if sort in shown]
    if is_torn:
        told.insert(0, f"{CONFLICT} in conflict")
    letters = "A-Z, a-z, 0-9: who holds them; ipam map POOL tells whose each letter is"
    lines += textwrap.wrap(", ".join([*told, letters]), width)
    return "\n".join(lines) + "\n"


def _map_title(found: PoolMap, told: str, painter: Painter, width: int) -> Iterator[str]:
    """The name of a pool, and what is told of it beside it, or below where both are too long."""
    name = _cut(escape(found.pool.name), width)
    shown = painter.paint(name, Colour.BOLD)
    if len(name) + 2 + len(told) <= width or not told:
        yield f"{shown}  {told}".rstrip()
    else:
        yield from (shown, f"  {told}")


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _drawn(found: PoolMap, painter: Painter, width: int) -> Iterator[str]:
    """Rows of cells; of what has none all parts in one row, by the logarithm of their size."""
    if found.per_cell:
        yield from _map_cells(found, painter)
    elif found.parts:
        parts = strip(found.parts, min(width - 4, 64))
        yield "  " + "".join(_sign(found, part, painter) for part in parts)


def _map_cells(found: PoolMap, painter: Painter) -> Iterator[str]:
    for row in found.rows:
        torn = _torn(found, row)
        signs = "".join(
            painter.paint(CONFLICT, Colour.RED) if at in torn else _sign(found, part, painter)
            for at, part in enumerate(row.cells)
        )
        yield f"{format_address(4, row.first):<{GUTTER - 2}}  {signs}".rstrip()


def _torn(found: PoolMap, row: MapRow) -> set[int]:
    """The cells of a row in which a conflict is."""
    whole = IPRange(4, row.first, row.first + len(row.cells) * found.per_cell - 1)
    shared = [part for item in found.conflicts if (part := item.shared(whole)) is not None]
    return {
        at
        for item in shared
        for at in range(
            (item.first - row.first) // found.per_cell,
            (item.last - row.first) // found.per_cell + 1,
        )
    }


def _sign(found: PoolMap, part: AddressPart | None, painter: Painter) -> str:
    return " " if part is None else painter.paint(found.sign(part), _colour(found, part))


def _colour(found: PoolMap, part: AddressPart) -> Colour | None:
    """The sign says the same; neighbours are set apart."""
    if part.sort is not AddressUse.ALLOCATED:
        return _MAP_COLOURS[part.sort]
    order = list(found.letters).index(part.title)
    return _BY_TURNS[order % len(_BY_TURNS)]


def _intervals(found: PoolMap, painter: Painter, width: int) -> Iterator[str]:
    """A line for each part: of IPv6 there are too many addresses for cells."""
    for part in found.parts:
        sign = _sign(found, part, painter)
        addresses, count = format_short(part.range), format_count(part.range.size)
        if _MAP_INDENT + len(addresses) + 2 + len(count) <= width:
            yield f"  {sign}  {addresses}  {count}"
        else:
            yield f"  {sign}  {count}:"
            yield from (f" {it}" for it in addresses.replace("-", "-\n").split("\n"))


def _legend(found: PoolMap, painter: Painter, width: int) -> Iterator[str]:
    if found.conflicts:
        yield from _torn_lines(found, painter, width)
    slots = _slots(found)
    for holder in found.holders:
        if holder.letter != OTHERS:
            size = f"{format_count(holder.size)}{_uses(slots.get(holder.title, {}))}"
            title = _cut(escape(holder.title), max(width - _MAP_INDENT - 2 - len(size), 8))
            yield f"  {painter.paint(holder.letter, Colour.BOLD)}  {title}: {size}"
    yield from _others([holder for holder in found.holders if holder.letter == OTHERS])
    told: dict[AddressUse, int] = {}
    for part in found.parts:
        if part.sort in SIGNS:
            told[part.sort] = told.get(part.sort, 0) + part.range.size
    for sort in SIGNS:
        if sort in told:
            yield f"  {SIGNS[sort]}  {sort.value}: {format_count(told[sort])}"


def _others(holders: list[MapHolder]) -> Iterator[str]:
    if holders:
        size = format_count(sum(it.size for it in holders))
        yield f"  {OTHERS}  {len(holders)} others: {size}"


def _torn_lines(found: PoolMap, painter: Painter, width: int) -> Iterator[str]:
    sign = painter.paint(CONFLICT, Colour.RED)
    for item in found.conflicts:
        holders = [part for part in found.parts if part.sort.is_holder]
        titles = dict.fromkeys(part.title for part in holders if part.range.overlaps(item))
        told = f"in conflict: {format_short(item)}: {', '.join(map(escape, titles))}"
        yield f"  {sign}  {_cut(told, width - _MAP_INDENT)}"


def _slots(found: PoolMap) -> dict[str, dict[str, int]]:
    """How many addresses each holder has for what, by title."""
    slots: dict[str, dict[str, int]] = {}
    for part in found.parts:
        if part.sort is AddressUse.ALLOCATED and part.record is not None:
            mine = slots.setdefault(part.title, {})
            use = part.record.claim.slot
            mine[use] = mine.get(use, 0) + part.range.size
    return slots


def _uses(slots: dict[str, int]) -> str:
    """What a holder has addresses for, where that is more than one thing."""
    if len(slots) < 2:
        return ""
    return f" ({', '.join(f'{use} {format_count(size)}' for use, size in slots.items())})"
