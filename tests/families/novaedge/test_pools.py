"""ProxyIPPool: its exact addresses, and invalid fields."""

import pytest

from reconciler.addresses import format_range
from reconciler.model.pool import Pool
from tests.families.novaedge import pool, vip
from tests.world import evaluation_of


def read(text: str) -> Pool:
    (found,) = evaluation_of({"pools/p.yaml": text}).state.pools.values()
    return found


def found(text: str) -> list[tuple[str, str, str]]:
    findings = evaluation_of({"pools/p.yaml": text}).findings
    return [(item.severity.value, item.code, item.message) for item in findings]


@pytest.mark.parametrize(
    ("cidr", "count"),
    [
        ("10.200.0.9/32", 1), ("10.200.0.0/31", 0), ("10.200.0.0/30", 2), ("10.200.0.0/28", 14),
        ("10.200.0.0/24", 254), ("10.200.0.0/20", 4_094), ("10.200.0.0/16", 65_534),
        ("10.0.0.0/8", 16_777_214), ("2001:db8::/128", 1), ("2001:db8::/127", 2),
        ("2001:db8::/120", 256), ("2001:db8::/64", 1 << 64), ("2001:db8::/32", 1 << 96),
    ],
)  # fmt: skip
def test_a_cidr_gives_out_just_so_many_addresses(cidr: str, count: int) -> None:
    read_pool = read(pool(cidrs=f'["{cidr}"]'))
    assert read_pool.usable.size == count
    assert not read_pool.usable & read_pool.reserved
    assert read_pool.extent == read_pool.usable | read_pool.reserved


def test_addresses_are_given_out_beside_networks_and_though_one_keeps_them_back() -> None:
    given = read(pool(cidrs="[10.200.0.0/28]", addresses="[10.200.0.0, 10.200.1.100/32]")).usable
    assert [format_range(item) for item in given] == [
        "10.200.0.0-10.200.0.14", "10.200.1.100-10.200.1.100",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "code", "said"),
    [
        ({}, "field-required", "spec must have at least one of cidrs and addresses"),
        ({"cidrs": "[]"}, "field-required", "spec must have at least one of cidrs and addresses"),
        ({"cidrs": "[10.200.0.5/24]"}, "cidr-invalid", "spec.cidrs[0]: '10.200.0.5/24' has host bits set"),
        ({"cidrs": "[224.0.0.0/24]"}, "special-purpose",
         "spec.cidrs[0]: 224.0.0.0/24 overlaps multicast 224.0.0.0/4"),
        ({"addresses": "[10.200.0.0/24]"}, "address-invalid",
         "spec.addresses[0]: '10.200.0.0/24' is a network, expected one address"),
        ({"addresses": "[010.0.0.1]"}, "address-invalid",
         "spec.addresses[0]: '010.0.0.1' is not a canonical IPv4 address: a leading zero is ambiguous"),
        ({"addresses": "[127.0.0.1]"}, "special-purpose",
         "spec.addresses[0]: 127.0.0.1/32 overlaps loopback 127.0.0.0/8"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused(spec: dict[str, str], code: str, said: str) -> None:
    assert found(pool(**spec)) == [("error", code, said)]


def test_a_network_of_two_addresses_gives_none_and_that_is_said() -> None:
    said = found(pool(cidrs="[10.200.0.0/24, 10.200.1.0/31]"))
    assert [item[:2] for item in said] == [("warning", "pool-empty")]
    assert said[0][2].startswith("spec.cidrs[1]: 10.200.1.0/31 has no allocatable address:")


def test_a_pool_that_does_not_say_whether_it_gives_by_itself_does_not_and_is_told() -> None:
    text = pool(auto="", cidrs="[10.200.0.0/24]")
    assert [item[:2] for item in found(text)] == [("warning", "auto-assign-disabled")]
    assert read(text).auto_assign is False
    assert found(pool(auto="false", cidrs="[10.200.0.0/24]")) == []


def test_a_pool_that_gives_nothing_out_does_not_lack_an_ip_version() -> None:
    files = {"pools/main.yaml": pool(cidrs="[10.200.0.0/31]"), "tenants/web.yaml": vip()}
    (gate,) = evaluation_of(files).gates
    assert (gate.code, "no allocatable address" in gate.message) == ("request-too-large", True)
    pinned = vip(address="10.200.0.1/32")
    (gate,) = evaluation_of({**files, "tenants/web.yaml": pinned}).gates
    assert (gate.code, gate.hint) == ("pin-reserved", "pin another range")
