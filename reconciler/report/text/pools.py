"""Text, maps, and bar charts of pools."""

import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from reconciler.addresses import IPRange, format_address, format_count, format_short
from reconciler.documents.findings import plural
from reconciler.documents.text import escape
from reconciler.history.applied import Headroom, Idle
from reconciler.history.queries import MAX_TENANTS, TREND, Outlook, Past, Rate
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
    MapRow,
    PoolMap,
    strip,
)
from reconciler.planning.space import percentage
from reconciler.report.text.table import TIER_COLOURS, Cell, Colour, Painter, table

CELLS = 10
NO_POOLS = "No pools found.\n"


def bar_parts(usage: Usage, cells: int, levels: Sequence[int] = ()) -> tuple[str, str, str]:
    """Return allocated, held, and free parts of a bar of 3 or more cells, or empty ones.

    The bar covers the cell of a level, in percent, exactly if it is reached and has its own cell.
    """
    signs, total = "▓▒░", usage.total
    if total == 0:
        return "", "", ""
    used = usage.allocated + usage.held
    live, full = (_bar_cells(part, total, cells) for part in (usage.allocated, used))
    for level in levels:
        at = tick(level, cells)
        full = max(full, at + 1) if 100 * used >= level * total else min(full, at)
    full = max(min(full, cells - (used < total)), int(used > 0))
    held = full - min(live, full) if usage.held else 0
    if usage.held and not held:
        held, full = 1, max(full, 1 + (live > 0))
    return signs[0] * (full - held), signs[1] * held, signs[2] * (cells - full)


def tick(level: int, cells: int) -> int:
    """Return the cell of a bar, from 0, that is filled when a percentage is reached."""
    return min(max(-(-level * cells // 100) - 1, 0), cells - 1)


def _bar_cells(part: int, whole: int, cells: int) -> int:
    if part <= 0 or part >= whole:
        return cells if part > 0 else 0
    return min(max((2 * cells * part + whole) // (2 * whole), 1), cells - 1)


def _trend(values: Sequence[int | None], total: int) -> str:
    known = [it for it in values if it is not None]
    if len(known) < 2 or not total:
        return ""
    signs = "▁▂▃▄▅▆▇█"
    top = len(signs) - 1
    line = "".join(
        "·" if it is None else signs[min(max(it * top // total, int(it > 0)), top)] for it in values
    )
    first, last = (f"{percentage(it, total):.1f}%" for it in (known[0], known[-1]))
    return f"{TREND[0]} days {line} {first} → {last}"


def status_text(
    evaluation: Evaluation, painter: Painter, pools: Iterable[Key] | None, *, wide: bool
) -> str:
    """Return a row for each pool, selected ones or all. A wide table has all columns, and exact counts."""
    plan = evaluation.plan
    keys = plan.after if pools is None else pools
    show: Callable[[int], str] = str if wide else format_count
    rows: list[list[Cell]] = []
    for key, usage in ((key, plan.before[key]) for key in keys):
        counts = (usage.total, usage.allocated, usage.held, usage.available)
        figures = [*map(show, counts), str(usage.count), str(usage.fragmentation)]
        tier = usage.tier.value, TIER_COLOURS[usage.tier]
        bar = "".join(bar_parts(usage, CELLS))
        rows.append([key.name, key.kind, *figures, f"{usage.percent:.1f}", tier, bar])
    headers = ("NAME", "KIND", "TOTAL", "ALLOC", "HELD", "AVAIL", "COUNT", "FRAG", "USED%")
    hidden = () if wide else (6, 7) if len({row[1] for row in rows}) > 1 else (1, 6, 7)
    return table((*headers, "LEVEL", "USAGE"), rows, painter, range(2, 9), hidden) or NO_POOLS


_LEVELS = ("warning", "gate", "full")
_IDLE = "Idle addresses unknown: the repository does not show how many addresses Services use. To include them, pass --apply-result FILE.\n"
_SOON_WEEKS = 4.0


def forecast_text(
    past: Past, found: Sequence[Outlook], painter: Painter, idle: Idle | None = None
) -> str:
    """Return a row for each pool and span, past usage, free capacity, and unused addresses."""
    if not found:
        return NO_POOLS
    head = f"As of {format_instant(past.clock)}, looking back {past.days} days.\n"
    rows = [_forecast_row(item, rate, past) for item in found for rate in item.rates]
    columns = ("POOL", "USED%", "SPAN", "CHANGE", "WARNING", "LIMIT", "FULL")
    shown = table(columns, rows, painter, right=(1,))
    more = (line for item in found for line in _forecast_lines(item))
    return "".join([head, shown, *more, _idle_text(idle, painter)])


def _forecast_row(item: Outlook, rate: Rate, past: Past) -> list[Cell]:
    begin: list[Cell] = [item.pool.name, f"{item.usage.percent:.1f}", f"{rate.days} days"]
    if rate.change is None:
        return [*begin, (f"not enough history: {past.days} days", Colour.DIM), "", "", ""]
    sign = "+" if rate.change > 0 else ""
    weeks = dict(zip((level.name for level in item.levels), rate.weeks, strict=True))
    cells = [_weeks(weeks[name]) if name in weeks else "no capacity limit" for name in _LEVELS]
    return [*begin, f"{sign}{rate.change}", *cells]


def _weeks(weeks: float | None) -> Cell:
    if weeks is None:
        return "never so"
    if weeks == 0:
        return "reached", Colour.RED
    return f"{weeks:g} weeks", Colour.YELLOW if weeks <= _SOON_WEEKS else None


def _forecast_lines(item: Outlook) -> Iterator[str]:
    name = item.pool.name
    if trend := _trend(item.trend, item.usage.total):
        yield f"{name}: last {trend}\n"
    if blocks := item.usage.blocks_left:
        yield f"{name}: {blocks}\n"
    if not item.shape:
        yield f"{name}: no tenants, so the median size is unknown\n"
        return
    count = f"{'at least ' if item.fits >= MAX_TENANTS else ''}{plural(item.fits, 'more tenant')}"
    shape, verb = " + ".join(map(str, item.shape)), "fits" if item.fits == 1 else "fit"
    yield f"{name}: {count} of the median size ({shape}) {verb}\n"


def _idle_text(idle: Idle | None, painter: Painter) -> str:
    if idle is None:
        return _IDLE
    if not idle.items:
        return "Idle addresses: no tenant has load-balancer addresses.\n"
    head = f"Idle addresses in the apply result of {idle.result[:12]}"
    if idle.is_other:
        head += f", but this output shows {idle.revision[:12] or 'the work tree'}"
    rows = [_headroom(item) for item in (*idle.items, idle.total._replace(cluster="TOTAL"))]
    columns = ("TENANT", "ALLOCATED", "USED", "IDLE", "NOT CHECKED")
    return f"{head}:\n" + table(columns, rows, painter, right=(1, 2, 3))


def _headroom(item: Headroom) -> list[Cell]:
    left = item.allocated - item.looked
    why = f"{left}: {item.why}" if item.why else str(left or "")
    is_known = item.looked or not left
    figures = [str(item.used), str(item.idle)] if is_known else ["unknown", "unknown"]
    return [item.cluster, str(item.allocated), *figures, (why, Colour.DIM) if why else ""]


MIN_BARS = 44
_BARS_INDENT = "  "
_BARS_COLOURS = {**TIER_COLOURS, Tier.OK: Colour.GREEN}


class PoolBar(NamedTuple):
    """Pool with its usage now, and at each of `TREND` if known."""

    pool: Key
    usage: Usage
    thresholds: Thresholds
    trend: Sequence[int | None]


def bars_text(pools: Iterable[PoolBar], painter: Painter, width: int, *, wide: bool = False) -> str:
    """Return a bar for each pool, and a legend. No line is wider than `width`, or 44."""
    width = max(width, MIN_BARS)
    blocks = ["\n".join(_block(item, painter, width, wide=wide)) for item in pools]
    if not blocks:
        return NO_POOLS
    signs = ("▓ allocated", "▒ held", "░ free", "╵ thresholds")
    legend = "\n".join(painter.paint(line, Colour.DIM) for line in _wrapped(signs, width, ""))
    return "\n\n".join([*blocks, legend]) + "\n"


def _block(item: PoolBar, painter: Painter, width: int, *, wide: bool) -> Iterator[str]:
    usage, inner, levels = item.usage, width - len(_BARS_INDENT), item.thresholds.levels
    colour = _BARS_COLOURS[usage.tier]
    total = f"{usage.percent:.1f}% of {format_count(usage.total)}  "
    figures = total if usage.total else "no addresses  "
    room = width - len(figures) - len(usage.tier.value) - 2
    name = escape(item.pool.name)
    name = name if len(name) <= room else f"{name[: room - 3]}..."
    tier = painter.paint(usage.tier.value, colour)
    yield f"{painter.paint(name, Colour.BOLD)}{' ' * (room - len(name) + 2)}{figures}{tier}"
    if not usage.total:
        return
    live, held, free = bar_parts(usage, inner, levels)
    parts = ((live, colour), (held, colour), (free, Colour.DIM))
    yield _BARS_INDENT + "".join(painter.paint(text, it) for text, it in parts if text)
    yield f"{_BARS_INDENT}{_ticks(levels, inner)}"
    show: Callable[[int], str] = str if wide else format_count
    numbers = (usage.allocated, usage.held, usage.available)
    words = zip(numbers, ("allocated", "held", "free"), strict=True)
    shown = [f"{show(number)} {word}" for number, word in words]
    if trend := _trend(item.trend, usage.total):
        shown.append(trend)
    yield from _wrapped(shown, inner, _BARS_INDENT)


def _ticks(levels: Sequence[int], cells: int) -> str:
    line = [" "] * cells
    places = [tick(level, cells) for level in levels]
    for place in places:
        line[place] = "╵"
    for level, place in zip(levels, places, strict=True):
        label = str(level)
        for start in (place + 1, place - len(label)):
            end = start + len(label)
            if start >= 0 and end <= cells and set(line[start:end]) == {" "}:
                line[start:end] = label
                break
    return "".join(line).rstrip()


def _wrapped(parts: Iterable[str], width: int, indent: str) -> Iterator[str]:
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
"""Columns before the cells of a map: an address, and two spaces."""
WIDTH = 80
SHORT_ROWS = 2
"""Rows of a pool in a map of many pools."""
_LEGEND_INDENT = 5
_MAP_COLOURS = {
    AddressUse.HELD: Colour.YELLOW,
    AddressUse.GATEWAY: Colour.BOLD,
    AddressUse.IN_USE: Colour.RED,
    AddressUse.RESERVED: Colour.DIM,
    AddressUse.FREE: None,
    AddressUse.UNUSED: Colour.DIM,
}


def map_text(found: PoolMap, painter: Painter, width: int = WIDTH) -> str:
    """Return the map of a pool with a legend. No line is wider than a width of 40 or more."""
    lines = [*_map_title(found, _scale(found), painter, width), *_drawn(found, painter, width)]
    return "\n".join([*lines, *_map_legend(found, painter, width)]) + "\n"


def picture_lines(found: PoolMap) -> list[str]:
    """Return the title and the legend of a pool's picture."""
    title = f"{escape(found.pool.name)}  {_scale(found)}".rstrip()
    return [title, *_map_legend(found, Painter(is_on=False), 100)]


def _scale(found: PoolMap) -> str:
    if not found.per_cell:
        return "widths are logarithms of sizes"
    return f"a cell is {format_count(found.per_cell)} addresses" if found.per_cell > 1 else ""


def short_text(found: Iterable[tuple[PoolMap, Usage]], painter: Painter, width: int = WIDTH) -> str:
    """Return a few rows for each pool, with its usage, and one legend."""
    lines: list[str] = []
    shown: set[AddressUse] = set()
    has_conflict = False
    for one, usage in found:
        free = format_count(usage.available)
        used = painter.paint(f"{usage.percent:.1f}% used", TIER_COLOURS[usage.tier])
        scale = f", a cell is {format_count(one.per_cell)}" if one.per_cell else ""
        lines += _map_title(one, f"{used}, {free} free{scale}", painter, width)
        lines += [*_drawn(one, painter, width), ""]
        shown |= {part.sort for part in one.parts}
        has_conflict = has_conflict or bool(one.conflicts)
    if not lines:
        return NO_POOLS
    words = [f"{CONFLICT} in conflict"] if has_conflict else []
    words += [f"{SIGNS[sort]} {sort.value}" for sort in SIGNS if sort in shown]
    signs = ", ".join([*words, "A-Z, a-z, 0-9: holders"])
    legend = [signs, "ipam map POOL lists the holder of each letter"]
    return "\n".join([*lines, *(row for it in legend for row in textwrap.wrap(it, width))]) + "\n"


def _map_title(found: PoolMap, more: str, painter: Painter, width: int) -> list[str]:
    name = _cut(escape(found.pool.name), width)
    shown = painter.paint(name, Colour.BOLD)
    is_short = len(name) + 2 + len(more) <= width or not more
    return [f"{shown}  {more}".rstrip()] if is_short else [shown, f"  {more}"]


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _drawn(found: PoolMap, painter: Painter, width: int) -> Iterator[str]:
    for row in found.rows if found.per_cell else ():
        signs = [_sign(found, part, painter) for part in row.cells]
        for first, count in conflict_cells(found, row):
            signs[first : first + count] = [painter.paint(CONFLICT, Colour.RED)] * count
        yield f"{format_address(4, row.first):<{GUTTER - 2}}  {''.join(signs)}".rstrip()
    if found.parts and not found.per_cell:
        parts = strip(found.parts, min(width - 4, 64))
        yield "  " + "".join(_sign(found, part, painter) for part in parts)


def conflict_cells(found: PoolMap, row: MapRow) -> Iterator[tuple[int, int]]:
    """Yield the first cell, and the number of cells, of each conflict in a row of cells."""
    whole = IPRange(4, row.first, row.first + len(row.cells) * found.per_cell - 1)
    for item in found.conflicts:
        if (shared := item.shared(whole)) is not None:
            first = (shared.first - row.first) // found.per_cell
            yield first, (shared.last - row.first) // found.per_cell + 1 - first


def _sign(found: PoolMap, part: AddressPart | None, painter: Painter) -> str:
    if part is None:
        return " "
    colour = _MAP_COLOURS.get(part.sort)
    if part.sort is AddressUse.ALLOCATED:  # neighbors differ
        colour = (Colour.GREEN, Colour.BLUE)[list(found.letters).index(part.title) % 2]
    return painter.paint(found.sign(part), colour)


def _map_legend(found: PoolMap, painter: Painter, width: int) -> Iterator[str]:
    if not found.per_cell:
        yield from _ranges(found, painter, width)
    for item in found.conflicts:
        there = (it for it in found.parts if it.sort.is_holder and it.range.overlaps(item))
        titles = dict.fromkeys(it.title for it in there)
        text = f"in conflict: {format_short(item)}: {', '.join(map(escape, titles))}"
        yield f"  {painter.paint(CONFLICT, Colour.RED)}  {_cut(text, width - _LEGEND_INDENT)}"
    slots = _slots(found)
    for holder in found.holders:
        if holder.letter != OTHERS:
            size, uses = format_count(holder.size), slots.get(holder.title, Counter())
            if len(uses) > 1:
                size += f" ({', '.join(f'{use} {format_count(it)}' for use, it in uses.items())})"
            title = _cut(escape(holder.title), max(width - _LEGEND_INDENT - 2 - len(size), 8))
            yield f"  {painter.paint(holder.letter, Colour.BOLD)}  {title}: {size}"
    if others := [it.size for it in found.holders if it.letter == OTHERS]:
        yield f"  {OTHERS}  {len(others)} others: {format_count(sum(others))}"
    for sort, count in sizes_by_use(found).items():
        yield f"  {SIGNS[sort]}  {sort.value}: {format_count(count)}"


def sizes_by_use(found: PoolMap) -> dict[AddressUse, int]:
    """Return the number of addresses that no claim holds, by use, without zeros."""
    sizes = Counter[AddressUse]()
    for part in found.parts:
        sizes[part.sort] += part.range.size
    return {sort: sizes[sort] for sort in SIGNS if sizes[sort]}


def _ranges(found: PoolMap, painter: Painter, width: int) -> Iterator[str]:
    for part in found.parts:
        sign = _sign(found, part, painter)
        addresses, count = format_short(part.range), format_count(part.range.size)
        if _LEGEND_INDENT + len(addresses) + 2 + len(count) <= width:
            yield f"  {sign}  {addresses}  {count}"
        else:
            yield f"  {sign}  {count}:"
            yield from (f" {it}" for it in addresses.replace("-", "-\n").split("\n"))


def _slots(found: PoolMap) -> dict[str, Counter[str]]:
    slots: dict[str, Counter[str]] = {}
    for part in found.parts:
        if part.sort is AddressUse.ALLOCATED and part.record is not None:
            mine = slots.setdefault(part.title, Counter())
            mine[part.record.claim.slot] += part.range.size
    return slots
