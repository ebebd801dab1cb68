"""First and second apply to real API servers, and objects of other managers."""

from reconciler.model.applied import ClusterState
from tests.apply.execution.site import (
    ADDRESS_POOLS,
    ALLOCATIONS,
    FIRST,
    INVENTORY,
    POOLS,
    SECOND,
    Site,
    announced,
    world,
)
from tests.fake_cluster import HUB

FILES = world("web", "shop")


def test_records_pools_and_ranges_are_where_they_belong(site: Site) -> None:
    applied = site.apply(FILES)
    assert {item.state for item in applied.values()} == {ClusterState.APPLIED}
    assert applied.keys() == {HUB, FIRST, SECOND}
    pool = site.management.get(f"{POOLS}/edge")
    assert pool["status"]["allocatedIPs"] == 8
    assert pool["status"]["observedGeneration"] == 1
    assert pool["metadata"]["labels"]["gitops-ipam.dev/managed-by"] == "gitops-ipam"
    assert pool["metadata"]["annotations"]["gitops-ipam.dev/revision"] == "a" * 40
    record = site.management.get(f"{ALLOCATIONS}/team-a-web-lb")
    assert record["metadata"]["finalizers"] == ["butler.butlerlabs.dev/ipallocation"]
    assert record["status"]["phase"] == "Allocated"
    one = site.tenants[FIRST]
    assert announced(one) == ["10.0.0.4-10.0.0.7"]
    assert announced(site.tenants[SECOND]) == ["10.0.0.0-10.0.0.3"]
    data = one.get(f"/api/v1/namespaces/metallb-system/{INVENTORY}")["data"]
    uid = one.get(f"{ADDRESS_POOLS}/default-pool")["metadata"]["uid"]
    name = "metallb.io/IPAddressPool/metallb-system/default-pool"
    assert data["uid"] == one.uid()
    assert data["objects"].startswith(f"{name} {uid} ")
    data = site.management.get(f"/api/v1/namespaces/butler-system/{INVENTORY}")["data"]
    known = f"{one.uid()} {'a' * 40} default 10.0.0.4-10.0.0.7"
    assert data["cluster.team-a.web"] == known


def test_a_second_run_writes_nothing_or_one_line_and_lists_each_kind_once(site: Site) -> None:
    servers = [site.management, *site.tenants.values()]
    site.apply(FILES)
    for server in servers:
        server.writes()
    seen = [len(server.reads()) for server in servers[:2]]
    assert not any(item.is_changed for item in site.apply(FILES).values())
    assert [server.writes() for server in servers] == [[], [], [], []]
    for server, before in zip(servers, seen, strict=False):
        reads = server.reads()[before:]
        assert len(reads) == len(set(reads)), reads
    assert site.apply(FILES, "b")[FIRST].revision == "b" * 40
    path = f"/api/v1/namespaces/butler-system/{INVENTORY}"
    assert [server.writes() for server in servers] == [[f"patch {path}"], [], [], []]
