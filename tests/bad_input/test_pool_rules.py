"""Butler's rules for a pool's spec, each by its name, and how many errors Butler counts.

Source: Butler's `ValidatePoolSpec` and its table of tests.
"""

import pytest

from reconciler.documents.findings import Finding, Severity
from tests.world import SMALL, evaluation_of

CIDR = "10.40.0.0/24"


def findings(
    cidr: str = CIDR, reserved: tuple[str, ...] = (), ranges: tuple[tuple[str, str], ...] = ()
) -> list[Finding]:
    """Errors about one pool."""
    lines = [
        "apiVersion: butler.butlerlabs.dev/v1alpha1", "kind: NetworkPool",
        "metadata: {name: edge}", "spec:", f"  cidr: {cidr}",
    ]  # fmt: skip
    if reserved:
        lines += ["  reserved:", *(f"    - cidr: {block}" for block in reserved)]
    if ranges:
        listed = (f"      - {{start: {start}, end: {end}}}" for start, end in ranges)
        lines += ["  tenantAllocation:", "    ranges:", *listed]
    evaluation = evaluation_of({**SMALL, "pools/edge.yaml": "\n".join([*lines, ""])})
    found = evaluation.findings
    return [item for item in found if item.severity is Severity.ERROR]


def last(number: int) -> str:
    return f"10.40.0.{number}"


COUNTS = {
    "a reserved block beside a range": (
        (CIDR, ("10.40.0.0/26",), ((last(128), last(255)),)), 0),
    "a CIDR that is none": (("10.40.0.0/99", (), ()), 1),
    "a reserved block of another network": ((CIDR, ("10.41.0.0/24",), ()), 1),
    "a range of another network": ((CIDR, (), (("10.41.0.0", "10.41.0.255"),)), 1),
    "a range that is reversed": ((CIDR, (), ((last(200), last(100)),)), 1),
    "a reserved block and a range of other networks": (
        (CIDR, ("10.41.0.0/24",), (("10.42.0.0", "10.42.0.255"),)), 2),
    "a reserved block and no ranges": ((CIDR, ("10.40.0.0/26",), ()), 0),
    "a reserved block that is no CIDR": ((CIDR, ("nonsense",), ()), 1),
    "two sorted ranges": ((CIDR, (), ((last(0), last(63)), (last(128), last(255)))), 0),
    "two unsorted ranges": ((CIDR, (), ((last(128), last(255)), (last(0), last(63)))), 1),
    "two overlapping ranges": ((CIDR, (), ((last(0), last(100)), (last(50), last(200)))), 1),
    "a second range outside the CIDR": (
        (CIDR, (), ((last(0), last(63)), ("10.40.1.0", "10.40.1.50"))), 1),
    "a reserved block inside a range": ((CIDR, ("10.40.0.8/29",), ((last(0), last(63)),)), 0),
    "a reserved block outside all ranges": ((CIDR, ("10.40.0.200/29",), ((last(0), last(63)),)), 0),
    "a reserved block that starts with a range and ends behind it": (
        (CIDR, ("10.40.0.0/26",), ((last(0), last(31)),)), 1),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(COUNTS))
def test_as_many_errors_are_found_as_butler_counts(name: str) -> None:
    (cidr, reserved, ranges), count = COUNTS[name]
    assert len(findings(cidr, reserved, ranges)) == count


def codes(found: list[Finding]) -> list[str]:
    return [item.code for item in found]


def test_a_cidr_that_cannot_be_read_stops_all_further_rules() -> None:
    found = findings("10.40.0.0/99", ("nonsense",), (("x", "y"),))
    assert codes(found) == ["cidr-invalid"]


def test_ranges_may_touch() -> None:
    assert findings(ranges=((last(0), last(99)), (last(100), last(200)))) == []


@pytest.mark.parametrize("block", ["10.40.0.16/28", "10.40.0.64/28", "10.40.0.0/25"])
def test_a_reserved_block_inside_outside_or_over_a_whole_range_is_taken(block: str) -> None:
    assert findings(reserved=(block,), ranges=((last(8), last(40)),)) == []


@pytest.mark.parametrize("block", ["10.40.0.0/28", "10.40.0.32/27"])
def test_a_reserved_block_with_one_end_inside_a_range_straddles_it(block: str) -> None:
    (found,) = findings(reserved=(block,), ranges=((last(8), last(40)),))
    assert found.code == "reserved-straddles-range"
    assert f"{block} straddles the border of ranges[0] (10.40.0.8-10.40.0.40)" in found.message


def test_a_reserved_block_over_a_range_that_begins_with_it_straddles_it() -> None:
    (found,) = findings(reserved=("10.40.0.0/26",), ranges=((last(0), last(31)),))
    assert found.code == "reserved-straddles-range"


def test_all_errors_of_a_pool_are_found_at_once() -> None:
    found = findings(
        reserved=("10.41.0.0/24", "nonsense"),
        ranges=((last(9), last(1)), ("10.42.0.0", "10.42.0.9"), (last(20), "x")),
    )
    assert sorted(codes(found)) == [
        "address-invalid", "cidr-invalid", "range-outside-pool", "range-reversed",
        "reserved-outside-pool",
    ]  # fmt: skip
