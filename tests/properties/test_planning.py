"""What every plan keeps to, whatever the state (invariants 2 to 7 and 9; nos 4, 7, 8 and 10)."""

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from reconciler.addresses import IPSet
from reconciler.model.claim import Phase
from reconciler.model.instant import parse_instant
from reconciler.model.key import Key
from reconciler.model.plan import Expire, Grant, Keep, Plan, Refuse, Release, State
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
def test_every_claim_has_exactly_one_decision(state: State) -> None:
    decided = [
        item.claim
        for item in plan(state).decisions
        if isinstance(item, Keep | Grant | Refuse) and item.claim in state.claims
    ]
    assert sorted(decided) == sorted(state.claims)


@given(states(is_sound=False))
def test_every_record_without_a_claim_has_at_most_one_decision_and_a_live_one_has_one(
    state: State,
) -> None:
    decided: dict[str, int] = {}
    for item in plan(state).decisions:
        if isinstance(item, Keep | Release | Expire):
            path = item.allocation.path
            decided[path] = decided.get(path, 0) + 1
    assert set(decided.values()) <= {1}
    for record in state.records:
        if record.is_live and record.claim not in state.claims:
            assert decided[record.path] == 1


@given(states())
def test_no_address_is_given_twice(state: State) -> None:
    after = records_after(plan(state), state, FOLDER)
    for space in ("default", "lab"):
        held = [
            item.range for item in after if item.range and state.pools[item.pool].space == space
        ]
        assert sum(item.size for item in held) == len(numbers_of(held))


@given(states(is_sound=False))
def test_no_grant_holds_what_anybody_else_holds(state: State) -> None:
    found = plan(state)
    after = records_after(found, state, FOLDER)
    for grant in grants(found):
        item, space = grant.allocation.range, state.pools[grant.allocation.pool].space
        assert item is not None
        if grant.replaces is not None and grant.replaces.range is not None:
            continue  # taken back: it holds what its own record held all along
        others = [
            record.range
            for record in after
            if record.range
            and record.claim != grant.claim
            and state.pools[record.pool].space == space
        ]
        others += [blocked.range for blocked in state.blocked]
        assert not numbers(item) & numbers_of(others)


@given(states(is_sound=False))
def test_every_grant_lies_in_a_candidate_pool_and_has_the_size_or_pin(state: State) -> None:
    for grant in grants(plan(state)):
        claim, item = state.claims[grant.claim], grant.allocation.range
        assert item is not None
        assert grant.allocation.pool in claim.candidates
        if grant.replaces is not None and grant.replaces.range is not None:
            assert item == grant.replaces.range
            continue
        assert numbers(item) <= numbers_of(state.pools[grant.allocation.pool].usable)
        assert item.size == claim.size
        if claim.pin is not None:
            assert item == claim.pin
            assert grant.allocation.pinned


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
    assert not [item for item in second.decisions if isinstance(item, Release | Expire)]
    assert not grants(second)
    assert changes(second, after, FOLDER) == ()
    assert second.before == second.after == first.after


@given(states(is_sound=False), st.integers(0, 3 * RETENTION))
def test_any_state_settles_in_two_rounds(state: State, later: int) -> None:
    """Time frees what was released; what then changes, changes once."""
    once = committed(state, plan(state), later)
    twice = committed(once, plan(once))
    assert changes(plan(twice), twice, FOLDER) == ()


@given(states())
def test_time_alone_changes_nothing_that_is_not_released(state: State) -> None:
    settled = committed(state, plan(state))
    if any(record.is_released for record in settled.records):
        return
    later = replace(settled, clock=settled.clock + 10 * RETENTION)
    assert changes(plan(later), later, FOLDER) == ()


@given(states(is_sound=False))
def test_every_pool_adds_up(state: State) -> None:
    found = plan(state)
    for usages in (found.before, found.after):
        assert list(usages) == list(state.pools)
        for key, usage in usages.items():
            assert usage.total == len(numbers_of(state.pools[key].usable))
            assert usage.total == usage.allocated + usage.held + usage.available
            assert min(usage.allocated, usage.held, usage.available) >= 0
            assert 0 <= usage.largest <= usage.available
            assert 0 <= usage.fragmentation <= 100


@given(states(is_sound=False))
def test_the_counters_of_a_pool_count_what_records_hold(state: State) -> None:
    found = plan(state)
    after = records_after(found, state, FOLDER)
    for key, pool in state.pools.items():
        here = [item for item in after if item.range and state.pools[item.pool].space == pool.space]
        live = numbers_of(item.range for item in here if item.range and item.is_live)
        live |= numbers_of(item.range for item in state.blocked)  # in use without a record
        held = numbers_of(item.range for item in here if item.range and not item.is_live)
        usable, usage = numbers_of(pool.usable), found.after[key]
        assert usage.allocated == len(usable & live)
        assert usage.held == len(usable & held - live)
        assert usage.count == sum(1 for item in here if item.is_live and item.pool == key)


@given(states(is_sound=False))
def test_a_released_address_goes_to_nobody_else_before_its_time(state: State) -> None:
    held: dict[str, set[tuple[int, int]]] = {}
    owners: dict[tuple[str, tuple[int, int]], set[Key]] = {}
    for record in state.records:
        entered = parse_instant(record.since)
        assert entered is not None
        waits = record.phase is Phase.RELEASED and state.clock - entered < state.retention
        if record.range is not None:
            space = state.pools[record.pool].space
            held.setdefault(space, set()).update(numbers(record.range) if waits else ())
            for number in numbers(record.range):  # records of several claims may overlap here
                owners.setdefault((space, number), set()).add(record.claim)
    for grant in grants(plan(state)):
        space = state.pools[grant.allocation.pool].space
        assert grant.allocation.range is not None
        for number in numbers(grant.allocation.range) & held.get(space, set()):
            assert grant.claim in owners[(space, number)]


@given(states(is_sound=False))
def test_the_order_of_claims_pools_and_mappings_changes_nothing(state: State) -> None:
    turned = replace(
        state,
        claims=dict(reversed(list(state.claims.items()))),
        blocked=tuple(reversed(state.blocked)),
    )
    first, second = plan(state), plan(turned)
    assert first == second
    assert changes(first, state, FOLDER) == changes(second, turned, FOLDER)


@given(states(max_pools=2), st.integers(0, 16))
@settings(max_examples=scaled(60))
def test_a_pool_that_grows_moves_and_revokes_nothing(state: State, more: int) -> None:
    """No. 25: what was kept or granted stays, after any pool gets addresses at its end."""
    after = committed(state, plan(state))
    for key, pool in after.pools.items():
        last = pool.windows[-1]
        window = last._replace(last=last.last + more)
        grown = replace(
            pool,
            windows=(*pool.windows[:-1], window),
            usable=pool.usable | IPSet((window,)) - pool.reserved,
        )
        now = records_after(
            plan(changed := replace(after, pools={**after.pools, key: grown})), changed, FOLDER
        )
        where = {item.claim: item.range for item in now}
        for record in after.records:
            if record.is_live:
                assert where[record.claim] == record.range


@given(states(is_sound=False))
def test_every_file_of_a_plan_states_its_record_and_stands_alone(state: State) -> None:
    found = plan(state)
    written = {item.path: item.data for item in changes(found, state, FOLDER)}
    assert list(written) == sorted(written)
    after = {item.path: item for item in records_after(found, state, FOLDER)}
    for path, data in written.items():
        assert (data is None) == (path not in after)
        assert data is None or data == record_text(after[path]).encode()
