"""Who is told that an object is refused, and how many at a time."""

from typing import Any

from reconciler.clusters.intake import TakenIn, take_in
from reconciler.clusters.intake_memory import memory_text, read_memory
from reconciler.clusters.intake_telling import IN_ALL, OF_A_NAMESPACE
from tests.clusters.test_intake import looked, standing
from tests.families.live import cluster

WRONG = {"paused": "yes"}


def wrong(count: int, namespace: str = "evil", spec: Any = None) -> list[Any]:
    names = (f"c{at:04}" for at in range(count))
    return [cluster(name, spec=spec or WRONG, namespace=namespace) for name in names]


def told(found: TakenIn) -> list[str]:
    return [event["involvedObject"]["namespace"] for event in found.events]


def test_of_many_refused_objects_of_a_namespace_some_are_told_and_never_again() -> None:
    seen = looked(*wrong(900), *wrong(2, "team"))
    found = take_in(seen, standing())
    assert len(found.rejected) == 902
    assert told(found) == ["evil"] * OF_A_NAMESPACE + ["team"] * 2
    assert found.notes == (
        "880 more objects are refused without an Event: 20 of a namespace and 200 in all are told"
        " at a time",
    )
    for _ in range(2):
        memory = read_memory(memory_text(found.memory))
        assert memory.told == found.memory.told
        found = take_in(seen, standing(memory=memory))
        assert found.events == ()


def test_when_some_are_mended_others_are_told() -> None:
    first = take_in(looked(*wrong(30)), standing())
    mended = looked(*wrong(30)[25:])
    between = take_in(mended, standing(memory=first.memory))
    assert told(between) == []
    assert told(take_in(mended, standing(memory=between.memory))) == ["evil"] * 5


def test_another_reason_is_told_to_who_was_told_before() -> None:
    first = take_in(looked(*wrong(30)), standing())
    other = take_in(looked(*wrong(30, spec={"paused": "no"})), standing(memory=first.memory))
    assert len(told(other)) == OF_A_NAMESPACE


def test_over_all_namespaces_there_is_an_end_too() -> None:
    every = [it for at in range(30) for it in wrong(10, f"n{at:02}")]
    found = take_in(looked(*every), standing())
    assert len(told(found)) == IN_ALL
    assert take_in(looked(*every), standing(memory=found.memory)).events == ()
