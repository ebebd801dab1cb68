"""Objects that a server answers with: what is refused, and what is kept of large lists."""

from typing import Any

import pytest

from reconciler.kube.resources import ADDRESS_POOL, pared, shaped
from reconciler.model.objects import CONFIG_MAP, NODE, SERVICE, Resource

METADATA = {"name": "web", "namespace": "a", "uid": "u", "resourceVersion": "7"}


def changed(path: tuple[Any, ...], value: Any) -> Any:
    """An object with another value in one place; None takes it away."""
    ingress = [{"ip": "10.0.0.1"}]
    made: Any = {"metadata": dict(METADATA), "status": {"loadBalancer": {"ingress": ingress}}}
    made["spec"] = {"addresses": []}
    if not path:
        return value
    node = made
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    return made


@pytest.mark.parametrize(
    ("resource", "path", "value", "message"),
    [
        (NODE, (), 5, "Node: it is not a mapping"),
        (NODE, ("metadata",), 5, "Node: metadata is not a mapping"),
        (NODE, ("metadata",), None, "Node: metadata is missing"),
        (NODE, ("metadata", "uid"), None, "Node 'web': metadata.uid is missing"),
        (SERVICE, ("metadata", "namespace"), None, "Service 'web': metadata.namespace is missing"),
        (NODE, ("metadata", "name"), 5, "Node '5': metadata.name is not a text"),
        (NODE, ("metadata", "generation"), "1", "Node 'web': metadata.generation is not a number"),
        (NODE, ("metadata", "labels"), {"a": 5}, "Node 'web': metadata.labels is not a mapping of texts"),
        (NODE, ("metadata", "labels"), [], "Node 'web': metadata.labels is not a mapping"),
        (NODE, ("metadata", "managedFields"), {}, "Node 'web': metadata.managedFields is not a list"),
        (SERVICE, ("status", "loadBalancer", "ingress", 0, "ip"), 5,
         "Service 'web': status.loadBalancer.ingress[0].ip is not a text"),
        (ADDRESS_POOL, ("spec", "addresses"), [5], "IPAddressPool 'web': spec.addresses[0] is not a text"),
    ],
)  # fmt: skip
def test_object_and_field_are_named(
    resource: Resource, path: tuple[Any, ...], value: Any, message: str
) -> None:
    with pytest.raises(ValueError, match="is") as told:
        shaped(changed(path, value), resource)
    assert str(told.value) == message


def test_nulls_are_what_is_not_there() -> None:
    pool = {"metadata": {**METADATA, "labels": {"a": None}, "finalizers": None}, "spec": None}
    found = shaped(pool, ADDRESS_POOL)
    assert found["metadata"]["labels"] == {}
    assert "finalizers" not in found["metadata"]
    assert "spec" not in found
    assert pool["spec"] is None


def test_of_what_clusters_have_many_of_only_what_is_read_is_kept() -> None:
    metadata = {"name": "a", "namespace": "b", "uid": "c", "resourceVersion": "1"}
    more = {"labels": {"x": "y"}, "managedFields": [{}]}
    balancer = {"loadBalancer": {"ingress": [{"ip": "10.0.0.1"}]}}
    service = {
        "metadata": {**metadata, **more},
        "spec": {"type": "LoadBalancer", "ports": [1]},
        "status": {**balancer, "conditions": []},
        "more": 1,
    }
    kept = {"metadata": metadata, "spec": {"type": "LoadBalancer"}, "status": balancer}
    assert pared(service, SERVICE) == kept
    node = {"metadata": metadata, "status": {"addresses": [], "images": [1]}}
    assert pared(node, NODE) == {"metadata": metadata, "status": {"addresses": []}}
    assert pared({"metadata": 5, "status": None}, NODE) == {"metadata": 5, "status": None}
    assert pared(service, CONFIG_MAP) is service
