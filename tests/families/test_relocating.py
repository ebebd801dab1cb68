"""A tenant chooses one of its provider's pools, for its load balancers or its nodes."""

from tests.planning.outcome import Files, codes, outcome
from tests.world import pool, provider, reconciled, tenant

POOLS: Files = {
    "pools/edge.yaml": pool(tenantAllocation="{defaults: {nodesPerTenant: 2}}"),
    "pools/far.yaml": pool("far", "10.50.0.0/24"),
    "providers/default.yaml": provider(pools="[{name: edge}, {name: far}]"),
}


def choosing(**pools: str) -> dict[str, str | bytes]:
    chosen = ", ".join(f"gitops-ipam.dev/{sort}-pool: {name}" for sort, name in pools.items())
    text = tenant("one").replace("{name: one,", f"{{name: one, annotations: {{{chosen}}},")
    return {**POOLS, "tenants/one.yaml": text}


def test_each_sort_of_addresses_comes_from_the_pool_that_is_chosen_for_it() -> None:
    assert outcome(choosing(loadbalancer="far")) == {
        "team-a/one (loadbalancer)": "allocate 10.50.0.0-10.50.0.7 of far",
        "team-a/one (nodes)": "allocate 10.40.0.0-10.40.0.1 of edge",
    }
    assert outcome(choosing(nodes="far")) == {
        "team-a/one (loadbalancer)": "allocate 10.40.0.0-10.40.0.7 of edge",
        "team-a/one (nodes)": "allocate 10.50.0.0-10.50.0.1 of far",
    }


def test_a_pool_that_the_provider_does_not_name_is_an_error_and_gives_nothing() -> None:
    files = choosing(loadbalancer="other")
    assert ("error", "annotation-invalid") in codes(files)
    assert outcome(files)["team-a/one (loadbalancer)"] == "refuse pool-not-found"


def test_what_a_tenant_holds_stays_when_it_chooses_another_pool() -> None:
    held = reconciled({**POOLS, "tenants/one.yaml": tenant("one")})
    files = {**held, **choosing(loadbalancer="far")}
    assert outcome(files)["team-a/one (loadbalancer)"] == "keep 10.40.0.0-10.40.0.7 of edge"
    assert ("warning", "record-stale") in codes(files)
