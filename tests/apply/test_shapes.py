"""What cannot be read stays outside, and what comes in breaks no reader."""

import copy
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reconciler.addresses import IPRange, IPSet
from reconciler.apply.inventory import read_inventory
from reconciler.apply.metallb import (
    controller_time,
    nodes_in,
    pool_addresses,
    state_error,
    users_of,
)
from reconciler.apply.policies import intruders
from reconciler.apply.rights import is_established, lacking, manifests
from reconciler.apply.snapshot import live_of
from reconciler.apply.steps import decide, differing, drift, noted, status_to_apply, taken
from reconciler.families.butler.kinds import NETWORK_POOL, OBSERVED, TENANT_CLUSTER
from reconciler.families.butler.objects import allocation_event, capacity_event, observe
from reconciler.kube.resources import (
    ADDRESS_POOL,
    CONFIGURATION_STATE,
    IP_ALLOCATION,
    desired_object,
    pared,
    shaped,
)
from reconciler.model.objects import (
    CONFIG_MAP,
    CRD,
    EVENT,
    NODE,
    SERVICE,
    WHO_AM_I,
    Manifest,
    Resource,
)
from reconciler.model.pool import Thresholds

METADATA: Mapping[str, Any] = {
    "name": "web",
    "namespace": "a",
    "uid": "u",
    "resourceVersion": "7",
    "generation": 1,
    "labels": {"gitops-ipam.dev/managed-by": "gitops-ipam"},
    "annotations": {"gitops-ipam.dev/tier": "warning"},
    "finalizers": ["a/b"],
    "deletionTimestamp": "2026-02-15T10:00:30Z",
    "managedFields": [
        {
            "manager": "kubectl",
            "time": "2026-02-15T10:00:30Z",
            "fieldsV1": {"f:spec": {"f:addresses": {}}},
        }
    ],
}
READY = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-02-15T10:00:30Z"}
TIMES = ("lastTimestamp", "eventTime", "firstTimestamp")
CRD_SPEC = next(item for item in manifests() if item["spec"]["names"]["kind"] == "NetworkPool")
GOOD: Mapping[Resource, Mapping[str, Any]] = {
    CONFIG_MAP: {
        "metadata": {**METADATA, "name": "gitops-ipam-inventory"},
        "data": {"uid": "u", "objects": "Node/one u -\n", "cluster.a.web": "u r d 10.0.0.0/30"},
    },
    SERVICE: {
        "spec": {"type": "LoadBalancer"},
        "status": {"loadBalancer": {"ingress": [{"ip": "10.0.0.1"}]}},
    },
    NODE: {"status": {"addresses": [{"type": "InternalIP", "address": "10.0.0.1"}]}},
    ADDRESS_POOL: {"spec": {"addresses": ["10.0.0.0/24"]}},
    CONFIGURATION_STATE: {
        "metadata": {**METADATA, "name": "controller"},
        "status": {"result": "Invalid", "errorSummary": "no", "conditions": [READY]},
    },
    NETWORK_POOL: {
        "spec": {"cidr": "10.0.0.0/24"},
        "status": {
            "conditions": [READY, {**READY, "type": "CapacityWarning"}],
            "infrastructureAllocations": [{"ip": "10.0.0.1"}],
        },
    },
    IP_ALLOCATION: {
        "spec": {"type": "loadbalancer", "tenantClusterRef": {"name": "web", "namespace": "a"}},
        "status": {"phase": "Allocated", "startAddress": "10.0.0.0", "conditions": [READY]},
    },
    TENANT_CLUSTER: {"spec": {}, "status": {"conditions": [READY]}},
    EVENT: {
        "involvedObject": {"kind": "NetworkPool", "name": "web", "namespace": "a"},
        "reason": "PoolCapacityWarning",
        "series": {"lastObservedTime": "2026-02-15T10:00:30Z"},
        **dict.fromkeys(TIMES, "2026-02-15T10:00:30Z"),
    },
    CRD: {"spec": CRD_SPEC["spec"], "status": {"conditions": [{**READY, "type": "Established"}]}},
}
ALL = IPSet((IPRange(4, 0, 2**32 - 1),))


def good(resource: Resource) -> dict[str, Any]:
    return copy.deepcopy({"metadata": dict(METADATA), **GOOD.get(resource, {})})


def wanted(resource: Resource) -> Manifest:
    """The object as we would have it, to compare a live one with."""
    named = {"metadata": {"name": "web", "namespace": "a"}}
    kind = {"apiVersion": resource.api_version, "kind": resource.kind}
    status = {"phase": "Pending", "totalIPs": 8, "conditions": [READY]}
    ref = {"poolRef": {"name": "web"}, "addresses": ["10.0.0.0/24"]}
    return {**kind, **named, "spec": ref, "status": {**status, "infrastructureAllocations": []}}


def read(live: Manifest, resource: Resource) -> None:
    """Read all of an object that anything reads. A ValueError is told by those who call."""
    every: list[Callable[[], object]] = [
        lambda: drift(live, ("spec.addresses",)),
        lambda: taken(live, "spec.addresses"),
        lambda: intruders(live),
        lambda: _compared(live, wanted(resource)),
        lambda: _of_kind(live, resource),
    ]
    for each in every:
        each()


def _compared(live: Manifest, shall: Manifest) -> None:
    for is_status_only in (False, True):
        item = desired_object(shall, is_status_only=is_status_only)
        seen = live_of(live)
        entry = noted(item, seen.uid, None)
        decide(item, seen, entry, adopt=True)
        status_to_apply(item, seen, entry)
        assert (seen.spec, seen.finalizers, seen.version) is not None
    differing(shall, live)


def _of_kind(live: Manifest, resource: Resource) -> None:
    pools: Iterable[Any] = ()
    match resource.kind:
        case "ConfigMap":
            with suppress(ValueError):
                read_inventory([live])
        case "IPAddressPool":
            with suppress(ValueError):
                pool_addresses(live)
        case "ConfigurationState":
            state_error([live])
            controller_time([live])
        case "Service" | "Node":
            users_of([live], ALL)
            nodes_in([live], ALL)
            observe(pools, {kind: [live] for kind in OBSERVED})
        case "NetworkPool" | "Event":
            is_pool = resource == NETWORK_POOL
            crossed = {
                **wanted(NETWORK_POOL),
                "status": GOOD[NETWORK_POOL]["status"] | {"totalIPs": 8},
            }
            events = [] if is_pool else [live]
            capacity_event(crossed, live if is_pool else None, Thresholds(70, 85, 95), events, 0)
        case "IPAllocation":
            shall = wanted(IP_ALLOCATION)
            ready = {"phase": "Failed", "conditions": [{**READY, "message": "m"}]}
            allocation_event({**shall, "status": ready}, live, wanted(NETWORK_POOL), 0)
        case "CustomResourceDefinition":
            list(lacking(CRD_SPEC, live))
            is_established(live)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """All places of a value, but for the schemas of a CRD, which are many."""
    if path[-1:] == ("openAPIV3Schema",):
        return [path, (*path, "properties"), (*path, "properties", "status")]
    inner: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list):
        inner = enumerate(value)
    return [path, *(found for key, item in inner for found in places(item, (*path, key)))]


def changed(manifest: dict[str, Any], path: tuple[Any, ...], value: Any) -> Any:
    """The object with another value at a place."""
    if not path:
        return value
    node: Any = manifest
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    return manifest


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2)
    ),
    max_leaves=4,
)


@pytest.mark.parametrize("resource", GOOD, ids=lambda resource: resource.kind)
def test_a_good_object_comes_in_and_says_its_kind(resource: Resource) -> None:
    found = shaped(good(resource), resource)
    kind = {"apiVersion": resource.api_version, "kind": resource.kind}
    assert found == {**good(resource), **kind}
    read(found, resource)


@pytest.mark.parametrize("resource", GOOD, ids=lambda resource: resource.kind)
@given(data=st.data())
def test_what_comes_in_breaks_no_reader(resource: Resource, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(places(good(resource))))
    odd = changed(good(resource), path, data.draw(JSON))
    try:
        found = shaped(odd, resource)
    except ValueError:
        return
    read(found, resource)


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
        shaped(changed(good(resource), path, value), resource)
    assert str(told.value) == message


def test_nulls_are_what_is_not_there() -> None:
    pool = {"metadata": {**METADATA, "labels": {"a": None}, "finalizers": None}, "spec": None}
    found = shaped(pool, ADDRESS_POOL)
    assert found["metadata"]["labels"] == {}
    assert "finalizers" not in found["metadata"]
    assert "spec" not in found
    assert pool["spec"] is None


def test_what_nothing_reads_may_be_anything() -> None:
    odd = {**good(SERVICE), "x": [5], "metadata": {**METADATA, "ownerReferences": 5}}
    assert shaped(odd, SERVICE)["x"] == [5]


def test_an_answer_to_a_review_is_stored_nowhere() -> None:
    answer = {"status": {"userInfo": {"username": "alice"}}}
    assert shaped(answer, WHO_AM_I)["status"] == answer["status"]
    with pytest.raises(ValueError, match=r"SelfSubjectReview: status\.userInfo\.username is not"):
        shaped({"status": {"userInfo": {"username": 5}}}, WHO_AM_I)


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
