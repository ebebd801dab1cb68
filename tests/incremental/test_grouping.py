"""What joins parts to one group, link by link."""

import pytest
from msgspec.structs import replace

from reconciler.addresses import IPRange
from reconciler.incremental.group import EVERYWHERE, Bearing, Group, Span
from reconciler.incremental.grouping import Spans, groups, touching

NOTHING = Bearing({}, {}, {}, {})
PARTS = {"a": "1", "b": "2", "c": "3"}


def span(first: int, last: int, space: str = "") -> Span:
    return Span(space, IPRange(4, first, last))


def joined(bearing: Bearing) -> list[list[str]]:
    return [list(group.parts) for group in groups(PARTS, bearing)]


def test_what_shares_nothing_stays_apart() -> None:
    assert joined(NOTHING) == [["a"], ["b"], ["c"]]
    every = {"a": {"Kind ns/*": None}, "c": {"Kind ns/*": None}}
    assert joined(replace(NOTHING, provides=every)) == [["a"], ["b"], ["c"]]


@pytest.mark.parametrize(
    "bearing",
    [
        replace(NOTHING, asks={"a": {"Kind ns/x": None}, "c": {"Kind ns/x": None}}),
        replace(NOTHING, asks={"a": {"Kind ns/x": None}}, provides={"c": {"Kind ns/x": None}}),
        replace(NOTHING, asks={"a": {"Kind ns/*": None}}, provides={"c": {"Kind ns/*": None}}),
        replace(NOTHING, provides={"a": {"Kind ns/x": None}, "c": {"Kind ns/x": None}}),
        replace(NOTHING, names={"a": {"ns/x": None}, "c": {"ns/x": None}}),
        replace(NOTHING, spans={"a": [span(1, 5)], "b": [span(9, 9)], "c": [span(5, 6)]}),
        replace(NOTHING, spans={"a": [span(1, 5, "lab")], "c": [span(5, 6, EVERYWHERE)]}),
    ],
)
def test_what_shares_a_node_a_name_or_an_address_is_one_group(bearing: Bearing) -> None:
    assert joined(bearing) == [["a", "c"], ["b"]]


def test_a_long_range_reaches_over_a_short_one() -> None:
    spans = {"a": [span(1, 9)], "b": [span(2, 3)], "c": [span(8, 8)]}
    assert joined(replace(NOTHING, spans=spans)) == [["a", "b", "c"]]


def test_addresses_of_two_spaces_are_apart() -> None:
    spans = {"a": [span(1, 9)], "b": [span(1, 9, "lab")]}
    assert joined(replace(NOTHING, spans=spans)) == [["a"], ["b"], ["c"]]


def test_a_span_of_every_space_overlaps_those_of_each_and_the_other_way_round() -> None:
    assert Spans([span(1, 5, EVERYWHERE)]).overlap(span(5, 6, "lab"))
    assert Spans([span(1, 5, EVERYWHERE), span(8, 9, "lab")]).overlap(span(5, 6, "lab"))
    assert Spans([span(1, 5, "lab")]).overlap(span(5, 6, EVERYWHERE))
    assert not Spans([span(1, 5, "lab")]).overlap(span(5, 6))
    assert not Spans([span(1, 5, EVERYWHERE)]).overlap(span(6, 6, "lab"))


def test_groups_that_bear_on_each_other_are_told() -> None:
    known = {
        3: Group(asks={"Kind ns/x": None}),
        4: Group(spans=[span(1, 2)]),
        7: Group(provides={"Kind ns/x": None}),
    }
    assert list(touching(known)) == [3, 7]
