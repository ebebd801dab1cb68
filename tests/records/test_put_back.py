"""What people took out of records without leave, as it was."""

from collections.abc import Callable

from reconciler.records.by_hand import Records
from reconciler.records.put_back import put_back
from tests.engine.outcome import Files, without
from tests.test_comparison import elsewhere, stated
from tests.world import SMALL, raw, reconciled, tenant

BASE = reconciled({**SMALL, "tenants/two.yaml": tenant("two")})
ONE, TWO = (
    f"allocations/NetworkPool/butler-system.edge/team-a/{name}.loadbalancer.yaml"
    for name in ("one", "two")
)


def records(now: Files) -> Records:
    paths = sorted(path for path in {*BASE, *now} if path.startswith("allocations/"))
    touched = [path for path in paths if BASE.get(path) != now.get(path)]
    return Records(
        {it: stated(BASE, it) for it in touched}, {it: stated(now, it) for it in touched}
    )


def back(now: Files, allows: Callable[[str], bool] = lambda _: False) -> dict[str, bytes | None]:
    return dict(put_back(records(now), allows))


def test_a_record_that_is_gone_comes_back_as_it_was() -> None:
    assert back(without(BASE, ONE)) == {ONE: raw(BASE[ONE])}


def test_one_that_holds_something_else_is_as_it_was() -> None:
    assert back({**BASE, ONE: elsewhere(BASE, ONE)}) == {ONE: raw(BASE[ONE])}


def test_one_that_is_elsewhere_and_holds_less_is_again_where_it_was() -> None:
    moved = {**without(BASE, ONE), "allocations/odd.yaml": elsewhere(BASE, ONE)}
    assert back(moved) == {ONE: raw(BASE[ONE]), "allocations/odd.yaml": None}


def test_one_that_holds_what_it_did_stays_as_somebody_left_it() -> None:
    assert back({**BASE, ONE: raw(BASE[ONE]) + b"# a note\n"}) == {}
    assert back({**without(BASE, ONE), "allocations/odd.yaml": BASE[ONE]}) == {}


def test_what_a_person_let_pass_stays_gone() -> None:
    assert back(without(BASE, ONE, TWO), lambda scope: scope == ONE) == {TWO: raw(BASE[TWO])}
