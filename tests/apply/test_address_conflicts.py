"""Clusters that might still announce the new range of another one, compared pair by pair."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reconciler.addresses import IPRange, IPSet
from reconciler.apply.targets import Claims, Target, address_conflicts
from reconciler.loadbalancers.ranges import ranges_of

Fleet = dict[str, Claims]

ranges = st.builds(
    lambda version, first, size: IPRange(version, first, first + size),
    st.sampled_from([4, 6]),
    st.integers(0, 30),
    st.integers(0, 6),
)
claims = st.builds(
    Claims,
    st.lists(st.sampled_from(["default", "dc1", "dc2"]), max_size=2, unique=True).map(tuple),
    st.lists(ranges, max_size=4).map(IPSet.of),
)
fleets = st.dictionaries(st.sampled_from("abcdef"), claims)


def claim(*texts: str, spaces: tuple[str, ...] = ("default",)) -> Claims:
    return Claims(spaces, ranges_of(texts))


def may_collide(one: Claims, two: Claims) -> bool:
    """The oracle: some address is in both, and no two different spaces keep them apart."""
    unknown = not one.spaces or not two.spaces
    return bool(one.addresses & two.addresses) and (
        unknown or not frozenset(one.spaces).isdisjoint(two.spaces)
    )


@given(fleets, fleets)
def test_rivals_are_those_that_a_look_at_every_pair_finds(announced: Fleet, wanted: Fleet) -> None:
    expected = {
        name: tuple(
            other
            for other in sorted(announced)
            if other != name and may_collide(wants, announced[other])
        )
        for name, wants in wanted.items()
    }
    assert address_conflicts(announced, wanted) == {
        name: found for name, found in expected.items() if found
    }


def test_clusters_that_swap_are_rivals_of_each_other() -> None:
    one, two = claim("10.0.0.0/29"), claim("10.0.0.8/29")
    assert address_conflicts({"a": one, "b": two}, {"a": two, "b": one}) == {
        "a": ("b",),
        "b": ("a",),
    }


LEFT = IPSet((IPRange(4, 1, 2),))


@pytest.mark.parametrize(
    ("announced", "before", "spaces"),
    [(IPSet(), ("old",), ("new",)), (LEFT, ("old",), ("new", "old")), (LEFT, (), ())],
)
def test_what_is_yet_to_leave_keeps_its_address_space(
    announced: IPSet, before: tuple[str, ...], spaces: tuple[str, ...]
) -> None:
    assert Target("a/b", spaces=("new",)).spaces_of(announced, before) == spaces


def test_what_was_given_to_a_cluster_is_what_records_say_or_said() -> None:
    released, remembered = IPSet((IPRange(4, 4, 5),)), IPSet((IPRange(4, 8, 9),))
    given = Target("a/b", released=released, remembered=remembered).given()
    assert given == IPSet((IPRange(4, 4, 5), IPRange(4, 8, 9)))
