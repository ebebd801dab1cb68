"""What a check beside a base says of documents that have another name."""

import pytest

from reconciler.addresses.notation import format_short
from reconciler.commands.review import review
from reconciler.findings import Finding
from tests.commands.test_review import branch, encoded
from tests.engine.outcome import Files, without
from tests.test_renaming import TWO, formerly, renamed
from tests.test_tangled_renames import asking
from tests.world import CLOCK, SMALL, evaluation_of, pool, provider, reconciled, tenant


def told(base: Files, head: Files, *codes: str) -> list[Finding]:
    """The findings of some codes of a change."""
    repository = branch(base)
    first = repository.head
    repository.head = repository.add(first, CLOCK + 1, encoded(head))
    evaluation = review(repository.source("HEAD"), repository, first).evaluation
    return [it for it in (*evaluation.findings, *evaluation.gates) if it.code in codes]


def test_a_rename_without_the_annotation_is_told_with_the_line_that_keeps_the_addresses() -> None:
    files = {**without(TWO, "tenants/one.yaml"), "tenants/uno.yaml": tenant("uno")}
    (found,) = told(TWO, files, "looks-renamed", "renamed")
    assert (found.code, found.severity.value) == ("looks-renamed", "warning")
    assert found.location.path == "tenants/uno.yaml"
    assert (
        found.message == "this looks like a rename of TenantCluster team-a/one: 8 addresses change"
    )
    line = "gitops-ipam.dev/formerly: team-a/one"
    assert found.hint == f"to keep them, add to its metadata.annotations: {line}"
    followed = {**files, "tenants/uno.yaml": formerly(tenant("uno"), line.partition(": ")[2])}
    (found,) = told(TWO, followed, "looks-renamed", "renamed")
    assert found.severity.value == "info"
    assert found.message.endswith("it keeps 1 record with 8 addresses")


def test_who_says_something_else_or_loses_nothing_looks_like_nobody() -> None:
    other = tenant("uno").replace("replicas: 1", "replicas: 2")
    files = {**without(TWO, "tenants/one.yaml"), "tenants/uno.yaml": other}
    assert told(TWO, files, "looks-renamed") == []
    added = {**TWO, "tenants/uno.yaml": tenant("uno")}
    assert told(TWO, added, "looks-renamed") == []


LONG = {
    "networking": "{lbPoolSize: 8}",
    "kubernetesVersion": "v1.31.0",
    "teamRef": "{name: team-a}",
}


def long(name: str, team: str = "team-a", **spec: str) -> str:
    return tenant(name, team, **{**LONG, **spec})


def test_a_rename_with_other_edits_is_told_so() -> None:
    base = reconciled({**SMALL, "tenants/one.yaml": long("one")})
    grown = long("uno", networking="{lbPoolSize: 12}")
    (found,) = told(base, {**base, "tenants/one.yaml": grown}, "looks-renamed")
    assert found.message == (
        "this looks like a rename of TenantCluster team-a/one, with other edits: 8 addresses change"
    )
    elsewhere = {**without(base, "tenants/one.yaml"), "tenants/uno.yaml": grown}
    assert len(told(base, elsewhere, "looks-renamed")) == 1
    followed = {**elsewhere, "tenants/uno.yaml": formerly(grown, "team-a/one")}
    assert told(base, followed, "looks-renamed") == []


def test_who_says_little_of_it_elsewhere_is_another() -> None:
    base = reconciled({**SMALL, "tenants/one.yaml": long("one")})
    other = tenant("uno", networking="{lbPoolSize: 4}")
    files = {**without(base, "tenants/one.yaml"), "tenants/uno.yaml": other}
    assert told(base, files, "looks-renamed") == []
    far = long("uno", "team-b", networking="{lbPoolSize: 12}")
    both = {**files, "tenants/uno.yaml": far}
    assert told(base, both, "looks-renamed") == []


def test_a_pool_that_is_renamed_and_grows_is_told() -> None:
    base = reconciled(SMALL)
    files = {
        **without(base, "pools/edge.yaml"),
        "pools/wide.yaml": pool("wide", "10.40.0.0/23"),
        "providers/default.yaml": provider(pools="[{name: wide}]"),
    }
    (found,) = told(base, files, "looks-renamed")
    assert "rename of NetworkPool butler-system/edge, with other edits" in found.message


def test_of_a_renamed_namespace_each_is_told_with_its_namesake() -> None:
    files = without(TWO, "tenants/one.yaml", "tenants/two.yaml")
    files["tenants/z.yaml"] = f"{tenant('two', 'team-z')}---\n{tenant('one', 'team-z')}"
    found = told(TWO, files, "looks-renamed")
    also = "; and let it be of team team-a, as that was"
    assert [item.hint.partition("formerly: ")[2] for item in found] == [
        f"team-a/two{also}",
        f"team-a/one{also}",
    ]
    assert [item.location.line for item in found] == [1, 7]
    followed = formerly(tenant("one", "team-z", teamRef="{name: team-a}"), "team-a/one")
    files = {**without(TWO, "tenants/one.yaml"), "tenants/z.yaml": followed}
    (kept,) = told(TWO, files, "looks-renamed", "renamed", "rename-refused")
    assert kept.message.endswith("it keeps 1 record with 8 addresses")


def test_a_rename_is_taken_back_by_another_one() -> None:
    base = reconciled(renamed())
    files = {**without(base, "tenants/uno.yaml"), "tenants/one.yaml": tenant("one")}
    (seems,) = told(base, files, "looks-renamed", "renamed")
    assert seems.hint.endswith("gitops-ipam.dev/formerly: team-a/uno")
    files["tenants/one.yaml"] = formerly(tenant("one"), "team-a/uno")
    (kept,) = told(base, files, "looks-renamed", "renamed")
    assert kept.message.endswith("it keeps 1 record with 8 addresses")


def test_a_wrong_former_name_still_looks_like_a_rename() -> None:
    (found,) = told(TWO, renamed(what="team-a/onne"), "looks-renamed", "rename-unused")
    assert (found.code, "this looks like a rename of" in found.message) == ("rename-unused", True)
    assert "team-a/one:" in found.message


def test_a_renamed_pool_is_told_with_its_addresses() -> None:
    files = without(TWO, "pools/edge.yaml")
    files |= {
        "pools/rim.yaml": pool("rim"),
        "providers/default.yaml": provider(pools="[{name: rim}]"),
    }
    (found,) = told(TWO, files, "looks-renamed")
    assert found.message.endswith("NetworkPool butler-system/edge: 16 addresses are of no pool")
    assert found.hint.endswith("gitops-ipam.dev/formerly: butler-system/edge")
    files["pools/rim.yaml"] = formerly(pool("rim"), "butler-system/edge")
    (found,) = told(TWO, files, "looks-renamed", "renamed")
    assert found.message.endswith(
        "rim was butler-system/edge: it keeps 2 records with 16 addresses"
    )


def test_a_rename_of_what_was_gone_before_the_change_is_a_warning() -> None:
    gone = without(TWO, "tenants/one.yaml")
    found = told(gone, renamed(), "renamed")
    assert sorted(item.severity.value for item in found) == ["info", "warning"]
    assert any("team-a/one was gone before this change" in item.message for item in found)
    assert told(renamed(), renamed(), "renamed") == []  # its base says so already


def test_a_rename_moves_nothing_by_the_sum_of_a_check() -> None:
    repository = branch(TWO)
    first = repository.head
    repository.head = repository.add(first, CLOCK + 1, encoded(renamed()))
    compared = review(repository.source("HEAD"), repository, first)
    assert compared.moved == 0
    assert compared.evaluation.gates == ()
    after = evaluation_of(reconciled(renamed()))
    ranges = sorted(format_short(it.range) for it in after.state.records if it.range)
    assert ranges == ["10.40.0.0-10.40.0.7", "10.40.0.8-10.40.0.15"]


def test_a_renamed_pool_that_holds_addresses_stays_in_its_address_space() -> None:
    files = without(TWO, "pools/edge.yaml")
    files["providers/default.yaml"] = provider(pools="[{name: rim}]")
    text = formerly(pool("rim"), "butler-system/edge")
    files["pools/rim.yaml"] = text
    assert told(TWO, files, "address-space-changed") == []
    files["pools/rim.yaml"] = text.replace("edge}", "edge, gitops-ipam.dev/address-space: lab}")
    (found,) = told(TWO, files, "address-space-changed")
    assert found.severity.value == "error"
    assert "from address space default into lab with 16 addresses that are held" in found.message


PIN = "{startAddress: 10.40.0.50, endAddress: 10.40.0.57}"


def imported(name: str = "held", of: str = "team-a/one", former: str = "", **spec: str) -> str:
    """A request of a range that lives already, as `ipam import` writes it for a tenant."""
    namespace, _, tenant_name = of.partition("/")
    named = f"tenantClusterRef: {{name: {tenant_name}, namespace: {namespace}}}"
    text = asking(name, **spec or {"pinnedRange": PIN}).replace(
        f"tenantClusterRef: {{name: {name}, namespace: team-a}}", named
    )
    return formerly(text, former) if former else text


@pytest.mark.parametrize("name", ["held", "team-a-one-lb"])
def test_a_tenant_whose_addresses_a_request_holds_is_told_with_all_that_keeps_them(
    name: str,
) -> None:
    base = reconciled({**SMALL, "tenants/held.yaml": imported(name)})
    files = {**without(base, "tenants/one.yaml"), "tenants/uno.yaml": tenant("uno")}
    (found,) = told(base, files, "looks-renamed")
    assert (found.location.path, found.severity.value) == ("tenants/uno.yaml", "warning")
    assert found.message.endswith("a rename of TenantCluster team-a/one: 8 addresses change")
    assert found.hint == (
        "to keep them, add to its metadata.annotations: gitops-ipam.dev/formerly: team-a/one;"
        f" and let tenantClusterRef of IPAllocation butler-system/{name} (tenants/held.yaml:6)"
        " be team-a/uno"
    )
    files["tenants/uno.yaml"] = formerly(tenant("uno"), "team-a/one")
    files["tenants/held.yaml"] = imported(name, "team-a/uno")
    assert told(base, files, "looks-renamed", "announcement-moved", "reference-not-found") == []
    assert held(reconciled(files)) == held(base)


def held(files: Files) -> list[str]:
    """What live records hold."""
    records = evaluation_of(files).state.records
    return [format_short(it.range) for it in records if it.range and it.is_live]


def test_a_tenant_whose_request_names_the_new_name_is_told_while_nothing_says_they_are_one() -> (
    None
):
    base = reconciled({**SMALL, "tenants/held.yaml": imported()})
    files = {**without(base, "tenants/one.yaml"), "tenants/uno.yaml": tenant("uno")}
    files["tenants/held.yaml"] = imported(of="team-a/uno")
    (found,) = told(base, files, "looks-renamed")
    assert found.message.endswith("team-a/one: 8 addresses go from its cluster to another")
    assert found.hint.endswith("annotations: gitops-ipam.dev/formerly: team-a/one")


def test_a_request_that_is_renamed_with_its_tenant_is_told_beside_it() -> None:
    base = reconciled({**SMALL, "tenants/held.yaml": imported("team-a-one-lb")})
    files = {**without(base, "tenants/one.yaml"), "tenants/uno.yaml": tenant("uno")}
    files["tenants/held.yaml"] = imported("team-a-uno-lb", "team-a/uno")
    request, owner = told(base, files, "looks-renamed")
    assert request.location.path == "tenants/held.yaml"
    assert request.message.endswith("butler-system/team-a-one-lb: 8 addresses change")
    assert request.hint.endswith("gitops-ipam.dev/formerly: butler-system/team-a-one-lb")
    assert owner.message.endswith("TenantCluster team-a/one: 8 addresses change")
    assert owner.hint.endswith("gitops-ipam.dev/formerly: team-a/one")
    files["tenants/held.yaml"] = imported(
        "team-a-uno-lb", "team-a/uno", "butler-system/team-a-one-lb"
    )
    (owner,) = told(base, files, "looks-renamed")
    assert owner.message.endswith("team-a/one: 8 addresses go from its cluster to another")
    files["tenants/uno.yaml"] = formerly(tenant("uno"), "team-a/one")
    assert told(base, files, "looks-renamed", "announcement-moved") == []
    assert held(reconciled(files)) == held(base)


def test_requests_that_are_alike_are_told_with_those_of_their_own_tenants() -> None:
    base = reconciled(
        {
            **without(SMALL, "tenants/one.yaml"),
            "tenants/a.yaml": f"{tenant('one')}---\n{imported('ra', count='4')}",
            "tenants/b.yaml": f"{tenant('two', 'b')}---\n{imported('rb', 'b/two', count='4')}",
        }
    )
    files = {
        **base,
        "tenants/a.yaml": f"{tenant('z')}---\n{imported('y', 'team-a/z', count='4')}",
        "tenants/b.yaml": f"{tenant('two', 'c')}---\n{imported('x', 'c/two', count='4')}",
    }
    found = told(base, files, "looks-renamed")
    assert {it.message.split()[7].rstrip(":"): it.location.path[-6:] for it in found} == {
        "team-a/one": "a.yaml",
        "b/two": "b.yaml",
        "butler-system/ra": "a.yaml",
        "butler-system/rb": "b.yaml",
    }


def test_a_request_that_went_with_its_tenant_is_named_in_what_keeps_the_addresses() -> None:
    base = reconciled({**SMALL, "tenants/held.yaml": imported()})
    files = {**without(base, "tenants/one.yaml", "tenants/held.yaml")}
    files["tenants/uno.yaml"] = tenant("uno")
    (found,) = told(base, files, "looks-renamed")
    assert found.hint.endswith(
        "; and let tenantClusterRef of IPAllocation butler-system/held, which is gone,"
        " be team-a/uno"
    )


def test_what_a_request_holds_changes_hands_only_within_a_team_and_to_one_alone() -> None:
    base = reconciled({**SMALL, "tenants/held.yaml": imported()})
    files = {**without(base, "tenants/one.yaml"), "tenants/held.yaml": imported(of="team-a/uno")}
    other = formerly(tenant("uno", teamRef="{name: other}"), "team-a/one")
    (found,) = told(base, {**files, "tenants/uno.yaml": other}, "announcement-moved")
    assert "would go from it to team-a/uno at once" in found.message
    files["tenants/uno.yaml"] = formerly(tenant("uno"), "team-a/one")
    files["tenants/two.yaml"] = formerly(tenant("dos"), "team-a/one")
    (found,) = told(base, files, "announcement-moved")
    assert "would go from it to team-a/uno at once" in found.message
