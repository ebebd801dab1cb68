from tests.planning.outcome import outcome
from tests.world import pool, provider, request, tenant

POOL = {"pools/edge.yaml": pool(cidr="10.40.0.0/28"), "providers/default.yaml": provider()}


def sized(name: str, size: int, namespace: str = "team-a") -> str:
    return tenant(name, namespace, networking=f"{{lbPoolSize: {size}}}")


def test_pins_are_served_before_all_others() -> None:
    pinned = request(
        "zebra", pinnedRange="{startAddress: 10.40.0.0, endAddress: 10.40.0.1}", count=2
    )
    files = {**POOL, "tenants/a.yaml": sized("ant", 8), "tenants/z.yaml": pinned}
    found = outcome(files)
    assert found["butler-system/zebra (request)"] == "allocate 10.40.0.0-10.40.0.1 of edge"
    assert found["team-a/ant (loadbalancer)"] == "allocate 10.40.0.2-10.40.0.9 of edge"


def test_larger_claims_are_served_before_smaller_ones() -> None:
    files = {**POOL, "tenants/a.yaml": sized("ant", 2), "tenants/z.yaml": sized("zebra", 4)}
    found = outcome(files)
    assert found["team-a/zebra (loadbalancer)"] == "allocate 10.40.0.0-10.40.0.3 of edge"
    assert found["team-a/ant (loadbalancer)"] == "allocate 10.40.0.4-10.40.0.5 of edge"


def test_equal_claims_are_served_by_namespace_then_name() -> None:
    files = {
        **POOL,
        "tenants/1.yaml": sized("bee", 4, "team-b"),
        "tenants/2.yaml": sized("cat", 4, "team-a"),
        "tenants/3.yaml": sized("ant", 4, "team-b"),
    }
    found = outcome(files)
    assert found["team-a/cat (loadbalancer)"] == "allocate 10.40.0.0-10.40.0.3 of edge"
    assert found["team-b/ant (loadbalancer)"] == "allocate 10.40.0.4-10.40.0.7 of edge"
    assert found["team-b/bee (loadbalancer)"] == "allocate 10.40.0.8-10.40.0.11 of edge"


def test_of_one_owner_the_slots_are_served_by_name() -> None:
    files = {
        "pools/edge.yaml": pool(
            cidr="10.40.0.0/28", tenantAllocation="{defaults: {nodesPerTenant: 4}}"
        ),
        "providers/default.yaml": provider(),
        "tenants/a.yaml": sized("ant", 4),
    }
    found = outcome(files)
    assert found["team-a/ant (loadbalancer)"] == "allocate 10.40.0.0-10.40.0.3 of edge"
    assert found["team-a/ant (nodes)"] == "allocate 10.40.0.4-10.40.0.7 of edge"


def test_one_refused_claim_does_not_block_a_smaller_one_behind_it() -> None:
    files = {**POOL, "tenants/a.yaml": sized("ant", 2), "tenants/z.yaml": sized("zebra", 17)}
    found = outcome(files)
    assert found["team-a/zebra (loadbalancer)"] == "refuse request-too-large"
    assert found["team-a/ant (loadbalancer)"] == "allocate 10.40.0.0-10.40.0.1 of edge"
