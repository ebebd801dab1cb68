"""What shrinking gives back: how long it rests, and how much of a pool's growth goes at once.

Somebody who grew gives back what nobody needs any more. That is no loss, and no brake counts it
(`contract.md` §7). But what is looked at may be wrong for a moment, of many at once. So of a pool's
growth at most a quarter goes in ten minutes, and at least one record.

Nothing is remembered beside the records: those that were released in the last ten minutes stand in
the tree, and while others of their pool wait they stay there, for all their retention. Where
nothing waits they go when they have rested, so the quarter is of what wants to go together.
"""

from collections.abc import Iterator

from msgspec import Struct

from reconciler.model.allocation import Allocation
from reconciler.model.instant import parse_instant
from reconciler.model.key import Key
from reconciler.model.state import State

WINDOW = 600
"""Seconds in which so much may go."""

_SHARE = 4


class Shrinking(Struct, frozen=True):
    """What is held back of a plan.

    Attributes:
        waiting: Paths of live records that go later.
        kept: Paths of released ones that stay until those may go.
    """

    waiting: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()


class _Growth(Struct, frozen=True):
    """The growth of one pool."""

    live: list[Allocation]
    going: list[Allocation]
    recent: list[Allocation]


def rest_of(state: State, record: Allocation) -> int:
    """How long a released record holds its addresses, in seconds."""
    pool = state.pools.get(record.pool)
    own = state.growth_retention if record.path in state.grown else state.retention
    return max(own, pool.retention if pool is not None else 0)


def shrinking(state: State) -> Shrinking:
    """What has to wait: the oldest growth of each tenant does, so the highest numbers go first."""
    waiting: list[str] = []
    kept: list[str] = []
    for growth in _by_pool(state):
        some = (len(growth.live) + len(growth.recent)) // _SHARE
        left = max(0, max(1, some) - len(growth.recent))
        later = sorted(growth.going, key=_first)[left:]
        if later:
            waiting += [record.path for record in later]
            kept += [record.path for record in growth.recent]
    return Shrinking(frozenset(waiting), frozenset(kept))


def instants(state: State) -> Iterator[int]:
    """When what waits may go on: seconds since 1970, at whatever clock the state is looked at.

    A plan at the first of them that has not come releases more than one before it.
    """
    waiting = {item.pool for growth in _by_pool(state) for item in growth.going}
    released = (
        parse_instant(record.since)
        for record in (state.records if waiting else ())
        if record.pool in waiting and record.path in state.grown and record.is_released
    )
    for since in dict.fromkeys(released):
        if since is not None:
            yield since + WINDOW


def _by_pool(state: State) -> list[_Growth]:
    found: dict[Key, _Growth] = {}
    for record in state.records if state.grown else ():
        if record.path not in state.grown:
            continue
        growth = found.setdefault(record.pool, _Growth([], [], []))
        if record.is_live:
            growth.live.append(record)
            if record.claim not in state.claims and not state.is_left_alone(record):
                growth.going.append(record)
        elif record.is_released and _is_recent(state, record):
            growth.recent.append(record)
    return list(found.values())


def _is_recent(state: State, record: Allocation) -> bool:
    since = parse_instant(record.since)
    return since is not None and since <= state.clock < since + WINDOW


def _first(record: Allocation) -> tuple[int, Key]:
    """The highest numbers, then by claim."""
    _, _, number = record.claim.slot.rpartition("-")
    return -int(number) if number.isdecimal() else 0, record.claim
