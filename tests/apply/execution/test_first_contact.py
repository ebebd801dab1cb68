"""What is applied, what a second run does, and what belongs to others."""

from reconciler.apply.plan import ClusterState
from tests.apply.execution.site import (
    ADDRESS_POOLS,
    ALLOCATIONS,
    FIRST,
    INVENTORY,
    POOLS,
    SECOND,
    Site,
    announced,
    results,
    world,
)

NAME = "metallb.io/IPAddressPool/metallb-system/default-pool"


def test_records_pools_and_ranges_are_where_they_belong(site: Site) -> None:
    applied = site.apply(world("web", "shop"))
    assert {name: item.state for name, item in applied.items()} == {
        "management": ClusterState.APPLIED,
        FIRST: ClusterState.APPLIED,
        SECOND: ClusterState.APPLIED,
    }
    pool = site.management.get(f"{POOLS}/edge")
    assert pool["status"]["allocatedIPs"] == 8
    assert pool["status"]["observedGeneration"] == 1
    assert pool["metadata"]["labels"]["gitops-ipam.dev/managed-by"] == "gitops-ipam"
    assert pool["metadata"]["annotations"]["gitops-ipam.dev/revision"] == "a" * 40
    record = site.management.get(f"{ALLOCATIONS}/team-a-web-lb")
    assert record["metadata"]["finalizers"] == ["butler.butlerlabs.dev/ipallocation"]
    assert record["status"]["phase"] == "Allocated"
    assert announced(site.tenants[FIRST]) == ["10.0.0.4-10.0.0.7"]
    assert announced(site.tenants[SECOND]) == ["10.0.0.0-10.0.0.3"]


def test_a_second_run_writes_nothing_and_lists_each_kind_once(site: Site) -> None:
    servers = [site.management, *site.tenants.values()]
    site.apply(world("web", "shop"))
    for server in servers:
        server.writes()
    seen = len(site.management.reads()), len(site.tenants[FIRST].reads())
    applied = site.apply(world("web", "shop"))
    assert [server.writes() for server in servers] == [[], [], [], []]
    assert not any(item.is_changed for item in applied.values())
    reads = site.management.reads()[seen[0] :]
    assert len(reads) == len(set(reads)), reads
    reads = site.tenants[FIRST].reads()[seen[1] :]
    assert len(reads) == len(set(reads)), reads


def test_a_commit_that_changes_nothing_writes_one_line_of_the_inventory(site: Site) -> None:
    servers = [site.management, *site.tenants.values()]
    site.apply(world("web", "shop"))
    for server in servers:
        server.writes()
    applied = site.apply(world("web", "shop"), "b")
    path = f"/api/v1/namespaces/butler-system/{INVENTORY}"
    assert site.management.writes() == [f"patch {path}"]
    assert [server.writes() for server in site.tenants.values()] == [[], [], []]
    assert applied[FIRST].revision == "b" * 40


def test_a_dry_run_tells_what_a_run_does_and_writes_nothing(site: Site) -> None:
    foreseen = site.apply(world("web"), dry_run=True)
    assert site.management.writes() == []
    assert site.tenants[FIRST].writes() == []
    done = site.apply(world("web"))
    assert {name: results(item) for name, item in foreseen.items()} == {
        name: results(item) for name, item in done.items()
    }


def test_inventories_name_the_cluster_and_what_is_in_it(site: Site) -> None:
    site.apply(world("web"))
    one = site.tenants[FIRST]
    data = one.get(f"/api/v1/namespaces/metallb-system/{INVENTORY}")["data"]
    live = one.get(f"{ADDRESS_POOLS}/default-pool")
    assert data["uid"] == one.uid()
    assert data["objects"].splitlines()[0].startswith(f"{NAME} {live['metadata']['uid']} ")
    data = site.management.get(f"/api/v1/namespaces/butler-system/{INVENTORY}")["data"]
    assert data["cluster.team-a.web"].split(" ") == [
        one.uid(),
        "a" * 40,
        "default",
        "10.0.0.0-10.0.0.3",
    ]
