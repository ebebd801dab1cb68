"""ProxyVIP: its address, valid addresses in its spec, and invalid fields of pool and VIP."""

import pytest

from tests.families.novaedge import pool, tree, vip
from tests.planning.outcome import codes, outcome, refusal
from tests.world import SMALL, evaluation_of, reconciled


def test_the_numerically_lowest_free_address_is_given() -> None:
    files = tree(*(vip(name) for name in "abcdefghijk"))
    assert [text.split()[1] for text in outcome(files).values()] == [
        f"10.200.0.{number}" for number in range(1, 12)
    ]


def test_a_named_address_is_had_and_nobody_gets_it_before() -> None:
    assert outcome(tree(vip("a"), vip("b", address="10.200.0.1/32"))) == {
        "a (vip)": "allocate 10.200.0.2 of main",
        "b (vip)": "allocate 10.200.0.1 of main",
    }


@pytest.mark.parametrize(
    ("address", "reason"),
    [("10.201.0.1/32", "pin-outside-pool"), ("10.200.0.0/32", "pin-reserved"),
     ("10.200.0.255", "pin-reserved")],
)  # fmt: skip
def test_a_named_address_must_be_the_pools(address: str, reason: str) -> None:
    assert refusal(tree(vip(address=address)), "web (vip)").reason == reason


def test_a_pool_that_gives_none_by_itself_gives_the_one_that_is_named() -> None:
    shut = pool(auto="false", addresses="[203.0.113.10/32, 203.0.113.11]")
    found = outcome(tree(vip("a"), vip("b", address="203.0.113.11"), pools=shut))
    assert found == {
        "a (vip)": "refuse auto-assign-disabled",
        "b (vip)": "allocate 203.0.113.11 of main",
    }


def test_each_family_gets_what_it_asks_for() -> None:
    found = outcome(
        tree(
            vip("four", addressFamily="ipv4"), vip("six", addressFamily="ipv6"),
            vip("two", addressFamily="dual"),
        )
    )  # fmt: skip
    assert found == {
        "four (vip)": "allocate 10.200.0.1 of main",
        "six (vip-ipv6)": "allocate 2001:db8::1 of main",
        "two (vip)": "allocate 10.200.0.2 of main",
        "two (vip-ipv6)": "allocate 2001:db8::2 of main",
    }


@pytest.mark.parametrize(
    ("cidr", "order"),
    [
        ("2001:db8::/126", ["::1", "::2", "::3", "::"]),
        ("2001:db8::/127", ["::", "::1"]),
        ("2001:db8::/128", ["::"]),
    ],
)
def test_the_anycast_address_of_routers_is_given_out_last(cidr: str, order: list[str]) -> None:
    names = "abcd"[: len(order)]
    files = tree(*(vip(it, addressFamily="ipv6") for it in names), pools=pool(cidrs=f'["{cidr}"]'))
    expected = {
        f"{it} (vip-ipv6)": f"allocate 2001:db8{at} of main"
        for it, at in zip(names, order, strict=True)
    }
    assert outcome(files) == expected
    assert outcome({**files, "tenants/e.yaml": vip("e", addressFamily="ipv6")}) == {
        **expected, "e (vip-ipv6)": "refuse pool-exhausted",
    }  # fmt: skip
    pinned = tree(
        vip("p", addressFamily="ipv6", ipv6Address='"2001:db8::"'), pools=pool(cidrs=f'["{cidr}"]')
    )
    assert outcome(pinned) == {"p (vip-ipv6)": "allocate 2001:db8:: of main"}


def test_of_two_families_both_are_given_or_neither() -> None:
    four = pool(cidrs="[10.200.0.0/24]")
    assert outcome(tree(vip("two", addressFamily="dual"), vip("x"), pools=four)) == {
        "two (vip)": "refuse family-mismatch",
        "two (vip-ipv6)": "refuse family-mismatch",
        "x (vip)": "allocate 10.200.0.1 of main",
    }


def test_who_becomes_dual_keeps_what_it_has() -> None:
    files = reconciled(tree(vip("two")))
    files["tenants/v.yaml"] = vip("two", addressFamily="dual")
    assert outcome(files) == {
        "two (vip)": "keep 10.200.0.1 of main",
        "two (vip-ipv6)": "allocate 2001:db8::1 of main",
    }


def test_an_address_without_a_pool_is_given_out_by_none() -> None:
    butlers = {path: text.replace("10.40.0.0/24", "10.200.0.0/24") for path, text in SMALL.items()}
    files = tree(vip("hand", of="", address="10.200.0.1/32"), vip("auto"))
    assert outcome(files)["auto (vip)"] == "allocate 10.200.0.2 of main"
    assert outcome({**files, **butlers})["team-a/one (loadbalancer)"] == (
        "allocate 10.200.0.2-10.200.0.9 of edge"
    )
    refused = refusal(tree(vip("hand", of="", address="10.200.0.1"), vip("b", address="10.200.0.1")),
                      "b (vip)")  # fmt: skip
    assert refused.message == "pinned range 10.200.0.1 is already held by hand (spec.address)"


def test_an_address_without_a_pool_is_nobody_elses() -> None:
    both = tree(vip("a", of="", address="10.9.0.1"), vip("b", of="", address="10.9.0.1"))
    assert codes(both) == [("error", "manual-range"), ("error", "manual-range")]
    held = reconciled(tree(vip("a")))
    held["tenants/b.yaml"] = vip("b", of="", address="10.200.0.1")
    _, found = sorted(evaluation_of(held).findings, key=lambda item: item.code, reverse=True)
    assert found.code == "manual-range"
    assert found.hint == "remove address, or release the record"
    own = reconciled(tree(vip("a")))
    own["tenants/v.yaml"] = vip("a", of="", address="10.200.0.1")
    assert codes(own) == [("warning", "pool-overlap"), ("gate", "brake")]


def test_a_pool_that_is_not_there_is_told_and_nothing_is_lost() -> None:
    files = tree(vip("a", of="none"))
    assert codes(files) == [("error", "reference-not-found"), ("gate", "pool-not-found")]
    kept = reconciled(tree(vip("a")))
    kept["tenants/v.yaml"] = vip("a", of="none")
    assert outcome(kept) == {"a (vip)": "refuse record-stale"}


@pytest.mark.parametrize(
    ("spec", "code", "said"),
    [
        ({"address": "2001:db8::1"}, "family-mismatch",
         "spec.address: 2001:db8::1 is IPv6, addressFamily is ipv4"),
        ({"address": "10.9.0.1", "addressFamily": "ipv6"}, "family-mismatch",
         "spec.address: 10.9.0.1 is IPv4, addressFamily is ipv6"),
        ({"ipv6Address": "10.9.0.1", "addressFamily": "dual"}, "family-mismatch",
         "spec.ipv6Address: 10.9.0.1 is IPv4"),
        ({"address": "2001:db8::1", "addressFamily": "dual"}, "family-mismatch",
         "spec.address: 2001:db8::1 is IPv6; with addressFamily dual it is the IPv4 address"),
        ({"address": "2001:db8::1", "ipv6Address": "2001:db8::2", "addressFamily": "ipv6"},
         "address-invalid", "spec.ipv6Address and spec.address name two IPv6 addresses"),
        ({"address": "10.9.0.0/24"}, "address-invalid",
         "spec.address: '10.9.0.0/24' is a network, expected one address"),
    ],
)  # fmt: skip
def test_what_contradicts_itself_is_an_error(spec: dict[str, str], code: str, said: str) -> None:
    (found,) = evaluation_of(tree(vip(of="", **spec))).findings
    assert (found.code, found.message) == (code, said)
    assert found.hint
