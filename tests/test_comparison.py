"""A change beside its base: what a review must know that one tree does not tell."""

import re

import pytest
from msgspec.structs import replace

from reconciler.commands.record_changes import with_record_changes
from reconciler.evaluate import Evaluation, evaluate, let_pass
from reconciler.findings import Finding, Location
from reconciler.model.override import Override, OverrideKind, Overrides
from reconciler.records.by_hand import Records
from reconciler.records.hands import Stated
from reconciler.records.recall import recall
from tests.engine.outcome import Files, without
from tests.moving import KEY, moving
from tests.world import SMALL, evaluation_of, pool, raw, reconciled, tenant, tree_of

RECORD = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"
DONE = reconciled(SMALL)


def stated(files: Files, path: str) -> Stated | None:
    data = files.get(path)
    return None if data is None else Stated(raw(data), recall("allocations", path, raw(data)))


def compared(base: Files, head: Files, *, is_strict: bool = False) -> Evaluation:
    return with_record_changes("main", records_of(base, head, is_strict), evaluation_of(head))


def records_of(base: Files, head: Files, is_strict: bool = False) -> Records:
    touched = [
        path
        for path in sorted({*base, *head})
        if path.startswith("allocations/") and base.get(path) != head.get(path)
    ]
    return Records(
        {path: stated(base, path) for path in touched},
        {path: stated(head, path) for path in touched},
        is_strict=is_strict,
    )


def found(base: Files, head: Files) -> list[Finding]:
    ours = ("pool-shrunk", "record-edited", "record-removed", "settings-changed", "base-ahead")
    findings = compared(base, head).findings
    return [item for item in findings if item.code in ours]


def text_of(files: Files, path: str = RECORD) -> str:
    data = files[path]
    return data.decode() if isinstance(data, bytes) else data


def test_a_change_that_adds_a_tenant_is_no_news_and_moves_nobody() -> None:
    result = compared(DONE, {**DONE, "tenants/two.yaml": tenant("two")})
    assert (result.findings, result.moves) == ((), {})


def test_a_record_that_is_removed_says_what_its_claim_gets() -> None:
    head = {
        **without(DONE, RECORD),
        "tenants/one.yaml": tenant("one", networking="{lbPoolSize: 4}"),
    }
    (item,) = found(DONE, head)
    assert (item.code, item.severity) == ("record-removed", "warning")
    assert item.message == (
        "is removed by hand: team-a/one (loadbalancer) held 10.40.0.0-10.40.0.7;"
        " it gets 10.40.0.0-10.40.0.3"
    )
    assert len(compared(DONE, head).moves) == 1


def test_a_record_that_is_removed_and_planned_alike_moves_nobody() -> None:
    assert len(compared(DONE, without(DONE, RECORD)).moves) == 0


def test_a_record_that_is_removed_with_its_tenant_frees_its_addresses_at_once() -> None:
    (item,) = found(DONE, without(DONE, RECORD, "tenants/one.yaml"))
    assert item.message.endswith("the addresses are free at once, without retention")


def test_a_record_that_held_nothing_is_removed_without_loss() -> None:
    base = reconciled({**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/30")})
    path = "allocations/_unplaced/team-a/one.loadbalancer.yaml"
    (item,) = found(base, without(base, path))
    assert "held nothing" in item.message


def test_a_record_that_is_added_by_hand_is_an_error() -> None:
    (item,) = found(SMALL, DONE)
    assert (item.code, item.severity) == ("record-edited", "error")
    assert item.message == ("is added by hand: team-a/one (loadbalancer) holds 10.40.0.0-10.40.0.7")


def test_the_brake_counts_what_somebody_removed() -> None:
    base = reconciled({**SMALL, **{f"tenants/{n}.yaml": tenant(f"t{n}") for n in range(11)}})
    gone = [path for path in base if path.startswith("allocations/")][:4]
    result = compared(base, without(base, *gone), is_strict=True)
    assert result.brake in result.gates
    assert result.brake is not None
    assert (
        "releases 4 of 12 live records (33.3%), 4 of them removed by hand" in result.brake.message
    )
    assert (let_pass(result).changes, let_pass(result).plan.decisions) == ((), ())
    few = compared(base, without(base, *gone[:3]), is_strict=True)
    assert (few.brake, let_pass(few)) == (None, few)


def elsewhere(files: Files, path: str) -> str:
    """A record with another range, which is free."""
    return re.sub(
        r"10\.40\.0\.(\d+)", lambda it: f"10.40.0.{int(it[1]) + 128}", text_of(files, path)
    )


def test_the_brake_counts_what_somebody_edited_once() -> None:
    base = reconciled({**SMALL, **{f"tenants/{n}.yaml": tenant(f"t{n}") for n in range(11)}})
    paths = [
        f"allocations/NetworkPool/butler-system.edge/team-a/t{n}.loadbalancer.yaml"
        for n in range(5)
    ]
    edits = {path: elsewhere(base, path) for path in paths}
    result = compared(base, {**base, **edits}, is_strict=True)
    assert result.brake is not None
    assert "releases 5 of 12 live records (41.7%), 5 of them edited by hand" in result.brake.message
    assert (let_pass(result).changes, let_pass(result).plan.decisions) == ((), ())
    few = {path: edits[path] for path in paths[:3]}
    assert compared(base, {**base, **few}, is_strict=True).brake is None
    gone = without({**base, **few}, paths[4], "tenants/0.yaml")
    result = compared(base, gone, is_strict=True)
    assert result.brake is not None
    assert (
        "4 of 12 live records (33.3%), 1 of them removed by hand, 3 of them edited by hand"
        in result.brake.message
    )


def test_a_failed_record_that_is_added_by_hand_holds_nothing() -> None:
    small = {**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/30")}
    (item,) = found(small, reconciled(small))
    assert item.message.endswith("holds nothing")


def test_a_record_that_is_edited_is_an_error_and_counts_as_moved() -> None:
    head = {**DONE, RECORD: text_of(DONE).replace("10.40.0.", "10.40.0.1").replace(
        "  cidr: 10.40.0.10/29\n", "")}  # fmt: skip
    edited = [item for item in found(DONE, head) if item.severity == "error"]
    assert [item.message for item in edited] == [
        "is edited by hand: team-a/one (loadbalancer) holds 10.40.0.0-10.40.0.7 in main"
    ]
    assert len(compared(DONE, head).moves) == 1


def test_a_failed_record_that_is_edited_held_nothing() -> None:
    base = reconciled({**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/30")})
    path = "allocations/_unplaced/team-a/one.loadbalancer.yaml"
    head = {**base, path: text_of(base, path).replace("phase: Failed", "phase: Pending")}
    edited = [item for item in found(base, head) if item.severity == "error"]
    assert [item.message for item in edited] == [
        "is edited by hand: team-a/one (loadbalancer) holds nothing in main"
    ]


def test_a_record_whose_form_alone_changed_is_not_called_edited() -> None:
    head = {**DONE, RECORD: f"# a note\n{text_of(DONE)}"}
    assert [item.severity for item in found(DONE, head)] == ["warning"]


def test_a_record_that_the_base_could_not_read_is_mended_without_a_word() -> None:
    base = {**DONE, RECORD: "kind: IPAllocation\n"}
    assert found(base, DONE) == []


def test_a_record_that_is_damaged_now_is_told_as_unreadable_only() -> None:
    head = {**DONE, RECORD: "kind: IPAllocation\n"}
    assert [item.code for item in compared(DONE, head).findings] == ["record-unreadable"]


def test_a_record_that_is_removed_moves_its_claim_from_what_the_base_held() -> None:
    head = {
        **without(DONE, RECORD),
        "tenants/one.yaml": tenant("one", networking="{lbPoolSize: 4}"),
    }
    moves = compared(DONE, head).moves
    assert [(str(claim), old.path) for claim, old in moves.items()] == [(KEY, RECORD)]


@pytest.mark.parametrize("size", ["{}", "{lbPoolSize: 4}"])
def test_an_override_of_a_move_lets_nobody_remove_a_record(size: str) -> None:
    head = {**without(DONE, RECORD), "tenants/one.yaml": tenant("one", networking=size)}
    result = with_record_changes("main", records_of(DONE, head, True), moving(head, KEY))
    (item,) = (found for found in result.findings if found.code == "record-removed")
    assert item.severity == "error"


def letting(kind: OverrideKind, scope: str) -> Overrides:
    """An Override that stood in the base."""
    place = Location("overrides/2026-02-15-why.yaml", 1, 1)
    return Overrides((Override(kind, scope, "why", 1 << 40, 0, place.path, place),))


def beside(base: Files, head: Files, overrides: Overrides) -> Evaluation:
    tree = replace(tree_of(head), overrides=overrides)
    return with_record_changes("main", records_of(base, head, True), evaluate(tree))


def test_an_override_lets_a_record_be_removed_by_its_claim() -> None:
    head = without(DONE, RECORD)
    for scope, severity in ((KEY, "warning"), (KEY.replace("one", "two"), "error")):
        result = beside(DONE, head, letting(OverrideKind.RECORD, scope))
        (item,) = (found for found in result.findings if found.code == "record-removed")
        assert item.severity == severity
