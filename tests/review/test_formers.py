"""Findings of `check --base` for former names that never existed."""

from tests.planning.outcome import Files, without
from tests.planning.test_renaming import TWO, formerly, renamed
from tests.review.sides import as_findings
from tests.world import SMALL, pool, provider, reconciled, tenant


def unlike(what: str) -> Files:
    text = formerly(tenant("uno", "team-b"), what)
    return {**without(TWO, "tenants/one.yaml"), "tenants/uno.yaml": text}


def test_a_mistyped_former_name_is_told_with_the_one_that_was_meant_and_what_changes() -> None:
    (found,) = as_findings(TWO, unlike("team-a/onne"), "rename-unused", "looks-renamed")
    assert (found.code, found.severity.value) == ("rename-unused", "warning")
    assert found.location.path == "tenants/uno.yaml"
    assert "TenantCluster team-a/onne is not in " in found.message
    assert found.message.endswith(
        "TenantCluster team-b/uno takes over no addresses: 8 addresses of team-a/one change"
    )
    assert found.hint == "did you mean team-a/one?"
    assert as_findings(TWO, unlike("team-a/one"), "rename-unused", "looks-renamed") == []


def test_who_looks_renamed_besides_hears_of_it_once() -> None:
    text = formerly(tenant("uno"), "team-a/onne")
    files = {**without(TWO, "tenants/one.yaml"), "tenants/uno.yaml": text}
    (found,) = as_findings(TWO, files, "rename-unused", "looks-renamed")
    assert (found.code, found.location.path) == ("rename-unused", "tenants/uno.yaml")
    assert "TenantCluster team-a/onne is not in " in found.message
    assert found.message.endswith(
        "addresses: TenantCluster team-a/uno looks renamed from TenantCluster team-a/one; 8 addresses change"
    )
    assert found.hint == (
        "to keep the addresses, change metadata.annotations to: gitops-ipam.dev/formerly: team-a/one"
    )


def test_a_mistyped_former_name_of_a_pool_is_told_with_what_is_of_no_pool() -> None:
    files = without(TWO, "pools/edge.yaml")
    files |= {
        "pools/rim.yaml": formerly(pool("rim", "10.50.0.0/24"), "butler-system/egde"),
        "providers/default.yaml": provider(pools="[{name: rim}]"),
    }
    (found,) = as_findings(TWO, files, "rename-unused", "looks-renamed")
    assert found.message.endswith("16 addresses of butler-system/edge change")
    assert found.hint == "did you mean butler-system/edge?"


def test_a_former_name_that_the_base_says_already_or_that_records_bear_is_not_told() -> None:
    assert as_findings(renamed(), renamed(), "rename-unused") == []
    gone = without(TWO, "tenants/one.yaml")
    assert as_findings(gone, renamed(), "rename-unused") == []
    base = reconciled({**SMALL, "tenants/x.yaml": formerly(tenant("x"), "team-a/none")})
    moved = {**without(base, "tenants/x.yaml"), "tenants/y.yaml": base["tenants/x.yaml"]}
    assert as_findings(base, moved, "rename-unused") == []
