"""Retention and expiry."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from reconciler.addresses import IPRange
from reconciler.documents.findings import join_limited, named, plural
from reconciler.families.clusters import cluster_of
from reconciler.model.claim import Allocation, Claim, Refusal
from reconciler.model.instant import format_instant, parse_instant
from reconciler.model.key import Key
from reconciler.model.objects import MANAGEMENT
from reconciler.model.plan import Grant, Plan, Release, State, left_by
from reconciler.model.settings import OverrideKind, Overrides
from reconciler.planning.refusals import PIN_FREE

WINDOW = 600
"""Length of the window that limits releases of growth, in seconds."""
EVERY = 60
"""Seconds between the times at which ranges that claims left can be withdrawn."""

_SHARE = 4


class Shrinking(Struct, frozen=True):
    """Paths of live records that are released later, and of released records that stay until then."""

    waiting: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()


class _Growth(Struct, frozen=True):
    live: list[Allocation]
    going: list[Allocation]
    recent: list[Allocation]


def shrinking(state: State) -> Shrinking:
    """Return the growth that waits: the oldest, so the highest numbers are released first."""
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
    """Yield the times at which waiting releases can continue, independent of the state's clock."""
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
        elif record.is_released:
            since = parse_instant(record.since)
            if since is not None and since <= state.clock < since + WINDOW:
                growth.recent.append(record)
    return list(found.values())


def _first(record: Allocation) -> tuple[int, Key]:
    _, _, number = record.claim.slot.rpartition("-")
    return -int(number) if number.isdecimal() else 0, record.claim


def difference_of(claim: Claim, record: Allocation, state: State) -> str:
    """Return the first difference between claim and record; empty if the record matches."""
    if record.is_live and record.pool not in state.pools:
        return ""  # a missing pool is not a difference of the claim
    if claim.pin is not None and record.range != claim.pin:
        return "the claim now pins another range"
    if claim.pin is None and claim.fixed and record.range and record.range.size != claim.size:
        return f"the claim now asks for {plural(claim.size, 'address')}"
    if record.pool not in claim.candidates and not state.may_be_there(record.pool):
        return f"the claim now asks for {named('pool', claim.wanted)}"
    return ""


def former(claim: Claim, state: State) -> Allocation | None:
    """Return the previous range of a claim if it matches again (a reverted move), or None."""
    mine = (
        it
        for it in state.records
        if it.claim == claim.key and (it.announced or (it.is_released and not claim.is_announced))
    )
    left = (it for it in mine if it.path not in state.unused)
    return next((it for it in left if not difference_of(claim, it, state)), None)


def holding_after(
    state: State, changed: Sequence[Grant | Release], expired: Collection[str]
) -> list[Allocation]:
    """Return the records that hold addresses after grants, releases, and deletions of records."""
    grants = [item for item in changed if isinstance(item, Grant)]
    gone = {item.allocation.path for item in changed if isinstance(item, Release)}
    gone |= {old.path for item in grants for old in (item.replaces, item.leaves) if old}
    kept = (it for it in state.records if it.path not in gone and it.path not in expired)
    found = [record for record in kept if record.range]
    found += [item.allocation for item in changed]
    return found + [item.leaves for item in grants if item.leaves]


def moves(plan: Plan, state: State, overrides: Overrides) -> dict[Key, Allocation]:
    """Return the claims that a plan moves, with their old records; mark used Overrides."""
    there = {record.path: record for record in state.records} if state.movable else {}
    found: dict[Key, Allocation] = {}
    for decision in plan.decisions if state.movable else ():
        leaves = left_by(decision)
        if leaves is not None and decision.claim in state.claims:
            overrides.allow(OverrideKind.MOVE, str(decision.claim))
            found[decision.claim] = there[leaves.path]
    return found


def last_withdrawal(record: Allocation, until: int) -> int | None:
    """Return the latest withdrawal up to `until`, or None. Runs of one minute plan alike."""
    since = parse_instant(record.since)
    if since is None or until < since + EVERY:
        return None
    return until - (until - since) % EVERY


def next_withdrawal(record: Allocation, after: int) -> int | None:
    """Return the first time after `after` at which a left range can be withdrawn, or None."""
    since = parse_instant(record.since)
    return None if since is None else last_withdrawal(record, max(after, since) + EVERY)


def retention_end(record: Allocation, state: State) -> int | None:
    """Return the first second without its range; None without a valid time: it stays reserved."""
    released, pool = parse_instant(record.since), state.pools.get(record.pool)
    own = state.growth_retention if record.path in state.grown else state.retention
    longest = max(own, pool.retention if pool is not None else 0)
    return None if released is None else released + longest


def waiting(
    refusal: Refusal, pin: IPRange, state: State, released: Iterable[Allocation]
) -> Refusal:
    """Return the refusal of a pin whose hint names the clusters that still hold it, and until when.

    The message is part of the claim's record, which a plan of the same content must not change.
    """
    waits: dict[str, str] = {}
    for record in released if refusal.reason == "pin-taken" else ():
        cluster, end = cluster_of(record), retention_end(record, state)
        if cluster != MANAGEMENT and record.range is not None and record.range.overlaps(pin):
            until = "no Service uses it" if record.announced else format_instant(end or 0)
            is_over = not record.announced and (end or 0) <= state.clock
            waits[cluster] = "" if is_over else f" until {until}"
    if not waits:
        return refusal
    clusters = join_limited([f"{cluster}{until}" for cluster, until in waits.items()])
    return replace(refusal, hint=f"{PIN_FREE}, or wait for {clusters}")


def due_instants(state: State, records: Iterable[Allocation] | None = None) -> Iterator[int]:
    """Yield, unordered, when `records` (after a plan) expire or waiting growth continues."""
    then = state if records is None else replace(state, records=tuple(records))
    yield from instants(then)
    for record in then.records:
        end = retention_end(record, state) if record.is_released else None
        if end is not None and not record.announced:
            yield end


def latest_due(
    state: State, after: int, until: int, records: Iterable[Allocation] | None = None
) -> int | None:
    """Return the latest due time after `after` and up to `until`; None if there is none."""
    found = [at for at in due_instants(state, records) if after < at <= until]
    left = (state.records if records is None else records) if until > after else ()
    ends = (last_withdrawal(record, until) for record in left if record.announced)
    found += [at for at in ends if at is not None and at > after]
    return max(found, default=None)


def is_due(state: State, at: int) -> bool:
    """Return whether something can become due at a time."""
    return latest_due(state, at - 1, at) is not None


def next_due(state: State, after: int) -> int | None:
    """Return the first due time after a time; None if there is none."""
    found = [at for at in due_instants(state) if at > after]
    left = [record for record in state.records if record.announced]
    ends = (next_withdrawal(record, after) for record in left)
    return min([*found, *(at for at in ends if at is not None)], default=None)
