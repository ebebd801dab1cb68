"""Counters, fragmentation and tiers, exactly (docs/reference/butler.md)."""

import pytest
from msgspec.structs import replace

from reconciler.addresses import IPRange
from reconciler.model.claim import Allocation
from reconciler.model.key import Key
from reconciler.model.plan import Usage
from reconciler.model.pool import Pool, Tier
from reconciler.planning.space import Holdings, usage
from tests.planning.outcome import a_pool, span
from tests.records.examples import record

KEY = Key("butler", "butler-system", "edge", "", "NetworkPool")
GONE = replace(KEY, name="gone")


def a_record(item: IPRange, key: Key = KEY) -> Allocation:
    return record(pool=key, range=item)


def used(found: Pool, *records: Allocation) -> Usage:
    return usage(found, Holdings({found.key: found}, records))


def test_two_equal_ranges_are_fragmented_by_half_even_when_empty() -> None:
    found = used(a_pool(span("10.0.0.0-10.0.0.9"), span("10.0.1.0-10.0.1.9")))
    assert (found.fragmentation, found.largest) == (50, 10)


def test_fragmentation_rounds_the_largest_share_down() -> None:
    pool_of_nine = a_pool(span("10.0.0.0-10.0.0.9"))
    found = used(pool_of_nine, a_record(span("10.0.0.6")))
    # Nine free, the largest range six: 100 - floor(66.67).
    assert (found.available, found.largest, found.fragmentation) == (9, 6, 34)


def test_a_record_of_a_pool_that_is_gone_counts_in_every_space() -> None:
    lab = a_pool(span("10.0.0.0-10.0.0.9"), space="lab")
    found = used(lab, a_record(span("10.0.0.0-10.0.0.3"), key=GONE))
    assert (found.allocated, found.count) == (4, 0)


def test_counts_of_an_ipv6_pool_are_exact_and_its_tier_too() -> None:
    start = 0x20010DB8 << 96
    size = 1 << 96
    edge = size * 95 // 100 + 1
    whole = a_pool(IPRange(6, start, start + size - 1))
    below = used(whole, a_record(IPRange(6, start, start + edge - 2)))
    at = used(whole, a_record(IPRange(6, start, start + edge - 1)))
    assert (below.available, below.tier) == (size - edge + 1, Tier.CRITICAL)
    assert (at.available, at.tier) == (size - edge, Tier.EXHAUSTED)


@pytest.mark.parametrize(
    ("taken", "total", "percent"),
    [(1, 80, 1.3), (3, 80, 3.8), (1, 2000, 0.1), (3, 2000, 0.2), (1, 2001, 0.0), (79, 80, 98.8)],
)
def test_the_percentage_is_rounded_half_up(taken: int, total: int, percent: float) -> None:
    start = span("10.0.0.0").first
    whole = IPRange(4, start, start + total - 1)
    assert used(a_pool(whole), a_record(whole._replace(last=start + taken - 1))).percent == percent
