"""What an object shall be: our marks on it, and a hash of what it says."""

from collections.abc import Mapping
from typing import Any

import pytest

from reconciler.families.butler.kinds import PROVIDER_CONFIG
from reconciler.kube.resources import IP_ALLOCATION, desired_object
from reconciler.model.objects import Ref, owned_labels

METADATA = {"name": "web-lb", "namespace": "butler-system"}
CONDITION = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-02-15T10:00:30Z"}
OURS = {"gitops-ipam.dev/managed-by": "gitops-ipam"}


def manifest(kind: str = "IPAllocation", **more: Any) -> dict[str, Any]:
    made = {"apiVersion": "butler.butlerlabs.dev/v1alpha1", "kind": kind, "metadata": METADATA}
    return {**made, "spec": {"count": 4}, **more}


def test_our_label_is_on_everything_that_we_make() -> None:
    assert owned_labels() == OURS
    labelled = desired_object(manifest(metadata={**METADATA, "labels": {"team": "a"}}))
    assert labelled.body is not None
    assert labelled.body["metadata"]["labels"] == {"team": "a", **OURS}
    bare = desired_object(manifest("NetworkPool", metadata={**METADATA, "labels": None}))
    assert bare.body is not None
    assert bare.body["metadata"] == {**METADATA, "labels": OURS}


def test_allocations_are_held_by_our_finalizer_and_nothing_else_is() -> None:
    allocation, pool = desired_object(manifest()), desired_object(manifest("NetworkPool"))
    assert allocation.ref == Ref(IP_ALLOCATION, "butler-system", "web-lb")
    assert allocation.body is not None
    assert allocation.body["metadata"]["finalizers"] == [IP_ALLOCATION.finalizer]
    assert pool.body is not None
    assert "finalizers" not in pool.body["metadata"]


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        (None, {}),
        ({}, {}),
        ({"note": "x"}, {"note": "x"}),
        ({"gitops-ipam.dev/revision": "old"}, {}),
    ],
)
def test_the_body_to_apply_names_its_revision(
    annotations: Mapping[str, str] | None, expected: Mapping[str, str]
) -> None:
    wanted = desired_object(manifest(metadata={**METADATA, "annotations": annotations}))
    at = wanted.at("a" * 40)
    assert at["metadata"]["annotations"] == {**expected, "gitops-ipam.dev/revision": "a" * 40}
    assert {**at, "metadata": None} == {**(wanted.body or {}), "metadata": None}


def test_where_status_alone_is_ours_there_is_no_body() -> None:
    wanted = desired_object(manifest("ProviderConfig", status={"x": 1}), is_status_only=True)
    assert wanted.ref == Ref(PROVIDER_CONFIG, "butler-system", "web-lb")
    assert (wanted.body, wanted.status) == (None, {"x": 1})


def halves(**more: Any) -> list[str]:
    return desired_object(manifest(**more)).hash.split(".")


def test_the_time_of_a_condition_is_not_in_the_hash_and_its_message_is() -> None:
    old = halves(status={"conditions": [CONDITION]})
    new = {**CONDITION, "lastTransitionTime": "2027-01-01T00:00:00Z"}
    assert halves(status={"conditions": [new]}) == old
    assert halves(status={"conditions": [{**CONDITION, "message": "x"}]}) != old
