"""Maps of pools before and after, as one picture: a file of its own, for light and for dark."""

from collections.abc import Iterator, Sequence
from html import escape as html
from itertools import groupby

from reconciler.addresses.notation import format_address
from reconciler.asking.cells import PoolMap, Row
from reconciler.asking.parts import Part, Sort
from reconciler.report.escape import escape
from reconciler.report.map_change import changed_lines, changed_rows
from reconciler.report.markup import cut

_CELL, _LINE = 11, 18
_LEFT, _GAP, _EDGE = 120, 40, 16
_TEXT = 200
_CLASSES = {
    Sort.HELD: "held",
    Sort.GATEWAY: "gateway",
    Sort.IN_USE: "used",
    Sort.RESERVED: "reserved",
    Sort.FREE: "free",
    Sort.UNUSED: "unused",
}
_TURNS = 6
# Colours that stay apart for people who see few of them; letters say the same.
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
_Maps = Sequence[tuple[PoolMap, PoolMap]]


def map_svg(maps: _Maps) -> str:
    """The picture of some pools; of none it says that none changes."""
    shapes: list[str] = []
    top = _EDGE
    for before, after in maps:
        drawn = list(_pool(before, after, top))
        shapes += drawn
        top += _height(before, after)
    if not maps:
        shapes = [_text(_EDGE, top + _LINE, "No addresses change hands.")]
        top += 2 * _LINE
    width = max([480, *(_width(after) for _, after in maps)])
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{top}"'
        f' viewBox="0 0 {width} {top}" role="img">'
    )
    paper = f'<rect class="paper" width="{width}" height="{top}"/>'
    title = "<title>Addresses before and after</title>"
    return "\n".join([head, title, f"<style>{_STYLE}</style>", paper, *shapes, "</svg>"]) + "\n"


def _legend(before: PoolMap, after: PoolMap) -> tuple[str, list[str]]:
    """The title, and the lines below the cells; for what has no cells all of them."""
    title, *lines = changed_lines(before, after)
    return title, [it for it in lines if it.startswith("  ")] if after.per_cell else lines


def _height(before: PoolMap, after: PoolMap) -> int:
    return _LINE * (3 + len(_legend(before, after)[1])) + (_CELL + 2) * len(after.rows)


def _width(found: PoolMap) -> int:
    columns = max((len(row.cells) for row in found.rows), default=0)
    return 2 * _EDGE + _LEFT + 2 * columns * _CELL + _GAP


def _pool(before: PoolMap, after: PoolMap, top: int) -> Iterator[str]:
    title, lines = _legend(before, after)
    yield _text(_EDGE, top + _LINE, f"{title}, before → after")
    top += 2 * _LINE
    changed = {new.first for _, new in changed_rows(before, after)} if after.per_cell else set()
    for old, new in zip(before.rows, after.rows, strict=True):
        yield _text(_EDGE, top + _CELL - 1, format_address(4, new.first))
        second = _EDGE + _LEFT + len(old.cells) * _CELL + _GAP
        yield from _row(before, old, _EDGE + _LEFT, top)
        yield from _row(after, new, second, top)
        if new.first in changed:
            yield from _changes((before, old), (after, new), second, top)
        top += _CELL + 2
    for line in lines:
        top += _LINE
        yield _text(_EDGE, top, line)


def _row(found: PoolMap, row: Row, left: int, top: int) -> Iterator[str]:
    """Cells that are one thing are one shape, with its letter at its begin."""
    at = 0
    for part, cells in groupby(row.cells, key=lambda it: _look(found, it)):
        count = len(list(cells))
        if part is not None:
            name, letter = part
            x, width = left + at * _CELL, count * _CELL - 1
            yield f'<rect class="{name}" x="{x}" y="{top}" width="{width}" height="{_CELL}"/>'
            if letter:
                yield _text(x + 2, top + _CELL - 2, letter, "mark")
        at += count


def _changes(
    before: tuple[PoolMap, Row], after: tuple[PoolMap, Row], left: int, top: int
) -> Iterator[str]:
    """A line around what changes."""
    old, new = ([_look(it, part) for part in row.cells] for it, row in (before, after))
    at = 0
    for is_changed, cells in groupby(a != b for a, b in zip(old, new, strict=True)):
        count = len(list(cells))
        if is_changed:
            x, width = left + at * _CELL, count * _CELL - 1
            yield f'<rect class="changed" x="{x}" y="{top}" width="{width}" height="{_CELL}"/>'
        at += count


def _look(found: PoolMap, part: Part | None) -> tuple[str, str] | None:
    """The class of a cell, and its letter."""
    if part is None:
        return None
    if part.sort is not Sort.ALLOCATED:
        return (_CLASSES[part.sort], "") if part.sort in _CLASSES else None
    turn = list(found.letters).index(part.title) % _TURNS
    return f"a{turn}", found.letters[part.title]


def _text(x: int, y: int, text: str, name: str = "") -> str:
    written = html(cut(escape(text), _TEXT))
    sort = f' class="{name}"' if name else ""
    return f'<text{sort} x="{x}" y="{y}">{written}</text>'
