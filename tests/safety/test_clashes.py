"""Overlaps found by a sweep, compared with sets of numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reconciler.safety.clashes import (
    UNKNOWN,
    V6,
    PoolText,
    Range,
    RecordedRange,
    Span,
    granted,
    is_near,
    overlapping,
    union,
)

BASES = (0, 10 << 24, V6, V6 + (0x2001 << 112))
POOL = PoolText("NetworkPool", "butler-system", "edge")

ranges = st.builds(
    lambda base, first, size: (base + first, base + first + size),
    st.sampled_from(BASES),
    st.integers(0, 30),
    st.integers(0, 6),
)
spans = st.builds(
    lambda item, path: Span(item[0], item[1], path), ranges, st.sampled_from("abcdefgh")
)


def values(items: list[Range]) -> set[int]:
    return {value for first, last in items for value in range(first, last + 1)}


@given(st.lists(spans, max_size=14), st.sets(st.sampled_from("abcdefgh"), max_size=4))
def test_pairs_are_those_that_share_a_number(found: list[Span], paths: set[str]) -> None:
    held: dict[str, set[int]] = {}
    for span in found:
        held.setdefault(span.path, set()).update(values([span[:2]]))
    expected = {
        (one, other)
        for one in held
        for other in held
        if one != other and one in paths and held[one] & held[other]
    }
    pairs = overlapping(found, paths)
    assert pairs == sorted(pairs)
    # Two allocated records can be in any order.
    assert {frozenset(pair) for pair in pairs} == {frozenset(pair) for pair in expected}
    assert all(one in paths for one, _ in pairs)


@given(st.lists(ranges, max_size=8), st.lists(ranges, max_size=4))
def test_a_line_touches_what_has_a_number_of_it(laid: list[Range], others: list[Range]) -> None:
    assert is_near(union(laid), others) == bool(values(laid) & values(others))


def holding(**fields: object) -> RecordedRange:
    made = RecordedRange("new.yaml", "a/B/c/d/e", "Allocated", POOL, ((4, 8),))
    return made._replace(**fields)  # type: ignore[arg-type]  # fields by name


@pytest.mark.parametrize(
    "old",
    [
        holding(),
        holding(path="old.yaml"),
        holding(phase="Released"),
        holding(claim=""),
        holding(pool=PoolText("", "", "edge")),
    ],
)
def test_what_goes_on_as_before_is_not_given_out(old: RecordedRange) -> None:
    assert granted([holding()], [holding(ranges=((1, 1),)), old]) == []


@pytest.mark.parametrize(
    "old",
    [
        holding(claim="a/B/c/x/e"),
        holding(ranges=((4, 9),)),
        holding(ranges=()),
        holding(pool=PoolText("NetworkPool", "other", "edge")),
        holding(pool=UNKNOWN),
    ],
)
def test_what_was_anothers_or_elsewhere_is_given_out(old: RecordedRange) -> None:
    assert granted([holding()], [old]) == [holding()]
    assert granted([holding()], []) == [holding()]


@pytest.mark.parametrize("fields", [{"phase": "Released"}, {"phase": "Failed", "ranges": ()}])
def test_a_release_and_a_refusal_give_nothing_out(fields: dict[str, object]) -> None:
    assert granted([holding(**fields)], []) == []
