"""What an object shall be: our marks on it, and a hash of what it says."""

from collections.abc import Mapping
from typing import Any

import pytest

from reconciler.families.butler.kinds import PROVIDER_CONFIG
from reconciler.families.interface import Projection
from reconciler.kube.resources import IP_ALLOCATION, desired_object, desired_objects, with_status
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


def test_the_manifest_itself_stays_as_it_is() -> None:
    given = manifest(status={"phase": "Allocated"})
    desired_object(given).at("a" * 40)
    assert given == manifest(status={"phase": "Allocated"})
    assert METADATA == {"name": "web-lb", "namespace": "butler-system"}


def test_status_is_apart_from_the_body() -> None:
    wanted = desired_object(manifest(status={"phase": "Allocated"}))
    assert wanted.status == {"phase": "Allocated"}
    assert wanted.body is not None
    assert "status" not in wanted.body
    assert desired_object(manifest()).status is None


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


def test_each_half_of_the_hash_stands_for_its_part() -> None:
    body, status = halves(status={"phase": "Allocated"})
    assert halves(status={"phase": "Released"})[0] == body
    assert halves(status={"phase": "Released"})[1] != status
    assert halves(spec={"count": 5}, status={"phase": "Allocated"})[1] == status
    assert halves(spec={"count": 5})[0] != body
    assert [len(half) for half in (body, status)] == [16, 16]


def test_the_hash_stays_the_same_over_releases() -> None:
    """Another one would write every object of every cluster anew."""
    assert (
        desired_object(manifest(status={"conditions": [CONDITION]})).hash
        == "5c142111befcbd89.1c92ea10306d4c7c"
    )


def test_the_time_of_a_condition_is_not_in_the_hash_and_its_message_is() -> None:
    old = halves(status={"conditions": [CONDITION]})
    new = {**CONDITION, "lastTransitionTime": "2027-01-01T00:00:00Z"}
    assert halves(status={"conditions": [new]}) == old
    assert halves(status={"conditions": [{**CONDITION, "message": "x"}]}) != old


def test_the_order_of_keys_is_not_in_the_hash() -> None:
    given = manifest(status={"a": 1, "b": 2})
    backwards = dict(reversed(given.items())) | {"status": {"b": 2, "a": 1}}
    assert desired_object(backwards).hash == desired_object(given).hash


def test_more_status_is_another_status_of_the_same_body() -> None:
    wanted = desired_object(manifest(status={"a": 1}))
    more = with_status(wanted, {"b": 2})
    assert more.status == {"a": 1, "b": 2}
    assert more.body == wanted.body
    assert more == desired_object(manifest(status={"a": 1, "b": 2}))
    assert with_status(wanted, None) is wanted
    assert with_status(wanted, {}) is wanted
    bare = desired_object(manifest())
    assert with_status(bare, {"b": 2}) is bare


def test_each_cluster_has_its_intents_in_order() -> None:
    found = desired_objects(
        [
            Projection("management", manifest()),
            Projection("team-a/web", manifest("NetworkPool")),
            Projection("management", manifest("ProviderConfig"), is_status_only=True),
        ]
    )
    kinds = {name: [item.ref.resource.kind for item in items] for name, items in found.items()}
    assert kinds == {
        "management": ["IPAllocation", "ProviderConfig"],
        "team-a/web": ["NetworkPool"],
    }
    assert [item.body is None for item in found["management"]] == [False, True]
    assert desired_objects([]) == {}
