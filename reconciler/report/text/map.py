"""`status --map`: the addresses of a pool in the terminal, a sign for each or for some of them."""

from collections.abc import Iterator

from reconciler.addresses.notation import format_address, format_count, format_short
from reconciler.asking.cells import OTHERS, SIGNS, PoolMap
from reconciler.asking.parts import Part, Sort
from reconciler.report.escape import escape
from reconciler.report.text.table import Colour, Painter

GUTTER = 17
"""Columns before the cells: an address, and two spaces."""
_COLOURS = {
    Sort.HELD: Colour.YELLOW,
    Sort.GATEWAY: Colour.BOLD,
    Sort.IN_USE: Colour.RED,
    Sort.RESERVED: Colour.DIM,
    Sort.FREE: None,
    Sort.UNUSED: Colour.DIM,
}
_BY_TURNS = (Colour.GREEN, Colour.BLUE)


def map_text(found: PoolMap, painter: Painter) -> str:
    """The map of a pool, and what its signs mean."""
    scale = f"  a cell is {format_count(found.per_cell)} addresses" if found.per_cell > 1 else ""
    lines = [f"{painter.paint(found.pool.name, Colour.BOLD)}{scale}"]
    lines += _cells(found, painter) if found.per_cell else _intervals(found, painter)
    lines += _legend(found, painter)
    return "\n".join(lines) + "\n"


def _cells(found: PoolMap, painter: Painter) -> Iterator[str]:
    for row in found.rows:
        signs = "".join(_sign(found, part, painter) for part in row.cells)
        yield f"{format_address(4, row.first):<{GUTTER - 2}}  {signs}".rstrip()


def _sign(found: PoolMap, part: Part | None, painter: Painter) -> str:
    return " " if part is None else painter.paint(found.sign(part), _colour(found, part))


def _colour(found: PoolMap, part: Part) -> Colour | None:
    """The sign says the same; neighbours are set apart."""
    if part.sort is not Sort.ALLOCATED:
        return _COLOURS[part.sort]
    order = list(found.letters).index(part.title)
    return _BY_TURNS[order % len(_BY_TURNS)]


def _intervals(found: PoolMap, painter: Painter) -> Iterator[str]:
    """A line for each part: of IPv6 there are too many addresses for cells."""
    for part in found.parts:
        sign = _sign(found, part, painter)
        yield f"  {sign}  {format_short(part.range)}  {format_count(part.range.size)}"


def _legend(found: PoolMap, painter: Painter) -> Iterator[str]:
    for holder in found.holders:
        if holder.letter != OTHERS:
            size = format_count(holder.size)
            yield f"  {painter.paint(holder.letter, Colour.BOLD)}  {escape(holder.title)}: {size}"
    others = [holder for holder in found.holders if holder.letter == OTHERS]
    if others:
        yield f"  {OTHERS}  {len(others)} others: {format_count(sum(it.size for it in others))}"
    told: dict[Sort, int] = {}
    for part in found.parts:
        if part.sort in SIGNS:
            told[part.sort] = told.get(part.sort, 0) + part.range.size
    for sort in SIGNS:
        if sort in told:
            yield f"  {SIGNS[sort]}  {sort.value}: {format_count(told[sort])}"
