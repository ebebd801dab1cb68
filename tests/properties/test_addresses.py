"""Ranges, sets, and free ranges compared with Python sets of numbers (invariants 10 and 11)."""

import ipaddress

from hypothesis import given
from hypothesis import strategies as st

from reconciler.addresses import (
    BITS,
    IPRange,
    IPSet,
    cidrs_of,
    format_address,
    format_cidr,
    format_range,
    parse_address,
    parse_cidr,
)
from reconciler.model.pool import Placement
from reconciler.planning.space import FreeRuns
from tests.properties.strategies import numbers, numbers_of, ranges

mixed = st.lists(st.one_of(ranges(version=4), ranges(version=6)), max_size=8)


@st.composite
def wide(draw: st.DrawFn) -> IPRange:
    version = draw(st.sampled_from((4, 6)))
    ends = draw(st.lists(st.integers(0, (1 << BITS[version]) - 1), min_size=2, max_size=2))
    return IPRange(version, min(ends), max(ends))


@st.composite
def blocks(draw: st.DrawFn) -> IPRange:
    version = draw(st.sampled_from((4, 6)))
    length = draw(st.integers(0, BITS[version]))
    size = 1 << (BITS[version] - length)
    first = draw(st.integers(0, (1 << length) - 1)) * size
    return IPRange(version, first, first + size - 1)


def is_sound(found: IPSet) -> bool:
    pairs = zip(found.ranges, found.ranges[1:], strict=False)
    return all(item.first <= item.last for item in found) and all(
        left.version < right.version
        or (left.version == right.version and left.last + 1 < right.first)
        for left, right in pairs
    )


@given(mixed, mixed)
def test_a_set_of_ranges_is_a_set_of_numbers(left: list[IPRange], right: list[IPRange]) -> None:
    mine, theirs = IPSet.of(left), IPSet.of(right)
    plain, other = numbers_of(left), numbers_of(right)
    for found, wanted in (
        (mine, plain),
        (mine | theirs, plain | other),
        (mine & theirs, plain & other),
        (mine - theirs, plain - other),
    ):
        assert is_sound(found)
        assert numbers_of(found) == wanted
        assert found.size == len(wanted)
        assert bool(found) == bool(wanted)


@given(mixed, ranges())
def test_a_set_knows_what_it_covers_and_meets(items: list[IPRange], item: IPRange) -> None:
    found, plain, wanted = IPSet.of(items), numbers_of(items), numbers(item)
    assert found.covers(item) == (wanted <= plain)
    meeting = found.overlapping(item)
    assert meeting == tuple(run for run in found if numbers(run) & wanted)


@given(ranges(), ranges(), st.sampled_from((4, 4, 6)))
def test_two_ranges_relate_as_their_numbers_do(left: IPRange, right: IPRange, version: int) -> None:
    right = right._replace(version=version)
    mine, theirs = numbers(left), numbers(right)
    assert left.covers(right) == (theirs <= mine)
    assert left.overlaps(right) == bool(mine & theirs)
    common = left.shared(right)
    assert (numbers(common) if common else set()) == mine & theirs
    assert left.size == len(mine)


@given(wide())
def test_a_range_reads_back_from_its_texts(item: IPRange) -> None:
    for value in (item.first, item.last):
        text = format_address(item.version, value)
        assert ipaddress.ip_address(text) == (
            ipaddress.IPv4Address(value) if item.version == 4 else ipaddress.IPv6Address(value)
        )
        if item.version == 4 or value > 0xFFFF_FFFF_FFFF:
            assert parse_address(text) == (item.version, value)
    assert format_range(item).split("-") == [
        format_address(item.version, value) for value in (item.first, item.last)
    ]
    listed = [ipaddress.ip_network(text) for text in cidrs_of(item)]
    assert sum(block.num_addresses for block in listed) == item.size
    assert int(listed[0][0]) == item.first
    assert int(listed[-1][-1]) == item.last
    assert (format_cidr(item) is not None) == (len(listed) == 1)


@given(blocks())
def test_a_block_reads_back_from_its_text(item: IPRange) -> None:
    text = format_cidr(item)
    assert text is not None
    assert ipaddress.ip_network(text).num_addresses == item.size
    if item.version == 4 or item.first == 0 or item.first > 0xFFFF_FFFF_FFFF:
        assert parse_cidr(text) == item


@given(
    mixed,
    st.sampled_from(Placement),
    st.lists(st.tuples(st.sampled_from("at"), ranges(longest=12)), max_size=12),
)
def test_free_runs_are_a_set_of_numbers_under_every_order_of_steps(
    items: list[IPRange], placement: Placement, steps: list[tuple[str, IPRange]]
) -> None:
    start = [run for run in IPSet.of(items) if run.version == 4]
    free = {value for _, value in numbers_of(start)}
    runs = FreeRuns([(run.first, run.last) for run in start], placement)
    for step, item in steps:
        if step == "a":
            first = runs.allocate(item.size)
            assert first == lowest_or_tightest(free, item.size, placement)
            free -= set(range(first, first + item.size)) if first is not None else set()
        else:
            runs.take(item.first, item.last)
            free -= set(range(item.first, item.last + 1))
    left = IPSet.of(IPRange(4, value, value) for value in free)
    for run in sorted(left, key=lambda run: run.size):
        assert FreeRuns([(run.first, run.last)], placement).allocate(run.size + 1) is None
    while free:
        first = runs.allocate(1)
        assert first in free
        free.discard(first)
    assert runs.allocate(1) is None


def lowest_or_tightest(free: set[int], size: int, placement: Placement) -> int | None:
    runs = [run for run in IPSet.of(IPRange(4, value, value) for value in free) if run.size >= size]
    if placement is Placement.BEST_FIT:
        runs.sort(key=lambda run: run.size)
    return runs[0].first if runs else None
