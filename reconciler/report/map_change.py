"""The map of a pool before and after, as lines: what changes, and what the signs mean."""

from collections.abc import Iterator

from reconciler.addresses.notation import format_address, format_count, format_short
from reconciler.asking.cells import OTHERS, SIGNS, PoolMap, Row
from reconciler.asking.parts import Part, Sort
from reconciler.report.escape import escape
from reconciler.report.text.map import GUTTER

_ARROW = "  →  "


def changed_lines(before: PoolMap, after: PoolMap) -> list[str]:
    """The rows that change, beside each other, and a legend of what is in them."""
    many = format_count(after.per_cell)
    scale = f": a cell is {many} addresses" if after.per_cell > 1 else ""
    lines = [f"{escape(after.pool.name)}{scale}"]
    lines += _rows(before, after) if after.per_cell else _ranges(before, after)
    return [*lines, *_legend(before, after)]


def changed_rows(before: PoolMap, after: PoolMap) -> list[tuple[Row, Row]]:
    """The rows of cells that change."""
    both = zip(before.rows, after.rows, strict=True)
    return [(old, new) for old, new in both if signs(before, old) != signs(after, new)]


def signs(found: PoolMap, row: Row) -> str:
    """A row in characters: one for each cell."""
    return "".join(" " if part is None else found.sign(part) for part in row.cells)


def _rows(before: PoolMap, after: PoolMap) -> Iterator[str]:
    changed = changed_rows(before, after)
    for old, new in changed:
        at = f"{format_address(4, new.first):<{GUTTER - 2}}"
        yield f"{at}  {signs(before, old)}{_ARROW}{signs(after, new)}".rstrip()
    if same := len(after.rows) - len(changed):
        yield f"{same} more rows stay" if changed else "no cell shows another holder"


def _ranges(before: PoolMap, after: PoolMap) -> Iterator[str]:
    """A line for each range that changes hands: of IPv6 there are too many addresses for cells."""
    old, new = ({(it.range, sign_of(side, it)) for it in side.parts} for side in (before, after))
    for range_, sign in sorted(old ^ new):
        does = "-" if (range_, sign) in old else "+"
        yield f"{does} {sign}  {format_short(range_)}  {format_count(range_.size)}"


def sign_of(found: PoolMap, part: Part) -> str:
    """The sign of a part; a space for what has none."""
    return found.sign(part) if part.sort in SIGNS or part.sort is Sort.ALLOCATED else " "


def _legend(before: PoolMap, after: PoolMap) -> Iterator[str]:
    """Each sign of what changes, and how many addresses it stands for."""
    old, new = _counts(before), _counts(after)
    shown = _shown(before, after)
    order = [*after.letters.values(), *SIGNS.values()]
    for sign, title in sorted({**old, **new}, key=lambda it: (order.index(it[0]), it[1])):
        was, now = old.get((sign, title), 0), new.get((sign, title), 0)
        if was == now and sign not in shown:
            continue
        told = format_count(now) if was == now else f"{format_count(was)} → {format_count(now)}"
        yield f"  {sign}  {escape(title)}: {told}"


def _shown(before: PoolMap, after: PoolMap) -> frozenset[str]:
    rows = changed_rows(before, after) if after.per_cell else []
    return frozenset(sign for old, new in rows for sign in signs(before, old) + signs(after, new))


def _counts(found: PoolMap) -> dict[tuple[str, str], int]:
    """How many addresses each sign stands for, by sign and meaning."""
    counts: dict[tuple[str, str], int] = {}
    for holder in found.holders:
        title = "others" if holder.letter == OTHERS else holder.title
        counts[holder.letter, title] = counts.get((holder.letter, title), 0) + holder.size
    for sort, sign in SIGNS.items():
        if size := sum(part.range.size for part in found.parts if part.sort is sort):
            counts[sign, sort.value] = size
    return counts
