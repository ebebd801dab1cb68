"""TenantCluster: the size of its load-balancer claim, its node claims, its growth records."""

import pytest

from tests.planning.outcome import codes, outcome, record_paths, without
from tests.world import SMALL, evaluation_of, pool, provider, raw, reconciled, tenant

LB = "team-a/one (loadbalancer)"
NODES = "team-a/one (nodes)"
DEFAULTS = "{defaults: {lbPoolPerTenant: 6}}"
ELASTIC = "{allocationMode: elastic, initialPoolSize: 3}"
NO_INGRESS = "{ingress: {enabled: false}}"


def size_of(
    *, network: dict[str, object], spec: dict[str, object], pool_text: str | None = None
) -> int:
    files = {
        "pools/edge.yaml": pool_text or pool(),
        "providers/default.yaml": provider("default", "[{name: edge}]", **network),
        "tenants/one.yaml": tenant("one", "team-a", **spec),
    }
    claims = evaluation_of(files).state.claims
    return next((claim.size for key, claim in claims.items() if key.slot == "loadbalancer"), 0)


def test_the_tenants_own_size_wins_over_all_others() -> None:
    own: dict[str, object] = {"networking": "{lbPoolSize: 4}", "addons": NO_INGRESS}
    text = pool(tenantAllocation=DEFAULTS)
    assert size_of(network={"loadBalancer": ELASTIC}, spec=own, pool_text=text) == 4


def test_an_elastic_provider_gives_its_initial_size() -> None:
    text = pool(tenantAllocation=DEFAULTS)
    assert size_of(network={"loadBalancer": ELASTIC}, spec={}, pool_text=text) == 3


def test_an_elastic_provider_without_a_size_gives_two() -> None:
    assert size_of(network={"loadBalancer": "{allocationMode: elastic}"}, spec={}) == 2


def test_a_static_provider_gives_its_default_size_and_not_the_elastic_one() -> None:
    balancer = "{defaultPoolSize: 5, initialPoolSize: 3}"
    text = pool(tenantAllocation=DEFAULTS)
    assert size_of(network={"loadBalancer": balancer}, spec={}, pool_text=text) == 5


def test_a_static_provider_without_a_size_leaves_it_to_the_pool() -> None:
    assert size_of(network={}, spec={}, pool_text=pool(tenantAllocation=DEFAULTS)) == 6


def test_with_no_size_anywhere_it_is_eight() -> None:
    assert size_of(network={}, spec={}) == 8


def test_the_first_candidate_pool_with_a_default_decides() -> None:
    files = {
        "pools/edge.yaml": pool(),
        "pools/b.yaml": pool("b", "10.41.0.0/24", tenantAllocation="{defaults: {}}"),
        "pools/c.yaml": pool("c", "10.42.0.0/24", tenantAllocation=DEFAULTS),
        "providers/default.yaml": provider(pools="[{name: edge}, {name: b}, {name: c}]"),
        "tenants/one.yaml": tenant("one"),
    }
    assert outcome(files)[LB] == "allocate 10.40.0.0-10.40.0.5 of edge"


def test_an_elastic_tenant_without_ingress_makes_no_claim() -> None:
    assert size_of(network={"loadBalancer": ELASTIC}, spec={"addons": NO_INGRESS}) == 0


def test_a_static_tenant_without_ingress_gets_its_addresses_all_the_same() -> None:
    assert size_of(network={}, spec={"addons": NO_INGRESS}) == 8


@pytest.mark.parametrize("addons", ["{}", "{ingress: {}}", "{ingress: {enabled: true}}"])
def test_ingress_is_on_unless_it_is_turned_off(addons: str) -> None:
    assert size_of(network={"loadBalancer": ELASTIC}, spec={"addons": addons}) == 3


def test_turning_ingress_off_later_releases_nothing() -> None:
    files = reconciled({**SMALL, "providers/default.yaml": provider(loadBalancer=ELASTIC)})
    files["tenants/one.yaml"] = tenant("one", addons=NO_INGRESS)
    assert outcome(files) == {LB: "keep 10.40.0.0-10.40.0.2 of edge"}


def test_a_record_names_the_team_of_its_tenant() -> None:
    files = reconciled({**SMALL, "tenants/one.yaml": tenant("one", teamRef="{name: red}")})
    (record,) = (raw(files[path]) for path in record_paths(files))
    assert b"butler.butlerlabs.dev/team: red\n" in record
    plain = reconciled(SMALL)
    (record,) = (raw(plain[path]) for path in record_paths(plain))
    assert b"butler.butlerlabs.dev/team: team-a\n" in record


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
    """A tenant with so many workers, on a pool that gives nodes addresses."""
    allocation = f"{{defaults: {{nodesPerTenant: {per_tenant}, lbPoolPerTenant: 1}}}}"
    text = tenant("one").replace("replicas: 1", f"replicas: {replicas}")
    return {
        "pools/edge.yaml": pool(tenantAllocation=allocation),
        "providers/default.yaml": provider(),
        "tenants/one.yaml": text,
    }


def test_no_pool_default_for_nodes_means_no_nodes_claim() -> None:
    assert list(outcome(SMALL)) == [LB]


def test_the_nodes_claim_holds_the_pools_default_or_the_workers_whichever_is_more() -> None:
    assert outcome(nodes(1))[NODES] == "allocate 10.40.0.0-10.40.0.1 of edge"
    assert outcome(nodes(5))[NODES] == "allocate 10.40.0.0-10.40.0.4 of edge"


def test_a_tenant_without_workers_gets_the_default() -> None:
    files = nodes(1)
    files["tenants/one.yaml"] = files["tenants/one.yaml"].replace("  workers: {replicas: 1}\n", "")
    files["tenants/one.yaml"] += "  networking: {lbPoolSize: 1}\n"
    assert outcome(files)[NODES] == "allocate 10.40.0.0-10.40.0.1 of edge"


def test_workers_that_outgrow_their_claim_are_topped_up_by_a_new_one() -> None:
    files = {**reconciled(nodes(2)), **nodes(5)}
    found = outcome(files)
    assert found[NODES] == "keep 10.40.0.0-10.40.0.1 of edge"
    assert found["team-a/one (nodes-1)"] == "allocate 10.40.0.3-10.40.0.5 of edge"
    grown = raw(reconciled(files)[record_paths(reconciled(files))[1]])
    assert b"allocation-role: growth\n" in grown
    assert b"name: team-a-one-nodes-1\n" in grown


def test_top_ups_are_kept_while_they_are_needed_and_counted_up() -> None:
    files: dict[str, str | bytes] = dict(nodes(2))
    for replicas in (3, 5):
        files = reconciled({**reconciled(files), **nodes(replicas)})
    found = outcome({**files, **nodes(9)})
    assert found["team-a/one (nodes-1)"].startswith("keep")
    assert found["team-a/one (nodes-2)"].startswith("keep")
    assert found["team-a/one (nodes-3)"].startswith("allocate")


def test_fewer_workers_release_the_last_top_ups_first_and_whole() -> None:
    files: dict[str, str | bytes] = dict(nodes(2))
    for replicas in (3, 5):
        files = reconciled({**reconciled(files), **nodes(replicas)})
    found = outcome({**files, **nodes(3)})
    assert found["team-a/one (nodes-1)"].startswith("keep")
    assert found["team-a/one (nodes-2)"].startswith("release")
    found = outcome({**files, **nodes(4)})
    assert found["team-a/one (nodes-2)"].startswith("keep")


def test_the_first_nodes_claim_never_shrinks() -> None:
    files = {**reconciled(nodes(5)), **nodes(1)}
    assert outcome(files)[NODES] == "keep 10.40.0.0-10.40.0.4 of edge"


def test_a_new_top_up_is_numbered_after_the_highest_there_is() -> None:
    files: dict[str, str | bytes] = dict(nodes(2))
    for replicas in (3, 5):
        files = reconciled({**reconciled(files), **nodes(replicas)})
    first = next(path for path in record_paths(files) if "nodes-1" in path)
    found = outcome({**without(files, first), **nodes(5)})
    assert found["team-a/one (nodes-2)"].startswith("keep")
    assert found["team-a/one (nodes-3)"].startswith("allocate")


def test_a_released_top_up_is_taken_back_when_workers_come_back() -> None:
    files = reconciled({**reconciled(nodes(2)), **nodes(4)})
    files = reconciled({**files, **nodes(2)})
    assert outcome({**files, **nodes(4)})["team-a/one (nodes-1)"] == (
        "allocate 10.40.0.3-10.40.0.4 of edge"
    )


def test_a_pool_that_stops_giving_nodes_addresses_takes_none_away() -> None:
    files = reconciled({**reconciled(nodes(2)), **nodes(4)})
    files["pools/edge.yaml"] = pool()
    found = outcome(files)
    assert found[NODES].startswith("keep")
    assert found["team-a/one (nodes-1)"].startswith("keep")


def test_growth_records_of_load_balancers_survive() -> None:
    files = reconciled(SMALL)
    (path,) = record_paths(files)
    text = raw(files[path]).decode()
    grown = path.replace("loadbalancer", "loadbalancer-1")
    for old, new in (
        ("one/loadbalancer", "one/loadbalancer-1"), ("allocation-role: initial", "allocation-role: growth"),
        ("-one-lb", "-one-lb-1"), ("10.40.0.", "10.40.0.1"), ("10.40.0.10/29", "10.40.0.10/29"),
    ):  # fmt: skip
        text = text.replace(old, new)
    text = text.replace("  cidr: 10.40.0.10/29\n", "")
    found = outcome({**files, grown: text})
    assert found["team-a/one (loadbalancer-1)"] == "keep 10.40.0.10-10.40.0.17 of edge"
    assert codes({**files, grown: text}) == []


def test_quotas_count_each_type_on_its_own() -> None:
    quota = "{maxNodeIPs: 4, maxLoadBalancerIPs: 1}"
    files = {**nodes(5), "providers/default.yaml": provider(quotaPerTenant=quota)}
    found = outcome(files)
    assert found[NODES] == "refuse quota-exceeded"
    assert found[LB] == "allocate 10.40.0.0 of edge"


def test_growth_counts_towards_the_quota_and_is_not_clamped() -> None:
    files = {**reconciled(nodes(2)), **nodes(5)}
    files["providers/default.yaml"] = provider(quotaPerTenant="{maxNodeIPs: 4}")
    found = outcome(files)
    assert found[NODES].startswith("keep")
    assert found["team-a/one (nodes-1)"] == "refuse quota-exceeded"


def test_a_quota_that_is_lowered_takes_nothing_away() -> None:
    files = reconciled(SMALL)
    files["providers/default.yaml"] = provider(quotaPerTenant="{maxLoadBalancerIPs: 1}")
    assert outcome(files) == {LB: "keep 10.40.0.0-10.40.0.7 of edge"}


def test_what_was_refused_for_want_of_room_uses_up_no_quota() -> None:
    files = {
        **SMALL,
        "pools/edge.yaml": pool(cidr="10.40.0.0/29"),
        "providers/default.yaml": provider(quotaPerTenant="{maxLoadBalancerIPs: 16}"),
        "tenants/one.yaml": tenant("one", networking="{lbPoolSize: 4}"),
        "tenants/big.yaml": (
            "apiVersion: butler.butlerlabs.dev/v1alpha1\nkind: IPAllocation\n"
            "metadata: {name: big}\nspec: {poolRef: {name: edge}, type: loadbalancer, count: 14,"
            " tenantClusterRef: {name: one, namespace: team-a}}\n"
        ),
    }
    found = outcome(files)
    assert found["butler-system/big (request)"].startswith("refuse")
    assert found[LB] == "allocate 10.40.0.0-10.40.0.3 of edge"


def test_growth_of_load_balancers_is_none_of_nodes() -> None:
    files = reconciled(nodes(2))
    path = next(path for path in record_paths(files) if "loadbalancer" in path)
    text = raw(files[path]).decode()
    text = text.replace("one/loadbalancer", "one/loadbalancer-1").replace("one-lb", "one-lb-1")
    text = text.replace("10.40.0.2", "10.40.0.9").replace("role: initial", "role: growth")
    files[path.replace("loadbalancer", "loadbalancer-1")] = text
    found = outcome({**files, **nodes(5)})
    assert found["team-a/one (loadbalancer-1)"] == "keep 10.40.0.9 of edge"
    assert found["team-a/one (nodes-1)"] == "allocate 10.40.0.3-10.40.0.5 of edge"


def test_a_slot_that_is_no_growth_has_no_claim_and_is_released() -> None:
    files = reconciled(nodes(2))
    path = next(path for path in record_paths(files) if "nodes" in path)
    text = raw(files[path]).decode()
    odd = text.replace("one/nodes", "one/nodes-x").replace("10.40.0.", "10.40.0.5")
    files[path.replace("nodes", "nodes-x")] = odd
    assert outcome(files)["team-a/one (nodes-x)"].startswith("release")
