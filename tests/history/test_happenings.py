"""Events of addresses in a commit, and changes of the counts of pools."""

import pytest
from msgspec.structs import replace

from reconciler.gitio.interface import Touch
from reconciler.history.events import What, events_of, is_growth
from reconciler.history.who import concerning
from reconciler.model.claim import Allocation
from tests.history.pasts import EDGE, RECORD, ROW, happened, run, version
from tests.world import SMALL, evaluation_of, reconciled, tenant

LIVE, RELEASED, REFUSED = version(), version("Released"), version("Failed")
LEFT = replace(RELEASED, announced=True)
ELSEWHERE = version(first=16)


def of_two(item: Allocation) -> Allocation:
    return replace(item, owner=replace(item.owner, name="two"))


@pytest.mark.parametrize(
    ("old", "new", "what", "more"),
    [
        (None, LIVE, What.ALLOCATED, 8),
        (None, version(is_growth=True), What.GREW, 8),
        (REFUSED, LIVE, What.ALLOCATED, 8),
        (RELEASED, LIVE, What.TAKEN_BACK, 0),
        (LIVE, ELSEWHERE, What.MOVED, 0),
        (LIVE, of_two(LIVE), What.TRANSFERRED, 0),
        (LIVE, RELEASED, What.RELEASED, 0),
        (None, RELEASED, What.RELEASED, 8),
        (RELEASED, version("Released", first=16), What.RELEASED, 0),
        (RELEASED, None, What.EXPIRED, -8),
        (LIVE, None, What.REMOVED, -8),
        (LIVE, LEFT, What.LEFT, 0),
        (LEFT, RELEASED, What.RELEASED, 0),
        (LEFT, LIVE, What.TAKEN_BACK, 0),
        (None, REFUSED, What.REFUSED, 0),
        (LIVE, REFUSED, What.REFUSED, -8),
    ],
)
def test_each_change_of_a_record_has_its_word(
    old: Allocation | None, new: Allocation | None, what: What, more: int
) -> None:
    (item,) = happened(old, new)
    assert item.what is what
    assert dict(item.delta).get(EDGE, 0) == more


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (LIVE, replace(LIVE, owner=replace(LIVE.owner, team="other"))),
        (RELEASED, replace(RELEASED, owner=replace(RELEASED.owner, team="other"))),
        (RELEASED, of_two(RELEASED)),
        (REFUSED, of_two(REFUSED)),
        (REFUSED, None),
        (REFUSED, replace(REFUSED, owner=replace(REFUSED.owner, team="other"))),
        (LIVE, LIVE),
        (None, None),
    ],
)
def test_a_change_that_moves_no_address_is_no_happening(
    old: Allocation | None, new: Allocation | None
) -> None:
    assert happened(old, new) == []


def test_a_move_names_both_places_and_concerns_the_addresses_of_each() -> None:
    (item,) = happened(LIVE, ELSEWHERE)
    assert (item.source, item.range) == (run(0, 7), run(16, 23))
    assert [item.concerns([run(at, at)]) for at in (7, 8, 16)] == [True, False, True]
    (item,) = happened(None, REFUSED)
    assert not item.concerns([run(0, 255)])


def test_a_version_that_nobody_could_read_says_nothing() -> None:
    touch = Touch(RECORD, "old", "new")
    assert list(events_of(ROW._replace(touched=(touch,)), {})) == []


def test_what_a_document_asks_for_beyond_its_first_addresses_is_growth_too() -> None:
    sized = {**reconciled(SMALL), "tenants/one.yaml": tenant("one", networking="{lbPoolSize: 12}")}
    records = evaluation_of(reconciled(sized)).state.records
    assert {it.claim.slot: is_growth(it) for it in records} == {
        "loadbalancer": False,
        "loadbalancer-1": True,
    }


@pytest.mark.parametrize("phase", ["Allocated", "Released"])
@pytest.mark.parametrize(("first", "is_it"), [(0, True), (16, False)])
def test_a_record_that_makes_way_for_another_name_of_its_addresses_was_renamed(
    first: int, phase: str, *, is_it: bool
) -> None:
    other = RECORD.replace("one.", "store.")
    old, new = version(phase), version(phase, first=first)
    new = replace(new, claim=replace(old.claim, name="store"))
    row = ROW._replace(touched=(Touch(RECORD, "old", ""), Touch(other, "", "new")))
    found = list(events_of(row, {("old", RECORD): old, ("new", other): new}))
    if is_it:
        (item,) = found
        assert (item.what, item.record, item.heir, item.delta) == (What.RENAMED, old, new, ())
        assert concerning("team-a/store")(item)
        assert concerning(old.claim.short)(item)
        return
    came, went = {"Allocated": ("allocated", "removed"), "Released": ("released", "expired")}[phase]
    told = [(it.what.value, it.record.claim.name, it.heir) for it in found]
    assert told == [(went, "one", None), (came, "store", None)]
