"""ProviderConfig: selection by tenants, and unusable ones."""

import pytest

from tests.planning.outcome import codes, outcome
from tests.world import SMALL, evaluation_of, pool, provider, reconciled, tenant

LB = "team-a/one (loadbalancer)"
SECOND = {"pools/second.yaml": pool("second", "10.41.0.0/24")}
OTHER = {**SECOND, "providers/other.yaml": provider("other", "[{name: second}]")}


def cloud(name: str, kind: str = "aws", mode: str = "cloud") -> str:
    return provider(name).replace("harvester", kind).replace("mode: ipam", f"mode: {mode}")


def test_the_provider_that_the_tenant_names_serves_it() -> None:
    files = {**SMALL, **OTHER, "tenants/one.yaml": tenant("one", providerConfigRef="{name: other}")}
    assert outcome(files)[LB] == "allocate 10.41.0.0-10.41.0.7 of second"


def test_a_provider_is_looked_up_in_the_namespace_that_the_tenant_names() -> None:
    elsewhere = OTHER["providers/other.yaml"].replace(
        "{name: other}", "{name: other, namespace: infra}"
    )
    reference = "{name: other, namespace: infra}"
    files = {
        **SMALL,
        **SECOND,
        "providers/other.yaml": elsewhere,
        "tenants/one.yaml": tenant("one", providerConfigRef=reference),
    }
    assert outcome(files)[LB] == "allocate 10.41.0.0-10.41.0.7 of second"
    files["tenants/one.yaml"] = tenant("one", providerConfigRef="{name: other}")
    assert codes(files) == [("error", "reference-not-found")]


def test_the_provider_named_default_serves_tenants_that_name_none() -> None:
    first = {"providers/aaa.yaml": provider("aaa", "[{name: second}]")}
    files = {**SMALL, **SECOND, **first}
    assert outcome(files)[LB] == "allocate 10.40.0.0-10.40.0.7 of edge"


def test_without_a_default_the_first_by_name_serves_them() -> None:
    files = {
        "pools/edge.yaml": pool(),
        **OTHER,
        "providers/zzz.yaml": provider("zzz"),
        "tenants/one.yaml": tenant("one"),
    }
    assert outcome(files)[LB] == "allocate 10.41.0.0-10.41.0.7 of second"


@pytest.mark.parametrize(
    "pools",
    [
        "[{name: edge, priority: 2}, {name: second, priority: 1}]",
        "[{name: second, priority: 1}, {name: edge, priority: 1}]",
        "[{name: edge, priority: 1}, {name: second}]",
    ],
)
def test_pools_are_tried_by_priority_then_in_list_order(pools: str) -> None:
    files = {**SMALL, **SECOND, "providers/default.yaml": provider(pools=pools)}
    assert outcome(files)[LB] == "allocate 10.41.0.0-10.41.0.7 of second"


def test_a_cloud_provider_makes_no_claim() -> None:
    files = {**SMALL, "providers/default.yaml": cloud("default")}
    assert (outcome(files), codes(files)) == ({}, [])


TEAM = "scope: {type: team, teamRef: {name: red}}"


def of_team(name: str = "default", scope: str = TEAM) -> str:
    return provider(name).replace("  provider: harvester", f"  {scope}\n  provider: harvester")


def test_a_teams_provider_serves_that_team_only() -> None:
    files = {**SMALL, "providers/default.yaml": of_team()}
    (found,) = evaluation_of(files).findings
    assert found.code == "team-mismatch"
    assert found.message == (
        "TenantCluster team-a/one belongs to team team-a, but ProviderConfig default belongs to team red"
    )
    files["tenants/one.yaml"] = tenant("one", teamRef="{name: red}")
    assert outcome(files)[LB] == "allocate 10.40.0.0-10.40.0.7 of edge"


def test_a_teams_provider_that_names_no_team_serves_nobody() -> None:
    files = {**SMALL, "providers/default.yaml": of_team(scope="scope: {type: team}")}
    assert outcome(files) == {}
    assert codes(files) == [("error", "field-required")]


WRONG = {
    "by its schema": provider().replace("harvester", "harvster"),
    "by its mode": cloud("default", "aws", "ipam"),
    "by its gateway": provider(gateway="10.40.0.256"),
}


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_a_wrong_default_provider_makes_no_way_for_another(text: str) -> None:
    files = {**SMALL, **OTHER, "providers/default.yaml": text}
    assert outcome(files) == {}
    assert len(codes(files)) == 1


@pytest.mark.parametrize("text", ["", of_team(), *WRONG.values()], ids=["gone", "team", *WRONG])
def test_a_provider_that_is_gone_or_wrong_or_anothers_releases_nothing(text: str) -> None:
    files = {**reconciled(SMALL), "providers/default.yaml": text}
    assert outcome(files) == {LB: "keep 10.40.0.0-10.40.0.7 of edge"}


def test_a_gateway_is_held_back_with_a_warning() -> None:
    files = {**SMALL, "providers/default.yaml": provider(gateway="10.40.0.0")}
    assert outcome(files)[LB] == "allocate 10.40.0.1-10.40.0.8 of edge"
    (found,) = evaluation_of(files).findings
    assert found.code == "gateway-in-pool"
    assert found.message == (
        "gateway 10.40.0.0 of ProviderConfig default is in pool edge but not reserved; it will not be allocated"
    )
    assert found.hint == "add 10.40.0.0/32 to spec.reserved"
