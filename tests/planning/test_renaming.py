"""Addresses that a renamed document keeps."""

from collections.abc import Mapping

import pytest

from reconciler.model.plan import Grant, Refuse, Release
from reconciler.planning.evaluate import Evaluation
from tests.families import novaedge
from tests.families.capi import trees
from tests.families.test_growth import grown
from tests.planning.outcome import without
from tests.world import (
    CLOCK,
    SMALL,
    evaluation_of,
    pool,
    provider,
    raw,
    reconciled,
    request,
    tenant,
)

Files = dict[str, str | bytes]
TWO = reconciled({**SMALL, "tenants/two.yaml": tenant("two")})
DAY = 86_400


def formerly(text: str, what: str) -> str:
    head, brace, rest = text.partition("}\nspec:")
    assert brace
    return f"{head}, annotations: {{gitops-ipam.dev/formerly: {what}}}{brace}{rest}"


def renamed(name: str = "uno", what: str = "team-a/one", **more: str) -> Files:
    """The two tenants, of which the first has another name."""
    files = without(TWO, "tenants/one.yaml")
    return {**files, "tenants/uno.yaml": formerly(tenant(name, **more), what)}


def ranges(files: Files) -> dict[str, str]:
    return {
        str(record.claim): f"{record.range} {record.phase.value}"
        for record in evaluation_of(files).state.records
    }


def codes(files: Files) -> list[str]:
    return [found.code for found in evaluation_of(files).findings]


def decided(evaluation: Evaluation) -> Mapping[str, str]:
    return {it.claim.short: type(it).__name__ for it in evaluation.plan.decisions}


def test_a_renamed_tenant_keeps_every_address() -> None:
    before = ranges(TWO)
    evaluation = evaluation_of(renamed())
    assert decided(evaluation) == {
        "team-a/two (loadbalancer)": "Keep",
        "team-a/uno (loadbalancer)": "Keep",
    }
    after = ranges(reconciled(renamed()))
    assert sorted(after.values()) == sorted(before.values())
    key = "butler/TenantCluster/team-a/{}/loadbalancer"
    assert after[key.format("uno")] == before[key.format("one")]


def test_a_rename_is_told_once_and_the_annotation_is_inert_afterwards() -> None:
    (found,) = evaluation_of(renamed()).findings
    assert (found.code, found.severity.value) == ("renamed", "info")
    assert found.message.endswith(
        "team-a/uno was renamed from team-a/one, and keeps 1 record with 8 addresses"
    )
    after = evaluation_of(reconciled(renamed()))
    assert (after.findings, after.changes) == ((), ())


def test_a_rename_is_no_release_and_no_brake_counts_it() -> None:
    files = reconciled({**SMALL, **{f"tenants/{n}.yaml": tenant(f"t{n}") for n in range(12)}})
    for number in range(12):
        del files[f"tenants/{number}.yaml"]
        files[f"tenants/new{number}.yaml"] = formerly(tenant(f"n{number}"), f"team-a/t{number}")
    evaluation = evaluation_of(files)
    assert not any(isinstance(it, Grant | Release) for it in evaluation.plan.decisions)
    assert evaluation.gates == ()


def test_a_tenant_of_another_namespace_keeps_its_addresses_within_its_team() -> None:
    team = "{name: blue}"
    files = reconciled({**SMALL, "tenants/one.yaml": tenant("one", teamRef=team)})
    new = formerly(tenant("one", "team-z", teamRef=team), "team-a/one")
    after = reconciled({**without(files, "tenants/one.yaml"), "tenants/new.yaml": new})
    assert list(ranges(after).values()) == list(ranges(files).values())
    assert list(ranges(after)) == ["butler/TenantCluster/team-z/one/loadbalancer"]


def test_another_team_gets_nothing_and_the_old_record_stays() -> None:
    files = renamed("uno", namespace="team-b")
    evaluation = evaluation_of(files)
    assert codes(files) == ["rename-refused"]
    assert decided(evaluation) == {
        "team-a/one (loadbalancer)": "Keep",
        "team-a/two (loadbalancer)": "Keep",
        "team-b/uno (loadbalancer)": "Refuse",
    }
    later = evaluation_of(reconciled(files, CLOCK + DAY), CLOCK + 9 * DAY)
    assert decided(later) == decided(evaluation)


def test_two_documents_of_one_former_name_are_both_named_and_get_nothing() -> None:
    files = {**renamed(), "tenants/x.yaml": formerly(tenant("x"), "team-a/one")}
    evaluation = evaluation_of(files)
    found = [item for item in evaluation.findings if item.code == "rename-refused"]
    assert [item.location.path for item in found] == ["tenants/uno.yaml", "tenants/x.yaml"]
    assert all("team-a/uno" in it.message and "team-a/x" in it.message for it in found)
    assert {it.claim.name for it in evaluation.plan.decisions if isinstance(it, Refuse)} == {
        "uno",
        "x",
    }
    assert not any(isinstance(it, Release | Grant) for it in evaluation.plan.decisions)


def test_a_name_that_somebody_else_had_until_now_takes_nothing_over_and_frees_nothing() -> None:
    files = renamed("two")
    files["tenants/two.yaml"] = files.pop("tenants/uno.yaml")
    evaluation = evaluation_of(files)
    (found,) = evaluation.findings
    assert (found.code, found.severity.value) == ("rename-refused", "error")
    assert "team-a/two already holds 10.40.0.8-10.40.0.15," in found.message
    assert set(decided(evaluation).values()) == {"Keep"}
    later = evaluation_of(reconciled(files, CLOCK + DAY), CLOCK + 9 * DAY)
    assert decided(later) == decided(evaluation)


def test_what_is_still_there_keeps_its_own_and_the_annotation_is_told() -> None:
    files = {**TWO, "tenants/uno.yaml": formerly(tenant("uno"), "team-a/one")}
    evaluation = evaluation_of(files)
    assert codes(files) == ["rename-unused"]
    assert decided(evaluation)["team-a/one (loadbalancer)"] == "Keep"
    assert decided(evaluation)["team-a/uno (loadbalancer)"] == "Grant"


def test_released_addresses_are_not_taken_back_by_a_rename() -> None:
    released = reconciled(without(TWO, "tenants/one.yaml"))
    files = {**released, "tenants/uno.yaml": formerly(tenant("uno"), "team-a/one")}
    (found,) = evaluation_of(files).findings
    assert found.code == "rename-unused"
    assert (
        "team-a/one was removed before, so its addresses stay released: 10.40.0.0-10.40.0.7"
        in found.message
    )
    assert evaluation_of(reconciled(files)).findings == ()  # once it has addresses of its own
    evaluation = evaluation_of(files)
    assert decided(evaluation)["team-a/uno (loadbalancer)"] == "Grant"
    assert evaluation.state.former == {}


def test_what_holds_addresses_of_its_own_takes_nothing_over() -> None:
    both = reconciled({**TWO, "tenants/uno.yaml": tenant("uno")})
    files = without(both, "tenants/one.yaml")
    files["tenants/uno.yaml"] = formerly(tenant("uno"), "team-a/one")
    assert codes(files) == ["rename-refused"]
    assert ranges(reconciled(files, CLOCK + DAY)) == ranges(both)
    files["tenants/uno.yaml"] = tenant("uno")  # without the annotation, as in the hint
    assert decided(evaluation_of(files))["team-a/one (loadbalancer)"] == "Release"


def test_slots_of_nodes_go_along_with_their_growth() -> None:
    nodes = pool(tenantAllocation="{defaults: {nodesPerTenant: 2}}")
    files: Files = {**SMALL, "pools/edge.yaml": nodes, "tenants/two.yaml": tenant("two")}
    files = reconciled(files)
    many = tenant("one").replace("replicas: 1", "replicas: 5")
    files = reconciled({**files, "tenants/one.yaml": many})
    assert "butler/TenantCluster/team-a/one/nodes-1" in ranges(files)
    new = formerly(many.replace("name: one", "name: uno"), "team-a/one")
    after = reconciled({**without(files, "tenants/one.yaml"), "tenants/uno.yaml": new})
    assert sorted(ranges(after).values()) == sorted(ranges(files).values())
    assert {key.split("/")[3] for key in ranges(after)} == {"two", "uno"}


def test_elastic_growth_goes_along_while_nothing_was_observed_under_the_new_name() -> None:
    files = reconciled(grown((1, 1), (3, 4)))
    del files["tenants/one.yaml"]
    files["tenants/uno.yaml"] = formerly(tenant("uno"), "team-a/one")
    after = reconciled(files)
    assert sorted(ranges(after).values()) == sorted(ranges(files).values())
    slots = {key.partition("/uno/")[2] for key in ranges(after)}
    assert slots == {"loadbalancer", "loadbalancer-1", "loadbalancer-3"}
    assert set(decided(evaluation_of(after)).values()) == {"Keep"}


def test_a_request_keeps_its_range_under_another_name() -> None:
    files = reconciled({**SMALL, "tenants/r.yaml": request("one", count="3")})
    new = formerly(request("other", count="3"), "butler-system/one")
    new = new.replace("tenantClusterRef: {name: other", "tenantClusterRef: {name: one")
    after = reconciled({**without(files, "tenants/r.yaml"), "tenants/r.yaml": new})
    assert sorted(ranges(after).values()) == sorted(ranges(files).values())
    assert "butler/IPAllocation/butler-system/other/request" in ranges(after)


def test_nothing_is_taken_over_of_what_a_broken_file_may_describe() -> None:
    files = {**renamed(), "tenants/odd.yaml": "kind: [\n"}
    evaluation = evaluation_of(files)
    assert evaluation.state.former == {}
    assert not any(isinstance(it, Release | Grant) for it in evaluation.plan.decisions)
    broken = tenant("one").replace("workers:", "wrokers:")
    files = {**renamed(), "tenants/odd.yaml": broken}
    assert evaluation_of(files).state.former == {}
    assert not any(isinstance(it, Grant) for it in evaluation_of(files).plan.decisions)


def test_an_annotation_that_is_no_name_is_an_error_and_gives_nothing() -> None:
    files = renamed(what="one")
    (found,) = [it for it in evaluation_of(files).findings if it.code == "annotation-invalid"]
    assert found.location.line == 3
    assert "'one', expected <namespace>/<name>" in found.message
    assert not any(isinstance(it, Grant) for it in evaluation_of(files).plan.decisions)


@pytest.mark.parametrize("cidr", ["10.40.0.0/24", "10.40.0.0/16"])
def test_the_records_of_a_renamed_pool_are_of_the_new_one(cidr: str) -> None:
    files = without(TWO, "pools/edge.yaml")
    files["pools/rim.yaml"] = formerly(pool("rim", cidr), "butler-system/edge")
    files["providers/default.yaml"] = provider(pools="[{name: rim}]")
    assert codes(files) == ["renamed"]
    after = reconciled(files)
    assert ranges(after) == ranges(TWO)
    assert "allocations/NetworkPool/butler-system.rim/team-a/one.loadbalancer.yaml" in after
    again = evaluation_of(after)
    assert (again.findings, again.changes) == ((), ())


def test_released_records_go_along_with_a_renamed_pool_and_stay_released() -> None:
    files = reconciled(without(TWO, "tenants/one.yaml"))
    del files["pools/edge.yaml"]
    files["pools/rim.yaml"] = formerly(pool("rim"), "butler-system/edge")
    files["providers/default.yaml"] = provider(pools="[{name: rim}]")
    after = reconciled(files)
    assert ranges(after) == ranges(files)
    assert not any("butler-system.edge" in path for path in after)


def test_what_lies_outside_of_the_new_pool_stays_an_error() -> None:
    files = without(TWO, "pools/edge.yaml")
    files["pools/rim.yaml"] = formerly(pool("rim", "10.40.0.0/29"), "butler-system/edge")
    files["providers/default.yaml"] = provider(pools="[{name: rim}]")
    assert "pool-removed" in codes(files)
    assert not any(isinstance(it, Release) for it in evaluation_of(files).plan.decisions)


NOVAEDGE = novaedge.tree(novaedge.vip("a", addressFamily="dual"), novaedge.vip("b"))
ALONE = {f"{trees.VIP}ingress-enabled": "false"}
CAPI = {
    "pools/p.yaml": trees.pool(),
    "clusters/c.yaml": trees.cluster("shop", annotations=ALONE),
    "clusters/d.yaml": trees.claim("one"),
}


@pytest.mark.parametrize(
    ("files", "change"),
    [
        (
            NOVAEDGE,
            {
                "tenants/v.yaml": novaedge.vip("c", addressFamily="dual").replace(
                    "{name: c}", "{name: c, annotations: {gitops-ipam.dev/formerly: a}}"
                )
                + "---\n"
                + novaedge.vip("b")
            },
        ),
        (
            CAPI,
            {
                "clusters/c.yaml": trees.cluster(
                    "store", annotations={**ALONE, "gitops-ipam.dev/formerly": "default/shop"}
                ),
                "clusters/d.yaml": trees.claim(
                    "two", annotations={"gitops-ipam.dev/formerly": "default/one"}
                ),
            },
        ),
        (
            CAPI,
            {
                "pools/p.yaml": trees.pool("rim", annotations={"gitops-ipam.dev/formerly": "vips"}),
                "clusters/d.yaml": trees.claim("one", "rim"),
            },
        ),
    ],
    ids=["vip", "cluster-and-claim", "cluster-pool"],
)
def test_the_other_families_keep_theirs_as_well(files: Files, change: Files) -> None:
    before = reconciled(files)
    assert len(ranges(before)) >= 2
    renaming = {**before, **change}
    assert set(decided(evaluation_of(renaming)).values()) == {"Keep"}
    after = reconciled(renaming)
    assert sorted(ranges(after).values()) == sorted(ranges(before).values())
    assert evaluation_of(after).changes == ()
    assert "formerly" in "".join(map(str, change.values()))


def test_what_rests_goes_along_for_its_cluster_has_the_new_name_and_another_teams_stays() -> None:
    nodes = pool(tenantAllocation="{defaults: {nodesPerTenant: 2}}")
    many = tenant("one").replace("replicas: 1", "replicas: 5")
    files = reconciled({**SMALL, "pools/edge.yaml": nodes})
    files = reconciled({**files, "tenants/one.yaml": many})
    files = reconciled({**files, "tenants/one.yaml": tenant("one")})
    key = "butler/TenantCluster/team-a/{}/nodes-1"
    (rests,) = [it for it in ranges(files).values() if it.endswith("Released")]
    new = {"tenants/uno.yaml": formerly(tenant("uno"), "team-a/one")}
    after = reconciled({**without(files, "tenants/one.yaml"), **new})
    assert ranges(after)[key.format("uno")] == rests
    assert not any("/one" in claim for claim in ranges(after))
    again = reconciled({**after, "tenants/uno.yaml": many.replace("one", "uno")})
    assert ranges(again)[key.format("uno")] == rests.replace("Released", "Allocated")
    (path,) = [it for it in files if it.endswith("one.nodes-1.yaml")]
    files[path] = raw(files[path]).decode().replace("/team: team-a", "/team: team-b")
    after = reconciled({**without(files, "tenants/one.yaml"), **new})
    assert ranges(after)[key.format("one")] == rests


def test_two_pools_of_one_former_name_take_nothing_over() -> None:
    files = without(TWO, "pools/edge.yaml")
    files["pools/rim.yaml"] = formerly(pool("rim"), "butler-system/edge")
    files["pools/hem.yaml"] = formerly(pool("hem", "10.41.0.0/24"), "butler-system/edge")
    assert codes(files).count("rename-refused") == 2
    assert evaluation_of(files).state.former == {}
