"""SVG maps of pools."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape as html
from itertools import groupby
from typing import TypeVar

from reconciler.addresses import format_address, format_count, format_short
from reconciler.documents.text import escape
from reconciler.planning.pool_map import (
    CONFLICT,
    MAX_COLUMNS,
    OTHERS,
    SIGNS,
    AddressPart,
    AddressUse,
    MapRow,
    PoolMap,
    strip,
)
from reconciler.report.markup import cut
from reconciler.report.text.pools import GUTTER, conflict_cells, sizes_by_use

_T = TypeVar("_T")
_SIGNED = {*SIGNS, AddressUse.ALLOCATED}


def changed_lines(before: PoolMap, after: PoolMap) -> list[str]:
    """Return the changed rows, before and after next to each other, and a legend."""
    many = format_count(after.per_cell)
    scale = f": a cell is {many} addresses" if after.per_cell > 1 else ""
    lines = [f"{escape(after.pool.name)}{scale}"]
    lines += _rows(before, after) if after.per_cell else _ranges(before, after)
    return [*lines, *_map_change_legend(before, after)]


def _changed_rows(before: PoolMap, after: PoolMap) -> list[tuple[MapRow, MapRow]]:
    both = zip(before.rows, after.rows, strict=True)
    return [(old, new) for old, new in both if signs(before, old) != signs(after, new)]


def signs(found: PoolMap, row: MapRow) -> str:
    """Return a row as text, with one character per cell."""
    return "".join(" " if part is None else found.sign(part) for part in row.cells)


def _rows(before: PoolMap, after: PoolMap) -> Iterator[str]:
    changed = _changed_rows(before, after)
    for old, new in changed:
        at = f"{format_address(4, new.first):<{GUTTER - 2}}"
        yield f"{at}  {signs(before, old)}  →  {signs(after, new)}".rstrip()
    if same := len(after.rows) - len(changed):
        yield f"{same} more rows unchanged" if changed else "no cell changes"


def _ranges(before: PoolMap, after: PoolMap) -> Iterator[str]:
    old, new = (
        {(it.range, side.sign(it) if it.sort in _SIGNED else " ") for it in side.parts}
        for side in (before, after)
    )
    for range_, sign in sorted(old ^ new):
        does = "-" if (range_, sign) in old else "+"
        yield f"{does} {sign}  {format_short(range_)}  {format_count(range_.size)}"


def _map_change_legend(before: PoolMap, after: PoolMap) -> Iterator[str]:
    old, new = _counts(before), _counts(after)
    rows = _changed_rows(before, after) if after.per_cell else []
    shown = {sign for one, two in rows for sign in signs(before, one) + signs(after, two)}
    order = [*after.letters.values(), *SIGNS.values()]
    for sign, title in sorted({**old, **new}, key=lambda it: (order.index(it[0]), it[1])):
        was, now = old.get((sign, title), 0), new.get((sign, title), 0)
        if was == now and sign not in shown:
            continue
        counts = format_count(now) if was == now else f"{format_count(was)} → {format_count(now)}"
        yield f"  {sign}  {escape(title)}: {counts}"


def _counts(found: PoolMap) -> dict[tuple[str, str], int]:
    counts: dict[tuple[str, str], int] = {}
    for holder in found.holders:
        title = "others" if holder.letter == OTHERS else holder.title
        counts[holder.letter, title] = counts.get((holder.letter, title), 0) + holder.size
    return counts | {(SIGNS[it], it.value): size for it, size in sizes_by_use(found).items()}


_CELL, _LINE = 11, 18
_LEFT, _GAP, _EDGE = 120, 40, 16
_TEXT = 200
_NAMES = ("held", "gateway", "used", "reserved", "free", "unused")
_CLASSES = dict(zip(SIGNS, _NAMES, strict=True))
_TURNS = 6
# The colors are distinguishable for color-blind readers. Letters carry the same information.
_STYLE = """
text{font:12px ui-monospace,monospace;fill:#1f2328;white-space:pre}
.paper{fill:#ffffff}.free{fill:#eaeef2}.unused{fill:#ffffff;stroke:#d0d7de}.reserved{fill:#afb8c1}
.held{fill:#e3b341}.gateway{fill:#57606a}.used{fill:#cf222e}.mark{font-size:9px}
.a0{fill:#56b4e9}.a1{fill:#009e73}.a2{fill:#cc79a7}.a3{fill:#d55e00}.a4{fill:#0072b2}.a5{fill:#f0e442}
.changed{fill:none;stroke:#1f2328}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.mark{fill:#0d1117}.paper{fill:#0d1117}
.free{fill:#21262d}.unused{fill:#0d1117;stroke:#30363d}.reserved{fill:#484f58}.gateway{fill:#8b949e}
.changed{stroke:#e6edf3}}
"""


def map_svg(maps: Sequence[tuple[PoolMap, PoolMap]]) -> str:
    """Return the picture of pools, or a picture that says that no pool changes."""
    shapes: list[str] = []
    top, width = _EDGE, 480
    for before, after in maps:
        title, *lines = changed_lines(before, after)
        lines = [it for it in lines if it.startswith("  ") or not after.per_cell]
        shapes.append(_text(_EDGE, top + _LINE, f"{title}, before → after"))
        top += 2 * _LINE
        for old, new in zip(before.rows, after.rows, strict=True):
            shapes.append(_text(_EDGE, top + _CELL - 1, format_address(4, new.first)))
            second = _EDGE + _LEFT + len(old.cells) * _CELL + _GAP
            shapes += _row(before, old, _EDGE + _LEFT, top)
            shapes += _row(after, new, second, top)
            if after.per_cell and signs(before, old) != signs(after, new):
                shapes += _changes((before, old), (after, new), second, top)
            width = max(width, second + len(new.cells) * _CELL + _EDGE)
            top += _CELL + 2
        shapes += [_text(_EDGE, top + _LINE * at, it) for at, it in enumerate(lines, 1)]
        top += _LINE * (1 + len(lines))
    if not maps:
        shapes = [_text(_EDGE, top + _LINE, "This change does not affect any addresses.")]
        top += 2 * _LINE
    return _picture("Addresses before and after", shapes, width, top)


def _row(found: PoolMap, row: MapRow, left: int, top: int) -> Iterator[str]:
    """Yield the shapes of a row: equal adjacent cells are one shape with a letter at its start."""
    for part, at, count in _runs(_look(found, it) for it in row.cells):
        if part is not None:
            name, letter = part
            x = left + at * _CELL
            yield _rect(name, x, top, count * _CELL - 1)
            if letter:
                yield _text(x + 2, top + _CELL - 2, letter, "mark")


def _runs(looks: Iterable[_T]) -> Iterator[tuple[_T, int, int]]:
    """Yield runs of equal cells: their content, the first one, and their number."""
    at = 0
    for look, cells in groupby(looks):
        count = len(list(cells))
        yield look, at, count
        at += count


def _changes(
    before: tuple[PoolMap, MapRow], after: tuple[PoolMap, MapRow], left: int, top: int
) -> Iterator[str]:
    old, new = ([_look(it, part) for part in row.cells] for it, row in (before, after))
    for is_changed, at, count in _runs(a != b for a, b in zip(old, new, strict=True)):
        if is_changed:
            yield _rect("changed", left + at * _CELL, top, count * _CELL - 1)


def _look(found: PoolMap, part: AddressPart | None) -> tuple[str, str] | None:
    if part is None:
        return None
    if part.sort is not AddressUse.ALLOCATED:
        return (_CLASSES[part.sort], "") if part.sort in _CLASSES else None
    turn = list(found.letters).index(part.title) % _TURNS
    return f"a{turn}", found.letters[part.title]


def _rect(name: str, x: int, top: int, width: int) -> str:
    return f'<rect class="{name}" x="{x}" y="{top}" width="{width}" height="{_CELL}"/>'


def _text(x: int, y: int, text: str, name: str = "") -> str:
    written = html(cut(escape(text), _TEXT))
    sort = f' class="{name}"' if name else ""
    return f'<text{sort} x="{x}" y="{y}">{written}</text>'


def pool_svg(maps: Sequence[tuple[PoolMap, Sequence[str]]]) -> str:
    """Return the picture of pools, each with its title and, below its cells, lines of a legend."""
    shapes: list[str] = []
    top, width = _EDGE, 480
    for found, (title, *lines) in maps:
        shapes.append(_text(_EDGE, top + _LINE, title))
        top += 2 * _LINE
        for label, row in _labelled(found):
            shapes.append(_text(_EDGE, top + _CELL - 1, label))
            shapes += _row(found, row, _EDGE + _LEFT, top)
            for first, count in conflict_cells(found, row) if found.per_cell else ():
                x = _EDGE + _LEFT + first * _CELL
                shapes.append(_rect("used", x, top, count * _CELL - 1))
                shapes.append(_text(x + 2, top + _CELL - 2, CONFLICT, "mark"))
            width = max(width, 2 * _EDGE + _LEFT + len(row.cells) * _CELL)
            top += _CELL + 2
        names = {SIGNS[sort]: name for sort, name in _CLASSES.items()} | {CONFLICT: "used"}
        for turn, letter in enumerate(found.letters.values()):
            names.setdefault(letter, f"a{turn % _TURNS}")
        for line in lines:
            top += _LINE
            if line.startswith("  ") and (name := names.get(line[2:3])):
                shapes.append(_rect(name, _EDGE, top - _CELL + 1, _CELL))
            shapes.append(_text(_EDGE, top, line))
        top += 2 * _LINE
    if not maps:
        shapes, top = [_text(_EDGE, top + _LINE, "No pools found.")], top + 2 * _LINE
    return _picture("Addresses of pools", shapes, width, top)


def _labelled(found: PoolMap) -> list[tuple[str, MapRow]]:
    """Return rows with their first address. Without cells, one row with a logarithmic scale."""
    if found.per_cell or not found.parts:
        return [(format_address(4, row.first), row) for row in found.rows]
    return [("", MapRow(0, tuple(strip(found.parts, MAX_COLUMNS))))]


def _picture(title: str, shapes: Sequence[str], width: int, height: int) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}" role="img">'
    )
    paper = f'<rect class="paper" width="{width}" height="{height}"/>'
    style = f"<style>{_STYLE}</style>"
    return "\n".join([head, f"<title>{title}</title>", style, paper, *shapes, "</svg>"]) + "\n"
