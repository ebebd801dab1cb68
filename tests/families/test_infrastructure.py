"""Which addresses outside of tenants' ranges the management cluster's own things use."""

from collections.abc import Iterable
from typing import Any

from reconciler.families.butler.kinds import NETWORK_POOL, OBSERVED
from reconciler.families.butler.objects import observe
from reconciler.model.objects import Ref
from tests.world import evaluation_of, pool

EDGE = Ref(NETWORK_POOL, "butler-system", "edge")
POOL = pool(
    "edge",
    reserved="[{cidr: 10.40.0.0/28}, {cidr: 10.40.0.64/30}]",
    tenantAllocation="{start: 10.40.0.32, end: 10.40.0.127}",
)


def service(name: str, *addresses: str) -> dict[str, Any]:
    ingress = [{"ip": address} for address in addresses]
    return {
        "metadata": {"name": name, "namespace": "apps"},
        "spec": {"type": "LoadBalancer"},
        "status": {"loadBalancer": {"ingress": ingress}},
    }


def observed(
    services: Iterable[dict[str, Any]], nodes: Iterable[dict[str, Any]] = ()
) -> list[tuple[str, str]]:
    pools = evaluation_of({"pools/edge.yaml": POOL}).state.pools.values()
    found: Any = observe(pools, dict(zip(OBSERVED, (services, nodes, ()), strict=True)))[EDGE]
    assert found["infrastructureConsumedIPs"] == len(found["infrastructureAllocations"])
    return [(item["ip"], item["source"]) for item in found["infrastructureAllocations"]]


def test_a_service_counts_on_reserved_addresses_only() -> None:
    services = [
        service("reserved", "10.40.0.15", "10.40.0.65"),
        service("unmanaged", "10.40.0.16"),
        service("tenants", "10.40.0.40"),
        service("elsewhere", "10.41.0.1"),
    ]
    assert observed(services) == [("10.40.0.15", "metallb"), ("10.40.0.65", "metallb")]


def test_what_is_not_an_ipv4_address_or_is_not_there_yet_is_left_out() -> None:
    services: list[dict[str, Any]] = [
        service("a", "fd00::1", "010.40.0.1", "x"),
        {"metadata": {"name": "b", "namespace": "apps"}, "spec": {"type": "LoadBalancer"}},
        {**service("c"), "status": {"loadBalancer": {"ingress": [{"hostname": "lb.example"}]}}},
        {**service("d"), "status": {"loadBalancer": {"ingress": None}}},
    ]
    nodes: list[dict[str, Any]] = [
        {"metadata": {"name": "n"}},
        {"metadata": {"name": "o"}, "status": {"addresses": None}},
        {"metadata": {"name": "p"}, "status": {"addresses": [{"type": "InternalIP"}]}},
    ]
    assert observed(services, nodes) == []
