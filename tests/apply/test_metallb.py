"""Pools are read like in MetalLB, and problems are reported before the apply."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reconciler.addresses import IPRange, IPSet
from reconciler.apply.pools import User, giving, overlaps, users_of
from reconciler.loadbalancers.metallb.objects import addresses as pool_addresses
from reconciler.loadbalancers.ranges import ranges_of, written

Held = Mapping[str, frozenset[int]]


def pool(*addresses: str) -> dict[str, Any]:
    return {
        "apiVersion": "metallb.io/v1beta1",
        "kind": "IPAddressPool",
        "metadata": {"name": "default-pool", "namespace": "metallb-system"},
        "spec": {"addresses": list(addresses)},
    }


def service(name: str, *ingress: Mapping[str, str], namespace: str = "default") -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace}
    return {"metadata": metadata, "status": {"loadBalancer": {"ingress": list(ingress)}}}


@pytest.mark.parametrize(
    ("entry", "meant"),
    [
        ("10.0.0.0/24", "10.0.0.0-10.0.0.255"),
        ("10.70.0.5/24", "10.70.0.0-10.70.0.255"),
        ("10.0.0.7/32", "10.0.0.7-10.0.0.7"),
        ("0.0.0.0/0", "0.0.0.0-255.255.255.255"),
        ("10.0.0.1-10.0.0.9", "10.0.0.1-10.0.0.9"),
        ("10.0.0.1 - 10.0.0.9", "10.0.0.1-10.0.0.9"),
        (" 10.0.0.1-10.0.0.9 ", "10.0.0.1-10.0.0.9"),
        ("10.0.0.1-10.0.0.1", "10.0.0.1-10.0.0.1"),
        ("fd00::5/126", "fd00::4-fd00::7"),
        ("2001:DB8:0::1-2001:db8::00ff", "2001:db8::1-2001:db8::ff"),
        ("::ffff:10.0.0.1-::ffff:10.0.0.9", "10.0.0.1-10.0.0.9"),
        ("10.0.0.1-::ffff:10.0.0.9", "10.0.0.1-10.0.0.9"),
        ("::ffff:10.0.0.5/120", "10.0.0.0-10.0.0.255"),
    ],
)
def test_an_entry_is_what_metallb_makes_of_it(entry: str, meant: str) -> None:
    assert written(pool_addresses(pool(entry))) == (meant,)


_REFUSED = """
    - / 10.0.0.1 fd00::1 10.0.0.9-10.0.0.1 10.0.0.1- -10.0.0.1 10.0.0.1-9 10.0.0.1-10.0.0.5-10.0.0.9
    10.0.0.1-fd00::9 010.0.0.1-010.0.0.9 10.0.0.0/33 10.0.0.0/-1 10.0.0.0/255.255.255.0 10.0.0/24
    fd00::/129 fe80::1%eth0-fe80::2%eth0 ::ffff:10.0.0.0/95 somewhere
"""


@pytest.mark.parametrize("entry", ["", *_REFUSED.split()])
def test_an_entry_that_metallb_refuses_is_told(entry: str) -> None:
    with pytest.raises(ValueError, match="is not a CIDR"):
        pool_addresses(pool("10.0.0.0/24", entry))


@given(
    st.lists(
        st.tuples(st.integers(0, 2**32 - 2**16), st.integers(0, 2**16 - 1)).map(
            lambda it: IPRange(4, it[0], it[0] + it[1])
        )
    )
)
def test_what_is_written_is_read_back(ranges: list[IPRange]) -> None:
    assert ranges_of(written(ranges)) == IPSet.of(ranges)


def test_a_pool_of_others_that_shares_addresses_is_named() -> None:
    ours = {"a": ranges_of(["10.0.0.0/29"]), "b": ranges_of(["10.0.1.0/29"])}
    foreign = {
        "theirs": ranges_of(["10.0.0.6-10.0.1.1"]),
        "apart": ranges_of(["10.0.0.8/29", "fd00::/64"]),
    }
    ways = "remove the range there, or use this name (gitops-ipam.dev/metallb-pool: theirs) and --adopt"
    field = "gitops-ipam.dev/metallb-pool"
    assert list(overlaps(ours, foreign, "IPAddressPool", field)) == [
        (
            "a",
            f"10.0.0.6-10.0.0.7 is also in IPAddressPool theirs, which has another owner; {ways}",
        ),
        (
            "b",
            f"10.0.1.0-10.0.1.1 is also in IPAddressPool theirs, which has another owner; {ways}",
        ),
    ]
    assert list(overlaps(ours, {}, "IPAddressPool", field)) == []


def as_set(numbers: frozenset[int]) -> IPSet:
    return IPSet.of(IPRange(4, number, number) for number in numbers)


def as_numbers(addresses: IPSet) -> frozenset[int]:
    return frozenset(n for item in addresses for n in range(item.first, item.last + 1))


@st.composite
def arrangements(draw: st.DrawFn) -> Held:
    """Up to four pools that share nothing: each of twelve addresses is in one of them, or none."""
    owners = draw(st.lists(st.sampled_from(["", "a", "b", "c", "d"]), min_size=12, max_size=12))
    return {
        name: frozenset(at for at, owner in enumerate(owners) if owner == name)
        for name in sorted(frozenset(owners) - {""})
    }


def moments(live: Held, wanted: Held) -> Iterator[Held]:
    """Every state of the cluster: pools are given their next content one by one."""
    state = dict(live)
    shrunk = giving(
        {name: as_set(held) for name, held in live.items()},
        {name: as_set(held) for name, held in wanted.items()},
    )
    for name, keeps in shrunk:
        state[name] = as_numbers(keeps)
        yield dict(state)
    for name in sorted(frozenset([*live, *wanted])):
        state[name] = wanted.get(name, frozenset())
        yield dict(state)


@given(arrangements(), arrangements())
def test_no_two_pools_share_an_address_at_any_moment(live: Held, wanted: Held) -> None:
    state = live
    for state in moments(live, wanted):
        held = [number for numbers in state.values() for number in numbers]
        assert len(held) == len(frozenset(held)), state
    assert {name: held for name, held in state.items() if held} == wanted


def test_services_inside_are_named_in_order() -> None:
    services = [
        service("late", {"ip": "10.0.0.9"}),
        service("shop", {"ip": "10.0.0.5"}, {"ip": "fd00::5"}),
        service("apart", {"ip": "10.0.1.5"}),
        service("named", {"hostname": "lb.example.com"}),
        service("odd", {"ip": "not an address"}),
        service("db", {"ip": "10.0.0.1"}, namespace="data"),
        {"metadata": {"name": "new", "namespace": "default"}, "status": {"loadBalancer": {}}},
        {"metadata": {"name": "newer", "namespace": "default"}},
        {"metadata": {"name": "null", "namespace": "x"}, "status": {"loadBalancer": None}},
    ]
    inside = ranges_of(["10.0.0.0/24", "fd00::/64"])
    assert users_of(services, inside) == [
        User("data/db", "10.0.0.1"),
        User("default/late", "10.0.0.9"),
        User("default/shop", "10.0.0.5"),
        User("default/shop", "fd00::5"),
    ]
    assert users_of(services, IPSet()) == []


@pytest.mark.parametrize("text", ["FD00:0::5", "fd00::0005", "::ffff:10.0.0.5"])
def test_an_address_that_others_wrote_in_another_form_is_in_use_too(text: str) -> None:
    inside = ranges_of(["10.0.0.0/24", "fd00::/64"])
    assert users_of([service("shop", {"ip": text})], inside) == [User("default/shop", text)]
