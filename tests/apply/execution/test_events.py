"""Events in the cluster: at a crossing, once, and never again within ten minutes."""

from tests.apply.execution.site import MERGE, POOLS, Site, failures, world

EVENTS = "/api/v1/namespaces/butler-system/events"
SIX = ("a", "b", "c", "d", "e", "f")


def describe(site: Site) -> list[tuple[str, str]]:
    found = site.management.get(EVENTS)["items"]
    return sorted((item["type"], item["reason"]) for item in found)


def test_a_tier_that_is_crossed_is_told_once(site: Site) -> None:
    site.apply(world())
    assert describe(site) == []
    site.apply(world(*SIX), "b")
    crossing = ("Warning", "PoolCapacityWarning")
    assert describe(site).count(crossing) == 1
    (event,) = [
        item
        for item in site.management.get(EVENTS)["items"]
        if item["reason"] == "PoolCapacityWarning"
    ]
    assert event["message"] == "NetworkPool is over 70% utilized (24/32 IPs allocated)"
    pool = site.management.get(f"{POOLS}/edge")
    assert event["involvedObject"]["uid"] == pool["metadata"]["uid"]
    site.apply(world(*SIX), "c")
    assert describe(site).count(crossing) == 1


def test_going_down_and_up_again_within_minutes_tells_each_once(site: Site) -> None:
    site.apply(world())
    site.apply(world(*SIX), "b")
    site.apply(world("a"), "c")
    recovered = ("Normal", "PoolCapacityRecovered")
    assert describe(site).count(recovered) == 1
    site.apply(world(*SIX), "d")
    assert describe(site).count(("Warning", "PoolCapacityWarning")) == 1
    site.apply(world("a"), "e")
    assert describe(site).count(recovered) == 1


def test_addresses_that_are_given_are_told_on_the_pool(site: Site) -> None:
    site.apply(world())
    site.apply(world("web"), "b")
    (event,) = site.management.get(EVENTS)["items"]
    assert event["reason"] == "IPsAllocated"
    assert event["message"] == "Allocated 4 IPs (10.0.0.0 - 10.0.0.3) for team-a-web-lb"


def test_a_claim_that_is_refused_is_told(site: Site) -> None:
    site.apply(world())
    site.apply(world(*"abcdefghi"), "b")  # nine tenants of 4 in a pool of 32
    events = site.management.get(EVENTS)["items"]
    (event,) = [item for item in events if item["reason"] == "AllocationFailed"]
    assert event["type"] == "Warning"
    assert event["message"].startswith("Failed to allocate IPs for team-a-i-lb: ")


def test_events_that_cannot_be_made_fail_nothing(site: Site) -> None:
    site.apply(world())
    site.management.request("PATCH", f"{POOLS}/edge", {"metadata": {"labels": {"a": "b"}}}, MERGE)
    applied = site.apply(world(*SIX), "b")["management"]
    assert failures(applied) == {}
