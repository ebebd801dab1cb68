"""Pools, claims, allocations and decisions: the little that they decide themselves."""

import pytest
from msgspec.structs import replace

from reconciler.addresses import IPRange
from reconciler.documents.findings import Location
from reconciler.model.claim import Allocation, Owner, Phase
from reconciler.model.key import Key
from reconciler.model.plan import Blocked, Grant
from reconciler.model.pool import Thresholds, Tier

CLAIM = Key("butler", "team-a", "one", "loadbalancer", "TenantCluster")
PLACE = Location("tenants/one.yaml", 1, 1)


def allocation(phase: Phase = Phase.ALLOCATED) -> Allocation:
    return Allocation(
        claim=CLAIM,
        pool=Key("butler", "butler-system", "edge", "", "NetworkPool"),
        range=IPRange(4, 0, 7),
        phase=phase,
        since="2026-02-15T10:00:30Z",
        allocated_at="2026-02-15T10:00:30Z",
        size=8,
        pinned=False,
        type="loadbalancer",
        role="initial",
        owner=Owner("team-a", "one", "team-a"),
        name="team-a-one-lb",
        namespace="butler-system",
    )


@pytest.mark.parametrize(
    ("used", "total", "tier"),
    [
        (0, 100, Tier.OK),
        (69, 100, Tier.OK),
        (70, 100, Tier.WARNING),
        (84, 100, Tier.WARNING),
        (85, 100, Tier.CRITICAL),
        (94, 100, Tier.CRITICAL),
        (95, 100, Tier.EXHAUSTED),
        (100, 100, Tier.EXHAUSTED),
        (0, 0, Tier.EXHAUSTED),
        (8, 10, Tier.WARNING),
        (699_999_999_999_999_999_999_999, 10**24, Tier.OK),
    ],
)
def test_a_tier_is_reached_at_its_percentage_exactly(used: int, total: int, tier: Tier) -> None:
    assert Thresholds().tier(used, total) is tier


@pytest.mark.parametrize(
    ("phase", "live", "released"),
    [
        (Phase.ALLOCATED, True, False),
        (Phase.RELEASED, False, True),
        (Phase.FAILED, False, False),
        (Phase.PENDING, False, False),
    ],
)
def test_a_record_is_live_or_released_or_neither(phase: Phase, live: bool, released: bool) -> None:
    record = allocation(phase)
    assert (record.is_live, record.is_released) == (live, released)


def test_blocked_addresses_name_who_uses_them() -> None:
    blocked = Blocked(IPRange(4, 0, 7), "team-a/one (manual loadBalancerPool)", PLACE)
    assert blocked.owner == "team-a/one"


def test_a_grant_takes_back_only_what_a_released_record_still_holds() -> None:
    record = allocation()
    failed = replace(allocation(Phase.FAILED), range=None)
    assert not Grant(record, PLACE).is_taken_back
    assert not Grant(record, PLACE, failed).is_taken_back
    assert Grant(record, PLACE, allocation(Phase.RELEASED)).is_taken_back
