"""Address cells as people and programs write them: read, or refused with the corrected form."""

import re

import pytest

from reconciler.addresses import IPSet, NotationError, format_short
from reconciler.importing.cells import Notation, ranges_in


def read(text: str, notation: Notation = "address") -> list[str]:
    return [format_short(item) for item in ranges_in(text, notation)]


@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        ("10.1.2.3-7", ["10.1.2.3-10.1.2.7"]),
        ("10.1.2.250-3.5", ["10.1.2.250-10.1.3.5"]),
        ("10.1.2.3 \u2013 10.1.2.7", ["10.1.2.3-10.1.2.7"]),
        ("10.1.2.3\u20147", ["10.1.2.3-10.1.2.7"]),
        ("10.1.2.3..10.1.2.7", ["10.1.2.3-10.1.2.7"]),
        ("10.1.2.3 to 10.1.2.7", ["10.1.2.3-10.1.2.7"]),
        ("10.1.2.5/24-9/24", ["10.1.2.5-10.1.2.9"]),
        ("10.1.2.5, 10.1.2.9-11", ["10.1.2.5", "10.1.2.9-10.1.2.11"]),
        ("10.1.2.5;10.1.2.7", ["10.1.2.5", "10.1.2.7"]),
        ("10.1.2.5\n10.1.2.7", ["10.1.2.5", "10.1.2.7"]),
        ("10.1.2.5 / 10.1.2.7", ["10.1.2.5", "10.1.2.7"]),
        ("10.1.2.60/22", ["10.1.2.60"]),
        ("10.1.2.60/255.255.252.0", ["10.1.2.60"]),
        ("10.1.2.0 255.255.255.0", ["10.1.2.0-10.1.2.255"]),
        ("10.1.2.0 / 24", ["10.1.2.0-10.1.2.255"]),
        ('="10.1.2.5"', ["10.1.2.5"]),
        ("2001:DB8:0::10 - 1F", ["2001:db8::10-2001:db8::1f"]),
        ("fe80::1%eth0", ["fe80::1"]),
        ("10.1.2.5, 2001:DB8::5/64", ["10.1.2.5", "2001:db8::5"]),
    ],
)
def test_a_cell_is_read_as_it_is_meant(text: str, ranges: list[str]) -> None:
    assert read(text) == ranges


@pytest.mark.parametrize(
    ("text", "notation", "hint"),
    [
        ("10.1.2.60/22", "cidr", "write 10.1.2.60 for this address, or the network"),
        ("10.1.2.0", "network", "write the network as 10.1.2.0/LENGTH, or add a column Mask"),
        ("10.1.2.0/24, 10.1.3.0", "network", "write the network as 10.1.3.0/LENGTH, or add a column Mask"),
        ("10.1.2.9-10.1.2.5", "address", "write 10.1.2.5-10.1.2.9"),
        ("10.1.2.5-10.1.2.9", "network", "describe it as networks with a prefix length each"),
        ("10.1.2.0/24-10.1.3.0/24", "address", "write the first and the last address, without prefix lengths"),
        ("10.1.2.05", "address", "write 10.1.2.5"),
        ("10.1.2.5/33", "address", "write its prefix length"),
    ],
)  # fmt: skip
def test_a_cell_that_is_refused_has_a_hint_that_claims_no_more_than_it_means(
    text: str, notation: Notation, hint: str
) -> None:
    with pytest.raises(NotationError) as refused:
        ranges_in(text, notation)
    assert refused.value.hint == hint
    assert re.search(re.escape(text), str(refused.value))


@pytest.mark.parametrize(
    "text", ["10.1.2.x", "10.1.2.5 (web)", "10.1.2.5-", "-5", "web", "10.1.2.5,6"]
)
def test_a_cell_that_cannot_be_read_is_named_whole(text: str) -> None:
    with pytest.raises(NotationError, match=re.escape(text)):
        ranges_in(text)


def test_several_ranges_of_a_cell_are_all_of_its_owner() -> None:
    ranges = ranges_in("10.0.0.5 + 10.0.0.6 & 10.0.0.9")
    assert IPSet.of(ranges).size == 3


@pytest.mark.parametrize("text", ["10.1.2.3-10.1.3", "10.1.2.3 \u2013 10.1.3", "10.1.2.3 - 10.1"])
def test_a_cut_off_end_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        ranges_in(text)
