"""Requests (IPAllocations): count, defaults, pins, and requests that replace a tenant's claim."""

import pytest

from tests.planning.outcome import outcome
from tests.world import SMALL, evaluation_of, pool, provider, reconciled, request, tenant

REQUEST = "butler-system/extra (request)"
LB = "team-a/one (loadbalancer)"
PIN = "{startAddress: 10.40.0.100, endAddress: 10.40.0.109}"


def asked(kind: str = "nodes", name: str = "extra", owner: str = "one", **spec: object) -> str:
    text = request(name, "edge", **spec).replace("type: nodes", f"type: {kind}")
    return text.replace(f"tenantClusterRef: {{name: {name},", f"tenantClusterRef: {{name: {owner},")


DEFAULTS = pool(tenantAllocation="{defaults: {nodesPerTenant: 7, lbPoolPerTenant: 9}}")


@pytest.mark.parametrize(
    ("kind", "text", "size"),
    [("nodes", DEFAULTS, 7), ("loadbalancer", DEFAULTS, 9), ("nodes", pool(), 5),
     ("loadbalancer", pool(), 8)],
)  # fmt: skip
def test_without_count_the_default_for_the_type_holds(kind: str, text: str, size: int) -> None:
    files = {**SMALL, "pools/edge.yaml": text, "tenants/extra.yaml": asked(kind)}
    claims = evaluation_of(files).state.claims
    assert next(claim.size for key, claim in claims.items() if key.slot == "request") == size


def test_a_count_beside_a_pin_that_differs_is_a_warning_and_the_pin_decides() -> None:
    files = {**SMALL, "tenants/extra.yaml": asked(pinnedRange=PIN, count=3)}
    assert outcome(files)[REQUEST] == "allocate 10.40.0.100-10.40.0.109 of edge"
    (found,) = evaluation_of(files).findings
    assert (found.code, found.message) == (
        "pin-count",
        "spec.count is 3, but pinnedRange has 10 addresses; count is ignored",
    )


@pytest.mark.parametrize("named", ["team-bb/metrics", "team-b/metrcis", "payments/metrics"])
def test_a_tenant_that_is_there_and_may_be_meant_is_named(named: str) -> None:
    """A typing error would give the tenant a second range next to the one in use."""
    namespace, _, name = named.partition("/")
    text = asked(owner=name, count=2).replace("namespace: team-a", f"namespace: {namespace}")
    files = {
        **SMALL,
        "tenants/metrics.yaml": tenant("metrics", "team-b"),
        "tenants/extra.yaml": text,
    }
    (found,) = evaluation_of(files).findings
    assert found.severity == "warning"
    assert found.message == f"TenantCluster {named} does not exist in this repository"
    assert found.hint == (
        "did you mean team-b/metrics? It gets separate addresses until this is corrected"
    )


def test_its_team_is_then_what_its_label_says_else_the_namespace() -> None:
    text = asked(owner="absent", count=2)
    labelled = text.replace(
        "{name: extra,", "{labels: {butler.butlerlabs.dev/team: red}, name: extra,"
    )
    for body, team in ((text, "team-a"), (labelled, "red")):
        claims = evaluation_of({**SMALL, "tenants/extra.yaml": body}).state.claims
        assert next(claim.owner.team for claim in claims.values() if claim.type == "nodes") == team


def test_a_pool_is_looked_up_in_the_namespace_of_the_request() -> None:
    files = {
        **SMALL,
        "pools/infra.yaml": pool("edge", "10.50.0.0/24", "infra"),
        "tenants/extra.yaml": asked(count=2).replace(
            "namespace: butler-system", "namespace: infra"
        ),
    }
    assert outcome(files)["infra/extra (request)"] == "allocate 10.50.0.0-10.50.0.1 of edge"


def test_a_request_counts_towards_its_tenants_quota() -> None:
    files = {
        **SMALL,
        "providers/default.yaml": provider(quotaPerTenant="{maxLoadBalancerIPs: 10}"),
        "tenants/extra.yaml": asked("loadbalancer", count=3),
    }
    assert outcome(files)[LB].startswith("allocate")
    assert outcome(files)[REQUEST] == "refuse quota-exceeded"


def test_a_request_by_the_name_of_a_tenants_record_stands_for_its_claim() -> None:
    text = asked("loadbalancer", "team-a-one-lb", count=4)
    assert outcome({**SMALL, "tenants/extra.yaml": text}) == {
        "butler-system/team-a-one-lb (request)": "allocate 10.40.0.0-10.40.0.3 of edge"
    }
    nodes = {
        "pools/edge.yaml": pool(tenantAllocation="{defaults: {nodesPerTenant: 2}}"),
        "tenants/extra.yaml": asked("nodes", "team-a-one-nodes", count=4),
    }
    assert set(outcome({**SMALL, **nodes})) == {LB, "butler-system/team-a-one-nodes (request)"}


def test_a_request_of_another_type_by_that_name_stands_for_nothing() -> None:
    text = asked("nodes", "team-a-one-lb", count=4)
    assert set(outcome({**SMALL, "tenants/extra.yaml": text})) == {
        LB,
        "butler-system/team-a-one-lb (request)",
    }


def test_a_request_of_another_namespace_by_that_name_stands_for_nothing() -> None:
    text = asked("loadbalancer", "team-a-one-lb", count=4)
    elsewhere = text.replace("namespace: butler-system", "namespace: evil")
    assert outcome({**SMALL, "tenants/extra.yaml": elsewhere}) == {
        LB: "allocate 10.40.0.0-10.40.0.7 of edge",
        "evil/team-a-one-lb (request)": "refuse pool-not-found",
    }
    near = {"pools/near.yaml": pool("near", "10.41.0.0/24").replace("butler-system", "evil")}
    asks = {"tenants/extra.yaml": elsewhere.replace("name: edge", "name: near")}
    assert outcome({**SMALL, **near, **asks}) == {
        LB: "allocate 10.40.0.0-10.40.0.7 of edge",
        "evil/team-a-one-lb (request)": "allocate 10.41.0.0-10.41.0.3 of near",
    }


def test_a_released_claim_does_not_hinder_a_request_that_stands_for_it() -> None:
    files = reconciled(SMALL)
    del files["tenants/one.yaml"]
    files = {**reconciled(files), "tenants/one.yaml": tenant("one")}
    files["tenants/extra.yaml"] = asked("loadbalancer", "team-a-one-lb", count=4)
    assert outcome(files) == {
        "butler-system/team-a-one-lb (request)": "allocate 10.40.0.8-10.40.0.11 of edge"
    }


@pytest.mark.parametrize(("said", "is_told"), [("external", False), ("cluster", True)])
def test_a_holder_that_is_no_cluster_is_declared(said: str, is_told: bool) -> None:
    text = asked(owner="san-array", count=2).replace(
        "metadata: {", f"metadata: {{annotations: {{gitops-ipam.dev/holder: {said}}}, "
    )
    evaluation = evaluation_of({**SMALL, "tenants/extra.yaml": text})
    found = [it for it in evaluation.findings if it.code == "reference-not-found"]
    assert [it.hint.startswith("set gitops-ipam.dev/holder to external") for it in found] == (
        [True] * is_told
    )
    assert [type(it).__name__ for it in evaluation.plan.decisions][-1] == "Grant"
