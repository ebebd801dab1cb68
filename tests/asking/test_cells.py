"""The map of a pool: cells of a power of two, letters for holders, never more than some rows."""

from collections.abc import Mapping

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from reconciler.addresses import IPRange
from reconciler.addresses.notation import format_address
from reconciler.asking.cells import LETTERS, MOST_ROWS, OTHERS, PoolMap, pool_map, strip
from reconciler.asking.parts import Part, Sort
from tests.examples import scaled
from tests.families.capi.trees import pool as capi_pool
from tests.families.novaedge import pool as vip_pool
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


def test_a_cell_is_an_address_and_its_letter_who_holds_it() -> None:
    files = {
        **SMALL,
        "pools/edge.yaml": pool(cidr="10.40.0.0/27", reserved="[{cidr: 10.40.0.28/30}]"),
        "tenants/two.yaml": tenant("two", networking="{lbPoolSize: 3}"),
    }
    after = reconciled(files)
    after = reconciled({path: it for path, it in after.items() if path != "tenants/one.yaml"})
    found = drawn(after, 16)
    assert lines(found) == ["10.40.0.0 ~~~~~~~~AAA.....", "10.40.0.16 ............####"]
    assert [(it.letter, it.title, it.size) for it in found.holders] == [("A", "team-a/two", 3)]


def test_the_width_is_a_power_of_two_that_fits() -> None:
    for columns, width in ((3, 8), (8, 8), (31, 16), (33, 32), (500, 64)):
        assert {len(row.cells) for row in drawn(SMALL, columns).rows} == {width}


def test_of_a_large_pool_a_cell_is_several_addresses_and_what_is_held_shows() -> None:
    files = reconciled({**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/16")})
    found = drawn(files, 64)
    assert (found.per_cell, len(found.rows)) == (32, MOST_ROWS)
    assert lines(found)[0].startswith("10.40.0.0 A....")


def test_pieces_of_a_pool_begin_their_own_rows_and_nothing_stands_between() -> None:
    found = drawn({"pools/p.yaml": vip_pool(cidrs="[10.1.0.0/30, 10.9.0.4/30]")}, 8)
    assert lines(found) == ["10.1.0.0 #..#    ", "10.9.0.0     #..#"]


def test_many_pieces_are_a_row_each_and_no_cell_grows_for_them() -> None:
    pieces = [f"10.{number}.0.1" for number in range(40)]
    found = drawn({"pools/p.yaml": capi_pool("p", *pieces, prefix=8)}, 8)
    assert found.per_cell >= 1


def test_of_ipv6_there_are_no_cells() -> None:
    found = drawn({"pools/p.yaml": vip_pool(cidrs="[2001:db8::/64]")})
    assert (found.per_cell, found.rows, len(found.parts)) == (0, (), 1)


def test_another_pool_of_the_same_addresses_does_not_show() -> None:
    found = drawn({"pools/a.yaml": pool("a"), "pools/b.yaml": pool("b", "10.40.0.0/25")})
    assert {part.pool.name for part in found.parts if part.pool} == {"a"}


def test_of_two_records_of_one_address_the_one_with_more_of_a_cell_shows() -> None:
    state = evaluation_of(reconciled({**SMALL, "tenants/two.yaml": tenant("two")})).state
    one, two = state.records
    wide = replace(one, range=IPRange(4, 0x0A280000, 0x0A28000F))
    narrow = replace(two, range=IPRange(4, 0x0A280002, 0x0A280003))
    found = pool_map(replace(state, records=(wide, narrow)), next(iter(state.pools)), 16)
    assert lines(found)[0] == "10.40.0.0 AAAAAAAAAAAAAAAA"


def test_when_letters_run_out_the_others_share_a_sign() -> None:
    files: dict[str, str | bytes] = {"pools/e.yaml": pool(), "providers/d.yaml": provider()}
    for number in range(len(LETTERS) + 1):
        files[f"tenants/{number:03d}.yaml"] = request(f"t{number:03d}", count=1)
    found = drawn(reconciled(files))
    letters = [holder.letter for holder in found.holders]
    assert letters == [*LETTERS[:-1], OTHERS, OTHERS]
    del files["tenants/000.yaml"]
    assert [it.letter for it in drawn(reconciled(files)).holders] == list(LETTERS)


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
    assert len(found.rows) <= MOST_ROWS
    held = {
        address // found.per_cell
        for part in found.parts
        if part.sort is Sort.ALLOCATED
        for address in range(part.range.first, part.range.last + 1)
    }
    shown = {
        row.first // found.per_cell + at
        for row in found.rows
        for at, part in enumerate(row.cells)
        if part is not None and part.sort is Sort.ALLOCATED
    }
    assert shown == held


@given(st.lists(st.integers(0, 64), max_size=90), st.integers(8, 70))
def test_a_strip_is_as_wide_as_it_may_be_and_leaves_nothing_out(
    sizes: list[int], columns: int
) -> None:
    parts, first = [], 0
    for number, size in enumerate(sizes):
        item = IPRange(6, first, first + (1 << size) - 1)
        parts.append(Part(item, Sort.HELD if number % 7 == 3 else Sort.FREE))
        first = item.last + 1
    found = strip(parts, columns)
    assert len(found) == (columns if sizes else 0)
    if len(sizes) <= columns:
        assert list(dict.fromkeys(found)) == parts
    else:
        assert sum(it.sort is Sort.HELD for it in found) >= min(1, len(sizes) // 7)
