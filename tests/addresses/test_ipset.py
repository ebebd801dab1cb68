"""Sets of addresses against a plain Python set of numbers."""

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import pytest

from reconciler.addresses import IPRange, IPSet

UNIVERSE = 8
V6 = 6


def numbers(ranges: Iterable[IPRange]) -> set[tuple[int, int]]:
    return {(item.version, value) for item in ranges for value in range(item.first, item.last + 1)}


def set_of_bits(bits: int, version: int = 4) -> IPSet:
    """The set whose addresses are the bits of a number."""
    return IPSet.of(
        IPRange(version, value, value) for value in range(UNIVERSE) if bits >> value & 1
    )


def is_normalised(found: IPSet) -> bool:
    """Sorted, disjoint, and no two runs touch."""
    return all(
        left.version < right.version or left.last + 1 < right.first
        for left, right in zip(found.ranges, found.ranges[1:], strict=False)
    ) and all(item.first <= item.last for item in found.ranges)


PATTERNS = [set_of_bits(bits) for bits in range(1 << UNIVERSE)]


@pytest.mark.parametrize(
    ("operate", "wanted"),
    [(IPSet.__or__, set.__or__), (IPSet.__and__, set.__and__), (IPSet.__sub__, set.__sub__)],
    ids=["union", "intersection", "difference"],
)
def test_operations_agree_with_python_sets_on_patterns_of_eight_addresses(
    operate: Callable[[IPSet, IPSet], IPSet], wanted: Callable[[Any, Any], set[tuple[int, int]]]
) -> None:
    for one, two in product(PATTERNS, PATTERNS[::3]):
        found = operate(one, two)
        expected = wanted(numbers(one), numbers(two))
        assert numbers(found) == expected
        assert found.size == len(expected)
        assert bool(found) is bool(expected)
        assert is_normalised(found)


def test_a_set_covers_just_the_ranges_whose_addresses_it_holds() -> None:
    for bits in range(1 << UNIVERSE):
        found = set_of_bits(bits)
        held = numbers(found)
        for first, last in product(range(UNIVERSE), repeat=2):
            if first <= last:
                item = IPRange(4, first, last)
                assert found.covers(item) is (numbers([item]) <= held)
                assert numbers(found.overlapping(item)) >= numbers([item]) & held


def test_ranges_come_in_any_order_and_may_overlap() -> None:
    found = IPSet.of([IPRange(4, 30, 39), IPRange(4, 0, 9), IPRange(4, 5, 6), IPRange(4, 10, 12)])
    assert found.ranges == (IPRange(4, 0, 12), IPRange(4, 30, 39))


def test_iteration_gives_the_runs_in_order() -> None:
    runs = [IPRange(4, 0, 1), IPRange(4, 5, 5), IPRange(V6, 0, 1)]
    assert list(IPSet.of(reversed(runs))) == runs


def test_versions_never_mix() -> None:
    four, six = IPSet.of([IPRange(4, 0, 9)]), IPSet.of([IPRange(V6, 0, 9)])
    assert not four & six
    assert four - six == four
    assert (four | six).size == 20
    assert not (four | six).covers(IPRange(V6, 5, 10))
    top = IPRange(4, (1 << 32) - 1, (1 << 32) - 1)
    assert IPSet.of([top, IPRange(V6, 1 << 32, 1 << 32)]).size == 2


def test_the_whole_of_ipv6_costs_as_little_as_one_address() -> None:
    everything = IPSet.of([IPRange(V6, 0, (1 << 128) - 1)])
    hole = IPSet.of([IPRange(V6, 1 << 64, 1 << 64)])
    assert (everything - hole).size == (1 << 128) - 1
    assert (everything - everything).size == 0
    assert everything & hole == hole


def test_an_empty_set_is_false_and_holds_nothing() -> None:
    assert not IPSet()
    assert IPSet().size == 0
    assert not IPSet().covers(IPRange(4, 0, 0))
    assert IPSet() - IPSet() == IPSet()
