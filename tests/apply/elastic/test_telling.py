"""What is told of those who may grow stands in one condition, and stays while nobody can look."""

from collections.abc import Collection, Mapping
from typing import Any

from reconciler.apply.elastic import StatusMessage, worded
from reconciler.apply.snapshot import Live
from reconciler.families.butler.kinds import TENANT_CLUSTER
from reconciler.kube.resources import DesiredObject, desired_object
from reconciler.model.objects import Ref
from reconciler.model.plan import BLOCKED

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


def describe(
    words: Mapping[Ref, tuple[StatusMessage, ...]],
    before: dict[str, Any] | None = None,
    growing: Collection[Ref] = (OWN,),
    **more: str,
) -> tuple[str, str]:
    live = {OWN: Live(OWN, {"metadata": {}, "status": before})} if before else {}
    (found,) = worded([desired(**more)], live, words, growing)
    assert found.status is not None
    ready, other = found.status["conditions"]
    assert other == OTHER
    return ready["reason"], ready["message"]


def test_nothing_to_tell_is_as_if_nobody_had_looked_and_told_before() -> None:
    assert describe({OWN: ()}, status(BLOCKED, "old")) == ("Ready", "fine")
    assert worded([desired()], {}, {}, ()) == [desired()]


def test_of_one_that_may_not_grow_any_more_nothing_is_told() -> None:
    assert describe({}, status(BLOCKED, "old"), growing=()) == ("Ready", "fine")


def test_a_message_is_cut_and_plain() -> None:
    _, message = describe({OWN: (StatusMessage(BLOCKED, "\x1b[31m" + "x" * 9_999),)})
    assert message.startswith("?[31mx")
    assert len(message) == 1_024
