"""When something of a state falls due: instants that stand in the tree, and no clock has to name.

A released record holds its addresses until its retention ends. So time can pass on a branch where
nobody commits, and all who look between two such instants make the same plan (ADR 0010).
"""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from reconciler.engine.moving import last_withdrawal, next_withdrawal
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
        if record.is_released and not record.announced:
            end = retention_end(record, state)
            if end is not None:
                yield end


def latest_due(
    state: State, after: int, until: int, records: Iterable[Allocation] | None = None
) -> int | None:
    """The latest instant after one time and not after another; None when nothing falls due."""
    found = [at for at in due_instants(state, records) if after < at <= until]
    left = (state.records if records is None else records) if until > after else ()
    ends = (last_withdrawal(record, until) for record in left if record.announced)
    found += [at for at in ends if at is not None and at > after]
    return max(found, default=None)


def is_due(state: State, at: int) -> bool:
    """Something may fall due at just that instant."""
    if at in due_instants(state):
        return True
    return any(last_withdrawal(record, at) == at for record in state.records if record.announced)


def next_due(state: State, after: int) -> int | None:
    """The first instant after one time at which something may fall due; None for none."""
    found = [at for at in due_instants(state) if at > after]
    left = [record for record in state.records if record.announced]
    ends = (next_withdrawal(record, after) for record in left)
    return min([*found, *(at for at in ends if at is not None)], default=None)
