"""Growth of a tenant: entries of its Demand, or records if it has none, and their owner."""

import pytest

from reconciler.documents.findings import Severity
from reconciler.families.demand import DemandEntry, demand_document
from reconciler.planning.documents import path_of
from reconciler.planning.projection import project
from tests.planning.outcome import codes, outcome, refusal, without
from tests.world import (
    CLOCK,
    evaluation_of,
    planned,
    pool,
    provider,
    raw,
    reconciled,
    settings_text,
    tenant,
)

PLACE = path_of("observed", ("gitops-ipam.dev", "Demand", "team-a", "one"))
ELASTIC = "{allocationMode: elastic, initialPoolSize: 2}"
LB, FIRST, SECOND = (f"team-a/one (loadbalancer{number})" for number in ("", "-1", "-2"))
NO_INGRESS = "{ingress: {enabled: false}}"
BASE = {
    "pools/edge.yaml": pool(cidr="10.40.0.0/27"),
    "providers/default.yaml": provider(loadBalancer=ELASTIC),
    "tenants/one.yaml": tenant("one"),
}
Files = dict[str, str | bytes]


def demand(*entries: tuple[int, int]) -> bytes:
    return demand_document("team-a", "one", [DemandEntry(*entry) for entry in entries])


def grown(*entries: tuple[int, int]) -> Files:
    return {**BASE, PLACE: demand(*entries)}


def test_each_entry_is_one_claim_beside_the_first() -> None:
    assert outcome(grown((1, 1), (3, 4))) == {
        LB: "allocate 10.40.0.4-10.40.0.5 of edge",
        FIRST: "allocate 10.40.0.6 of edge",
        "team-a/one (loadbalancer-3)": "allocate 10.40.0.0-10.40.0.3 of edge",
    }


def test_a_demand_without_its_tenant_claims_nothing() -> None:
    files = without(grown((1, 1)), "tenants/one.yaml")
    assert (outcome(files), codes(files)) == ({}, [])


def test_an_entry_without_room_is_refused_where_it_stands_and_is_recorded() -> None:
    files = grown((1, 40))
    refused = refusal(files, FIRST)
    assert (refused.reason, refused.source.path) == ("request-too-large", PLACE)
    after = reconciled(files)
    text = raw(after["allocations/_unplaced/team-a/one.loadbalancer-1.yaml"]).decode()
    assert "phase: Failed" in text
    assert evaluation_of(after).changes == ()


def test_an_elastic_tenant_without_ingress_has_growth_alone() -> None:
    files = grown((1, 1))
    files["tenants/one.yaml"] = tenant("one", addons=NO_INGRESS)
    assert outcome(files) == {FIRST: "allocate 10.40.0.0 of edge"}
    assert outcome(without(files, PLACE)) == {}


def test_an_entry_that_goes_gives_its_record_back_and_the_first_claim_stays() -> None:
    files: Files = {**reconciled(grown((1, 1), (2, 1))), PLACE: demand((1, 1))}
    assert outcome(files) == {
        LB: "keep 10.40.0.0-10.40.0.1 of edge",
        FIRST: "keep 10.40.0.2 of edge",
        SECOND: "release 10.40.0.3 of edge",
    }
    assert codes(files) == []


def test_growth_given_back_does_not_rest_unless_settings_say_so() -> None:
    files = reconciled({**reconciled(grown((1, 1))), PLACE: demand()})
    assert outcome(files)[FIRST] == "expire 10.40.0.2 of edge"
    rests = {**files, "ipam.yaml": settings_text("{elastic: {retention: 60s}}")}
    assert FIRST not in outcome(rests, CLOCK + 59)
    assert outcome(rests, CLOCK + 60)[FIRST].startswith("expire")


def test_growth_of_a_tenant_that_is_gone_rests_like_all_its_records() -> None:
    files = reconciled(without(reconciled(grown((1, 1))), "tenants/one.yaml"))
    released = [
        record.claim.short for record in evaluation_of(files).state.records if record.is_released
    ]
    assert released == [FIRST, LB]
    assert outcome(files, CLOCK + 86_399) == {}
    back = outcome({**files, "tenants/one.yaml": tenant("one")}, CLOCK + 60)
    assert back[FIRST] == "allocate 10.40.0.2 of edge"


def test_without_a_demand_what_grew_before_stays() -> None:
    files = without(reconciled(grown((1, 1), (2, 2))), PLACE)
    found = outcome(files)
    assert found[FIRST].startswith("keep")
    assert found[SECOND].startswith("keep")


def test_a_count_that_a_person_changes_moves_nothing() -> None:
    files: Files = {**reconciled(grown((1, 1))), PLACE: demand((1, 4))}
    assert outcome(files)[FIRST] == "keep 10.40.0.2 of edge"


def test_a_provider_that_is_static_now_keeps_growth_and_says_that_it_is_unused() -> None:
    files: Files = {**reconciled(grown((1, 1))), PLACE: demand((1, 1), (2, 1))}
    files["providers/default.yaml"] = provider(loadBalancer="{allocationMode: static}")
    found = outcome(files)
    assert found[FIRST] == "keep 10.40.0.2 of edge"
    assert SECOND not in found
    (told,) = [it for it in evaluation_of(files).findings if it.code == "demand-unused"]
    assert (told.severity, told.location.path) == (Severity.WARNING, PLACE)
    removed: Files = {**files, PLACE: demand()}
    assert outcome(removed)[FIRST].startswith("release")
    assert codes(removed) == []


def test_a_demand_that_never_could_be_read_keeps_growth_and_gives_nothing_new() -> None:
    files = reconciled(grown((1, 1)))
    files[PLACE] = demand((1, 1), (2, 1)).replace(b"index: 2", b"index: x")
    found = outcome(files)
    assert found[FIRST].startswith("keep")
    assert SECOND not in found


def test_a_tenant_whose_file_never_could_be_read_gets_no_growth_either() -> None:
    files = grown((1, 1))
    files["tenants/one.yaml"] = tenant("one") + "---\nkind: Nothing\n"
    assert refusal(files, FIRST).reason == "pool-frozen"


@pytest.mark.parametrize("order", [1, -1])
def test_the_metallb_pool_of_a_tenant_holds_first_and_growth_in_order(order: int) -> None:
    files = grown((1, 1), (2, 2))
    files["tenants/two.yaml"] = tenant("two")
    evaluation = planned(evaluation_of(dict(list(files.items())[::order])))
    found = {
        item.cluster: item.manifest["spec"]["addresses"]
        for item in project(evaluation)
        if item.manifest["kind"] == "IPAddressPool"
    }
    assert found == {
        "team-a/one": ["10.40.0.0-10.40.0.3", "10.40.0.6-10.40.0.6"],
        "team-a/two": ["10.40.0.4-10.40.0.5"],
    }
