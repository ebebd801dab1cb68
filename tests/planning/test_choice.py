"""Which pools may serve a claim: of its IP version, and not when its family or the pool says no."""

import pytest
from msgspec.structs import replace

from reconciler.addresses import format_short
from reconciler.documents.findings import Location
from reconciler.model.claim import Allocation, Claim, Owner, Refusal
from reconciler.model.key import Key
from reconciler.model.plan import Decision, Grant, Refuse, State
from reconciler.model.pool import Pool
from reconciler.planning.planner import plan
from tests.planning.outcome import a_pool
from tests.records.examples import span
from tests.world import CLOCK

WEB = Key("butler", "team-a", "web", "loadbalancer", "TenantCluster")
DAY = 86_400
HERE = Location("x.yaml", 1, 1)
OWN = Refusal("no-matching-pool", "no pool bears the label", "label one")


FOUR = a_pool(span("10.0.0.1", "10.0.0.4"), name="four")
SIX = a_pool(span("2001:db8::1", "2001:db8::2"), name="six")
BOTH = a_pool(span("10.0.1.1", "10.0.1.1"), span("2001:db8:1::1", "2001:db8:1::2"), name="both")
SHUT = a_pool(span("10.0.2.1", "10.0.2.9"), name="shut", auto_assign=False)


def claim(*candidates: Pool, **fields: object) -> Claim:
    made = Claim(
        WEB, tuple(it.key for it in candidates), tuple(it.key.name for it in candidates), 1, None,
        False, Owner("team-a", "web", "a"), "loadbalancer", "initial", "web", "x", HERE,
    )  # fmt: skip
    return replace(made, **fields)


def decided(asked: Claim, *records: Allocation, clock: int = CLOCK) -> list[Decision]:
    pools = {it.key: it for it in (BOTH, FOUR, SHUT, SIX)}
    return list(plan(State(pools, {WEB: asked}, records, clock, DAY)).decisions)


def given(asked: Claim) -> str:
    (decision,) = decided(asked)
    assert isinstance(decision, Grant)
    assert decision.allocation.range is not None
    return format_short(decision.allocation.range)


def refused(asked: Claim) -> tuple[str, str]:
    (decision,) = decided(asked)
    assert isinstance(decision, Refuse)
    return decision.reason, decision.message


@pytest.mark.parametrize(
    ("candidates", "version", "address"),
    [
        ((FOUR, SIX), None, "10.0.0.1"),
        ((FOUR, SIX), 6, "2001:db8::1"),
        ((SIX, FOUR), 4, "10.0.0.1"),
        ((BOTH,), 6, "2001:db8:1::1"),
        ((BOTH,), 4, "10.0.1.1"),
        ((BOTH,), None, "10.0.1.1"),
        ((SHUT, FOUR), None, "10.0.0.1"),
    ],
)
def test_a_claim_is_served_by_a_pool_that_may(
    candidates: tuple[Pool, ...], version: int | None, address: str
) -> None:
    assert given(claim(*candidates, version=version)) == address


def test_a_pin_is_given_from_a_pool_that_gives_nothing_by_itself() -> None:
    pin = span("10.0.2.5", "10.0.2.5")
    assert given(claim(SHUT, pin=pin)) == "10.0.2.5"


@pytest.mark.parametrize(
    ("candidates", "version", "said"),
    [
        ((SHUT,), None, ("auto-assign-disabled", "shut gives no address by itself")),
        ((SIX, SHUT), 4, ("auto-assign-disabled", "shut gives no address by itself")),
        ((FOUR,), 6, ("family-mismatch", "the claim needs IPv6, four has none")),
        ((SHUT, FOUR), 6, ("family-mismatch", "the claim needs IPv6, shut has none")),
    ],
)
def test_a_claim_that_no_pool_may_serve_is_told_why(
    candidates: tuple[Pool, ...], version: int | None, said: tuple[str, str]
) -> None:
    assert refused(claim(*candidates, version=version)) == said
