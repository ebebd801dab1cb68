"""Findings for a request with addresses of a tenant that a change removes."""

from tests.planning.outcome import Files, without
from tests.review.sides import as_findings
from tests.world import SMALL, reconciled, request, tenant

PIN = "{startAddress: 10.40.0.64, endAddress: 10.40.0.71}"
HELD = request("held", pinnedRange=PIN).replace("type: nodes", "type: loadbalancer")
HOLDING: Files = {
    **SMALL,
    "tenants/cluster.yaml": tenant("held"),
    "tenants/heed.yaml": tenant("heed"),
    "tenants/held.yaml": HELD,
}
BASE = reconciled(HOLDING)


def test_who_takes_a_tenant_away_alone_is_told_what_holds_its_addresses_still() -> None:
    files = without(BASE, "tenants/cluster.yaml")
    (found,) = as_findings(BASE, files, "reference-not-found")
    assert (found.severity.value, str(found.location)) == ("warning", "tenants/held.yaml:6")
    assert found.message == (
        "this change removes TenantCluster team-a/held, but IPAllocation butler-system/held in"
        " tenants/held.yaml still holds 8 addresses for it"
    )
    assert found.hint == "also remove IPAllocation butler-system/held to release them"
    assert as_findings(BASE, without(files, "tenants/held.yaml"), "reference-not-found") == []


def test_who_was_never_there_may_still_come() -> None:
    base = reconciled(without(HOLDING, "tenants/cluster.yaml", "tenants/heed.yaml"))
    (found,) = as_findings(without(base, "tenants/held.yaml"), base, "reference-not-found")
    assert found.hint.startswith("add the TenantCluster")


def test_a_request_that_holds_nothing_yet_is_told_as_before() -> None:
    base = without(HOLDING, "tenants/heed.yaml")
    (found,) = as_findings(base, without(base, "tenants/cluster.yaml"), "reference-not-found")
    assert found.hint.startswith("add the TenantCluster")


def test_a_request_of_a_tenant_that_may_be_renamed_is_told_the_field_to_change() -> None:
    files = {**without(BASE, "tenants/cluster.yaml"), "tenants/new.yaml": tenant("new")}
    (found,) = as_findings(BASE, files, "reference-not-found")
    assert found.hint.startswith("set tenantClusterRef to the new name")
