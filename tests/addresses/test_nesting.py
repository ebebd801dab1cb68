"""Which of many blocks overlap."""

from hypothesis import given
from hypothesis import strategies as st

from reconciler.addresses import IPRange, first_overlapping


@st.composite
def blocks(draw: st.DrawFn) -> IPRange:
    size = 1 << draw(st.integers(0, 4))
    first = draw(st.integers(0, 32 // size - 1)) * size
    return IPRange(draw(st.sampled_from([4, 6])), first, first + size - 1)


@given(st.lists(blocks(), max_size=12))
def test_each_block_is_told_with_the_first_that_it_overlaps(found: list[IPRange]) -> None:
    assert first_overlapping(found) == [
        next(at for at, other in enumerate(found) if other.overlaps(block)) for block in found
    ]
