"""Who may still announce what another cluster shall get, against a pair-by-pair oracle."""

from hypothesis import given
from hypothesis import strategies as st

from reconciler.addresses import IPRange, IPSet
from reconciler.apply.metallb import ranges_of
from reconciler.apply.targets import Claims, address_conflicts

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


def test_a_cluster_that_gives_goes_before_the_one_that_gets() -> None:
    announced = {"old": claim("10.0.0.0/29"), "far": claim("10.0.9.0/24")}
    wanted = {"new": claim("10.0.0.7-10.0.0.9"), "old": claim("10.0.0.0/30")}
    assert address_conflicts(announced, wanted) == {"new": ("old",)}
    assert address_conflicts(announced, {"new": claim("10.0.0.8/29")}) == {}


def test_clusters_that_swap_are_rivals_of_each_other() -> None:
    one, two = claim("10.0.0.0/29"), claim("10.0.0.8/29")
    assert address_conflicts({"a": one, "b": two}, {"a": two, "b": one}) == {
        "a": ("b",),
        "b": ("a",),
    }


def test_equal_numbers_of_two_versions_or_two_spaces_are_not_the_same_addresses() -> None:
    low = Claims((), IPSet((IPRange(6, 9, 9),)))
    assert address_conflicts({"a": low}, {"b": Claims((), IPSet((IPRange(4, 9, 9),)))}) == {}
    here, there = (claim("10.0.0.0/24", spaces=(space,)) for space in ("dc1", "dc2"))
    assert address_conflicts({"a": here}, {"b": there}) == {}
    both = claim("10.0.0.0/24", spaces=("dc1", "dc2"))
    assert address_conflicts({"a": here}, {"b": both}) == {"b": ("a",)}


def test_a_cluster_whose_spaces_are_not_known_may_be_anywhere() -> None:
    unknown, known = claim("10.0.0.0/24", spaces=()), claim("10.0.0.0/24")
    assert address_conflicts({"a": unknown}, {"b": known}) == {"b": ("a",)}
    assert address_conflicts({"a": known}, {"b": unknown}) == {"b": ("a",)}
