"""A claim with two released records: the one that was released last is its current one."""

from tests.planning.outcome import outcome, without
from tests.world import CLOCK, pool, provider, raw, reconciled, tenant

RECORD = "allocations/NetworkPool/butler-system.edge/team-a/one.nodes.yaml"
TENANT = tenant("one").replace("replicas: 1", "replicas: 10")


def with_two_released() -> dict[str, str | bytes]:
    """A tenant that wants ten nodes, and two released records of it: five, then ten later."""
    pools = {
        "pools/edge.yaml": pool(tenantAllocation="{defaults: {nodesPerTenant: 5}}"),
        "pools/wide.yaml": pool("wide", "10.41.0.0/24"),
        "providers/default.yaml": provider(pools="[{name: edge}, {name: wide}]"),
    }
    small = reconciled({**pools, "tenants/one.yaml": TENANT.replace("replicas: 10", "replicas: 5")})
    small = reconciled(without(small, "tenants/one.yaml"), CLOCK)
    large = reconciled({**pools, "tenants/one.yaml": TENANT})
    large = reconciled(without(large, "tenants/one.yaml"), CLOCK + 60)
    text = raw(large[RECORD]).decode().replace("edge", "wide").replace("10.40.0.", "10.41.0.")
    return {**pools, RECORD: small[RECORD], RECORD.replace("edge", "wide"): text}


def test_a_tenant_that_comes_back_grows_from_its_current_record() -> None:
    files = {**with_two_released(), "tenants/one.yaml": TENANT}
    nodes = {claim: text for claim, text in outcome(files, CLOCK + 90).items() if "nodes" in claim}
    assert nodes == {"team-a/one (nodes)": "allocate 10.41.0.0-10.41.0.9 of wide"}
    after = outcome(reconciled(files, CLOCK + 90), CLOCK + 91)
    assert not [text for text in after.values() if text.startswith("release")]


def test_a_tenant_that_comes_back_larger_gets_the_rest_at_once() -> None:
    larger = TENANT.replace("replicas: 10", "replicas: 12")
    files = {**without(with_two_released(), RECORD), "tenants/one.yaml": larger}
    nodes = {claim: text for claim, text in outcome(files, CLOCK + 90).items() if "nodes" in claim}
    assert nodes == {
        "team-a/one (nodes)": "allocate 10.41.0.0-10.41.0.9 of wide",
        "team-a/one (nodes-1)": "allocate 10.40.0.8-10.40.0.9 of edge",
    }
