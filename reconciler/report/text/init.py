"""`init`: what stands in a new repository, and what comes next."""

from collections.abc import Sequence

from reconciler.report.escape import escape
from reconciler.report.text.table import Cell, Colour, Painter, table

_COLOURS = {"wrote": Colour.GREEN, "yours": Colour.YELLOW, "left out": Colour.YELLOW}


def rows_text(rows: Sequence[tuple[str, str, str]], painter: Painter) -> str:
    """A line for each file: what became of it, its path, and what is to be said of it."""
    cells: list[list[Cell]] = [[(it[0], _COLOURS.get(it[0])), it[1], it[2]] for it in rows]
    text = table((), cells, painter)
    return "".join(f"  {line}\n" for line in text.splitlines())


def shown_text(path: str, text: str, painter: Painter) -> str:
    """A file as it would be written, below its path."""
    head = painter.paint(f"── {escape(path)}", Colour.BOLD)
    return f"{head}\n{text}" if text else f"{head}\n(empty)\n"


def next_text(steps: Sequence[tuple[str, str]], painter: Painter) -> str:
    """What a person does next, a command and what it is for on each line."""
    width = max((len(command) for command, _ in steps), default=0)
    lines = [
        f"  {painter.paint(command.ljust(width), Colour.BOLD)}   {why}".rstrip()
        for command, why in steps
    ]
    return "\n".join(["Next:", *lines, ""])
