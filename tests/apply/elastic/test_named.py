"""Services that name the address that they want."""

from typing import Any

import pytest

from reconciler.apply.elastic import GrowthOutcome
from reconciler.apply.growth import Fitted, settled
from reconciler.model.claim import Phase
from tests.apply.elastic.building import Tenant, entry, record, service

GROWN = record(1, "10.0.0.8-10.0.0.8")
SHARED = {"metallb.io/allow-shared-ip": "k"}


def not_served(outcome: GrowthOutcome) -> str:
    words = settled(outcome, Fitted(outcome.back, (), None)).words
    return next((it.message for it in words if it.reason == "IPAMServiceNotServed"), "")


@pytest.mark.parametrize(
    ("who", "ports", "is_told"),
    [
        ({}, 443, True),  # who has it shares with nobody
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
    told = not_served(found)
    assert ("which another Service has by another sharing key, or at the same port" in told) is (
        is_told
    )


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
