"""How full a pool is, as a bar in signs that a terminal may lack."""

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


def _cells(part: int, whole: int) -> int:
    """Cells of a share; one at least for what is not nothing, all of them only for the whole."""
    if part <= 0 or part >= whole:
        return CELLS if part > 0 else 0
    return min(max((2 * CELLS * part + whole) // (2 * whole), 1), CELLS - 1)
