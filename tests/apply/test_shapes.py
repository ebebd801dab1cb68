"""Objects of clusters with an unexpected structure, and what is kept of large lists."""

from typing import Any

import pytest

from reconciler.apply.plan import Draft, ObjectResult
from reconciler.apply.snapshot import Live
from reconciler.apply.targets import ApplyOptions
from reconciler.kube.resources import ADDRESS_POOL, check_readable, desired_object, pared
from reconciler.model.errors import ClusterError
from reconciler.model.objects import CONFIG_MAP, NODE, SERVICE, Ref

METADATA = {"name": "web", "namespace": "a", "uid": "u", "resourceVersion": "7"}


@pytest.mark.parametrize(
    ("odd", "message"),
    [
        ({}, "Node '' cannot be read: Object missing required field `metadata`"),
        ({"metadata": 5}, "Node '' cannot be read: Expected `object`, got `int` - at `$.metadata`"),
        (
            {"metadata": {**METADATA, "labels": []}},
            "Node 'web' cannot be read: Expected `object | null`, got `array` - at `$.metadata.labels`",
        ),
        (
            {"metadata": METADATA, "spec": 5},
            "Node 'web' cannot be read: Expected `object | null`, got `int` - at `$.spec`",
        ),
    ],
)
def test_error_names_object_and_field(odd: dict[str, Any], message: str) -> None:
    with pytest.raises(ClusterError) as raised:
        check_readable(odd, NODE)
    assert str(raised.value) == message


def test_an_object_that_cannot_be_read_fails_alone() -> None:
    """The field managers of one pool are no mappings; the other pool is decided about."""
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
    assert "it is there already and not ours" in good.error


def test_of_what_clusters_have_many_of_only_what_is_read_is_kept() -> None:
    metadata = {"name": "a", "namespace": "b", "uid": "c", "resourceVersion": "1"}
    more = {"labels": {"x": "y"}, "managedFields": [{}]}
    balancer = {"loadBalancer": {"ingress": [{"ip": "10.0.0.1"}]}}
    service = {
        "metadata": {**metadata, **more},
        "spec": {"type": "LoadBalancer", "clusterIP": "10.96.0.9"},
        "status": {**balancer, "conditions": []},
        "more": 1,
    }
    kept = {"metadata": metadata, "spec": {"type": "LoadBalancer"}, "status": balancer}
    assert pared(service, SERVICE) == kept
    node = {"metadata": metadata, "status": {"addresses": [], "images": [1]}}
    assert pared(node, NODE) == {"metadata": metadata, "status": {"addresses": []}}
    assert pared(service, CONFIG_MAP) is service
