"""What is remembered between looks: written as text, and read back, whatever the text."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from reconciler.apply.intake import (
    MAX_CHARACTERS,
    MAX_EVENTS,
    MAX_EVENTS_PER_NAMESPACE,
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


def test_a_line_that_cannot_be_read_says_nothing() -> None:
    odd = (
        "crd\nmissing x 5\nmissing A.b/c/d x\nmissing A/c/d 5\ntold A.b/c 5\nwent a b c\n\nx y z\n"
        "older 89 90\naccepted uid 70 65\n"
    )
    assert parse_state(odd) == IntakeState()
    assert parse_state(f"{odd}{format_state(STATE)}") == STATE


def test_what_has_no_room_is_left_for_later() -> None:
    many = {(*SHOP[:3], f"c{at:06}"): at for at in range(3_000)}
    text = format_state(IntakeState(many, {}, {"Cluster.x": ((1, 2),)}))
    assert len(text) <= MAX_CHARACTERS
    found = parse_state(text)
    assert found.removed == {"Cluster.x": ((1, 2),)}
    assert 0 < len(found.missing) < 3_000


@given(st.text(alphabet="crdmisngtoldwepa ./_15\n", max_size=60))
def test_no_text_is_more_than_a_memory(text: str) -> None:
    found = parse_state(text)
    assert parse_state(format_state(found)) == found


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
