"""The action for one object: all cases."""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from reconciler.apply.inventory import InventoryEntry, orphan
from reconciler.apply.snapshot import Live, live_of
from reconciler.apply.steps import Action, ObjectDecision, decide, is_ours, status_to_apply
from reconciler.kube.resources import IP_ALLOCATION, DesiredObject, desired_object
from reconciler.model.applied import Drift
from reconciler.model.objects import ADOPT, EVER

UID, OTHER_UID = "11111111-aaaa", "22222222-bbbb"
DIED = "2026-02-15T10:00:40Z"
EDITED = "2026-02-15T10:00:35Z"
FOREIGN = ObjectDecision(Action.REFUSE, reason="already exists, and does not belong to ipam")
KEEP, CREATE, SKIP = (
    ObjectDecision(Action.KEEP),
    ObjectDecision(Action.CREATE),
    ObjectDecision(Action.SKIP),
)
CONFIGURE, REPLACE = (
    ObjectDecision(Action.CONFIGURE, force=True),
    ObjectDecision(Action.REPLACE, force=True),
)
DELETED = Drift("", DIED, ("metadata.deletionTimestamp",))
READY = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-02-15T10:00:30Z"}


def manifest(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "butler.butlerlabs.dev/v1alpha1",
        "kind": "IPAllocation",
        "metadata": {"name": "web-lb", "namespace": "butler-system"},
        "spec": {"count": 4, **spec},
        "status": {"phase": "Allocated", "conditions": [READY]},
    }


def seen(live: Mapping[str, Any] | None) -> Live | None:
    return None if live is None else live_of(live)


WANTED = desired_object(manifest())
PINNED = desired_object(manifest(pinnedRange={"startAddress": "10.0.0.4"}))
POOL = desired_object({**manifest(), "kind": "NetworkPool", "spec": {"cidr": "10.0.0.0/24"}})
STATUS_ONLY = desired_object(manifest(), is_status_only=True)
KNOWN = InventoryEntry(UID, WANTED.hash)


def managed(*managers: str) -> list[dict[str, Any]]:
    return [
        {"manager": name, "time": EDITED, "fieldsV1": {"f:spec": {"f:count": {}}}}
        for name in managers
    ]


def living(wanted: DesiredObject = WANTED, *managers: str, **metadata: Any) -> dict[str, Any]:
    """Return the object as it is in the cluster after `ipam` applied it."""
    assert wanted.body is not None
    own = {
        **wanted.body["metadata"],
        "uid": UID,
        "generation": 1,
        "managedFields": managed(*(managers or ("gitops-ipam",))),
    }
    status = {**(wanted.status or {}), "observedGeneration": 1}
    return {**wanted.body, "metadata": {**own, **metadata}, "status": status}


def foreign(**metadata: Any) -> dict[str, Any]:
    """Return an object with the same name of another manager."""
    return living(WANTED, "kubectl", **{"uid": OTHER_UID, "labels": {}, **metadata})


def dying(*finalizers: str) -> dict[str, Any]:
    return living(deletionTimestamp=DIED, finalizers=list(finalizers))


def edited(**changes: Any) -> dict[str, Any]:
    """Return an object that `ipam` applied, with an edited spec."""
    live = living(WANTED, "gitops-ipam", "kubectl-edit")
    return {**live, "spec": {**live["spec"], **changes}}


def phased(live: Mapping[str, Any], phase: str) -> dict[str, Any]:
    return {**live, "status": {"phase": phase}}


DRIFT = Drift("kubectl-edit", EDITED, ("spec.count",))
DRIFTED = ObjectDecision(Action.CONFIGURE, DRIFT, force=True)
CONSENTS = {ADOPT: "true"}
RELABELLED = living(labels={})
UNLABELLED = Drift("", "", ("metadata.labels.gitops-ipam.dev/managed-by",))
LARGER = desired_object(manifest(count=8))
NAMED = manifest()["metadata"]
RENAMED = desired_object({**manifest(), "metadata": {**NAMED, "labels": {"a": "b"}}})
INVITING = desired_object({**manifest(), "metadata": {**NAMED, "annotations": CONSENTS}})


@pytest.mark.parametrize(
    ("wanted", "live", "entry", "step"),
    [
        pytest.param(WANTED, None, None, CREATE, id="absent, never made"),
        pytest.param(WANTED, None, KNOWN, CREATE, id="absent, made before"),
        pytest.param(WANTED, living(), KNOWN, KEEP, id="as desired"),
        pytest.param(WANTED, living(labels={"a": "b"} | living()["metadata"]["labels"]),
                     KNOWN, KEEP, id="others added a label"),
        pytest.param(WANTED, living(), None, CONFIGURE, id="the inventory was lost"),
        pytest.param(WANTED, living(), InventoryEntry(UID, "-"), CONFIGURE, id="entry without a hash"),
        pytest.param(WANTED, living(), InventoryEntry(OTHER_UID, WANTED.hash), KEEP,
                     id="created again by us, before the inventory was written"),
        pytest.param(WANTED, foreign(), None, FOREIGN, id="foreign"),
        pytest.param(WANTED, foreign(), KNOWN, FOREIGN, id="created again by others"),
        pytest.param(WANTED, foreign(labels=living()["metadata"]["labels"]), None, FOREIGN,
                     id="foreign with our label"),
        pytest.param(WANTED, {**foreign(), "metadata": {
            **foreign()["metadata"], "managedFields": managed("gitops-ipam")}}, None, FOREIGN,
                     id="foreign with our manager"),
        pytest.param(WANTED, foreign(), orphan(OTHER_UID, 9), FOREIGN,
                     id="foreign, taken for an orphan"),
        pytest.param(WANTED, living(), orphan(UID, 9), CONFIGURE, id="an orphan is wanted again"),
        pytest.param(WANTED, foreign(annotations=CONSENTS), None, CONFIGURE,
                     id="foreign, annotated in the cluster"),
        pytest.param(WANTED, foreign(annotations={ADOPT: "false"}), None, FOREIGN,
                     id="foreign, annotated to the contrary"),
        pytest.param(INVITING, foreign(), None, CONFIGURE, id="foreign, annotated in Git"),
        pytest.param(WANTED, dying(IP_ALLOCATION.finalizer), KNOWN,
                     ObjectDecision(Action.REPLACE, DELETED, force=True), id="dying, held by us"),
        pytest.param(WANTED, dying(), KNOWN,
                     ObjectDecision(Action.REPLACE, DELETED, force=True), id="dying, without finalizers"),
        pytest.param(WANTED, dying(IP_ALLOCATION.finalizer, "a/b", "c/d"), KNOWN,
                     ObjectDecision(Action.REFUSE, reason="the object is being deleted, held by a/b, c/d"),
                     id="dying, held by others too"),
        pytest.param(WANTED, dying("a/b"), KNOWN,
                     ObjectDecision(Action.REFUSE, reason="the object is being deleted, held by a/b"),
                     id="dying, held by others"),
        pytest.param(WANTED, foreign(deletionTimestamp=DIED), None, FOREIGN, id="foreign, dying"),
        pytest.param(WANTED, phased(edited(count=5), "Pending"), KNOWN, DRIFTED, id="drift"),
        pytest.param(WANTED, RELABELLED, KNOWN,
                     ObjectDecision(Action.CONFIGURE, UNLABELLED, force=True), id="our label was removed"),
        pytest.param(RENAMED, living(), KNOWN, CONFIGURE, id="a label is new in Git"),
        pytest.param(WANTED, living(RENAMED), InventoryEntry(UID, RENAMED.hash), CONFIGURE,
                     id="a label is gone from Git"),
        pytest.param(RENAMED, phased(edited(count=5), "Pending"), KNOWN, CONFIGURE,
                     id="new in Git, and changed by others"),
        pytest.param(WANTED, edited(count=5), KNOWN,
                     ObjectDecision(Action.REPLACE, DRIFT, force=True), id="spec of an allocation differs"),
        pytest.param(LARGER, living(), KNOWN, REPLACE, id="spec of an allocation is new in Git"),
        pytest.param(PINNED, living(), KNOWN, CONFIGURE, id="what its spec left out is filled in"),
        pytest.param(WANTED, living(PINNED), InventoryEntry(UID, PINNED.hash), REPLACE,
                     id="its spec says less in Git"),
        pytest.param(LARGER, phased(living(), "Released"), KNOWN, REPLACE, id="of a released one"),
        pytest.param(LARGER, phased(living(), "Failed"), KNOWN, CONFIGURE, id="of a failed one"),
        pytest.param(LARGER, {**living(), "status": None}, KNOWN, CONFIGURE, id="of a new one"),
        pytest.param(POOL, {**living(POOL), "spec": {"cidr": "10.0.0.0/25"}},
                     InventoryEntry(UID, POOL.hash),
                     ObjectDecision(Action.CONFIGURE, Drift("", "", ("spec.cidr",)), force=True),
                     id="spec of a pool differs"),
        pytest.param(STATUS_ONLY, None, None, SKIP, id="status only, absent"),
        pytest.param(STATUS_ONLY, foreign(), None, KEEP, id="status only, there"),
        pytest.param(STATUS_ONLY, foreign(deletionTimestamp=DIED), None, KEEP,
                     id="status only, dying"),
    ],
)  # fmt: skip
def test_the_step_is_decided_by_intent_object_and_inventory(
    wanted: DesiredObject,
    live: Mapping[str, Any] | None,
    entry: InventoryEntry | None,
    step: ObjectDecision,
) -> None:
    assert decide(wanted, seen(live), entry, adopt=False) == step


@pytest.mark.parametrize(
    ("live", "entry", "step"),
    [
        (None, None, CREATE),
        (living(), KNOWN, KEEP),
        (foreign(), None, CONFIGURE),
        (foreign(), KNOWN,
         ObjectDecision(Action.CONFIGURE, Drift("kubectl", EDITED, UNLABELLED.fields), force=True)),
        (foreign(deletionTimestamp=DIED, finalizers=["a/b"]), None,
         ObjectDecision(Action.REFUSE, reason="the object is being deleted, held by a/b")),
    ],
)  # fmt: skip
def test_adopting_takes_what_is_foreign_and_nothing_else_changes(
    live: Mapping[str, Any] | None, entry: InventoryEntry | None, step: ObjectDecision
) -> None:
    assert decide(WANTED, seen(live), entry, adopt=True) == step


@pytest.mark.parametrize(
    ("live", "entry", "ours"),
    [
        (living(), None, True),
        (living(), KNOWN, True),
        (RELABELLED, KNOWN, True),
        (RELABELLED, None, False),
        (foreign(), InventoryEntry(OTHER_UID, STATUS_ONLY.hash), False),
        (foreign(), KNOWN, False),
        (foreign(), InventoryEntry(OTHER_UID, "-"), True),
        (foreign(), orphan(OTHER_UID, 9), False),
        (living(managedFields=None), None, False),
        (living(labels=None), None, False),
    ],
)
def test_ours_is_what_we_remember_or_what_bears_label_and_manager(
    live: Mapping[str, Any], entry: InventoryEntry | None, ours: bool
) -> None:
    assert is_ours(live_of(live), entry) is ours


@pytest.mark.parametrize(
    ("live", "entry"),
    [
        (living(), None),
        (living(), InventoryEntry(UID, "-")),
        (living(), InventoryEntry(UID, f"{WANTED.hash.partition('.')[0]}.{'0' * 16}")),
        ({**living(), "status": None}, KNOWN),
        (phased(living(), "Pending"), KNOWN),
        (living(generation=2), KNOWN),
    ],
)
def test_a_status_is_applied_where_it_differs_or_its_intent_does(
    live: Mapping[str, Any], entry: InventoryEntry | None
) -> None:
    generation = live["metadata"]["generation"]
    assert status_to_apply(WANTED, live_of(live), entry) == {
        "apiVersion": "butler.butlerlabs.dev/v1alpha1",
        "kind": "IPAllocation",
        "metadata": {"name": "web-lb", "namespace": "butler-system", "uid": UID},
        "status": {"phase": "Allocated", "conditions": [READY], "observedGeneration": generation},
    }


def test_a_condition_that_did_not_flip_keeps_its_time() -> None:
    since = {**READY, "lastTransitionTime": "2020-01-01T00:00:00Z", "message": "old"}
    live = {**living(), "status": {"phase": "Allocated", "conditions": [since]}}
    applied = status_to_apply(WANTED, live_of(live), KNOWN)
    assert applied is not None
    (condition,) = applied["status"]["conditions"]
    assert condition["lastTransitionTime"] == "2020-01-01T00:00:00Z"
    flipped = {**since, "status": "False"}
    live = {**living(), "status": {"phase": "Allocated", "conditions": [flipped]}}
    applied = status_to_apply(WANTED, live_of(live), KNOWN)
    assert applied is not None
    assert applied["status"]["conditions"] == [READY]


def test_a_spec_that_never_changes_is_a_new_object_even_where_it_is_filled_in() -> None:
    kind = IP_ALLOCATION._replace(fixed_in=EVER)
    wanted = replace(PINNED, ref=PINNED.ref._replace(resource=kind))
    live = live_of(living())
    there = replace(live, ref=live.ref._replace(resource=kind))
    assert decide(wanted, there, KNOWN, adopt=True).action is Action.REPLACE
