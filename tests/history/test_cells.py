"""The map of a pool: cells of a power of two, letters for holders, never more than some rows."""

from collections.abc import Mapping

from hypothesis import given, settings
from hypothesis import strategies as st

from reconciler.addresses import IPRange
from reconciler.planning.pool_map import MAX_ROWS, AddressPart, AddressUse, PoolMap, pool_map, strip
from tests.examples import scaled
from tests.history.leaving import left
from tests.world import evaluation_of

Files = Mapping[str, str | bytes]


def drawn(files: Files, columns: int = 32) -> PoolMap:
    state = evaluation_of(files).state
    return pool_map(state, next(iter(state.pools)), columns)


@settings(max_examples=scaled(40))
@given(st.lists(st.integers(1, 30), max_size=5), st.integers(20, 29), st.integers(8, 90))
def test_a_cell_never_hides_that_something_is_held(
    sizes: list[int], prefix: int, columns: int
) -> None:
    found = drawn(left(f"10.40.0.0/{prefix}", sizes, ()), columns)
    assert len(found.rows) <= MAX_ROWS
    held = {
        address // found.per_cell
        for part in found.parts
        if part.sort is AddressUse.ALLOCATED
        for address in range(part.range.first, part.range.last + 1)
    }
    shown = {
        row.first // found.per_cell + at
        for row in found.rows
        for at, part in enumerate(row.cells)
        if part is not None and part.sort is AddressUse.ALLOCATED
    }
    assert shown == held


@given(st.lists(st.integers(0, 64), max_size=90), st.integers(8, 70))
def test_a_strip_is_as_wide_as_it_may_be_and_leaves_nothing_out(
    sizes: list[int], columns: int
) -> None:
    parts, first = [], 0
    for number, size in enumerate(sizes):
        item = IPRange(6, first, first + (1 << size) - 1)
        parts.append(AddressPart(item, AddressUse.HELD if number % 7 == 3 else AddressUse.FREE))
        first = item.last + 1
    found = strip(parts, columns)
    assert len(found) == (columns if sizes else 0)
    if len(sizes) <= columns:
        assert list(dict.fromkeys(found)) == parts
    else:
        assert sum(it.sort is AddressUse.HELD for it in found) >= min(1, len(sizes) // 7)
