"""Who has what: each address once, in the fewest ranges, and by nobody else."""

from hypothesis import given, settings
from hypothesis import strategies as st

from reconciler.addresses import IPRange, IPSet
from reconciler.documents.findings import Location
from reconciler.families.importing import ImportedRange
from reconciler.importing.assembling import join_sources
from tests.examples import scaled
from tests.importing.sources import conflicts, imported, lines, table, texts
from tests.world import pool


def holding(owner: str, first: int, last: int) -> ImportedRange:
    item = IPRange(4, first, last)
    return ImportedRange("a", owner, "nodes", item, Location("x", first + 1), said=owner)


def test_addresses_that_touch_are_one_range_and_others_are_several() -> None:
    result = imported(table("ip,cluster\n10.0.0.5,web\n10.0.0.7,web\n10.0.0.6,web\n10.0.0.9,web\n"))
    assert lines(result) == [
        "default/web loadbalancer net-10-0-0-0-24 10.0.0.5-10.0.0.7 10.0.0.5-10.0.0.7",
        "default/web loadbalancer net-10-0-0-0-24 10.0.0.9 10.0.0.9",
    ]


def test_two_holders_are_a_conflict_that_names_both_and_nobody_gets_the_address() -> None:
    result = imported(table("range,name\n10.0.0.5-10.0.0.9,web\n10.0.0.9,shop\n10.0.0.20,ok\n"))
    assert conflicts(result) == [
        "a.csv:3: 10.0.0.9 has two holders: default/shop has it as nodes, default/web of a.csv:2 as nodes"
    ]
    assert [line.partition(" ")[0] for line in lines(result)] == ["default/ok"]


def test_one_owner_that_has_an_address_in_two_types_is_a_conflict() -> None:
    result = imported(table("ip,name,type\n10.0.0.5,web,lb\n10.0.0.5,web,node\n"))
    assert len(result.conflicts) == 1


def test_two_names_that_become_one_are_a_conflict() -> None:
    result = imported(table("ip,name\n10.0.0.5,web 1\n10.0.0.6,web-1\n"))
    assert conflicts(result) == [
        "a.csv:3: 'web-1' and 'web 1' of a.csv:2 become one name, default/web-1"
    ]


RANGES = st.builds(
    lambda owner, first, size: holding(owner, first, first + size),
    st.sampled_from("abc"),
    st.integers(0, 60),
    st.integers(0, 12),
)


@settings(max_examples=scaled(200))
@given(st.lists(RANGES, max_size=12))
def test_what_is_kept_never_overlaps_and_what_is_nobodys_has_a_conflict(
    held: list[ImportedRange],
) -> None:
    result = join_sources(held)
    kept = result.holdings
    assert sum(it.item.size for it in kept) == IPSet.of(it.item for it in kept).size
    for item in kept:
        others = [it.item for it in held if it.owner != item.owner]
        assert not IPSet.of(others) & IPSet((item.item,))
    if not result.conflicts:
        assert IPSet.of(it.item for it in kept) == IPSet.of(it.item for it in held)


def test_more_addresses_of_an_owner_are_added_next_to_those_that_are_known() -> None:
    edge: dict[str, str | bytes] = {"pools/edge.yaml": pool("edge", "10.0.0.0/24")}
    first = imported(table("ip,cluster\n10.0.0.5,web\n"), edge)
    files = {**edge, **first.files}
    second = imported(table("range,cluster\n10.0.0.4-10.0.0.6,web\n10.0.0.9,web\n"), files)
    assert conflicts(second) == []
    assert [line.split()[-1] for line in lines(second)] == ["10.0.0.4", "10.0.0.6", "10.0.0.9"]
    assert list(second.files) == ["tenants/default/web.2.yaml"]


def test_more_addresses_than_a_pool_gives_out_are_told_with_the_ranges_to_set() -> None:
    first = imported(table("ip,cluster\n10.0.0.5,web\n"))
    (path,) = (path for path in first.files if path.startswith("pools/"))
    found = table("ip,cluster\n10.0.0.5,web\n10.0.0.6,web\n10.0.0.9,web\n")
    one, two = imported(found, first.files).conflicts
    assert one.hint == two.hint
    ranges = one.hint.rpartition(" to ")[2].split(", ")
    assert ranges == ["10.0.0.5-10.0.0.6", "10.0.0.9-10.0.0.9"]
    listed = "".join(
        f"      - {{start: {start}, end: {end}}}\n"
        for start, _, end in (it.partition("-") for it in ranges)
    )
    text = texts(first)[path].partition("    end:")[0] + f"    ranges:\n{listed}"
    assert conflicts(imported(found, {**first.files, path: text})) == []
