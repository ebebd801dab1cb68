"""What is remembered between looks: written as text, and read back, whatever the text."""

from typing import Any

import pytest

from reconciler.apply.intake import (
    MAX_EVENTS,
    MAX_EVENTS_PER_NAMESPACE,
    MAX_MISSING,
    IntakeState,
    TakenIn,
    format_state,
    hash_of,
    parse_state,
    take_in,
)
from tests.apply.test_intake import looked, standing
from tests.families.live import cluster

SHOP = ("cluster.x-k8s.io", "Cluster", "default", "shop")
POOL = ("ipam.cluster.x-k8s.io", "GlobalInClusterIPPool", "", "vips")
STATE = IntakeState({SHOP: 5, POOL: 6}, {SHOP: hash_of("why")}, {"Cluster.x": ((1, 2), (3, 4))})


def test_what_is_written_is_read_back() -> None:
    assert parse_state(format_state(STATE)) == STATE
    assert format_state(IntakeState()) == ""


@pytest.mark.parametrize("text", ["", "missing A.b/c/d 5\n", "[]", '[[[["a"], 5]], [], []]', "nul"])
def test_another_text_says_nothing(text: str) -> None:
    assert parse_state(text) == IntakeState()


def test_what_has_no_room_is_left_for_later() -> None:
    many = {(*SHOP[:3], f"c{at:06}"): at for at in range(3_000)}
    found = parse_state(format_state(IntakeState(many, {}, {"Cluster.x": ((1, 2),)})))
    assert found.removed == {"Cluster.x": ((1, 2),)}
    assert len(found.missing) == MAX_MISSING


WRONG = {"paused": "yes"}


def wrong(count: int, namespace: str = "evil", spec: Any = None) -> list[Any]:
    names = (f"c{at:04}" for at in range(count))
    return [cluster(name, spec=spec or WRONG, namespace=namespace) for name in names]


def describe(found: TakenIn) -> list[str]:
    return [event["involvedObject"]["namespace"] for event in found.events]


def test_of_many_refused_objects_of_a_namespace_some_are_told_and_never_again() -> None:
    seen = looked(*wrong(900), *wrong(2, "team"))
    found = take_in(seen, standing())
    assert len(found.rejected) == 902
    assert describe(found) == ["evil"] * MAX_EVENTS_PER_NAMESPACE + ["team"] * 2
    assert found.notes == (
        "880 more objects are rejected without an Event: at most 20 per namespace and 200 in total",
    )
    for _ in range(2):
        state = parse_state(format_state(found.state))
        assert state.rejected == found.state.rejected
        found = take_in(seen, standing(state=state))
        assert found.events == ()


def test_over_all_namespaces_there_is_an_end_too() -> None:
    every = [it for at in range(30) for it in wrong(10, f"n{at:02}")]
    found = take_in(looked(*every), standing())
    assert len(describe(found)) == MAX_EVENTS
    assert take_in(looked(*every), standing(state=found.state)).events == ()
