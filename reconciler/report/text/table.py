"""Tables and colour for terminals: columns as kubectl sets them, colour only where it says more."""

from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum

from reconciler.model.pool import Tier
from reconciler.report.escape import escape


class Colour(StrEnum):
    """Terminal colours, by their ANSI codes."""

    RED = "31"
    GREEN = "32"
    YELLOW = "33"
    BLUE = "34"
    BOLD = "1"
    DIM = "2"


TIER_COLOURS = {
    Tier.OK: None,
    Tier.WARNING: Colour.YELLOW,
    Tier.CRITICAL: Colour.YELLOW,
    Tier.EXHAUSTED: Colour.RED,
}


class Painter:
    """Adds colour, or leaves text as it is."""

    def __init__(self, *, is_on: bool) -> None:
        self._is_on = is_on

    def paint(self, text: str, *colours: Colour | None) -> str:
        """The text in colours."""
        codes = ";".join(colour.value for colour in colours if colour is not None)
        return f"\x1b[{codes}m{text}\x1b[0m" if self._is_on and codes else text


Cell = str | tuple[str, Colour | None]


def table(
    headers: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    painter: Painter,
    right: Collection[int] = (),
) -> str:
    """Rows below headers, three spaces between columns; no rows, no table.

    Args:
        headers: Names of the columns; empty for none.
        rows: Texts, or texts with a colour. They are escaped here.
        painter: Paints.
        right: Positions of columns that are flush right, from 0.
    """
    cells = [[_cell(cell) for cell in row] for row in rows]
    if not cells:
        return ""
    if headers:
        cells.insert(0, [(name, Colour.DIM) for name in headers])
    widths = [max(len(row[at][0]) for row in cells) for at in range(len(cells[0]))]
    lines = []
    for row in cells:
        parts = []
        for at, (text, colour) in enumerate(row):
            padding = " " * (widths[at] - len(text))
            painted = painter.paint(text, colour)
            parts.append(padding + painted if at in right else painted + padding)
        lines.append("   ".join(parts).rstrip())
    return "\n".join(lines) + "\n"


def _cell(cell: Cell) -> tuple[str, Colour | None]:
    return (escape(cell), None) if isinstance(cell, str) else (escape(cell[0]), cell[1])
