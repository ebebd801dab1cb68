"""When something of a state falls due: instants that stand in the tree, and no clock has to name.

A released record holds its addresses until its retention ends. So time can pass on a branch where
nobody commits, and all who look between two such instants make the same plan (ADR 0010).
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from reconciler.engine.shrinking import instants, rest_of
from reconciler.model.allocation import Allocation
from reconciler.model.instant import parse_instant
from reconciler.model.state import State


def retention_end(record: Allocation, state: State) -> int | None:
    """The first second in which a record that was released then holds nothing any more.

    None when its text names no time: it is held until a person mends it.
    """
    released = parse_instant(record.since)
    if released is None:
        return None
    return released + rest_of(state, record)


def due_instants(state: State, records: Iterable[Allocation] | None = None) -> Iterator[int]:
    """The instants at which a released record comes free, or waiting growth may go; in no order.

    An Override that ends is none: it only lets pass, and what it let pass is done.

    Args:
        state: The state.
        records: Its records as they will stand; else as they do.
    """
    then = state if records is None else replace(state, records=tuple(records))
    yield from instants(then)
    for record in then.records:
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
