"""The final demand of a tenant, and the message about unavailable growth."""

import pytest
from msgspec.structs import replace

from reconciler.apply.elastic import Figures, GrowthOutcome
from reconciler.apply.growth import Fitted, document_of, settled
from reconciler.families.demand import LAST, MAX_DEMAND, DemandEntry
from reconciler.model.claim import Phase, Refusal
from tests.apply.elastic.building import entry, record

FULL = Refusal("pool-exhausted", "edge has no room", "widen it")
TWO = (entry(1), entry(2, 2))


def outcome(**more: object) -> GrowthOutcome:
    made = GrowthOutcome(TWO, Figures(pending=3), first=3, names="default/c")
    return replace(made, **more)


def test_what_is_got_is_added_and_what_goes_is_left_out() -> None:
    found = settled(outcome(request=2, needed=1), Fitted((), (DemandEntry(3, 2),), None))
    assert (found.entries, found.words) == ((*TWO, DemandEntry(3, 2)), ())
    gone = settled(outcome(going=(entry(2, 2),)), Fitted((), (), None))
    assert gone.entries == (entry(1),)


def test_nothing_goes_that_nobody_may_touch_now() -> None:
    found = settled(outcome(going=(entry(2, 2), entry(1))), Fitted((), (), None), stays=[2])
    assert found.entries == (entry(2, 2),)


def test_what_comes_back_and_is_refused_is_left_out() -> None:
    found = settled(outcome(back=TWO), Fitted((entry(1),), (), FULL))
    assert found.entries == (entry(1),)


def test_what_a_demand_has_no_room_for_is_told() -> None:
    many = tuple(entry(at) for at in range(1, MAX_DEMAND))
    got = Fitted((), (entry(MAX_DEMAND), entry(MAX_DEMAND + 1)), None)
    found = settled(outcome(entries=many, request=2, needed=2), got)
    assert (len(found.entries), found.figures.blocked) == (MAX_DEMAND, 1)
    assert f"the Demand has room for {MAX_DEMAND} entries" in found.words[0].message
    found = settled(outcome(request=1, needed=1), Fitted((), (entry(LAST + 1),), None))
    assert (found.entries, found.figures.blocked) == (TWO, 1)


def test_entries_of_a_cluster_share_the_room_of_its_demand() -> None:
    got = Fitted((), (entry(3), entry(4)), None)
    found = settled(outcome(request=2, needed=2), got, most=3)
    assert (len(found.entries), found.figures.blocked) == (3, 1)
    assert "the Demand has room for 3 entries" in found.words[0].message


GONE = record(1, "10.0.0.8-10.0.0.8", Phase.RELEASED)


@pytest.mark.parametrize(
    ("before", "after", "stated", "records", "stands"),
    [
        (None, (), (), [], None),
        (None, TWO, TWO, [GONE], None),
        (None, (entry(1),), TWO, [GONE], (entry(1),)),
        (None, (), TWO, [GONE], ()),
        (TWO, TWO, (), [], TWO),
        (tuple(reversed(TWO)), TWO, (), [], tuple(reversed(TWO))),
        (TWO, (), (), [], ()),
        ((), (), (), [GONE], ()),
        ((), (), (), [], None),
        ((), TWO, (), [], TWO),
    ],
)
def test_which_document_stands(
    before: tuple[DemandEntry, ...] | None,
    after: tuple[DemandEntry, ...],
    stated: tuple[DemandEntry, ...],
    records: list[object],
    stands: tuple[DemandEntry, ...] | None,
) -> None:
    assert document_of(before, after, stated, records) == stands  # type: ignore[arg-type]
