"""Two claims of one owner, one for each IP version: both get an address, or neither does."""

from collections.abc import Iterable

import pytest
from msgspec.structs import replace

from reconciler.addresses import format_short
from reconciler.documents.findings import Location
from reconciler.model.claim import Allocation, Claim, Owner, Phase
from reconciler.model.key import Key
from reconciler.model.plan import Decision, Grant, Refuse, State
from reconciler.model.pool import Pool
from reconciler.planning.planner import other_of, plan, precedence
from tests.planning.outcome import a_pool
from tests.records.examples import SINCE, span
from tests.world import CLOCK

HERE = Location("x.yaml", 1, 1)
DAY = 86_400


FOUR = span("10.0.0.1", "10.0.0.9")
WIDE = a_pool(FOUR, span("2001:db8::1", "2001:db8::9"), name="both")
NARROW = a_pool(FOUR, span("2001:db8::1", "2001:db8::1"), name="both")


def key(owner: str, version: int) -> Key:
    return Key(
        "butler", "team-a", owner, "nodes" if version == 6 else "loadbalancer", "TenantCluster"
    )


def pair(owner: str, *, four: str = "", six: str = "") -> list[Claim]:
    """Return two claims, each with an optional pin."""
    made = []
    for version, text in ((4, four), (6, six)):
        pin = span(text, text) if text else None
        claim = Claim(
            key(owner, version), (WIDE.key,), ("both",), 1, pin, True,
            Owner("team-a", owner, "a"), "vip", "initial", f"{owner}-{version}", "x", HERE,
            version=version, requires=key(owner, 10 - version),
        )  # fmt: skip
        made.append(claim)
    return made


def record(owner: str, version: int, text: str, phase: Phase = Phase.ALLOCATED) -> Allocation:
    return Allocation(
        key(owner, version), WIDE.key, span(text, text), phase, SINCE, SINCE, 1, False, "vip",
        "initial", Owner("team-a", owner, "a"), f"{owner}-{version}", "x", path=f"{owner}{version}",
    )  # fmt: skip


def planned(
    of: Pool, claims: Iterable[Claim], *records: Allocation, **more: object
) -> dict[Key, Decision]:
    state = State({of.key: of}, {claim.key: claim for claim in claims}, records, CLOCK, DAY)
    state = replace(state, **more)
    return {item.claim: item for item in plan(state).decisions}


def said(decisions: dict[Key, Decision]) -> dict[str, str]:
    found = {}
    for claim, item in decisions.items():
        text = item.reason if isinstance(item, Refuse) else type(item).__name__
        if not isinstance(item, Refuse) and item.allocation.range is not None:
            text = f"{text} {format_short(item.allocation.range)}"
        found[f"{claim.name}{'6' if claim.slot == 'nodes' else '4'}"] = text
    return found


def test_both_get_one() -> None:
    assert said(planned(WIDE, pair("a"))) == {"a4": "Grant 10.0.0.1", "a6": "Grant 2001:db8::1"}


def test_neither_gets_one_when_one_cannot_and_the_other_is_left_for_others() -> None:
    found = planned(NARROW, [*pair("a"), *pair("b"), replace(pair("c")[0], requires=None)])
    assert said(found) == {
        "a4": "Grant 10.0.0.1", "a6": "Grant 2001:db8::1",
        "b4": "pool-exhausted", "b6": "pool-exhausted",
        "c4": "Grant 10.0.0.2",
    }  # fmt: skip
    refused = found[key("b", 4)]
    assert isinstance(refused, Refuse)
    assert refused.message == (
        "needs nodes as well, which is refused: needs 1 address; pool both has 0 of 1 free"
    )


@pytest.mark.parametrize(("four", "six"), [("10.0.0.5", ""), ("10.0.0.5", "2001:db8::5")])
def test_pins_are_had_together_too(four: str, six: str) -> None:
    found = said(planned(WIDE, [*pair("b"), *pair("a", four=four, six=six)]))
    assert found["a4"] == "Grant 10.0.0.5"
    assert found["a6"] == f"Grant {six or '2001:db8::1'}"


def test_a_pin_that_is_taken_leaves_the_other_address_free() -> None:
    found = said(planned(WIDE, pair("a", six="2001:db8::5"), record("x", 6, "2001:db8::5")))
    assert found == {"a4": "pin-taken", "a6": "pin-taken", "x6": "Release 2001:db8::5"}


def test_what_a_record_holds_stays_and_the_other_is_had_alone() -> None:
    live = record("a", 4, "10.0.0.7")
    assert said(planned(WIDE, pair("a"), live)) == {
        "a4": "Keep 10.0.0.7", "a6": "Grant 2001:db8::1",
    }  # fmt: skip
    taken = record("x", 6, "2001:db8::1")
    found = said(planned(NARROW, [*pair("a"), replace(pair("x")[1], requires=None)], live, taken))
    assert found["a4"] == "Keep 10.0.0.7"
    assert found["a6"] == "pool-exhausted"


def test_a_stale_record_that_still_holds_is_no_lack() -> None:
    claims = [replace(pair("a")[0], pin=span("10.0.0.9", "10.0.0.9")), pair("a")[1]]
    assert said(planned(WIDE, claims, record("a", 4, "10.0.0.7"))) == {
        "a4": "record-stale", "a6": "Grant 2001:db8::1",
    }  # fmt: skip


def test_an_address_in_retention_is_had_again_with_the_other_or_not_at_all() -> None:
    released = record("a", 4, "10.0.0.7", Phase.RELEASED)
    assert said(planned(WIDE, pair("a"), released)) == {
        "a4": "Grant 10.0.0.7", "a6": "Grant 2001:db8::1",
    }  # fmt: skip
    taken = record("x", 6, "2001:db8::1")
    found = planned(NARROW, [*pair("a"), replace(pair("x")[1], requires=None)], released, taken)
    assert said(found)["a4"] == "pool-exhausted"
    assert found[key("a", 4)].allocation == released


def test_while_one_cannot_be_read_the_other_gets_nothing_new() -> None:
    claims = [replace(pair("a")[0], doubt="tenants/a.yaml"), pair("a")[1]]
    assert said(planned(WIDE, claims)) == {"a4": "pool-frozen", "a6": "pool-frozen"}


def test_one_whose_other_is_not_asked_for_is_served_alone() -> None:
    alone = pair("a")[0]
    assert other_of(alone, {alone.key: alone}) is None
    (decision,) = planned(WIDE, [alone]).values()
    assert isinstance(decision, Grant)
    assert precedence(alone, {}) == (2, -1, alone.key)
