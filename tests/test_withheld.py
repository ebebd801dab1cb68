"""What a brake holds back, and what is put back so that it can."""

import re

from msgspec.structs import replace

from reconciler.evaluate import evaluate, let_pass, with_freed
from reconciler.records.by_hand import Freed
from reconciler.withheld import held_releases, of_base, with_put_back
from tests.engine.outcome import without
from tests.engine.test_guard import fleet, leaving
from tests.world import evaluation_of, raw, tenant, tree_of

PATH = "allocations/NetworkPool/butler-system.edge/team-a/t000.loadbalancer.yaml"


def test_what_is_held_is_each_release_and_nothing_without_a_brake() -> None:
    held = held_releases(evaluation_of(leaving(fleet(10), 4)))
    assert [item.claim.name for item in held] == ["t000", "t001", "t002", "t003"]
    assert held_releases(evaluation_of(leaving(fleet(10), 3))) == []


def test_what_the_base_holds_is_known_and_no_more_counted_of_a_change() -> None:
    files = fleet(10)
    base = evaluation_of(leaving(files, 4))
    same = of_base(base, base)
    assert (same.brake, same.gates, held_releases(same)) == (None, (), [])
    more = of_base(evaluation_of(leaving(files, 8)), base)
    assert more.brake is not None
    assert (
        "releases 4 of 10 live records (40.0%), beside 4 that are held back" in more.brake.message
    )
    assert [item.claim.name for item in held_releases(more)] == ["t004", "t005", "t006", "t007"]
    assert of_base(more, evaluation_of(files)) is more


def test_all_that_is_left_beside_known_ones_is_everything() -> None:
    files = fleet(6)
    base = evaluation_of(leaving(files, 6))
    assert base.brake is not None
    part = replace(base, known=frozenset(item.claim for item in held_releases(base)[:5]))
    change = of_base(part, replace(base, known=frozenset([held_releases(base)[5].claim])))
    assert change.brake is not None
    assert "releases everything: 1 of 6 live records" in change.brake.message


def test_what_is_put_back_is_carried_out_with_all_but_the_releases() -> None:
    files = leaving(fleet(10), 1)
    less = without(files, PATH)
    found = with_freed(evaluate(tree_of(less)), Freed(4, frozenset()))
    assert (let_pass(found).changes, found.brake is not None) == ((), True)
    back = {PATH: raw(files[PATH]), "allocations/odd.yaml": None}
    mended = with_put_back(found, evaluate(tree_of(files)), back)
    assert (mended.brake, mended.is_freed) == (found.brake, False)
    assert [item.code for item in mended.gates] == ["brake"]
    passed = let_pass(mended)
    assert dict(passed.changes) == back
    assert passed.plan.decisions
    assert {type(item).__name__ for item in passed.plan.decisions} == {"Keep"}
    assert set(dict(mended.changes)) == set(back)
    assert b"Released" in (dict(mended.changes)[PATH] or b"")
    late = {**files, "tenants/late.yaml": tenant("late")}
    beside = let_pass(with_put_back(found, evaluate(tree_of(late)), back))
    assert b'gitops-ipam.dev/held-of: "10"' in (dict(beside.changes)[PATH] or b"")


def test_of_a_plan_only_what_was_live_before_it_is_the_whole() -> None:
    files = {**leaving(fleet(10), 4), "tenants/late.yaml": tenant("late")}
    found = evaluate(tree_of(files))
    assert found.brake is not None
    assert "releases 4 of 10 live records (40.0%)" in found.brake.message


def test_what_is_held_beside_something_else_is_marked_once_with_what_was_live() -> None:
    files = fleet(10)
    path = PATH.replace("t000", "t003")
    held = carried(without(leaving(files, 4), "tenants/010.yaml"), "late")
    assert set(marks_of(held).values()) == {10}
    again = carried(without(held, "tenants/004.yaml"), "later")
    assert sorted(marks_of(again).values()) == [10, 10, 10, 10, 11]
    brake = evaluate(tree_of(again)).brake
    assert brake is not None
    assert "5 of 12 live records (41.7%); there were 10 when the first was held" in brake.message
    assert evaluate(tree_of(again), allow_release=5).brake is None
    back = {**again, "tenants/003.yaml": tenant("t003")}
    changes = dict(let_pass(evaluate(tree_of(back))).changes)
    assert list(changes) == [path]
    assert b"held-of" not in (changes[path] or b"")


def test_what_is_over_today_passes_by_no_mark() -> None:
    files = carried(leaving(fleet(9), 9), *(f"late{number:02}" for number in range(11)))
    assert set(marks_of(files).values()) == {9}
    found = evaluate(tree_of({**files, "tenants/000.yaml": tenant("t000")}))
    assert found.brake is not None
    assert "releases 8 of 20 live records (40.0%); there were 9" in found.brake.message


def test_what_came_since_counts_as_everything_that_was_there() -> None:
    files = carried(leaving(fleet(2), 2), "late", "later")
    found = evaluate(tree_of(without(files, "tenants/late.yaml")))
    assert found.brake is not None
    assert found.brake.message.startswith("the plan releases everything: 3 of 4 live records")
    assert evaluate(tree_of({**files, "tenants/000.yaml": tenant("t000")})).brake is None


def test_of_a_change_no_mark_counts_that_is_of_what_its_base_holds() -> None:
    files = carried(leaving(fleet(12), 4), *(f"late{number:02}" for number in range(8)))
    base = evaluation_of(files)
    gone = (f"tenants/late{number:02}.yaml" for number in range(4))
    change = of_base(evaluation_of(without(files, *gone)), base)
    assert (base.brake is not None, change.brake) == (True, None)


def carried(files: dict[str, str | bytes], *names: str) -> dict[str, str | bytes]:
    """The files once some tenants came, and what passes is carried out."""
    more = {**files, **{f"tenants/{name}.yaml": tenant(name) for name in names}}
    done = let_pass(evaluate(tree_of(more)))
    after = {**more, **{path: data for path, data in done.changes if data is not None}}
    assert let_pass(evaluate(tree_of(after))).changes == ()
    return after


def marks_of(files: dict[str, str | bytes]) -> dict[str, int]:
    found = {path: re.search(rb'held-of: "(\d+)"', raw(data)) for path, data in files.items()}
    return {path: int(it[1]) for path, it in found.items() if it is not None}
