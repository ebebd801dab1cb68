"""Objects of clusters with an unexpected structure, and the fields kept of large lists."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reconciler.apply.plan import Draft
from reconciler.apply.snapshot import Live
from reconciler.apply.targets import ApplyOptions
from reconciler.kube.resources import (
    IP_ALLOCATION,
    desired_object,
    is_whole_list,
    pared,
    parse_ref,
    settled_conditions,
    timeless,
)
from reconciler.loadbalancers.metallb.kinds import ADDRESS_POOL
from reconciler.model.applied import ObjectResult
from reconciler.model.objects import CONFIG_MAP, CRD, NAMESPACE, NODE, Ref, Resource


def test_an_object_that_cannot_be_read_fails_alone() -> None:
    """The field managers of one pool are not mappings. The other pool still gets a decision."""
    draft = Draft({}, ApplyOptions())
    kind = {"apiVersion": ADDRESS_POOL.api_version, "kind": ADDRESS_POOL.kind}
    for name, entries in (("odd", [5]), ("good", [])):
        named = {"name": name, "namespace": "metallb-system"}
        labels = {"gitops-ipam.dev/managed-by": "gitops-ipam"}
        metadata = {**named, "uid": name, "labels": labels, "managedFields": entries}
        live = Live(Ref(ADDRESS_POOL, "metallb-system", name), {**kind, "metadata": metadata})
        draft.apply(desired_object({**kind, "metadata": named}), live)
    odd, good = draft.progress.outcomes
    assert (odd.result, good.result) == (ObjectResult.FAILED, ObjectResult.FAILED)
    assert "IPAddressPool 'odd' cannot be read: AttributeError" in odd.error
    assert "already exists, and does not belong to ipam" in good.error


def test_a_document_with_empty_metadata_gets_our_label_and_the_newest_revision() -> None:
    kind = {"apiVersion": "butler.butlerlabs.dev/v1alpha1", "kind": "NetworkPool"}
    for annotations in (None, {}, {"gitops-ipam.dev/revision": "old"}):
        empty = {"name": "edge", "namespace": "a", "labels": None, "annotations": annotations}
        at = desired_object({**kind, "metadata": empty}).at("a" * 40)
        assert at["metadata"] == {
            "name": "edge",
            "namespace": "a",
            "labels": {"gitops-ipam.dev/managed-by": "gitops-ipam"},
            "annotations": {"gitops-ipam.dev/revision": "a" * 40},
        }


def test_of_what_clusters_have_many_of_only_what_is_read_is_kept() -> None:
    metadata = {"name": "a", "namespace": "b", "uid": "c", "resourceVersion": "1"}
    more = {"labels": {"x": "y"}, "managedFields": [{}]}
    node = {"metadata": {**metadata, **more}, "status": {"addresses": [], "images": [1]}}
    assert pared(node, NODE) == {"metadata": metadata, "status": {"addresses": []}}
    assert pared(node, CONFIG_MAP) is node


# Conditions: their time moves when their status flips

EARLY = "2026-02-15T10:00:30Z"
LATE = "2026-02-16T08:00:00Z"


def ready(status: str, since: str | None = LATE, message: str = "8/16") -> dict[str, Any]:
    found = {"type": "Ready", "status": status, "reason": "Ready", "message": message}
    return found if since is None else {**found, "lastTransitionTime": since}


def settled(wanted: dict[str, Any], *live: dict[str, Any]) -> Any:
    (found,) = settled_conditions({"conditions": [wanted]}, {"conditions": [*live]})["conditions"]
    return found


def test_a_condition_that_did_not_flip_keeps_its_time_and_gets_the_new_message() -> None:
    found = settled(ready("True", message="7/16"), ready("True", EARLY))
    assert found == ready("True", EARLY, "7/16")


def test_conditions_of_others_are_not_declared() -> None:
    other = {"type": "CredentialsValid", "status": "True", "lastTransitionTime": EARLY}
    assert settled(ready("True"), other) == ready("True")


def test_what_a_status_says_does_not_depend_on_its_times() -> None:
    early, late = (
        {"conditions": [ready("True", since)], "totalIPs": 16} for since in (EARLY, LATE)
    )
    assert timeless(early) == timeless(late)
    assert timeless(early) != timeless({**late, "conditions": [ready("False")]})
    assert timeless({"phase": "Allocated"}) == {"phase": "Allocated"}


def test_where_who_writes_one_condition_writes_all_those_of_others_go_with_ours() -> None:
    theirs = {**ready("False"), "type": "Announced"}
    live = {"conditions": [theirs, ready("True", EARLY)]}
    wanted = {"conditions": [ready("True")]}
    assert settled_conditions(wanted, live)["conditions"] == [ready("True", EARLY)]
    assert settled_conditions(wanted, live, is_whole=True)["conditions"] == [
        ready("True", EARLY), theirs,
    ]  # fmt: skip


def test_that_is_told_by_what_somebody_owns() -> None:
    def live(*owned: object) -> dict[str, Any]:
        return {"metadata": {"managedFields": [{"fieldsV1": item} for item in owned]}}

    assert not is_whole_list({"metadata": {}})
    assert not is_whole_list(live(None, {}, {"f:status": 7}, {"f:status": {}}))
    assert not is_whole_list(live({"f:status": {"f:conditions": {'k:{"type":"Ready"}': {}}}}))
    assert is_whole_list(live({}, {"f:status": {"f:conditions": {}}}))


# References

name = st.from_regex(r"[a-z0-9]([-a-z0-9.]{0,20}[a-z0-9])?", fullmatch=True)
resource = st.sampled_from([ADDRESS_POOL, CONFIG_MAP, CRD, IP_ALLOCATION, NAMESPACE, NODE])


@given(resource, name, name)
def test_a_reference_is_read_back_from_its_text(kind: Resource, space: str, own: str) -> None:
    ref = Ref(kind, space if kind.is_namespaced else "", own)
    assert parse_ref(str(ref)) == ref


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", KeyError),
        ("metallb.io/ConfigMap/a/b", KeyError),
        ("ConfigMap/a", ValueError),
        ("Node/a/b", ValueError),
    ],
)
def test_what_is_no_reference_is_refused(text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        parse_ref(text)
