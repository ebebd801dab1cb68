"""Events on pools: at each crossing of a tier one, and none of it again for ten minutes."""

import json
from typing import Any

import pytest

from reconciler.families.butler.kinds import NETWORK_POOL
from reconciler.families.butler.objects import event_of
from reconciler.families.interface import ObjectEvent
from reconciler.kube.resources import IP_ALLOCATION
from reconciler.model.objects import Ref
from reconciler.model.pool import Thresholds
from reconciler.planning.projection import project
from tests.planning.outcome import Files
from tests.world import CLOCK, SMALL, evaluation_of, pool, reconciled

TIERS = ("Warning", "Critical", "Exhausted")
NOW = CLOCK + 3_600
EDGE = Ref(NETWORK_POOL, "butler-system", "edge")
RECORD = Ref(IP_ALLOCATION, "butler-system", "team-a-one-lb")


def network_pool(used: int) -> dict[str, Any]:
    rank = Thresholds().tier(used, 100).rank
    tiers = [{"type": f"Capacity{it}", "status": str(rank > at)} for at, it in enumerate(TIERS)]
    conditions = [{"type": "Ready", "status": "True"}, *tiers]
    return {
        "metadata": {"name": "edge", "namespace": "butler-system", "uid": "u-1"},
        "status": {"totalIPs": 100, "availableIPs": 100 - used, "conditions": conditions},
    }


def event(before: int | None, after: int, *events: Any, now: int = NOW) -> Any:
    live = None if before is None else network_pool(before)
    (known,) = evaluation_of(SMALL).state.pools.values()
    changed = ObjectEvent(
        EDGE, False, network_pool(after), live, known, lambda _: None, events, now
    )
    return event_of(changed)


def describe(found: Any) -> tuple[str, str, str] | None:
    return found and (found["type"], found["reason"], found["message"])


def test_an_event_is_whole() -> None:
    found = event(0, 75)
    assert found["metadata"]["name"].startswith("edge.")
    assert found["metadata"]["annotations"] == {"gitops-ipam.dev/tier": "warning"}
    assert (found["involvedObject"]["kind"], found["involvedObject"]["uid"]) == (
        "NetworkPool", "u-1",
    )  # fmt: skip
    assert (found["firstTimestamp"], found["count"]) == ("2026-02-15T11:00:30Z", 1)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (50, 70, "PoolCapacityWarning 70"),
        (70, 85, "PoolCapacityCritical 85"),
        (50, 90, "PoolCapacityCritical 85"),  # the highest tier only
        (95, 100, None),
        (None, 97, "PoolCapacityExhausted 95"),
        (100, 94, "PoolCapacityRecovered 95"),
        (100, 80, "PoolCapacityRecovered 85"),  # the lowest tier that it is below
        (90, 70, "PoolCapacityRecovered 85"),
        (70, 69, "PoolCapacityRecovered 70"),
    ],
)
def test_a_crossing_is_told_once_by_its_tier(
    before: int | None, after: int, expected: str | None
) -> None:
    found = describe(event(before, after))
    if expected is None:
        assert found is None
        return
    reason, percent = expected.split()
    used = f"({after}/100 IPs allocated)"
    up = ("Warning", reason, f"NetworkPool is over {percent}% utilized {used}")
    down = ("Normal", reason, f"NetworkPool utilization recovered below {percent}% {used}")
    assert found == (down if reason == "PoolCapacityRecovered" else up)


def read_back(found: Any) -> Any:
    text = json.loads(json.dumps(found))
    return {**text, "metadata": {**text["metadata"], "uid": "e", "creationTimestamp": None}}


# K3 of docs/reference/butler.md, across restarts: all that is known is read back.
def test_the_same_is_not_told_again_for_ten_minutes() -> None:
    first = read_back(event(50, 75))
    assert event(50, 75, first, now=NOW + 599) is None
    again = event(50, 75, first, now=NOW + 600)
    assert describe(again) == describe(first)
    assert again["metadata"]["name"] != first["metadata"]["name"]


def allocation(files: Files) -> Any:
    (found,) = (
        item.manifest
        for item in project(evaluation_of(reconciled(files)))
        if item.manifest["kind"] == "IPAllocation"
    )
    return found


def allocation_event(record: Any, live: Any) -> Any:
    there = {EDGE: network_pool(8)}
    return event_of(ObjectEvent(RECORD, True, record, live, None, there.get, (), NOW))


FULL: Files = {**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/30")}


def test_what_became_of_an_allocation_is_told_on_its_pool() -> None:
    given = "Allocated 8 IPs (10.40.0.0 - 10.40.0.7) for team-a-one-lb"
    refused = "Failed to allocate IPs for team-a-one-lb: needs 8 addresses, more than pool edge (4) can hold when empty"
    for files, expected in (
        (SMALL, ("Normal", "IPsAllocated", given)),
        (FULL, ("Warning", "AllocationFailed", refused)),
    ):
        found = allocation_event(allocation(files), None)
        assert found is not None
        assert (found["involvedObject"]["name"], found["involvedObject"]["uid"]) == ("edge", "u-1")
        assert describe(found) == expected


def test_what_the_cluster_shows_already_is_not_told_again() -> None:
    got, failed = allocation(SMALL), allocation(FULL)
    assert allocation_event(got, got) is None
    assert allocation_event(failed, failed) is None
    assert allocation_event(got, failed) is not None
    assert allocation_event(failed, got) is not None
    assert allocation_event(got, {"metadata": {}}) is not None
