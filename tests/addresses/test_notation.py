"""Canonical notation: valid texts, and each refusal of group D with its hint."""

import re

import pytest

from reconciler.addresses import (
    IPRange,
    NotationError,
    cidrs_of,
    format_address,
    format_cidr,
    format_count,
    format_range,
    format_short,
    parse_address,
    parse_cidr,
    special_purpose,
)

CIDR_EXAMPLE = "a CIDR such as"
EXAMPLE = "write an address such as 10.40.0.10 or 2001:db8::10"
LEADING_ZERO = "a leading zero is ambiguous"


@pytest.mark.parametrize(
    "text",
    ["0.0.0.0", "10.40.0.80", "255.255.255.255", "::", "::1", "2001:db8::", "2001:db8::1",
     "1:2:3:4:5:6:7:8", "2001:10:20:30:40:50:11:12", "2001:db8:0:1:1:1:1:1", "fe80::1",
     "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
)  # fmt: skip
def test_a_canonical_address_is_read_and_written_back(text: str) -> None:
    assert format_address(*parse_address(text)) == text


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        pytest.param("10.0.0.256", "not an IPv4 address: 256 is greater", EXAMPLE, id="D01"),
        pytest.param("010.0.0.1", LEADING_ZERO, "write 10.0.0.1", id="D04"),
        pytest.param("0x0a.0.0.1", "not a canonical IPv4 address", EXAMPLE, id="D05"),
        pytest.param("10.0.0.1 ", "not a canonical IPv4 address", "write 10.0.0.1", id="D08"),
        pytest.param("\uff11\uff10.0.0.1", "not a canonical IPv4", "write 10.0.0.1", id="D10"),
        pytest.param("fe80::1%eth0", "zone id", "write 'fe80::1'", id="D12"),
        pytest.param("::ffff:10.0.0.1", "IPv4-mapped", "the IPv4 address 10.0.0.1", id="D13"),
        pytest.param("::10.0.0.1", "IPv4-compatible", "the IPv4 address 10.0.0.1", id="D14"),
        pytest.param("2001:db8:0:0::1", "canonical IPv6", "write 2001:db8::1", id="D16"),
        pytest.param("2001:DB8::1", "canonical IPv6", "write 2001:db8::1", id="upper case"),
        pytest.param("1::2::3", "not a canonical IPv6 address", EXAMPLE, id="D17"),
        pytest.param("", "'' is not a canonical IPv4 address", EXAMPLE, id="D20"),
        pytest.param("10.0.0.9-10.0.0.1", "not a canonical IPv4 address", EXAMPLE, id="D37"),
        pytest.param("10.0.0.1\u201310.0.0.9", "not a canonical IPv4", EXAMPLE, id="D40"),
        pytest.param("10.0.0.0/24", "not a canonical IPv4 address", EXAMPLE, id="D44"),
        pytest.param("\udc80", "not a canonical IPv4 address", EXAMPLE, id="surrogate"),
    ],
)
def test_an_address_that_is_not_canonical_is_refused(text: str, message: str, hint: str) -> None:
    with pytest.raises(NotationError, match=re.escape(message)) as refused:
        parse_address(text)
    assert hint in refused.value.hint


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        pytest.param("10.0.0.5/24", "host bits set", "write 10.0.0.0/24 ", id="D21"),
        pytest.param("2001:db8::1/64", "host bits set", "write 2001:db8::/64 ", id="D21 v6"),
        pytest.param("10.0.0.0/33", "'33' is not a prefix length of 0 to 32", "such as /24",
                     id="D22"),
        pytest.param("10.0.0.0/+24", "'+24' is not a prefix", "write 10.0.0.0/24", id="D26"),
        pytest.param("10.0.0.0/2\uff14", "is not a prefix", "write 10.0.0.0/24", id="D28"),
        pytest.param("10.0.0.0/255.255.255.0", "not a prefix", "write 10.0.0.0/24", id="D29"),
        pytest.param("10/8", "'10' is not a canonical IPv4 address", CIDR_EXAMPLE, id="D32"),
        pytest.param("10.0.0.0", "prefix length is missing", "such as /24", id="D33"),
        pytest.param("10.0.0.0/24\n", "is not a prefix", "write 10.0.0.0/24", id="D36"),
        pytest.param("/24", "'' is not a canonical IPv4 address", CIDR_EXAMPLE, id="no address"),
        pytest.param("10.0.0.0-10.0.0.9/28", "not a canonical IPv4", CIDR_EXAMPLE, id="D44"),
        pytest.param("2001:DB8::/64", "canonical IPv6", "write 2001:db8::/64", id="upper case"),
        pytest.param("2001:DB8::1/64", "canonical", "write 2001:db8::/64 for", id="host bits"),
        pytest.param("010.0.0.0/024", LEADING_ZERO, "write 10.0.0.0/24", id="padded twice"),
        pytest.param("::ffff:10.1.0.0/120", "IPv4-mapped", "write 10.1.0.0/24", id="mapped"),
        pytest.param("::ffff:10.1.0.0/90", "mapped", CIDR_EXAMPLE, id="wider than IPv4"),
        pytest.param("fe80::1%eth0/64", "zone id", "write fe80::/64", id="zone"),
    ],
)  # fmt: skip
def test_a_cidr_that_is_not_canonical_is_refused(text: str, message: str, hint: str) -> None:
    with pytest.raises(NotationError, match=re.escape(message)) as refused:
        parse_cidr(text)
    assert hint in refused.value.hint


@pytest.mark.parametrize(
    "text",
    ["0.0.0.0/0", "10.40.0.0/21", "10.40.0.80/29", "10.0.0.1/32", "::/0", "2001:db8::/32",
     "2001:db8::1/128"],
)  # fmt: skip
def test_a_canonical_cidr_is_read_and_written_back(text: str) -> None:
    assert format_cidr(parse_cidr(text)) == text


def test_ranges_have_a_long_a_short_and_sometimes_a_cidr_form() -> None:
    one, eight = IPRange(4, 0x0A280050, 0x0A280050), IPRange(4, 0x0A280050, 0x0A280057)
    assert format_range(one) == "10.40.0.80-10.40.0.80"
    assert format_short(one) == "10.40.0.80"
    assert format_short(eight) == format_range(eight) == "10.40.0.80-10.40.0.87"
    assert format_cidr(IPRange(4, 0x0A280050, 0x0A280056)) is None


def test_a_range_splits_into_the_fewest_blocks() -> None:
    item = IPRange(4, 0x0A280001, 0x0A280006)
    assert cidrs_of(item) == ("10.40.0.1/32", "10.40.0.2/31", "10.40.0.4/31", "10.40.0.6/32")
    assert cidrs_of(parse_cidr("2001:db8::/64")) == ("2001:db8::/64",)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("0.1.0.0/16", "this network"),
        ("127.0.0.1/32", "loopback"),
        ("224.0.0.0/4", "multicast"),
        ("255.255.255.255/32", "reserved"),
        ("::1/128", "loopback"),
        ("::/64", "loopback"),
        ("fe80::/64", "link-local"),
        ("ff02::/16", "multicast"),
    ],
)
def test_special_purpose_blocks_are_named(text: str, name: str) -> None:
    assert name in str(special_purpose(parse_cidr(text)))


@pytest.mark.parametrize("text", ["10.0.0.0/8", "203.0.113.0/24", "2001:db8::/32", "fd00::/8"])
def test_ordinary_blocks_are_not_special(text: str) -> None:
    assert special_purpose(parse_cidr(text)) is None


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"), (254, "254"), (1 << 32, "4294967296"), (9_999_999_999, "9999999999"),
        (10_000_000_000, "1.0e10"), (1 << 64, "1.8e19"), ((1 << 96) - 1, "7.9e28"),
    ],
)  # fmt: skip
def test_a_count_for_a_column_is_short_and_never_too_large(count: int, text: str) -> None:
    assert format_count(count) == text
    assert float(text) <= count


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("[2001:db8::1]:6443", "write 2001:db8::1"),
        ("10.40.0.1:6443", "write 10.40.0.1"),
        ("[::g]", EXAMPLE),
    ],
)
def test_an_address_of_a_host_is_told_how_to_be_written_alone(text: str, hint: str) -> None:
    with pytest.raises(NotationError) as wrong:
        parse_address(text)
    assert wrong.value.hint == hint
