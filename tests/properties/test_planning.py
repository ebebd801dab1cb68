"""Invariants of each plan, for any state (2 to 7 and 9, and nos 4, 7, 8, and 10)."""

from collections import Counter
from collections.abc import Iterable, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from reconciler.addresses import IPSet
from reconciler.model.claim import Allocation
from reconciler.model.instant import parse_instant
from reconciler.model.plan import Decision, Expire, Grant, Keep, Plan, Refuse, Release, State
from reconciler.planning.planner import plan
from reconciler.records.changes import changes, records_after
from reconciler.records.emit import record_text
from tests.examples import scaled
from tests.properties.strategies import (
    FOLDER,
    RETENTION,
    TENANTS,
    claim_key,
    claims,
    committed,
    numbers,
    numbers_of,
    pools,
    states,
)


def grants(found: Plan) -> list[Grant]:
    return [item for item in found.decisions if isinstance(item, Grant)]


@given(states(is_sound=False))
def test_decisions_grants_counters_and_files_are_sound_whatever_the_state(state: State) -> None:
    found = plan(state)
    after = records_after(found, state, FOLDER)
    require_one_decision(state, found.decisions)
    require_grants_are_nobody_elses(state, grants(found), after)
    require_counters_count_records(state, found, after)
    require_files_in_any_order(state, found, after)


def require_one_decision(state: State, decisions: Sequence[Decision]) -> None:
    """Require one decision per claim, and at most one per record."""
    asked = [it.claim for it in decisions if isinstance(it, Keep | Grant | Refuse)]
    assert sorted(key for key in asked if key in state.claims) == sorted(state.claims)
    gone = (it for it in decisions if isinstance(it, Keep | Release | Expire))
    decided = Counter(it.allocation.path for it in gone)
    assert set(decided.values()) <= {1}
    for record in state.records:
        if record.is_live and record.claim not in state.claims:
            assert decided[record.path] == 1


def require_grants_are_nobody_elses(
    state: State, granted: Iterable[Grant], after: Sequence[Allocation]
) -> None:
    for grant in granted:
        claim, item, key = state.claims[grant.claim], grant.allocation.range, grant.allocation.pool
        assert item is not None
        assert key in claim.candidates
        if grant.replaces is not None and grant.replaces.range is not None:
            assert item == grant.replaces.range  # taken back: its own record held it all along
            continue
        assert numbers(item) <= numbers_of(state.pools[key].usable)
        assert (item.size, grant.allocation.pinned) == (claim.size, claim.pin is not None)
        assert claim.pin in (None, item)
        # Records in retention keep their ranges.
        others = [
            record.range
            for record in after
            if record.range
            and record.claim != grant.claim
            and state.pools[record.pool].space == state.pools[key].space
        ]
        others += [blocked.range for blocked in state.blocked]
        assert not numbers(item) & numbers_of(others)


def require_counters_count_records(state: State, found: Plan, after: Sequence[Allocation]) -> None:
    for key, pool in state.pools.items():
        here = [item for item in after if item.range and state.pools[item.pool].space == pool.space]
        live = numbers_of(item.range for item in here if item.range and item.is_live)
        live |= numbers_of(item.range for item in state.blocked)  # in use without a record
        held = numbers_of(item.range for item in here if item.range and not item.is_live)
        usable, usage = numbers_of(pool.usable), found.after[key]
        assert (usage.allocated, usage.held) == (len(usable & live), len(usable & held - live))
        assert usage.count == sum(1 for item in here if item.is_live and item.pool == key)
        for it in (found.before[key], usage):
            assert it.total == len(usable) == it.allocated + it.held + it.available
            assert 0 <= it.largest <= it.available
            assert 0 <= it.fragmentation <= 100


def require_files_in_any_order(state: State, found: Plan, after: Sequence[Allocation]) -> None:
    turned = replace(
        state,
        claims=dict(reversed(list(state.claims.items()))),
        blocked=tuple(reversed(state.blocked)),
    )
    made = changes(found, state, FOLDER)
    assert (found, made) == (plan(turned), changes(plan(turned), turned, FOLDER))
    written = {item.path: item.data for item in made}
    assert list(written) == sorted(written)
    there = {item.path: item for item in after}
    for path, data in written.items():
        assert (data is None) == (path not in there)
        assert data is None or data == record_text(there[path]).encode()


@given(states())
def test_no_address_is_given_twice(state: State) -> None:
    after = records_after(plan(state), state, FOLDER)
    for space in ("default", "lab"):
        held = [
            item.range for item in after if item.range and state.pools[item.pool].space == space
        ]
        assert sum(item.size for item in held) == len(numbers_of(held))


@given(states(is_sound=False))
def test_nothing_that_is_held_is_moved_or_lost(state: State) -> None:
    """What a record holds it holds after the plan too, unless its retention is over."""
    after = records_after(plan(state), state, FOLDER)
    holds = {(item.claim, item.pool, item.range) for item in after}
    live = {(item.claim, item.pool, item.range) for item in after if item.is_live}
    for record in state.records:
        fact = record.claim, record.pool, record.range
        if record.range is None:
            continue
        entered = parse_instant(record.since)
        assert entered is not None
        if record.is_live or state.clock - entered < state.retention:
            assert fact in holds
        if record.is_live and record.claim in state.claims:
            assert fact in live


@given(states(), st.data())
@settings(max_examples=scaled(60))
def test_more_claims_and_pools_change_no_kept_allocation(state: State, data: st.DataObject) -> None:
    kept = {item.claim: item.allocation for item in plan(state).decisions if isinstance(item, Keep)}
    extra = data.draw(pools("z"))
    known = {**state.pools, extra.key: extra}
    added = [claim_key(name, "loadbalancer", "team-b") for name in TENANTS]
    wanted = {key: data.draw(claims(key, known, {})) for key in added}
    grown = replace(state, pools=known, claims=dict(sorted({**state.claims, **wanted}.items())))
    now = {item.claim: item.allocation for item in plan(grown).decisions if isinstance(item, Keep)}
    assert {key: now.get(key) for key in kept} == kept


@given(states())
def test_a_plan_that_was_carried_out_leaves_nothing_to_do(state: State) -> None:
    first = plan(state)
    after = committed(state, first)
    second = plan(after)
    assert not [item for item in second.decisions if isinstance(item, Grant | Release | Expire)]
    assert changes(second, after, FOLDER) == ()
    assert second.before == second.after == first.after
    if not any(record.is_released for record in after.records):  # nor does time alone
        later = replace(after, clock=after.clock + 10 * RETENTION)
        assert changes(plan(later), later, FOLDER) == ()


@given(states(is_sound=False), st.integers(0, 3 * RETENTION))
def test_any_state_settles_in_two_rounds(state: State, later: int) -> None:
    """Time frees what was released; what then changes, changes once."""
    once = committed(state, plan(state), later)
    twice = committed(once, plan(once))
    assert changes(plan(twice), twice, FOLDER) == ()


@given(states(max_pools=2), st.integers(0, 16))
@settings(max_examples=scaled(60))
def test_a_pool_that_grows_moves_and_revokes_nothing(state: State, more: int) -> None:
    """No. 25: what was kept or granted stays, after any pool gets addresses at its end."""
    after = committed(state, plan(state))
    for key, pool in after.pools.items():
        last = pool.windows[-1]
        window = last._replace(last=last.last + more)
        usable = pool.usable | IPSet((window,)) - pool.reserved
        grown = replace(pool, windows=(*pool.windows[:-1], window), usable=usable)
        changed = replace(after, pools={**after.pools, key: grown})
        where = {it.claim: it.range for it in records_after(plan(changed), changed, FOLDER)}
        assert all(where[it.claim] == it.range for it in after.records if it.is_live)
