"""Unknown parts of a state block only the claims that depend on them."""

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reconciler.model.key import Key
from reconciler.model.plan import Decision, Expire, Grant, Keep, Refuse, Release, State, Unreadable
from reconciler.planning.planner import plan
from reconciler.records.changes import changes
from tests.properties.strategies import (
    FOLDER,
    SLOTS,
    TENANTS,
    claim_key,
    numbers,
    numbers_of,
    pool_key,
    ranges,
    states,
)

KEYS = [claim_key(tenant, slot) for tenant in TENANTS for slot in SLOTS]


@st.composite
def unreadable(draw: st.DrawFn) -> Unreadable:
    claim = draw(st.sampled_from([None, *KEYS]))
    pool = draw(st.sampled_from([None, pool_key("p"), pool_key("gone")]))
    named = tuple(draw(st.lists(ranges(), max_size=2)))
    return Unreadable(f"{FOLDER}/x/{draw(st.integers(0, 9))}.yaml", claim, pool, named)


def touching(state: State, key: Key) -> set[Key]:
    pool = state.pools[key]
    mine = numbers_of(pool.usable)
    return {key} | {
        other.key
        for other in state.pools.values()
        if other.space == pool.space and mine & numbers_of(other.usable)
    }


@given(states(), unreadable())
def test_an_unreadable_record_freezes_its_pool_holds_what_can_be_guessed_and_takes_nothing(
    state: State, item: Unreadable
) -> None:
    broken = replace(state, unreadable=(item,))
    known = item.pool is not None and item.pool in state.pools
    frozen = touching(state, item.pool) if known and item.pool else set(state.pools)
    found = plan(broken)
    for grant in (entry for entry in found.decisions if isinstance(entry, Grant)):
        assert grant.claim != item.claim
        if grant.is_taken_back:
            continue
        assert grant.allocation.pool not in frozen
        assert grant.allocation.range is not None
        assert not numbers(grant.allocation.range) & numbers_of(item.ranges)
    assert all(change.path != item.path for change in changes(found, broken, FOLDER))
    before = plan(state).decisions
    assert lost(found.decisions) == lost(before)
    now = {entry.claim for entry in found.decisions if isinstance(entry, Keep | Refuse)}
    assert {entry.claim for entry in before if isinstance(entry, Keep)} <= now


def lost(decisions: Iterable[Decision]) -> list[tuple[Key, str]]:
    gone = (entry for entry in decisions if isinstance(entry, Release | Expire))
    return [(entry.claim, entry.allocation.path) for entry in gone]


@given(states(is_sound=False), st.sets(st.sampled_from(TENANTS), max_size=2), st.booleans())
def test_who_cannot_be_told_is_not_released(state: State, names: set[str], unclear: bool) -> None:
    protected = frozenset(claim_key(name).owner for name in names)
    guarded = replace(state, protected=protected, unclear=unclear)
    released = [item for item in plan(guarded).decisions if isinstance(item, Release)]
    assert not unclear or not released
    assert all(item.claim.owner not in protected for item in released)
    without = {item.claim for item in plan(state).decisions if isinstance(item, Release)}
    expected = {key for key in without if not unclear and key.owner not in protected}
    assert {item.claim for item in released} == expected
