"""Numbers of addresses, and the addresses that any text names."""

import ipaddress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reconciler.safety.clashes import V6, Range, between, block, literals, number, union, written

TEN = 10 << 24
DOC = V6 + (0x2001_0DB8 << 96)

small = st.tuples(st.integers(0, 40), st.integers(0, 6)).map(lambda it: (it[0], it[0] + it[1]))


def values(ranges: tuple[Range, ...] | list[Range]) -> set[int]:
    return {value for first, last in ranges for value in range(first, last + 1)}


@given(st.integers(0, 2**32 - 1))
def test_a_number_of_ipv4_is_that_of_the_standard_library(value: int) -> None:
    text = str(ipaddress.IPv4Address(value))
    assert number(text) == value
    assert written((value, value)) == text


@given(st.integers(1 << 48, 2**128 - 1))
def test_a_number_of_ipv6_lies_behind_all_of_ipv4(value: int) -> None:
    text = str(ipaddress.IPv6Address(value))
    assert number(text) == V6 + value
    assert number(text.upper()) == V6 + value
    assert ipaddress.IPv6Address(written((V6 + value, V6 + value))) == ipaddress.IPv6Address(value)


@pytest.mark.parametrize("text", ["::ffff:10.0.0.1", "::10.0.0.1", "::ffff:a00:1"])
def test_an_ipv4_address_in_an_ipv6_one_is_that_ipv4_address(text: str) -> None:
    assert number(text) == TEN + 1


@pytest.mark.parametrize(
    "text", ["", "10.0.0", "10.0.0.256", "010.0.0.1", "1:2", "x", "10.0.0.1\0", "\ud800", "::g"]
)
def test_what_is_no_address_has_no_number(text: str) -> None:
    assert number(text) is None


@pytest.mark.parametrize(
    ("start", "end"),
    [("10.0.0.2", "10.0.0.1"), ("10.0.0.1", "2001:db8::1"), ("", "10.0.0.1"), ("10.0.0.1", "x")],
)
def test_what_has_no_beginning_or_end_is_no_range(start: str, end: str) -> None:
    assert between(start, end) is None


def test_ranges_are_written_with_both_ends() -> None:
    assert written((TEN, TEN + 3)) == "10.0.0.0-10.0.0.3"
    assert written((DOC, DOC + 3)) == "2001:db8::-2001:db8::3"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10.0.0.8/29", (TEN + 8, TEN + 15)),
        ("10.0.0.9/29", (TEN + 8, TEN + 15)),
        ("2001:db8::/126", (DOC, DOC + 3)),
        ("10.0.0.1-10.0.0.4", (TEN + 1, TEN + 4)),
        ("10.0.0.1", None),
        ("10.0.0.1/33", None),
        ("10.0.0.1/²", None),
        ("", None),
    ],
)
def test_a_block_is_a_cidr_or_two_ends(text: str, expected: Range | None) -> None:
    assert block(text) == expected


@given(st.lists(small, max_size=8))
def test_a_union_has_the_same_addresses_in_ranges_that_do_not_touch(ranges: list[Range]) -> None:
    found = union(ranges)
    assert values(found) == values(ranges)
    assert all(left[1] + 1 < right[0] for left, right in pairwise(found))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nothing at 10:00:30Z, 1.2.3 or 1.2.3.4.5", ()),
        ("the gateway 10.0.0.1.", ((TEN + 1, TEN + 1),)),
        ("[10.0.0.1,10.0.0.3]", ((TEN + 1, TEN + 1), (TEN + 3, TEN + 3))),
        ("010.0.0.001", ((TEN + 1, TEN + 1),)),
        ("cidr: 10.0.0.9/29 # odd", ((TEN + 8, TEN + 15),)),
        ("10.0.0.1-10.0.0.4", ((TEN + 1, TEN + 4),)),
        ("10.0.0.4-10.0.0.1", ((TEN + 1, TEN + 1), (TEN + 4, TEN + 4))),
        ("10.0.0.1 \u2013 10.0.0.4", ((TEN + 1, TEN + 4),)),
        ("...10.0.0.1, 1.10.0.0.2", ((TEN + 1, TEN + 1),)),
        ("- 10.0.0.1\n- 10.0.0.4", ((TEN + 1, TEN + 1), (TEN + 4, TEN + 4))),
        ("at 2001:db8::1: gone", ((DOC + 1, DOC + 1),)),
        ("2001:db8::/126", ((DOC, DOC + 3),)),
        ("2001:DB8::1 - 2001:db8::4", ((DOC + 1, DOC + 4),)),
        ("endAddress: 10.0.0.9\nphase: ?\nstartAddress: '10.0.0.2'", ((TEN + 2, TEN + 9),)),
        ("endAddress: 10.0.0.9\nstartAddress: oops", ((TEN + 9, TEN + 9),)),
    ],
)
def test_each_address_block_and_range_of_a_text_counts(
    text: str, expected: tuple[Range, ...]
) -> None:
    assert literals(text) == expected


@given(st.integers(0, 2**32 - 1), st.text("abxyz ,;{}[]'\"\n\t=", max_size=5))
def test_an_address_between_other_words_is_found(value: int, around: str) -> None:
    text = f"{around}{ipaddress.IPv4Address(value)}{around}"
    assert literals(text) == ((value, value),)
