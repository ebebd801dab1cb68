"""`map`, `status --map`: addresses of pools in the terminal, a sign for each or for some of them."""

import textwrap
from collections.abc import Iterable, Iterator

from reconciler.addresses import IPRange
from reconciler.addresses.notation import format_address, format_count, format_short
from reconciler.asking.cells import CONFLICT, OTHERS, SIGNS, Holder, PoolMap, Row, strip
from reconciler.asking.parts import Part, Sort
from reconciler.model.plan import Usage
from reconciler.report.escape import escape
from reconciler.report.text.table import TIER_COLOURS, Colour, Painter

GUTTER = 17
"""Columns before the cells: an address, and two spaces."""
WIDTH = 80
SHORT_ROWS = 2
"""Rows of a pool that is one of many."""
_INDENT = 5
_PICTURE = 100
_LOGARITHMIC = "widths are logarithms of sizes"
_COLOURS = {
    Sort.HELD: Colour.YELLOW,
    Sort.GATEWAY: Colour.BOLD,
    Sort.IN_USE: Colour.RED,
    Sort.RESERVED: Colour.DIM,
    Sort.FREE: None,
    Sort.UNUSED: Colour.DIM,
}
_BY_TURNS = (Colour.GREEN, Colour.BLUE)


def map_text(found: PoolMap, painter: Painter, width: int = WIDTH) -> str:
    """The map of a pool, and what its signs mean. No line is wider than a width of 40 or more."""
    scale = f"a cell is {format_count(found.per_cell)} addresses" if found.per_cell > 1 else ""
    if not found.per_cell:
        scale = _LOGARITHMIC
    lines = [*_title(found, scale, painter, width), *_drawn(found, painter, width)]
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
    shown: set[Sort] = set()
    is_torn = False
    for one, usage in found:
        free = format_count(usage.available)
        used = painter.paint(f"{usage.percent:.1f}% used", TIER_COLOURS[usage.tier])
        scale = f", a cell is {format_count(one.per_cell)}" if one.per_cell else ""
        lines += _title(one, f"{used}, {free} free{scale}", painter, width)
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


def _title(found: PoolMap, told: str, painter: Painter, width: int) -> Iterator[str]:
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
        yield from _cells(found, painter)
    elif found.parts:
        parts = strip(found.parts, min(width - 4, 64))
        yield "  " + "".join(_sign(found, part, painter) for part in parts)


def _cells(found: PoolMap, painter: Painter) -> Iterator[str]:
    for row in found.rows:
        torn = _torn(found, row)
        signs = "".join(
            painter.paint(CONFLICT, Colour.RED) if at in torn else _sign(found, part, painter)
            for at, part in enumerate(row.cells)
        )
        yield f"{format_address(4, row.first):<{GUTTER - 2}}  {signs}".rstrip()


def _torn(found: PoolMap, row: Row) -> set[int]:
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


def _sign(found: PoolMap, part: Part | None, painter: Painter) -> str:
    return " " if part is None else painter.paint(found.sign(part), _colour(found, part))


def _colour(found: PoolMap, part: Part) -> Colour | None:
    """The sign says the same; neighbours are set apart."""
    if part.sort is not Sort.ALLOCATED:
        return _COLOURS[part.sort]
    order = list(found.letters).index(part.title)
    return _BY_TURNS[order % len(_BY_TURNS)]


def _intervals(found: PoolMap, painter: Painter, width: int) -> Iterator[str]:
    """A line for each part: of IPv6 there are too many addresses for cells."""
    for part in found.parts:
        sign = _sign(found, part, painter)
        addresses, count = format_short(part.range), format_count(part.range.size)
        if _INDENT + len(addresses) + 2 + len(count) <= width:
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
            title = _cut(escape(holder.title), max(width - _INDENT - 2 - len(size), 8))
            yield f"  {painter.paint(holder.letter, Colour.BOLD)}  {title}: {size}"
    yield from _others([holder for holder in found.holders if holder.letter == OTHERS])
    told: dict[Sort, int] = {}
    for part in found.parts:
        if part.sort in SIGNS:
            told[part.sort] = told.get(part.sort, 0) + part.range.size
    for sort in SIGNS:
        if sort in told:
            yield f"  {SIGNS[sort]}  {sort.value}: {format_count(told[sort])}"


def _others(holders: list[Holder]) -> Iterator[str]:
    if holders:
        size = format_count(sum(it.size for it in holders))
        yield f"  {OTHERS}  {len(holders)} others: {size}"


def _torn_lines(found: PoolMap, painter: Painter, width: int) -> Iterator[str]:
    sign = painter.paint(CONFLICT, Colour.RED)
    for item in found.conflicts:
        holders = [part for part in found.parts if part.sort.is_holder]
        titles = dict.fromkeys(part.title for part in holders if part.range.overlaps(item))
        told = f"in conflict: {format_short(item)}: {', '.join(map(escape, titles))}"
        yield f"  {sign}  {_cut(told, width - _INDENT)}"


def _slots(found: PoolMap) -> dict[str, dict[str, int]]:
    """How many addresses each holder has for what, by title."""
    slots: dict[str, dict[str, int]] = {}
    for part in found.parts:
        if part.sort is Sort.ALLOCATED and part.record is not None:
            mine = slots.setdefault(part.title, {})
            use = part.record.claim.slot
            mine[use] = mine.get(use, 0) + part.range.size
    return slots


def _uses(slots: dict[str, int]) -> str:
    """What a holder has addresses for, where that is more than one thing."""
    if len(slots) < 2:
        return ""
    return f" ({', '.join(f'{use} {format_count(size)}' for use, size in slots.items())})"
