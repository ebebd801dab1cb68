"""When something of a state falls due: instants that stand in the tree, and no clock has to name.

A released record holds its addresses until its retention ends. So time can pass on a branch where
nobody commits, and all who look between two such instants make the same plan (ADR 0010).
"""

from collections.abc import Iterable, Iterator

from reconciler.model.allocation import Allocation
from reconciler.model.instant import parse_instant
from reconciler.model.state import State

GROWTH = "growth"


def retention_end(record: Allocation, state: State) -> int | None:
    """The first second in which a record that was released then holds nothing any more.

    None when its text names no time: it is held until a person mends it.
    """
    released = parse_instant(record.since)
    if released is None:
        return None
    pool = state.pools.get(record.pool)
    usual = state.growth_retention if record.role == GROWTH else state.retention
    return released + max(usual, pool.retention if pool is not None else 0)


def due_instants(state: State, records: Iterable[Allocation] | None = None) -> Iterator[int]:
    """The instants at which a released record comes free, in no order.

    An Override that ends is none: it only lets pass, and what it let pass is done.

    Args:
        state: The state.
        records: Its records as they will stand; else as they do.
    """
    for record in state.records if records is None else records:
        if record.is_released:
            end = retention_end(record, state)
            if end is not None:
                yield end


def latest_due(
    state: State, after: int, until: int, records: Iterable[Allocation] | None = None
) -> int | None:
    """The latest instant after one time and not after another; None when nothing falls due."""
    found = (at for at in due_instants(state, records) if after < at <= until)
    return max(found, default=None)
