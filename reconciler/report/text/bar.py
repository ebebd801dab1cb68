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
    signs = _PLAIN if plain else _SIGNS
    if usage.total == 0:
        return ""
    live = _cells(usage.allocated, usage.total)
    held = _cells(usage.allocated + usage.held, usage.total) - live
    if usage.held and not held:  # it shows all the same, beside what is allocated
        held, live = 1, live - (live == CELLS - 1)
    return signs[0] * live + signs[1] * held + signs[2] * (CELLS - live - held)


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


def _cells(part: int, whole: int) -> int:
    """Cells of a share; one at least for what is not nothing, all of them only for the whole."""
    if part <= 0 or part >= whole:
        return CELLS if part > 0 else 0
    return min(max((2 * CELLS * part + whole) // (2 * whole), 1), CELLS - 1)
