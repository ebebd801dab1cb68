"""Pools of Cluster API: the three forms, reserved addresses, webhook rules, and exact counts."""

from typing import Any

import pytest

from reconciler.addresses import format_short
from reconciler.model.pool import Pool
from tests.families.capi.trees import CLASS, ROLE, of, pool, said
from tests.world import evaluation_of


def the_pool(text: str) -> Pool:
    (found,) = evaluation_of(of(text)).state.pools.values()
    return found


def usable(*addresses: str, **spec: Any) -> list[str]:
    return [format_short(item) for item in the_pool(pool("vips", *addresses, **spec)).usable]


def test_single_addresses_cidrs_and_ranges_are_joined_to_one_set() -> None:
    assert usable("10.0.0.30", "10.0.0.10-10.0.0.20", "10.0.0.16/29") == [
        "10.0.0.10-10.0.0.23",
        "10.0.0.30",
    ]


def test_what_is_excluded_and_the_gateway_are_kept_back() -> None:
    found = usable("10.0.0.0/28", excludedAddresses=["10.0.0.4-10.0.0.5"], gateway="10.0.0.1")
    assert found == ["10.0.0.2-10.0.0.3", "10.0.0.6-10.0.0.15"]


@pytest.mark.parametrize(
    ("addresses", "prefix", "all_of_it", "found"),
    [
        ("10.0.0.0/24", 24, False, "10.0.0.1-10.0.0.254"),
        ("10.0.0.0/24", 24, True, "10.0.0.0-10.0.0.255"),
        ("2001:db8::/120", 120, False, "2001:db8::1-2001:db8::ff"),
        ("2001:db8::/120", 120, True, "2001:db8::-2001:db8::ff"),
    ],
)
def test_the_first_address_is_reserved_and_of_ipv4_the_last_one(
    addresses: str, prefix: int, all_of_it: bool, found: str
) -> None:
    assert usable(addresses, prefix=prefix, allocateReservedIPAddresses=all_of_it) == [found]


def test_counts_of_ipv6_are_exact_and_nothing_is_too_large() -> None:
    assert the_pool(pool("vips", "2001:db8::/32", prefix=32)).usable.size == 2**96 - 1
    assert the_pool(pool("vips", "10.0.0.0/8", prefix=0)).usable.size == 2**24


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (pool("vips", addresses=[]), "field-required", "addresses is required"),
        (pool("vips", "10.0.0.1-10.0.0.2-10.0.0.3"), "address-invalid",
         "addresses[0]: provided address is not a valid IP, range, nor CIDR"),
        (pool("vips", "10.0.0.010"), "address-invalid",
         "spec.addresses[0]: '10.0.0.010' is not a canonical IPv4 address: a leading zero is ambiguous"),
        (pool("vips", "10.0.0.9-10.0.0.8"), "range-reversed", "addresses[0]: 10.0.0.9 is after 10.0.0.8"),
        (pool("vips", "10.0.0.9-2001:db8::1"), "family-mismatch",
         "addresses[0]: 10.0.0.9 and 2001:db8::1 differ in IP version"),
        (pool("vips", "10.0.0.9", "2001:db8::1"), "family-mismatch",
         "addresses: provided addresses are of mixed IP families"),
        (pool("vips", excludedAddresses=["2001:db8::1"]), "family-mismatch",
         "excludedAddresses: addresses and excluded addresses are of mixed IP families"),
        (pool("vips", gateway="2001:db8::1"), "family-mismatch",
         "gateway: provided gateway and addresses are of mixed IP families"),
        (pool("vips", prefix=64), "field-value", "spec.prefix: provided prefix is not valid: 64 for IPv4"),
        (pool("vips", "10.0.0.9", "10.0.1.9"), "range-outside-pool",
         "addresses[1]: provided address belongs to a different subnet than others:"
         " 10.0.1.9 is not within 10.0.0.0-10.0.0.255"),
        (pool("vips", "127.0.0.1"), "special-purpose", "addresses[0]: 127.0.0.1 overlaps loopback 127.0.0.0/8"),
        (pool("vips", "10.0.0.1", gateway="10.0.0.1"), "pool-empty",
         "the pool has no allocatable address, because everything is excluded or reserved"),
        (pool("vips", addressReuseGracePeriodSeconds=-1), "field-value",
         "spec.addressReuseGracePeriodSeconds is -1, must be at least 0"),
    ],
)  # fmt: skip
def test_the_rules_of_the_webhook_are_findings(text: str, code: str, message: str) -> None:
    assert (code, message) in [(found, words[: len(message)]) for found, words in said(text)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (pool(class_="web,api"), f"{CLASS} is 'web,api', which API servers reject as a label"),
        (pool(class_="x" * 64), f"{CLASS} is '{'x' * 64}', which API servers reject as a label"),
        (pool(class_="true"), f'{CLASS} is "true", but the annotation of this name is empty'),
        (pool(role="controlplane"), f"{ROLE} contains 'controlplane', which is not a role"),
        (pool(role="east"), f"{ROLE} contains 'east', which is not a role"),
    ],
)  # fmt: skip
def test_labels_that_serve_nobody_or_that_no_server_takes_are_warned_of(
    text: str, message: str
) -> None:
    assert said(text) == [("label-unfit", message)]
