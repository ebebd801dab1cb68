"""Findings of `check --base` for renamed documents."""

import pytest

from tests.planning.outcome import Files, without
from tests.planning.test_renaming import TWO, formerly, renamed
from tests.planning.test_tangled_renames import asking
from tests.review.sides import as_findings, reviewed
from tests.world import SMALL, pool, provider, reconciled, tenant


def test_a_rename_without_the_annotation_is_told_with_the_line_that_keeps_the_addresses() -> None:
    files = {**without(TWO, "tenants/one.yaml"), "tenants/uno.yaml": tenant("uno")}
    (found,) = as_findings(TWO, files, "looks-renamed", "renamed")
    assert (found.code, found.severity.value) == ("looks-renamed", "warning")
    assert found.location.path == "tenants/uno.yaml"
    assert (
        found.message
        == "TenantCluster team-a/uno looks renamed from TenantCluster team-a/one; 8 addresses change"
    )
    line = "gitops-ipam.dev/formerly: team-a/one"
    assert found.hint == f"to keep the addresses, add the annotation {line}"
    followed = {**files, "tenants/uno.yaml": formerly(tenant("uno"), line.partition(": ")[2])}
    (found,) = as_findings(TWO, followed, "looks-renamed", "renamed")
    assert found.severity.value == "info"
    assert found.message.endswith("and keeps 1 record with 8 addresses")


def test_one_address_that_would_change_is_no_plural() -> None:
    small = tenant("one", networking="{lbPoolSize: 1}")
    one = reconciled({**SMALL, "tenants/one.yaml": small})
    files = {**without(one, "tenants/one.yaml"), "tenants/uno.yaml": tenant("uno")}
    (found,) = as_findings(one, files, "looks-renamed")
    assert found.message.endswith("looks renamed from TenantCluster team-a/one; 1 address changes")


@pytest.mark.parametrize(
    ("text", "is_rename"),
    [
        (tenant("uno").replace("replicas: 1", "replicas: 2"), True),
        (tenant("uno", "team-b", teamRef="{name: team-a}"), True),
        (tenant("uno", "team-b"), False),
        (tenant("uno", networking="{lbPoolSize: 12}"), True),
    ],
    ids=["other edits", "another namespace", "another team", "another size"],
)
def test_a_rename_keeps_the_team(text: str, *, is_rename: bool) -> None:
    files = {**without(TWO, "tenants/one.yaml"), "tenants/uno.yaml": text}
    assert len(as_findings(TWO, files, "looks-renamed")) == is_rename


def test_a_tenant_of_another_provider_is_no_rename() -> None:
    files = {**without(TWO, "tenants/one.yaml"), "pools/far.yaml": pool("far", "10.50.0.0/24")}
    files["providers/far.yaml"] = provider("far", pools="[{name: far}]")
    files["tenants/uno.yaml"] = tenant("uno", providerConfigRef="{name: far}")
    assert as_findings(TWO, files, "looks-renamed") == []


def test_several_candidates_are_one_finding_with_both_sides() -> None:
    files = without(TWO, "tenants/one.yaml", "tenants/two.yaml")
    files["tenants/z.yaml"] = f"{tenant('uno')}---\n{tenant('due')}"
    (found,) = as_findings(TWO, files, "looks-renamed")
    assert found.location.path == "tenants/z.yaml"
    assert found.message == (
        "this looks like a rename: the change removes TenantCluster team-a/one and TenantCluster team-a/two and adds TenantCluster team-a/due and TenantCluster team-a/uno of the same team; 16 addresses change"
    )
    assert found.hint == (
        "add gitops-ipam.dev/formerly: NAMESPACE/NAME to metadata.annotations of each to keep the addresses"
    )


def test_a_rename_is_taken_back_by_another_one() -> None:
    base = reconciled(renamed())
    files = {**without(base, "tenants/uno.yaml"), "tenants/one.yaml": tenant("one")}
    (seems,) = as_findings(base, files, "looks-renamed", "renamed")
    assert seems.hint.endswith("gitops-ipam.dev/formerly: team-a/uno")
    files["tenants/one.yaml"] = formerly(tenant("one"), "team-a/uno")
    (kept,) = as_findings(base, files, "looks-renamed", "renamed")
    assert kept.message.endswith("and keeps 1 record with 8 addresses")


def test_a_renamed_pool_is_told_with_its_addresses() -> None:
    files = without(TWO, "pools/edge.yaml")
    files |= {
        "pools/rim.yaml": pool("rim"),
        "providers/default.yaml": provider(pools="[{name: rim}]"),
    }
    (found,) = as_findings(TWO, files, "looks-renamed")
    assert found.message.endswith("NetworkPool butler-system/edge; 16 addresses would have no pool")
    assert found.hint.endswith("gitops-ipam.dev/formerly: butler-system/edge")
    files["pools/rim.yaml"] = formerly(pool("rim"), "butler-system/edge")
    (found,) = as_findings(TWO, files, "looks-renamed", "renamed")
    assert found.message.endswith(
        "butler-system/rim was renamed from butler-system/edge, and keeps 2 records with 16 addresses"
    )


def test_a_rename_of_what_was_gone_before_the_change_is_a_warning() -> None:
    gone = without(TWO, "tenants/one.yaml")
    found = as_findings(gone, renamed(), "renamed")
    assert sorted(item.severity.value for item in found) == ["info", "warning"]
    assert any("team-a/one was removed before this change" in item.message for item in found)
    assert as_findings(renamed(), renamed(), "renamed") == []  # its base says so already


def test_a_renamed_pool_that_holds_addresses_stays_in_its_address_space() -> None:
    files = without(TWO, "pools/edge.yaml")
    files["providers/default.yaml"] = provider(pools="[{name: rim}]")
    text = formerly(pool("rim"), "butler-system/edge")
    files["pools/rim.yaml"] = text
    assert as_findings(TWO, files, "address-space-changed") == []
    files["pools/rim.yaml"] = text.replace("edge}", "edge, gitops-ipam.dev/address-space: lab}")
    (found,) = as_findings(TWO, files, "address-space-changed")
    assert found.severity.value == "error"
    assert (
        "from address space default to lab, but records hold 16 addresses of it, which a"
        in found.message
    )


PIN = "{startAddress: 10.40.0.50, endAddress: 10.40.0.57}"


def imported(name: str = "held", of: str = "team-a/one", former: str = "", **spec: str) -> str:
    namespace, _, tenant_name = of.partition("/")
    named = f"tenantClusterRef: {{name: {tenant_name}, namespace: {namespace}}}"
    text = asking(name, **spec or {"pinnedRange": PIN}).replace(
        f"tenantClusterRef: {{name: {name}, namespace: team-a}}", named
    )
    return formerly(text, former) if former else text


def test_a_tenant_whose_addresses_a_request_holds_looks_renamed() -> None:
    base = reconciled({**SMALL, "tenants/held.yaml": imported()})
    files = {**without(base, "tenants/one.yaml"), "tenants/uno.yaml": tenant("uno")}
    (found,) = as_findings(base, files, "looks-renamed")
    assert found.location.path == "tenants/uno.yaml"
    assert found.message.endswith("looks renamed from TenantCluster team-a/one; 8 addresses change")
    assert found.hint == (
        "to keep the addresses, add the annotation gitops-ipam.dev/formerly: team-a/one,"
        " and set tenantClusterRef of IPAllocation butler-system/held to the new name"
    )
    (dangling,) = as_findings(base, files, "reference-not-found")
    assert dangling.hint.startswith("set tenantClusterRef to the new name")


@pytest.mark.parametrize("kind", ["nodes", "loadbalancer"])
def test_a_tenant_of_several_requests_looks_renamed_and_keeps_all_by_the_hint(kind: str) -> None:
    pin = PIN.replace("0.50", "0.60").replace("0.57", "0.63")

    def with_tenant(text: str, of: str) -> Files:
        more = imported("more", of, pinnedRange=pin).replace("type: loadbalancer", f"type: {kind}")
        files = {"tenants/held.yaml": imported("held", of), "tenants/more.yaml": more}
        return {**SMALL, **files, "tenants/one.yaml": text}

    base = reconciled(with_tenant(tenant("one"), "team-a/one"))
    files = {**base, "tenants/one.yaml": tenant("uno")}
    (found,) = as_findings(base, files, "looks-renamed")
    assert "butler-system/held and IPAllocation butler-system/more" in found.hint
    followed = with_tenant(formerly(tenant("uno"), "team-a/one"), "team-a/uno")
    compared = reviewed(base, {**base, **followed})
    assert not compared.evaluation.gates
    assert not as_findings(base, {**base, **followed}, "looks-renamed", "reference-not-found")


def test_each_of_several_renames_in_place_has_its_own_line() -> None:
    files = {**TWO, "tenants/one.yaml": tenant("uno"), "tenants/two.yaml": tenant("dos")}
    found = as_findings(TWO, files, "looks-renamed")
    assert [it.hint.partition("formerly: ")[2] for it in found] == ["team-a/one", "team-a/two"]


def test_a_rename_with_its_line_is_not_paired_with_another_removed_document() -> None:
    files = {**without(TWO, "tenants/two.yaml"), "tenants/one.yaml": tenant("uno")}
    files["tenants/one.yaml"] = formerly(tenant("uno"), "team-a/one")
    assert as_findings(TWO, files, "looks-renamed") == []


def test_another_namespace_in_the_same_file_looks_renamed_and_the_hint_names_the_team() -> None:
    files = {**TWO, "tenants/one.yaml": tenant("one", "team-b")}
    (found,) = as_findings(TWO, files, "looks-renamed")
    assert found.hint.endswith(
        "formerly: team-a/one, and keep it in team team-a (TenantCluster: spec.teamRef)"
    )
    followed = formerly(tenant("one", "team-b", teamRef="{name: team-a}"), "team-a/one")
    (kept,) = as_findings(TWO, {**TWO, "tenants/one.yaml": followed}, "looks-renamed", "renamed")
    assert kept.message.endswith("and keeps 1 record with 8 addresses")


def test_what_a_request_holds_changes_hands_only_within_a_team_and_to_one_alone() -> None:
    base = reconciled({**SMALL, "tenants/held.yaml": imported()})
    files = {**without(base, "tenants/one.yaml"), "tenants/held.yaml": imported(of="team-a/uno")}
    other = formerly(tenant("uno", teamRef="{name: other}"), "team-a/one")
    (found,) = as_findings(base, {**files, "tenants/uno.yaml": other}, "announcement-moved")
    assert "would move from cluster team-a/one (removed) to team-a/uno in one step" in found.message
    files["tenants/uno.yaml"] = formerly(tenant("uno"), "team-a/one")
    files["tenants/two.yaml"] = formerly(tenant("dos"), "team-a/one")
    (found,) = as_findings(base, files, "announcement-moved")
    assert "would move from cluster team-a/one (removed) to team-a/uno in one step" in found.message
