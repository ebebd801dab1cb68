"""Pools, claims, allocations and decisions: the little that they decide themselves."""

import pytest

from reconciler.model.pool import Thresholds, Tier


@pytest.mark.parametrize(
    ("used", "total", "tier"),
    [
        (0, 100, Tier.OK),
        (70, 100, Tier.WARNING),
        (85, 100, Tier.CRITICAL),
        (95, 100, Tier.EXHAUSTED),
        (100, 100, Tier.EXHAUSTED),
        (0, 0, Tier.EXHAUSTED),
        (699_999_999_999_999_999_999_999, 10**24, Tier.OK),
    ],
)
def test_a_tier_is_reached_at_its_percentage_exactly(used: int, total: int, tier: Tier) -> None:
    assert Thresholds().tier(used, total) is tier
