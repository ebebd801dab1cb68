"""How full a pool is, as a bar in signs that a terminal may lack."""

from collections.abc import Sequence

from reconciler.model.plan import Usage

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
    live, full = (_cells(part, total, cells) for part in (usage.allocated, used))
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


def _cells(part: int, whole: int, cells: int) -> int:
    """Cells of a share; one at least for what is not nothing, all of them only for the whole."""
    if part <= 0 or part >= whole:
        return cells if part > 0 else 0
    return min(max((2 * cells * part + whole) // (2 * whole), 1), cells - 1)
