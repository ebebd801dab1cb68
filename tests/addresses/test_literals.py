"""Addresses in an unreadable text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reconciler.addresses import IPSet, format_range, literal_ranges


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("gateway: 10.0.0.1", ["10.0.0.1-10.0.0.1"]),
        ("start: 10.0.0.1\n  end: 10.0.0.9", ["10.0.0.1-10.0.0.9"]),
        ('{endAddress: "10.0.0.9", startAddress: "10.0.0.3"}', ["10.0.0.3-10.0.0.9"]),
        ("cidr: 10.40.0.0/24", ["10.40.0.0-10.40.0.255"]),
        ("- 10.0.0.1\n- 10.0.0.9", ["10.0.0.1-10.0.0.1", "10.0.0.9-10.0.0.9"]),
        ("start:\n  10.0.0.1\nend:\n  10.0.0.9", ["10.0.0.1-10.0.0.9"]),
        ("10.0.0.1..10.0.0.9", ["10.0.0.1-10.0.0.9"]),
        ("10.0.0.1 \u2013 10.0.0.9", ["10.0.0.1-10.0.0.9"]),
        ("::ffff:10.0.0.6", ["10.0.0.6-10.0.0.6"]),
        ("start: 10.0.0.1, gateway: 10.0.0.9", ["10.0.0.1-10.0.0.1", "10.0.0.9-10.0.0.9"]),
        ("[010.0.0.1]", ["10.0.0.1-10.0.0.1"]),
        ("a: 2001:db8::1 # ::2.", ["::2-::2", "2001:db8::1-2001:db8::1"]),
        ("route: 0.0.0.0/0", ["0.0.0.0-0.0.0.0"]),
        ("v1.34.2, 12:30:45, 10.0.0.256, 1.2.3.4/99, fe:ed", []),
    ],
)
def test_what_a_text_names_is_found(text: str, held: list[str]) -> None:
    assert [format_range(item) for item in IPSet.of(literal_ranges(text))] == held


@pytest.mark.parametrize("text", ["a" * 262_144, ":" * 262_144, "1." * 131_072, "f:" * 131_072])
def test_a_hostile_text_takes_no_longer_than_it_is_long(text: str) -> None:
    assert literal_ranges(text) == ()


@given(st.text(alphabet="0123456789abcdef.:/- \nstarend\"'{}", max_size=300))
def test_no_text_is_too_odd(text: str) -> None:
    assert all(item.first <= item.last for item in literal_ranges(text))
