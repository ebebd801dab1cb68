"""Lookup of overlapping ranges, and candidate pools computed once for many claims."""

from hypothesis import given
from hypothesis import strategies as st

from reconciler.addresses import IPRange
from reconciler.planning.space import Lookup

RANGES = st.builds(
    lambda version, first, size: IPRange(version, first, first + size),
    st.sampled_from((4, 6)),
    st.integers(0, 30),
    st.integers(0, 12),
)


@given(st.lists(RANGES, max_size=12), RANGES)
def test_exactly_what_overlaps_is_found_in_the_order_it_was_given(
    ranges: list[IPRange], item: IPRange
) -> None:
    entries = list(zip(ranges, range(len(ranges)), strict=True))
    wanted = [entry for entry in entries if entry[0].overlaps(item)]
    assert Lookup(entries).overlapping(item) == wanted
