"""TenantCluster: the size of its load-balancer claim, its node claims, its growth records."""

import pytest

from tests.planning.outcome import codes, outcome, record_paths, without
from tests.world import SMALL, evaluation_of, pool, provider, raw, reconciled, tenant

LB = "team-a/one (loadbalancer)"
NODES = "team-a/one (nodes)"
DEFAULTS = "{defaults: {lbPoolPerTenant: 6}}"
ELASTIC = "{allocationMode: elastic, initialPoolSize: 3}"
NO_INGRESS = "{ingress: {enabled: false}}"


STATIC = "{defaultPoolSize: 5, initialPoolSize: 3}"


@pytest.mark.parametrize(
    ("balancer", "spec", "has_pool_default", "size"),
    [
        (ELASTIC, {"networking": "{lbPoolSize: 4}", "addons": NO_INGRESS}, True, 4),
        (ELASTIC, {}, True, 3),
        (STATIC, {}, True, 5),
        ("{}", {}, True, 6),
        ("{}", {}, False, 8),
        (ELASTIC, {"addons": NO_INGRESS}, False, 0),
        ("{}", {"addons": NO_INGRESS}, False, 8),
        (ELASTIC, {"addons": "{ingress: {}}"}, False, 3),
        (ELASTIC, {"addons": "{ingress: {enabled: true}}"}, False, 3),
    ],
)
def test_size_of_the_load_balancer_claim(
    balancer: str, spec: dict[str, str], has_pool_default: bool, size: int
) -> None:
    files = {
        "pools/edge.yaml": pool(tenantAllocation=DEFAULTS) if has_pool_default else pool(),
        "providers/default.yaml": provider(loadBalancer=balancer),
        "tenants/one.yaml": tenant("one", **spec),
    }
    claims = evaluation_of(files).state.claims
    sizes = [claim.size for key, claim in claims.items() if key.slot == "loadbalancer"]
    assert sizes == ([size] if size else [])


def test_turning_ingress_off_later_releases_nothing() -> None:
    files = reconciled({**SMALL, "providers/default.yaml": provider(loadBalancer=ELASTIC)})
    files["tenants/one.yaml"] = tenant("one", addons=NO_INGRESS)
    assert outcome(files) == {LB: "keep 10.40.0.0-10.40.0.2 of edge"}


def test_a_team_that_is_not_described_is_a_warning_once_teams_are() -> None:
    team = (
        "apiVersion: butler.butlerlabs.dev/v1alpha1\nkind: Team\nmetadata: {name: blue}\nspec: {}\n"
    )
    files = {**SMALL, "tenants/one.yaml": tenant("one", teamRef="{name: red}")}
    assert codes(files) == []
    assert codes({**files, "teams/blue.yaml": team}) == [("warning", "reference-not-found")]
    right = {**files, "teams/red.yaml": team.replace("blue", "red")}
    assert codes(right) == []


def nodes(replicas: int, per_tenant: int = 2) -> dict[str, str]:
    allocation = f"{{defaults: {{nodesPerTenant: {per_tenant}, lbPoolPerTenant: 1}}}}"
    text = tenant("one").replace("replicas: 1", f"replicas: {replicas}")
    return {
        "pools/edge.yaml": pool(tenantAllocation=allocation),
        "providers/default.yaml": provider(),
        "tenants/one.yaml": text,
    }


def lived(*replicas: int) -> dict[str, str | bytes]:
    files: dict[str, str | bytes] = {}
    for count in replicas:
        files = reconciled({**files, **nodes(count)})
    return files


def test_the_nodes_claim_holds_the_pools_default_or_the_workers_whichever_is_more() -> None:
    assert outcome(nodes(1))[NODES] == "allocate 10.40.0.0-10.40.0.1 of edge"
    assert outcome(nodes(5))[NODES] == "allocate 10.40.0.0-10.40.0.4 of edge"


def test_workers_that_outgrow_their_claim_are_topped_up_by_a_new_one() -> None:
    files = {**reconciled(nodes(2)), **nodes(5)}
    found = outcome(files)
    assert found[NODES] == "keep 10.40.0.0-10.40.0.1 of edge"
    assert found["team-a/one (nodes-1)"] == "allocate 10.40.0.3-10.40.0.5 of edge"
    grown = raw(reconciled(files)[record_paths(reconciled(files))[1]])
    assert b"allocation-role: growth\n" in grown
    assert b"name: team-a-one-nodes-1\n" in grown


def test_top_ups_are_kept_while_they_are_needed_and_counted_up() -> None:
    files = lived(2, 3, 5)
    found = outcome({**files, **nodes(9)})
    assert found["team-a/one (nodes-1)"].startswith("keep")
    assert found["team-a/one (nodes-2)"].startswith("keep")
    assert found["team-a/one (nodes-3)"].startswith("allocate")


def test_fewer_workers_release_the_last_top_ups_first_and_whole() -> None:
    files = lived(2, 3, 5)
    found = outcome({**files, **nodes(3)})
    assert found["team-a/one (nodes-1)"].startswith("keep")
    assert found["team-a/one (nodes-2)"].startswith("release")
    found = outcome({**files, **nodes(4)})
    assert found["team-a/one (nodes-2)"].startswith("keep")


def test_the_first_nodes_claim_never_shrinks() -> None:
    files = {**reconciled(nodes(5)), **nodes(1)}
    assert outcome(files)[NODES] == "keep 10.40.0.0-10.40.0.4 of edge"


def test_a_new_top_up_is_numbered_after_the_highest_there_is() -> None:
    files = lived(2, 3, 5)
    first = next(path for path in record_paths(files) if "nodes-1" in path)
    found = outcome({**without(files, first), **nodes(5)})
    assert found["team-a/one (nodes-2)"].startswith("keep")
    assert found["team-a/one (nodes-3)"].startswith("allocate")


def test_a_released_top_up_is_taken_back_when_workers_come_back() -> None:
    files = lived(2, 4, 2)
    assert outcome({**files, **nodes(4)})["team-a/one (nodes-1)"] == (
        "allocate 10.40.0.3-10.40.0.4 of edge"
    )


def test_a_pool_that_stops_giving_nodes_addresses_takes_none_away() -> None:
    files = lived(2, 4)
    files["pools/edge.yaml"] = pool()
    found = outcome(files)
    assert found[NODES].startswith("keep")
    assert found["team-a/one (nodes-1)"].startswith("keep")


def test_quotas_count_each_type_on_its_own() -> None:
    quota = "{maxNodeIPs: 4, maxLoadBalancerIPs: 1}"
    files = {**nodes(5), "providers/default.yaml": provider(quotaPerTenant=quota)}
    found = outcome(files)
    assert found[NODES] == "refuse quota-exceeded"
    assert found[LB] == "allocate 10.40.0.0 of edge"


def test_a_quota_that_is_lowered_takes_nothing_away() -> None:
    files = reconciled(SMALL)
    files["providers/default.yaml"] = provider(quotaPerTenant="{maxLoadBalancerIPs: 1}")
    assert outcome(files) == {LB: "keep 10.40.0.0-10.40.0.7 of edge"}


def test_a_slot_that_is_no_growth_has_no_claim_and_is_released() -> None:
    files = reconciled(nodes(2))
    path = next(path for path in record_paths(files) if "nodes" in path)
    text = raw(files[path]).decode()
    odd = text.replace("one/nodes", "one/nodes-x").replace("10.40.0.", "10.40.0.5")
    files[path.replace("nodes", "nodes-x")] = odd
    assert outcome(files)["team-a/one (nodes-x)"].startswith("release")
