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


def test_events_that_cannot_be_made_fail_nothing(site: Site) -> None:
    site.apply(world())
    site.management.request("PATCH", f"{POOLS}/edge", {"metadata": {"labels": {"a": "b"}}}, MERGE)
    applied = site.apply(world(*SIX), "b")["management"]
    assert failures(applied) == {}
