"""A tenant whose claims moved: what they left is announced, and asks for nothing."""

from msgspec.structs import replace

from reconciler.model.claim import Phase
from tests.apply.elastic.building import Tenant, addresses, entry, record, service

GROWN = record(1, "10.0.0.8-10.0.0.8")


def test_what_a_claim_left_when_it_moved_is_spare_for_nobody() -> None:
    """It is announced beside the new range, but the next look may withdraw it."""
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
