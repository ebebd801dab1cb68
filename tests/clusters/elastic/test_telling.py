"""What is told of those who may grow stands in one condition, and stays while nobody can look."""

from collections.abc import Collection, Mapping
from typing import Any

from reconciler.clusters.desired import DesiredObject, desired_object
from reconciler.clusters.elastic.model import Word
from reconciler.clusters.elastic.telling import worded
from reconciler.clusters.snapshot import Live
from reconciler.families.butler.announcing import TENANT_CLUSTER
from reconciler.model.growth import BLOCKED
from reconciler.model.resource import Ref

OWN = Ref(TENANT_CLUSTER, "team-a", "one")
OTHER = {"type": "Other", "status": "True", "reason": "x", "message": "y"}


def status(reason: str = "Ready", message: str = "fine", said: str = "True") -> dict[str, Any]:
    ready = {"type": "NetworkReady", "status": said, "reason": reason, "message": message}
    return {"conditions": [ready, OTHER]}


def desired(**more: str) -> DesiredObject:
    manifest = {
        "apiVersion": TENANT_CLUSTER.api_version,
        "kind": TENANT_CLUSTER.kind,
        "metadata": {"name": "one", "namespace": "team-a"},
        "status": status(**more),
    }
    return desired_object(manifest, is_status_only=True)


def told(
    words: Mapping[Ref, tuple[Word, ...]],
    before: dict[str, Any] | None = None,
    growing: Collection[Ref] = (OWN,),
    **more: str,
) -> tuple[str, str]:
    live = {OWN: Live(OWN, {"metadata": {}, "status": before})} if before else {}
    (found,) = worded([desired(**more)], live, words, lambda: growing)
    assert found.status is not None
    ready, other = found.status["conditions"]
    assert other == OTHER
    return ready["reason"], ready["message"]


def test_nothing_to_tell_is_as_if_nobody_had_looked_and_told_before() -> None:
    assert told({OWN: ()}, status(BLOCKED, "old")) == ("Ready", "fine")
    assert worded([desired()], {}, {}, frozenset) == [desired()]


def test_of_one_that_may_not_grow_any_more_nothing_is_told() -> None:
    assert told({}, status(BLOCKED, "old"), growing=()) == ("Ready", "fine")


def test_a_message_is_cut_and_plain() -> None:
    _, message = told({OWN: (Word(BLOCKED, "\x1b[31m" + "x" * 9_999),)})
    assert message.startswith("?[31mx")
    assert len(message) == 1_024
