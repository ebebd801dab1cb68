"""The growth of all tenants is split into free ranges of pools."""

from collections.abc import Mapping

from hypothesis import given, strategies

from reconciler.apply.elastic import Figures, GrowthOutcome
from reconciler.apply.growth import Fitted, fitted
from reconciler.families.demand import DemandEntry
from reconciler.model.claim import Refusal

FULL = Refusal("pool-exhausted", "no room", "widen it")


class Runs:
    """A pool of runs: each entry takes one that is as long as it, the larger entries first."""

    def __init__(self, *runs: int) -> None:
        self.runs = runs
        self.asked = 0

    def refused(
        self, asked: Mapping[str, tuple[DemandEntry, ...]]
    ) -> Mapping[tuple[str, int], Refusal]:
        self.asked += 1
        left = sorted(self.runs)
        every = [(-it.count, name, it.index) for name, entries in asked.items() for it in entries]
        found = {}
        for size, name, index in sorted(every):
            place = next((at for at, run in enumerate(left) if run >= -size), None)
            if place is None:
                found[name, index] = FULL
            else:
                left[place] += size
                left.sort()
        return found


def request(back: tuple[DemandEntry, ...], size: int, first: int) -> GrowthOutcome:
    return GrowthOutcome((), Figures(), first, back, size)


def counts(found: Fitted) -> list[int]:
    return [entry.count for entry in found.new]


def test_what_fits_is_one_entry_and_asked_for_once() -> None:
    pool = Runs(8)
    found = fitted({"a": request((), 4, 3), "b": request((), 3, 1)}, pool.refused)
    assert found == {
        "a": Fitted((), (DemandEntry(3, 4),), None),
        "b": Fitted((), (DemandEntry(1, 3),), None),
    }
    assert pool.asked == 1


def test_what_is_refused_for_another_reason_is_not_halved() -> None:
    frozen = Refusal("pool-frozen", "it cannot be read", "fix it")
    found = fitted({"a": request((), 4, 1)}, lambda asked: {("a", 1): frozen} if asked else {})
    assert found["a"] == Fitted((), (), frozen)


def test_what_comes_back_is_asked_for_whole() -> None:
    back = (DemandEntry(1, 2), DemandEntry(2, 2))
    found = fitted(
        {"a": request(back, 0, 3)}, lambda asked: {("a", 2): FULL} if len(asked["a"]) == 2 else {}
    )
    assert found["a"] == Fitted((DemandEntry(1, 2),), (), FULL)


@given(
    strategies.lists(strategies.integers(1, 9), max_size=6),
    strategies.lists(strategies.integers(0, 20), min_size=1, max_size=4),
)
def test_all_entries_that_are_left_are_served_and_none_is_more_than_was_wished(
    runs: list[int], sizes: list[int]
) -> None:
    wishes = {str(at): request((), size, 1) for at, size in enumerate(sizes)}
    pool = Runs(*runs)
    found = fitted(wishes, pool.refused)
    assert pool.asked <= 17
    assert pool.refused({name: it.new for name, it in found.items()}) == {}
    for name, wish in wishes.items():
        assert sum(counts(found[name])) <= wish.request
    if sum(runs) <= sum(sizes) and all(sizes):
        assert sum(sum(counts(it)) for it in found.values()) == sum(runs)
