"""The map of a pool: cells of a power of two, letters for holders, never more than some rows."""

from collections.abc import Mapping

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from reconciler.addresses import IPRange, format_address
from reconciler.planning.pool_map import MAX_ROWS, AddressPart, AddressUse, PoolMap, pool_map, strip
from tests.examples import scaled
from tests.families.capi.trees import pool as capi_pool
from tests.world import SMALL, evaluation_of, pool, provider, reconciled, request, tenant

Files = Mapping[str, str | bytes]


def drawn(files: Files, columns: int = 32) -> PoolMap:
    state = evaluation_of(files).state
    return pool_map(state, next(iter(state.pools)), columns)


def lines(found: PoolMap) -> list[str]:
    return [
        f"{format_address(4, row.first)} "
        + "".join(" " if part is None else found.sign(part) for part in row.cells)
        for row in found.rows
    ]


def test_many_pieces_are_a_row_each_and_no_cell_grows_for_them() -> None:
    pieces = [f"10.{number}.0.1" for number in range(40)]
    found = drawn({"pools/p.yaml": capi_pool("p", *pieces, prefix=8)}, 8)
    assert found.per_cell >= 1


def test_of_two_records_of_one_address_the_one_with_more_of_a_cell_shows() -> None:
    state = evaluation_of(reconciled({**SMALL, "tenants/two.yaml": tenant("two")})).state
    one, two = state.records
    wide = replace(one, range=IPRange(4, 0x0A280000, 0x0A28000F))
    narrow = replace(two, range=IPRange(4, 0x0A280002, 0x0A280003))
    found = pool_map(replace(state, records=(wide, narrow)), next(iter(state.pools)), 16)
    assert lines(found)[0] == "10.40.0.0 AAAAAAAAAAAAAAAA"


@settings(max_examples=scaled(40))
@given(st.lists(st.integers(1, 30), max_size=5), st.integers(20, 29), st.integers(8, 90))
def test_a_cell_never_hides_that_something_is_held(
    sizes: list[int], prefix: int, columns: int
) -> None:
    files: dict[str, str | bytes] = {
        "pools/e.yaml": pool(cidr=f"10.40.0.0/{prefix}"),
        "providers/d.yaml": provider(),
    }
    for number, size in enumerate(sizes):
        files[f"tenants/{number}.yaml"] = request(f"t{number}", count=size)
    found = drawn(reconciled(files), columns)
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
