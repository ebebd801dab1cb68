"""Retention and expiry."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from reconciler.documents.findings import join_limited
from reconciler.model.claim import Allocation, Claim, Phase
from reconciler.model.instant import parse_instant
from reconciler.model.key import Key
from reconciler.model.plan import Grant, Plan, Release
from reconciler.model.settings import OverrideKind, Overrides
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


EVERY = 60
"""So many seconds lie between the instants at which what was left may be withdrawn."""


def difference_of(claim: Claim, record: Allocation, state: State) -> str:
    """What the claim asks for that its record does not give; empty when it answers."""
    if record.is_live and record.pool not in state.pools:
        return ""  # no claim is to blame for a pool that is gone
    if claim.pin is not None and record.range != claim.pin:
        return "the claim pins another range"
    if claim.pin is None and claim.fixed and record.range and record.range.size != claim.size:
        return f"the claim asks for {claim.size} addresses"
    if record.pool not in claim.candidates and not state.may_be_there(record.pool):
        return f"the claim's pools are {join_limited(claim.wanted, ', ') or 'no pool'}"
    return ""


def left_behind(record: Allocation, now: str) -> Allocation:
    """A live record from the moment on in which its claim gets another range."""
    return replace(record, phase=Phase.RELEASED, since=now, announced=True)


def withdrawn(record: Allocation, now: str) -> Allocation:
    """The same when nobody uses it any more: its retention begins."""
    return replace(record, since=now, announced=False)


def former(claim: Claim, state: State) -> Allocation | None:
    """What a claim that moves held before, and would answer it again: a move that is taken back."""
    return next(
        (
            record
            for record in state.records
            if record.claim == claim.key
            and record.announced
            and record.path not in state.unused
            and not difference_of(claim, record, state)
        ),
        None,
    )


def holding_after(
    state: State, changed: Sequence[Grant | Release], expired: Collection[str]
) -> list[Allocation]:
    """Records that hold something once grants and releases are carried out.

    Args:
        state: What was planned.
        changed: The grants and releases.
        expired: Paths of records that go.
    """
    grants = [item for item in changed if isinstance(item, Grant)]
    gone = {item.allocation.path for item in changed if isinstance(item, Release)}
    gone |= {old.path for item in grants for old in (item.replaces, item.leaves) if old}
    kept = (it for it in state.records if it.path not in gone and it.path not in expired)
    found = [record for record in kept if record.range]
    found += [item.allocation for item in changed]
    return found + [item.leaves for item in grants if item.leaves]


def moves(plan: Plan, state: State, overrides: Overrides) -> dict[Key, Allocation]:
    """Claims that a plan moves, with the records that they had; what lets them is noted as used."""
    there = {record.path: record for record in state.records} if state.movable else {}
    found: dict[Key, Allocation] = {}
    for decision in plan.decisions if state.movable else ():
        if isinstance(decision, Grant) and decision.leaves is not None:
            overrides.allow(OverrideKind.MOVE, str(decision.claim))
            found[decision.claim] = there[decision.leaves.path]
    return found


def last_withdrawal(record: Allocation, until: int) -> int | None:
    """The latest instant until some time at which what was left may be withdrawn, or None.

    Such instants stand a minute apart, so that all who look within one make the same plan.
    """
    since = parse_instant(record.since)
    if since is None or until < since + EVERY:
        return None
    return until - (until - since) % EVERY


def next_withdrawal(record: Allocation, after: int) -> int | None:
    """The first instant after some time at which what was left may be withdrawn, or None."""
    since = parse_instant(record.since)
    return None if since is None else last_withdrawal(record, max(after, since) + EVERY)


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
