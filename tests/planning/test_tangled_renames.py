"""Renames that depend on each other, on requests, or on the old range of a move."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from reconciler.model.plan import Expire, Grant, Release
from reconciler.planning.digest import actions
from reconciler.planning.documents import LastGood
from reconciler.planning.evaluate import Evaluation, evaluate
from tests.moving import KEY, LEAVING, moved
from tests.planning.outcome import without
from tests.planning.test_renaming import DAY, TWO, Files, codes, decided, formerly, ranges, renamed
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
    tree_of,
)


def changes_hands(evaluation: Evaluation) -> bool:
    return any(isinstance(it, Grant | Release | Expire) for it in evaluation.plan.decisions)


def asking(name: str = "one", **spec: str) -> str:
    return request(name, **spec).replace("type: nodes", "type: loadbalancer")


STOOD_FOR = reconciled(
    {
        **SMALL,
        "tenants/r.yaml": asking(pinnedRange="{startAddress: 10.40.0.50, endAddress: 10.40.0.57}"),
    }
)
BESIDE = reconciled({**SMALL, "tenants/r.yaml": request("one", count="3")})


@pytest.mark.parametrize("files", [STOOD_FOR, BESIDE], ids=["stands-in", "beside"])
def test_a_request_of_the_old_name_refuses_the_rename_and_nothing_moves(files: Files) -> None:
    new = {**without(files, "tenants/one.yaml")}
    new["tenants/uno.yaml"] = formerly(tenant("uno"), "team-a/one")
    found = [it for it in evaluation_of(new).findings if it.code == "rename-refused"]
    assert [it.location.path for it in found] == ["tenants/r.yaml", "tenants/uno.yaml"]
    assert "IPAllocation butler-system/one (tenants/r.yaml:" in found[1].message
    assert "tenants/r.yaml:6" in str(found[0].location)
    assert "reference-not-found" not in codes(new)
    assert not changes_hands(evaluation_of(new))
    after = reconciled(new, CLOCK + DAY)
    assert {it: what for it, what in ranges(after).items() if "Alloc" in what} == ranges(files)
    assert not changes_hands(evaluation_of(after, CLOCK + 9 * DAY))


@pytest.mark.parametrize("files", [STOOD_FOR, BESIDE], ids=["stands-in", "beside"])
def test_a_rename_goes_on_once_requests_name_the_new_name(files: Files) -> None:
    new = {**without(files, "tenants/one.yaml")}
    new["tenants/uno.yaml"] = formerly(tenant("uno"), "team-a/one")
    text = raw(files["tenants/r.yaml"]).decode()
    new["tenants/r.yaml"] = text.replace(
        "tenantClusterRef: {name: one", "tenantClusterRef: {name: uno"
    )
    assert "rename-refused" not in codes(new)
    assert not changes_hands(evaluation_of(new))
    assert sorted(ranges(reconciled(new)).values()) == sorted(ranges(files).values())


def test_what_a_move_has_left_goes_along_and_stays_released() -> None:
    files = moved(LEAVING, KEY)
    left = [it for it in evaluation_of(files).state.records if it.announced]
    assert len(left) == 1
    files = without(files, "tenants/one.yaml")
    files["tenants/uno.yaml"] = formerly(tenant("uno"), "team-a/one")
    after = reconciled(files, CLOCK + 180)
    records = evaluation_of(after, CLOCK + 180).state.records
    assert {(it.claim.name, it.owner.name) for it in records} == {("uno", "uno")}
    (still,) = [it for it in records if it.announced]
    assert (still.range, still.phase, still.since) == (left[0].range, left[0].phase, left[0].since)
    assert Path(still.path).name == "uno.loadbalancer.yaml"
    assert not any("/one." in path for path in after if path.startswith("allocations/"))
    assert not changes_hands(evaluation_of(after, CLOCK + 9 * DAY))


def test_what_a_claim_is_refused_to_leave_goes_along_and_a_second_rename_finds_it() -> None:
    files: Files = {**reconciled(SMALL), "pools/far.yaml": LEAVING["pools/far.yaml"]}
    files["providers/default.yaml"] = LEAVING["providers/default.yaml"]
    for now, before in (("uno", "one"), ("eins", "uno")):
        files = without(files, f"tenants/{before}.yaml")
        sized = tenant(
            now, networking="{lbPoolSize: 8}"
        )  # else it asks for nothing else, and is kept
        files[f"tenants/{now}.yaml"] = formerly(sized, f"team-a/{before}")
        evaluation = evaluation_of(files, CLOCK + 60)
        (told,) = [it for it in evaluation.findings if it.code == "renamed"]
        assert told.message.endswith(
            f"team-a/{now} was renamed from team-a/{before}, and keeps 1 record with 8 addresses"
        )
        (action,) = actions(evaluation)
        assert (action["action"], action["reason"]) == ("refuse", "record-stale")
        assert (
            action["renamedFrom"]["claim"] == f"butler/TenantCluster/team-a/{before}/loadbalancer"
        )
        assert action["record"].endswith(f"edge/team-a/{now}.loadbalancer.yaml")
        files = reconciled(files, CLOCK + 60)
        (record,) = evaluation_of(files, CLOCK + 60).state.records
        assert (record.path, record.is_live) == (action["record"], True)
    assert evaluation_of(files, CLOCK + 9 * DAY).changes == ()


def test_two_names_that_are_swapped_are_refused_at_both() -> None:
    files = dict(TWO)
    files["tenants/one.yaml"] = formerly(tenant("one"), "team-a/two")
    files["tenants/two.yaml"] = formerly(tenant("two"), "team-a/one")
    found = [it for it in evaluation_of(files).findings if it.code == "rename-refused"]
    assert [it.location.path for it in found] == ["tenants/one.yaml", "tenants/two.yaml"]
    assert all("names are swapped" in it.message for it in found)
    assert set(decided(evaluation_of(files)).values()) == {"Keep"}


@pytest.mark.parametrize("files", [TWO, STOOD_FOR, BESIDE], ids=["team", "stands-in", "beside"])
def test_the_mend_of_a_refused_rename_leaves_nothing_of_the_refusal(files: Files) -> None:
    new, name = without(files, "tenants/one.yaml"), "uno"
    new["tenants/uno.yaml"] = formerly(tenant(name, "team-b"), "team-a/one")
    refused = reconciled(new, CLOCK + DAY)
    (path,) = [it for it in refused if it.startswith("allocations/_unplaced/")]
    assert b"phase: Failed" in raw(refused[path])
    assert reconciled(refused, CLOCK + DAY) == refused
    mended = formerly(tenant(name, "team-b", teamRef="{name: team-a}"), "team-a/one")
    refused["tenants/uno.yaml"] = mended
    if "tenants/r.yaml" in files:
        text = raw(refused["tenants/r.yaml"]).decode()
        refused["tenants/r.yaml"] = text.replace(
            "tenantClusterRef: {name: one, namespace: team-a",
            "tenantClusterRef: {name: uno, namespace: team-b",
        )
    assert not changes_hands_of_ranges(refused)
    after = reconciled(refused, CLOCK + 2 * DAY)
    assert sorted(ranges(after).values()) == sorted(ranges(files).values())
    assert not any("_unplaced" in it for it in after)
    assert evaluation_of(after, CLOCK + 9 * DAY).changes == ()


def changes_hands_of_ranges(files: Files) -> bool:
    plan = evaluation_of(files, CLOCK + 2 * DAY).plan
    return any(
        isinstance(it, Grant | Release | Expire) and it.allocation.range for it in plan.decisions
    )


HOME = {"default": "edge", "other": "rim"}
POOLS = reconciled(
    {
        "pools/edge.yaml": pool("edge"),
        "pools/rim.yaml": pool("rim", "10.41.0.0/24"),
        **{f"providers/{it}.yaml": provider(it, f"[{{name: {own}}}]") for it, own in HOME.items()},
        "tenants/one.yaml": tenant("one"),
        "tenants/two.yaml": tenant("two", providerConfigRef="{name: other}"),
    }
)


@pytest.mark.parametrize("are_named_anew", [True, False])
def test_two_pools_that_swap_names_are_refused_at_both(are_named_anew: bool) -> None:
    files = dict(POOLS)
    files["pools/edge.yaml"] = formerly(pool("edge", "10.41.0.0/24"), "butler-system/rim")
    files["pools/rim.yaml"] = formerly(pool("rim"), "butler-system/edge")
    if are_named_anew:
        files["providers/default.yaml"] = provider(pools="[{name: rim}]")
        files["providers/other.yaml"] = provider("other", "[{name: edge}]")
    found = [it for it in evaluation_of(files).findings if it.code == "rename-refused"]
    assert [it.location.path for it in found] == ["pools/edge.yaml", "pools/rim.yaml"]
    assert all("names are swapped" in it.message for it in found)
    assert "rename-unused" not in codes(files)
    after = reconciled(files, CLOCK + DAY)
    assert ranges(after) == ranges(POOLS)
    assert not changes_hands(evaluation_of(after, CLOCK + 9 * DAY))


def test_a_chain_is_refused_as_a_whole() -> None:
    files = renamed("two")
    files["tenants/two.yaml"] = files.pop("tenants/uno.yaml")
    files["tenants/new.yaml"] = formerly(tenant("new"), "team-a/two")
    found = evaluation_of(files).findings
    assert [(it.code, it.location.path) for it in found] == [
        ("rename-refused", "tenants/new.yaml"),
        ("rename-refused", "tenants/two.yaml"),
    ]
    assert all("team-a/one -> team-a/two, team-a/two -> team-a/new" in it.message for it in found)
    assert decided(evaluation_of(files)) == {
        "team-a/one (loadbalancer)": "Keep",
        "team-a/two (loadbalancer)": "Keep",
        "team-a/new (loadbalancer)": "Refuse",
    }
    after = reconciled(files, CLOCK + DAY)
    assert not changes_hands(evaluation_of(after, CLOCK + 9 * DAY))


def test_while_everything_is_halted_no_name_is_taken_over() -> None:
    tree = tree_of(renamed())
    halted = replace(tree, last_good=LastGood(halted="ipam.yaml"))
    assert evaluate(tree).state.former
    assert evaluate(halted).state.former == {}


def test_pools_of_which_one_takes_the_name_that_another_leaves_are_refused_at_both() -> None:
    files = without(POOLS, "pools/edge.yaml")
    files["pools/rim.yaml"] = formerly(pool("rim"), "butler-system/edge")
    files["pools/hem.yaml"] = formerly(pool("hem", "10.41.0.0/24"), "butler-system/rim")
    found = [it for it in evaluation_of(files).findings if it.code == "rename-refused"]
    assert [it.location.path for it in found] == ["pools/hem.yaml", "pools/rim.yaml"]
    assert evaluation_of(files).state.former == {}
    assert not changes_hands(evaluation_of(files))


def test_what_moves_left_in_the_same_pool_goes_along_under_names_of_its_own() -> None:
    def pinned(start: int) -> str:
        ends = f"startAddress: 10.40.0.{start}, endAddress: 10.40.0.{start + 7}"
        return asking("r", pinnedRange=f"{{{ends}}}", count="8")

    key = "butler/IPAllocation/butler-system/r/request"
    files = reconciled({**SMALL, "tenants/r.yaml": pinned(80)})
    for start in (88, 96):
        files = moved({**files, "tenants/r.yaml": pinned(start)}, key)
    was = "metadata: {name: r, namespace: butler-system}\nspec"
    now = "metadata: {name: s, namespace: butler-system}\nspec"
    text = formerly(pinned(96).replace(was, now), "butler-system/r")
    after = reconciled({**files, "tenants/r.yaml": text}, CLOCK + 180)
    theirs = [it for it in evaluation_of(after, CLOCK + 180).state.records if it.claim.name == "s"]
    assert [(Path(it.path).name, it.is_live) for it in theirs] == [
        ("s.request.released.2.yaml", False),
        ("s.request.released.yaml", False),
        ("s.request.yaml", True),
    ]  # fmt: skip


def test_a_pool_that_is_still_there_gives_nothing_over() -> None:
    rim = formerly(pool("rim", "10.60.0.0/24"), "butler-system/edge")
    assert "rename-unused" in codes({**TWO, "pools/rim.yaml": rim})
