"""Which addresses outside of tenants' ranges the management cluster's own things use."""

from collections.abc import Iterable
from typing import Any

from reconciler.families.butler.infrastructure import infrastructure
from reconciler.families.butler.resources import NETWORK_POOL
from reconciler.model.resource import Ref
from tests.world import evaluation_of, pool

EDGE = Ref(NETWORK_POOL, "butler-system", "edge")
POOL = pool(
    "edge",
    reserved="[{cidr: 10.40.0.0/28}, {cidr: 10.40.0.64/30}]",
    tenantAllocation="{start: 10.40.0.32, end: 10.40.0.127}",
)


def service(name: str, *addresses: str, kind: str = "LoadBalancer") -> dict[str, Any]:
    ingress = [{"ip": address} for address in addresses]
    return {
        "metadata": {"name": name, "namespace": "apps"},
        "spec": {"type": kind},
        "status": {"loadBalancer": {"ingress": ingress}},
    }


def host(name: str, *addresses: str, kind: str = "InternalIP", **metadata: str) -> dict[str, Any]:
    found = [{"type": kind, "address": address} for address in addresses]
    return {"metadata": {"name": name, **metadata}, "status": {"addresses": found}}


def machine(name: str, *addresses: str) -> dict[str, Any]:
    return host(name, *addresses, namespace="metal")


def observed(
    services: Iterable[dict[str, Any]] = (),
    nodes: Iterable[dict[str, Any]] = (),
    machines: Iterable[dict[str, Any]] = (),
    text: str = POOL,
) -> Any:
    pools = evaluation_of({"pools/edge.yaml": text}).state.pools.values()
    return infrastructure(pools, services, nodes, machines)[EDGE]


def told(found: Any) -> list[tuple[str, str]]:
    assert found["infrastructureConsumedIPs"] == len(found["infrastructureAllocations"])
    return [(item["ip"], item["source"]) for item in found["infrastructureAllocations"]]


def test_a_pool_that_nobody_uses_says_so() -> None:
    assert observed() == {"infrastructureAllocations": [], "infrastructureConsumedIPs": 0}


def test_each_source_names_who_uses_an_address() -> None:
    found = observed(
        [service("web", "10.40.0.1")], [host("n1", "10.40.0.2")], [machine("m1", "10.40.0.3")]
    )
    assert found["infrastructureAllocations"] == [
        {
            "ip": "10.40.0.1",
            "source": "metallb",
            "serviceRef": {"name": "web", "namespace": "apps"},
        },
        {"ip": "10.40.0.2", "source": "node", "nodeRef": {"name": "n1"}},
        {
            "ip": "10.40.0.3",
            "source": "machine",
            "machineRef": {"name": "m1", "namespace": "metal"},
        },
    ]
    assert found["infrastructureConsumedIPs"] == 3


def test_the_first_source_wins_and_the_others_add_who_they_are() -> None:
    found = observed(
        [service("web", "10.40.0.5")], [host("n1", "10.40.0.5")], [machine("m1", "10.40.0.5")]
    )
    assert found["infrastructureAllocations"] == [
        {
            "ip": "10.40.0.5",
            "source": "metallb",
            "serviceRef": {"name": "web", "namespace": "apps"},
            "nodeRef": {"name": "n1"},
            "machineRef": {"name": "m1", "namespace": "metal"},
        }
    ]


def test_of_two_services_on_one_address_the_first_by_name_is_named() -> None:
    both = [service("web", "10.40.0.5"), service("api", "10.40.0.5")]
    for services in (both, both[::-1]):
        (entry,) = observed(services)["infrastructureAllocations"]
        assert entry["serviceRef"]["name"] == "api"


def test_addresses_are_sorted_as_numbers() -> None:
    nodes = [host("b", "10.40.0.10"), host("a", "10.40.0.9"), host("c", "10.40.0.200")]
    found = [ip for ip, _ in told(observed(nodes=nodes))]
    assert found == ["10.40.0.9", "10.40.0.10", "10.40.0.200"]


def test_a_service_counts_on_reserved_addresses_only() -> None:
    services = [
        service("reserved", "10.40.0.15", "10.40.0.65"),
        service("unmanaged", "10.40.0.16"),
        service("tenants", "10.40.0.40"),
        service("elsewhere", "10.41.0.1"),
    ]
    assert told(observed(services)) == [("10.40.0.15", "metallb"), ("10.40.0.65", "metallb")]


def test_nodes_and_machines_count_where_no_tenant_gets_an_address() -> None:
    nodes = [host("a", "10.40.0.0"), host("b", "10.40.0.16"), host("c", "10.40.0.40")]
    machines = [machine("d", "10.40.0.64"), machine("e", "10.40.0.255"), machine("f", "10.41.0.0")]
    assert [ip for ip, _ in told(observed(nodes=nodes, machines=machines))] == [
        *("10.40.0.0", "10.40.0.16", "10.40.0.64", "10.40.0.255")
    ]


def test_other_kinds_of_service_and_of_address_are_nothing_to_us() -> None:
    services = [service("a", "10.40.0.1", kind="ClusterIP")]
    nodes = [host("n", "10.40.0.2", kind="ExternalIP"), host("h", "n1.example", kind="Hostname")]
    assert told(observed(services, nodes)) == []


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
    assert told(observed(services, nodes)) == []


def test_more_than_the_crd_takes_are_counted_all_the_same() -> None:
    wide = pool("edge", "10.0.0.0/16", tenantAllocation="{start: 10.0.255.0, end: 10.0.255.9}")
    nodes = [host(f"n{at}", f"10.0.{at // 250}.{at % 250}") for at in range(1_100)]
    found = observed(nodes=nodes, text=wide)
    assert len(found["infrastructureAllocations"]) == 1_024
    assert found["infrastructureConsumedIPs"] == 1_100


def test_each_pool_has_its_own() -> None:
    files = {"pools/edge.yaml": POOL, "pools/b.yaml": pool("b", "10.50.0.0/24", reserved="[{cidr: 10.50.0.0/30}]")}  # fmt: skip
    pools = evaluation_of(files).state.pools.values()
    found = infrastructure(pools, (), [host("n", "10.50.0.1", "10.40.0.1")], ())
    assert {ref.name: told(fields) for ref, fields in found.items()} == {
        "b": [("10.50.0.1", "node")],
        "edge": [("10.40.0.1", "node")],
    }
