"""Ranges that a claim cannot get: another IP version, refused by its family, or reserved."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reconciler.model.claim import Refusal
from reconciler.model.plan import Grant, Keep, State
from reconciler.planning.planner import plan
from tests.properties.strategies import states

OWN = Refusal("no-matching-pool", "no pool matches", "label one")


@st.composite
def choosy(draw: st.DrawFn) -> State:
    state = draw(states())
    pools = {
        key: replace(pool, auto_assign=draw(st.sampled_from((True, True, False))))
        for key, pool in state.pools.items()
    }
    claims = {
        key: replace(
            claim,
            version=None if claim.pin else draw(st.sampled_from((None, 4, 6))),
            refusal=draw(st.sampled_from((None, None, None, OWN))),
        )
        for key, claim in state.claims.items()
    }
    return replace(state, pools=pools, claims=claims)


@given(choosy())
def test_nobody_is_given_what_is_not_for_him(state: State) -> None:
    for decision in plan(state).decisions:
        if not isinstance(decision, Grant):
            continue
        claim, item = state.claims[decision.claim], decision.allocation.range
        assert item is not None
        assert claim.refusal is None
        if not decision.is_taken_back:
            assert claim.version in (None, item.version)
            assert claim.pin is not None or state.pools[decision.allocation.pool].auto_assign


@given(choosy())
def test_what_a_claim_holds_stays_whatever_it_may_have_now(state: State) -> None:
    free = replace(
        state,
        pools={key: replace(pool, auto_assign=True) for key, pool in state.pools.items()},
        claims={
            key: replace(claim, version=None, refusal=None) for key, claim in state.claims.items()
        },
    )
    kept = [item for item in plan(state).decisions if isinstance(item, Keep)]
    assert kept == [item for item in plan(free).decisions if isinstance(item, Keep)]
