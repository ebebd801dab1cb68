"""A cluster as Butler's controller leaves it: its objects with status, and MetalLB in the tenants."""

from collections.abc import Mapping
from typing import Any

from tests.e2e.site import BUTLER, METALLB, say
from tests.envtest.servers import ApiServer

API = "/apis/butler.butlerlabs.dev/v1alpha1"
GROUP = "butler.butlerlabs.dev"
CONTROLLER = "butler-controller"
SINCE = "2026-02-15T10:00:30Z"
# Name, tenant, type, role (none: made by hand), first and last address.
ALLOCATIONS = (
    ("team-a-web-lb", "web", "loadbalancer", "initial", "10.40.0.37", "10.40.0.38"),
    ("team-a-web-lb-1", "web", "loadbalancer", "growth", "10.40.0.21", "10.40.0.21"),
    ("team-a-shop-lb", "shop", "loadbalancer", "initial", "10.40.0.16", "10.40.0.17"),
    ("shop-nodes", "shop", "nodes", "", "10.40.0.100", "10.40.0.109"),
)


def left_behind(management: ApiServer, tenants: Mapping[str, ApiServer]) -> None:
    """Make all of it, each status by the controller's own manager."""
    management.namespace("butler-system", "team-a")
    made(management, "butler-system", "networkpools", POOL, POOL_STATUS)
    made(management, "butler-system", "providerconfigs", PROVIDER, PROVIDER_STATUS)
    for name in ("web", "shop"):
        made(management, "team-a", "tenantclusters", *tenant_cluster(name))
    for row in ALLOCATIONS:
        made(management, "butler-system", "ipallocations", *allocation(*row))
    for name, server in tenants.items():
        announce(server, *_ranges(name.rpartition("/")[2]))


def _ranges(tenant: str) -> list[str]:
    """Return the ranges that a tenant's MetalLB announces, in the order of the server."""
    return [
        f"{first}-{last}"
        for _, name, type_, _, first, last in ALLOCATIONS
        if (name, type_) == (tenant, "loadbalancer")
    ]


def announce(server: ApiServer, *ranges: str) -> None:
    for kind, name, spec in (
        ("IPAddressPool", "default-pool", {"addresses": list(ranges)}),
        ("L2Advertisement", "default", {"ipAddressPools": ["default-pool"]}),
    ):
        path = f"{METALLB}/{kind.lower()}s/{name}?fieldManager=butler-controller%2Fipam&force=true"
        head = {"apiVersion": "metallb.io/v1beta1", "kind": kind}
        body = {**head, "metadata": {"name": name, "namespace": "metallb-system"}, "spec": spec}
        status, answer = server.request("PATCH", path, body, "application/apply-patch+yaml")
        assert status in (200, 201), answer


def allocation(
    name: str, tenant: str, type_: str, role: str, first: str, last: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return an IPAllocation with its status. `cidr` contains a range that is not a CIDR as text."""
    start, end = (int(it.rpartition(".")[2]) for it in (first, last))
    count = end - start + 1
    cidr = f"{first}/32" if count == 1 else f"{first}-{last}"
    pinned = {"pinnedRange": {"startAddress": first, "endAddress": last}}
    labels = {"network-pool": "edge", "team": "team-a", "tenant": tenant, "allocation-type": type_}
    labels |= {"allocation-role": role} if role else {}
    metadata = {"name": name, "labels": {f"{GROUP}/{key}": it for key, it in labels.items()}}
    owner = {"tenantClusterRef": {"name": tenant, "namespace": "team-a"}, "type": type_}
    spec = {"poolRef": {"name": "edge"}, **owner, **({"count": count} if role else pinned)}
    finalizers = {"finalizers": [f"{GROUP}/ipallocation"]}
    return _object("IPAllocation", {**metadata, **finalizers}, spec), {
        "phase": "Allocated",
        "cidr": cidr,
        "startAddress": first,
        "endAddress": last,
        "addresses": [f"10.40.0.{start + at}" for at in range(count)],
        "allocatedCount": count,
        "allocatedAt": SINCE,
        "allocatedBy": "networkpool-controller",
        "observedGeneration": 1,
        "conditions": [condition("Ready", "True", "Ready", f"allocated {count} IPs: {cidr}")],
    }


def tenant_cluster(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A TenantCluster that is Ready, and refers to its first allocation, if it has one."""
    spec = {
        "kubernetesVersion": "v1.31.4",
        "providerConfigRef": {"name": "harvester"},
        "teamRef": {"name": "alpha"},
        "workers": {"replicas": 3},
    }
    body = _object("TenantCluster", {"name": name, "finalizers": [f"{GROUP}/tenantcluster"]}, spec)
    status: dict[str, Any] = {
        "phase": "Ready",
        "tenantNamespace": f"tenant-{name}",
        "conditions": [condition("Ready", "True", "ReconcileSucceeded", "")],
    }
    for first in _ranges(name)[:1]:
        word = condition("NetworkReady", "True", "Ready", f"LB IPs allocated: {first}")
        status["conditions"].append(word)
        status["lbAllocationRef"] = {"name": f"team-a-{name}-lb"}
    return body, status


def _object(kind: str, metadata: dict[str, Any], spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": f"{GROUP}/v1alpha1", "kind": kind, "metadata": metadata, "spec": spec}


def condition(type_: str, status: str, reason: str, message: str) -> dict[str, str]:
    told = {"type": type_, "status": status, "reason": reason, "message": message}
    return {**told, "lastTransitionTime": SINCE}


def made(
    server: ApiServer, namespace: str, plural: str, body: dict[str, Any], status: dict[str, Any]
) -> None:
    path = BUTLER.replace("butler-system", namespace)
    server.put(body, path=f"{path}/{plural}?fieldManager={CONTROLLER}")
    say(server, f"{path}/{plural}/{body['metadata']['name']}", status, CONTROLLER)


POOL = _object(
    "NetworkPool",
    {"name": "edge", "finalizers": [f"{GROUP}/networkpool"]},
    {
        "cidr": "10.40.0.0/24",
        "reserved": [{"cidr": "10.40.0.0/28", "description": "Management cluster"}],
    },
)
# 240 usable, of which the four allocations hold 15.
POOL_STATUS = {
    "totalIPs": 240,
    "allocatedIPs": 15,
    "availableIPs": 225,
    "allocationCount": 4,
    "fragmentationPercent": 36,
    "largestFreeBlock": 146,
    "observedGeneration": 1,
    "conditions": [condition("Ready", "True", "Ready", "225/240 IPs available (4 allocations)")],
}
PROVIDER = _object(
    "ProviderConfig",
    {"name": "harvester", "finalizers": [f"{GROUP}/providerconfig"]},
    {
        "provider": "harvester",
        "credentialsRef": {"name": "harvester-credentials", "namespace": "butler-system"},
        "network": {
            "mode": "ipam",
            "poolRefs": [{"name": "edge"}],
            "loadBalancer": {"allocationMode": "elastic", "initialPoolSize": 2},
        },
    },
)
PROVIDER_STATUS = {
    "ready": True,
    "validated": True,
    "capacity": {"availableIPs": 225, "estimatedTenants": 17},
    "conditions": [condition("PoolAvailable", "True", "PoolAvailable", "225 IPs available")],
}
