"""Manifests copied from a NovaEdge cluster keep the addresses in their status."""

import pytest

from tests.families.novaedge import MAIN, pool, tree, vip
from tests.planning.outcome import codes, outcome
from tests.world import evaluation_of, reconciled

WARNING = ("warning", "cluster-field")


def copied(text: str, status: str) -> str:
    return f"{text}status: {status}\n"


def test_an_allocated_address_is_kept_by_who_has_it() -> None:
    files = tree(vip("a"), copied(vip("b"), "{allocatedAddress: 10.200.0.1/32}"))
    assert codes(files) == [WARNING]
    assert outcome(files) == {
        "a (vip)": "allocate 10.200.0.2 of main",
        "b (vip)": "allocate 10.200.0.1 of main",
    }
    again = reconciled(files)
    assert evaluation_of(again).changes == ()
    assert outcome({**again, "tenants/v.yaml": f"{vip('a')}---\n{vip('b')}"}) == {
        "a (vip)": "keep 10.200.0.2 of main",
        "b (vip)": "keep 10.200.0.1 of main",
    }


def test_it_is_kept_by_a_pool_that_gives_none_by_itself() -> None:
    shut = pool(auto="false", cidrs="[10.200.0.0/24]")
    files = tree(copied(vip("b"), "{allocatedAddress: 10.200.0.9}"), pools=shut)
    assert outcome(files) == {"b (vip)": "allocate 10.200.0.9 of main"}


@pytest.mark.parametrize("field", ["allocatedIPv6Address", "allocatedIpv6Address"])
def test_both_addresses_are_kept_however_the_second_is_spelt(field: str) -> None:
    status = f"{{allocatedAddress: 10.200.0.7/32, {field}: 2001:db8::7/128, activeNode: n1}}"
    assert outcome(tree(copied(vip("b", addressFamily="dual"), status))) == {
        "b (vip)": "allocate 10.200.0.7 of main",
        "b (vip-ipv6)": "allocate 2001:db8::7 of main",
    }


def test_an_address_of_ipv6_alone_stands_in_the_first_field() -> None:
    status = "{allocatedAddress: 2001:db8::7/128}"
    assert outcome(tree(copied(vip("b", addressFamily="ipv6"), status))) == {
        "b (vip-ipv6)": "allocate 2001:db8::7 of main"
    }


def test_what_the_pool_lists_is_kept_when_the_vip_does_not_say() -> None:
    listed = "{allocations: [{address: 10.200.0.4, vipRef: b}, {address: 10.200.0.5/32, vipRef: proxyvip/c}]}"
    files = tree(vip("a"), vip("b"), vip("c"), pools=copied(MAIN, listed))
    assert outcome(files) == {
        "a (vip)": "allocate 10.200.0.1 of main",
        "b (vip)": "allocate 10.200.0.4 of main",
        "c (vip)": "allocate 10.200.0.5 of main",
    }


def test_a_record_counts_more_than_any_status() -> None:
    files = reconciled(tree(vip("b")))
    files["tenants/v.yaml"] = copied(vip("b"), "{allocatedAddress: 10.200.0.8/32}")
    assert outcome(files) == {"b (vip)": "keep 10.200.0.1 of main"}


@pytest.mark.parametrize(
    "user", ["vipRef: gone", "vipRef: service/ns/web", "vipRef: ''", "note: lost"]
)
def test_what_is_given_to_somebody_who_is_not_here_is_held_back(user: str) -> None:
    listed = f"{{allocations: [{{address: 10.200.0.1, {user}}}]}}"
    files = tree(vip("a"), pools=copied(MAIN, listed))
    assert codes(files) == [("warning", "cluster-field"), ("warning", "reference-not-found")]
    assert outcome(files) == {"a (vip)": "allocate 10.200.0.2 of main"}


def test_a_vip_of_another_pool_is_somebody_else() -> None:
    listed = "{allocations: [{address: 10.200.0.1, vipRef: a}]}"
    files = tree(vip("a", of="", address="10.9.0.1"), vip("b"), pools=copied(MAIN, listed))
    assert outcome(files) == {"b (vip)": "allocate 10.200.0.2 of main"}


@pytest.mark.parametrize(
    ("text", "status", "code", "message"),
    [
        (vip("b"), "{allocatedAddress: 10.200.0.300}", "address-invalid",
         "status.allocatedAddress: '10.200.0.300' is not an IPv4 address: 300 is greater than 255"),
        (vip("b"), "{allocatedAddress: 7}", "address-invalid",
         "status.allocatedAddress is '7', expected an address"),
        (vip("b"), "{allocatedAddress: 2001:db8::1/128}", "adoption-conflict",
         "status.allocatedAddress: 2001:db8::1/128 is IPv6, which addressFamily excludes"),
        (vip("b", address="10.200.0.5"), "{allocatedAddress: 10.200.0.1/32}", "adoption-conflict",
         "status.allocatedAddress: 10.200.0.1/32 differs from spec.address (10.200.0.5/32)"),
        (vip("b"), "{allocatedAddress: 10.200.0.1, allocatedIPv6Address: 10.200.0.2}",
         "adoption-conflict",
         "status.allocatedIPv6Address: 10.200.0.2 is a second IPv4 address"),
    ],
)  # fmt: skip
def test_what_cannot_be_taken_over_is_an_error(
    text: str, status: str, code: str, message: str
) -> None:
    errors = [
        (item.code, item.message)
        for item in evaluation_of(tree(copied(text, status))).findings
        if item.severity.value == "error"
    ]
    assert errors == [(code, message)]
