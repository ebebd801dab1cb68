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
