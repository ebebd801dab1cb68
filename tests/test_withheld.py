"""What a brake holds back, and what is put back so that it can."""

from dataclasses import replace

from reconciler.evaluate import evaluate, let_pass, with_freed
from reconciler.records.by_hand import Freed
from reconciler.withheld import held_releases, with_known, with_put_back
from tests.engine.outcome import without
from tests.engine.test_guard import fleet, leaving
from tests.world import evaluation_of, raw, tree_of

PATH = "allocations/NetworkPool/butler-system.edge/team-a/t000.loadbalancer.yaml"


def test_what_is_held_is_each_release_and_nothing_without_a_brake() -> None:
    held = held_releases(evaluation_of(leaving(fleet(10), 4)))
    assert [item.claim.name for item in held] == ["t000", "t001", "t002", "t003"]
    assert held_releases(evaluation_of(leaving(fleet(10), 3))) == []


def test_what_the_base_holds_is_known_and_no_more_counted_of_a_change() -> None:
    files = fleet(10)
    base = evaluation_of(leaving(files, 4))
    same = with_known(base, base)
    assert (same.brake, same.gates, held_releases(same)) == (None, (), [])
    more = with_known(evaluation_of(leaving(files, 8)), base)
    assert more.brake is not None
    assert (
        "releases 4 of 10 live records (40.0%), beside 4 that are held back" in more.brake.message
    )
    assert [item.claim.name for item in held_releases(more)] == ["t004", "t005", "t006", "t007"]
    assert with_known(more, evaluation_of(files)) is more


def test_all_that_is_left_beside_known_ones_is_everything() -> None:
    files = fleet(6)
    base = evaluation_of(leaving(files, 6))
    assert base.brake is not None
    part = replace(base, known=frozenset(item.claim for item in held_releases(base)[:5]))
    change = with_known(part, replace(base, known=frozenset([held_releases(base)[5].claim])))
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
