"""The planner compared with one that counts single addresses (invariants 8 and 9, no. 28)."""

from hypothesis import given, settings

from reconciler.model.plan import Decision, Grant, Keep, Refuse, State
from reconciler.planning.planner import plan
from tests.examples import scaled
from tests.properties.oracle import NOTHING, Expected, Oracle
from tests.properties.strategies import numbers, states


def seen(decision: Decision) -> Expected:
    match decision:
        case Keep(allocation):
            held = frozenset(numbers(allocation.range)) if allocation.range else NOTHING
            return Expected("keep", allocation.pool, held)
        case Grant(allocation):
            held = frozenset(numbers(allocation.range)) if allocation.range else NOTHING
            return Expected("grant", allocation.pool, held)
        case Refuse():
            return Expected("refuse", reason=decision.reason)
    raise AssertionError(decision)


@given(states())
@settings(max_examples=scaled(250))
def test_the_engine_decides_as_a_planner_that_counts_addresses(state: State) -> None:
    decided = {
        decision.claim: seen(decision)
        for decision in plan(state).decisions
        if decision.claim in state.claims and isinstance(decision, Keep | Grant | Refuse)
    }
    assert decided == Oracle(state).plan()
