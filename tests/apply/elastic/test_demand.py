"""All rules of growth and shrinking."""

from typing import Any

import pytest
from msgspec.structs import replace

from reconciler.apply.elastic import GrowthOutcome
from reconciler.apply.growth import Fitted, settled
from reconciler.families.demand import DemandEntry
from reconciler.model.claim import Phase
from reconciler.model.settings import Elastic
from tests.apply.elastic.building import LONG_AGO, Tenant, addresses, entry, record, service
from tests.world import CLOCK

GROWN = record(1, "10.0.0.8-10.0.0.8")
SHARED = {"metallb.io/allow-shared-ip": "k"}


def words(outcome: GrowthOutcome) -> dict[str, str]:
    found = settled(
        outcome, Fitted(outcome.back, (DemandEntry(outcome.first, outcome.request),), None)
    )
    assert found.figures == outcome.figures
    return {word.reason: word.message for word in found.words}


def test_a_pending_service_beyond_the_first_addresses_makes_the_tenant_grow() -> None:
    found = Tenant(service("c")).looked_at()
    assert (found.request, found.needed, found.first) == (1, 1, 1)
    assert (found.entries, found.words) == ((), ())
    assert found.figures == (1, 0, 0, 0)


def test_one_claim_of_growth_is_never_larger_than_a_demand_may_say() -> None:
    tenant = Tenant(service("c"))
    tenant.increment, tenant.room = 70_000, 100_000
    assert tenant.looked_at().request == 65_536


def test_growth_is_the_increment_or_the_need_whichever_is_more() -> None:
    tenant = Tenant(service("c"))
    tenant.increment = 4
    assert (tenant.looked_at().request, tenant.looked_at().needed) == (4, 1)
    tenant.services += [service(f"more-{at}") for at in range(6)]
    assert (tenant.looked_at().request, tenant.looked_at().needed) == (7, 7)


@pytest.mark.parametrize(("age", "pending"), [(0, 0), (1, 1), (-5, 0)])
def test_a_service_counts_when_it_is_old_enough_by_the_clock_of_the_server(
    age: int, pending: int
) -> None:
    assert Tenant(service("c", created=CLOCK - age)).looked_at().figures.pending == pending


def test_services_that_were_made_within_a_second_grow_together() -> None:
    young = [service(name, created=CLOCK) for name in "cd"]
    tenant = Tenant(*young)
    assert (tenant.looked_at().figures.pending, tenant.looked_at().again) == (0, 1)
    assert Tenant(*young, service("e", created=CLOCK - 1)).looked_at().figures.pending == 3


@pytest.mark.parametrize(
    "more",
    [
        {"loadBalancerClass": "cloud/nlb"},
        {"annotations": {"metallb.io/address-pool": "others"}},
        {"annotations": {"metallb.universe.tf/address-pool": "others"}},
        {"metadata": {"deletionTimestamp": "2026-02-15T10:00:30Z"}},
        {"type": "NodePort"},
    ],
)
def test_what_others_serve_and_what_goes_counts_for_nothing_and_is_not_told(more: Any) -> None:
    found = Tenant(service("c", **more)).looked_at()
    assert (found.figures.pending, found.request, found.words) == (0, 0, ())


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"loadBalancerIP": "192.0.2.1"}, "192.0.2.1, which is not an address of the tenant"),
        (
            {"annotations": {"metallb.io/loadBalancerIPs": "10.0.0.1,192.0.2.1"}},
            "192.0.2.1, which is not an address of the tenant",
        ),
        ({"loadBalancerIP": "10.0.0.1"}, "10.0.0.1, which another Service has"),
        ({"ipFamilies": ["IPv6"]}, "it needs an IPv6 address, and the tenant's pools have none"),
        ({"ipFamilyPolicy": "RequireDualStack"}, "it needs an IPv6 address"),
        ({"loadBalancerIP": "x"}, "'x', which is not an address"),
    ],
)
def test_a_service_that_no_growth_would_serve_is_told_and_grows_nothing(
    more: Any, why: str
) -> None:
    found = Tenant(service("c", **more)).looked_at()
    assert (found.figures.pending, found.request) == (0, 0)
    assert words(found)["IPAMServiceNotServed"].startswith("growth cannot serve default/c: it ")
    assert why in words(found)["IPAMServiceNotServed"]


def test_services_that_share_an_address_count_once() -> None:
    many = [service(f"s{at}", annotations=SHARED, ports=[{"port": at}]) for at in range(5)]
    assert Tenant(*many).looked_at().figures.pending == 1


def test_a_service_that_may_join_an_address_that_is_there_needs_none() -> None:
    tenant = Tenant(service("s", annotations=SHARED, ports=[{"port": 443}]))
    tenant.services[1] = service("b", "10.0.0.1", annotations=SHARED)
    assert tenant.looked_at().figures.pending == 0


@pytest.mark.parametrize(
    "other",
    [
        {"annotations": {"metallb.io/allow-shared-ip": "other"}, "ports": [{"port": 443}]},
        {"annotations": SHARED, "ports": [{"port": 80}]},
        {"annotations": SHARED, "ports": [{"port": 443}], "externalTrafficPolicy": "Local",
         "selector": {"app": "x"}},
        {"ports": [{"port": 443}]},
    ],
)  # fmt: skip
def test_others_share_no_address(other: Any) -> None:
    tenant = Tenant(service("s", annotations=SHARED), service("t", **other))
    assert tenant.looked_at().figures.pending == 2


def test_the_port_of_one_who_has_an_address_keeps_others_away_wherever_it_is() -> None:
    tenant = Tenant(service("s", annotations=SHARED))
    tenant.services[0] = service("a", "10.0.0.0", annotations=SHARED)
    tenant.services[1] = service("b", "10.0.0.1", annotations=SHARED)
    assert tenant.looked_at().figures.pending == 1


def test_spare_addresses_are_used_up_before_anybody_grows() -> None:
    tenant = Tenant(service("c"), service("d")).with_growth(GROWN)
    found = tenant.looked_at()
    assert (found.figures[:3], found.request) == ((2, 1, 0), 1)


def test_what_is_granted_and_not_announced_yet_is_in_flight() -> None:
    tenant = Tenant(service("c")).with_growth(GROWN, announces=False)
    assert (tenant.looked_at().figures[:3], tenant.looked_at().request) == ((1, 0, 1), 0)


def test_the_first_service_of_a_tenant_without_first_addresses_grows_from_nothing() -> None:
    tenant = Tenant()
    tenant.services, tenant.records = [service("c")], ()
    tenant.pool = tenant.pool._replace(addresses=addresses())
    assert (tenant.looked_at().request, tenant.looked_at().first) == (1, 1)


@pytest.mark.parametrize(("room", "size"), [(9, 4), (3, 3), (2, 2), (1, 1), (0, 0), (-2, 0)])
def test_growth_is_cut_to_what_the_quota_leaves(room: int, size: int) -> None:
    tenant = Tenant(service("c"), service("d"))
    tenant.increment, tenant.room = 4, room
    found = tenant.looked_at()
    assert (found.request, found.figures.blocked) == (size, max(0, 2 - size))
    assert ("IPAMGrowthBlocked" in words(found)) is (size < 2)


def test_without_a_quota_a_tenant_grows_by_so_much_at_most() -> None:
    tenant = Tenant(*(service(f"c{at:05d}") for at in range(1_000)))
    found = tenant.looked_at()
    assert (found.request, found.figures.blocked) == (64, 936)
    assert "elastic.maxGrowth in Settings" in words(found)["IPAMGrowthBlocked"]
    assert len(words(found)["IPAMGrowthBlocked"]) < 400
    tenant.with_growth(record(1, "10.0.1.0-10.0.1.39"), announces=False)
    assert tenant.looked_at().request == 24


@pytest.mark.parametrize("room", [None, 10])
def test_what_was_given_back_and_still_holds_addresses_counts_towards_the_limit(
    room: int | None,
) -> None:
    tenant = Tenant(*(service(f"c{at}") for at in range(30)), entries=[])
    tenant.settings, tenant.room = Elastic(max_growth=10), room
    tenant.with_growth(record(3, "10.0.0.8-10.0.0.11", Phase.RELEASED), announces=False)
    found = tenant.looked_at()
    assert (found.back, found.request) == ((entry(3, 4),), 6)


@pytest.mark.parametrize("unwell", ["MetalLB (controller) rejects its configuration: x"])
def test_nobody_grows_or_shrinks_where_an_address_would_not_help(unwell: str) -> None:
    tenant = Tenant(service("c"))
    tenant.unwell = unwell
    found = tenant.looked_at()
    assert (found.request, found.figures.blocked) == (0, 1)
    assert unwell in words(found)["IPAMGrowthBlocked"]
    idle = Tenant().with_growth(GROWN)
    idle.unwell, idle.idle = unwell, {"1@a000008": LONG_AGO}
    assert idle.looked_at().going == ()


def test_the_next_entry_has_a_number_that_nothing_ever_had() -> None:
    tenant = Tenant(service("c"), service("d"), entries=[entry(2)])
    tenant.with_growth(record(5, "10.0.0.9-10.0.0.9", Phase.RELEASED), announces=False)
    tenant.settings = Elastic(max_growth=1)
    assert tenant.looked_at().first == 6
    assert Tenant(entries=[entry(8)]).looked_at().first == 9


def idle_tenant(*more: Any, since: int = CLOCK - 600) -> Tenant:
    tenant = Tenant(*more).with_growth(GROWN, record(2, "10.0.0.12-10.0.0.13"))
    tenant.idle = {"1@a000008": since, "2@a00000c": since}
    return tenant


def test_growth_that_nobody_uses_for_long_enough_goes_the_highest_first() -> None:
    found = idle_tenant().looked_at()
    assert found.going == (entry(2, 2), entry(1))
    assert found.entries == (entry(1), entry(2, 2))
    assert idle_tenant(since=CLOCK - 599).looked_at().going == ()


def test_idle_is_since_the_last_use_and_not_since_the_grant() -> None:
    tenant = Tenant().with_growth(GROWN)
    found = tenant.looked_at()
    assert (found.going, found.idle) == ((), {"1@a000008": CLOCK})


def test_growth_of_which_one_address_is_used_stays_whole() -> None:
    found = idle_tenant(service("c", "10.0.0.13")).looked_at()
    assert found.going == (entry(1),)
    assert found.idle == {"1@a000008": CLOCK - 600}


def test_the_first_addresses_never_go() -> None:
    tenant = Tenant()
    tenant.services, tenant.idle = [], {"0@a000000": LONG_AGO}
    assert tenant.looked_at().going == ()
    assert tenant.looked_at().idle == {}


def test_nothing_goes_while_somebody_waits_however_young() -> None:
    assert idle_tenant(service("c", created=CLOCK)).looked_at().going == ()


def test_nothing_goes_where_some_service_cannot_be_read() -> None:
    tenant = idle_tenant(service(metadata={"creationTimestamp": "yesterday"}))
    found = tenant.looked_at()
    assert found.going == ()
    assert "creationTimestamp is not a valid time" in words(found)["IPAMServiceNotServed"]


def test_what_the_cluster_does_not_announce_yet_is_not_idle() -> None:
    tenant = Tenant().with_growth(GROWN, announces=False)
    assert tenant.looked_at().idle == {}


def test_other_addresses_under_the_same_number_are_not_idle_since_then() -> None:
    tenant = Tenant().with_growth(GROWN)
    tenant.idle = {"1@a000009": LONG_AGO}
    assert tenant.looked_at().idle == {"1@a000008": CLOCK}


@pytest.mark.parametrize(
    ("now", "going", "again"),
    [(CLOCK + 299, (), 1), (CLOCK + 300, (entry(1),), None), (0, (entry(1),), None)],
)
def test_growth_stays_for_half_as_long_as_it_may_be_idle_by_a_clock_that_is_not_the_tenants(
    now: int, going: tuple[DemandEntry, ...], again: int | None
) -> None:
    tenant = Tenant().with_growth(record(1, "10.0.0.8-10.0.0.8", at=CLOCK))
    tenant.idle, tenant.clock = {"1@a000008": LONG_AGO}, now
    found = tenant.looked_at()
    assert (found.going, found.again) == (going, again)


def test_a_clock_that_was_set_back_makes_nothing_idle_for_longer() -> None:
    tenant = idle_tenant(since=CLOCK + 9_999)
    assert tenant.looked_at().going == ()
    assert tenant.looked_at().idle["1@a000008"] == CLOCK


def test_an_entry_that_holds_nothing_goes_when_nobody_waits() -> None:
    tenant = Tenant(entries=[entry(4)])
    assert tenant.looked_at().idle == {"4@-": CLOCK}
    tenant.idle = {"4@-": CLOCK - 600}
    assert tenant.looked_at().going == (entry(4),)


def test_a_service_that_takes_an_address_before_it_is_withdrawn_keeps_it() -> None:
    tenant = Tenant(service("c", "10.0.0.8"), entries=[])
    tenant.with_growth(record(1, "10.0.0.8-10.0.0.9", Phase.RELEASED))
    found = tenant.looked_at()
    assert (found.back, found.entries, found.going) == ((entry(1, 2),), (entry(1, 2),), ())
    tenant.room, tenant.unwell = 0, "MetalLB is ill"
    assert tenant.looked_at().entries == (entry(1, 2),)


def test_what_was_given_back_is_asked_for_again_before_anything_new() -> None:
    tenant = Tenant(service("c"), service("d"), service("e"), entries=[])
    tenant.with_growth(
        record(1, "10.0.0.8-10.0.0.8", Phase.RELEASED),
        record(2, "10.0.0.10-10.0.0.10", Phase.RELEASED),
        record(3, "10.0.0.12-10.0.0.12", Phase.RELEASED),
        announces=False,
    )
    found = tenant.looked_at()
    assert (found.back, found.request) == ((entry(1), entry(2), entry(3)), 0)
    tenant.services.pop()
    assert tenant.looked_at().back == (entry(1), entry(2))


# Services that request an address


@pytest.mark.parametrize(
    ("who", "ports", "is_told"),
    [
        ({}, 443, True),  # its Service does not share it
        ({"annotations": {"metallb.io/allow-shared-ip": "other"}}, 443, True),
        ({"annotations": SHARED}, 80, True),
        ({"annotations": SHARED}, 443, False),
    ],
)
def test_a_service_that_names_an_address_joins_who_has_it_or_is_told(
    who: Any, ports: int, is_told: bool
) -> None:
    named = {**SHARED, "metallb.io/loadBalancerIPs": "10.0.0.1"}
    tenant = Tenant(service("s", annotations=named, ports=[{"port": ports}]))
    tenant.services[1] = service("b", "10.0.0.1", ports=[{"port": 80}], **who)
    found = tenant.looked_at()
    assert (found.figures.pending, found.request) == (0, 0)
    told = words(found).get("IPAMServiceNotServed", "")
    assert ("with another sharing key, or with the same port" in told) is is_told


def test_two_services_of_one_name_and_uid_are_counted_however_they_differ() -> None:
    twins = [service("c", loadBalancerIP=f"10.0.0.{at}") for at in (8, 9)]
    grown = record(1, "10.0.0.8-10.0.0.9")
    assert Tenant(*twins).with_growth(grown).looked_at().figures.pending == 2


def test_a_service_that_asks_for_an_address_that_is_free_counts() -> None:
    tenant = Tenant(service("c", loadBalancerIP="10.0.0.8"), service("d")).with_growth(GROWN)
    assert tenant.looked_at().figures[:2] == (2, 1)


def test_what_a_service_names_comes_back_before_anything_else() -> None:
    given = [record(at, f"10.0.0.{at}-10.0.0.{at}", Phase.RELEASED) for at in (5, 6)]
    tenant = Tenant(service("c", loadBalancerIP="10.0.0.6")).with_growth(*given, announces=False)
    found = tenant.looked_at()
    assert (found.back, found.request) == ((entry(6),), 0)


# Moved claims: their old range is announced, and needs no growth


def test_what_a_claim_left_when_it_moved_is_spare_for_nobody() -> None:
    """It is announced next to the new range, but the next run can withdraw it."""
    tenant = Tenant(service("c"))
    left = replace(record(0, "10.0.1.0-10.0.1.7", Phase.RELEASED), announced=True)
    tenant.records = (*tenant.records, left)
    tenant.pool = tenant.pool._replace(
        addresses=addresses("10.0.0.0-10.0.0.1", "10.0.1.0-10.0.1.7")
    )
    assert (tenant.looked_at().request, tenant.looked_at().needed) == (1, 1)


def test_growth_that_moved_is_known_by_what_it_holds_now() -> None:
    left = replace(record(1, "10.0.1.0-10.0.1.0", Phase.RELEASED), announced=True)
    tenant = Tenant(service("c"), entries=[entry(1)]).with_growth(GROWN, left)
    assert tenant.looked_at().entries == (entry(1),)
    assert tenant.looked_at().request == 0
