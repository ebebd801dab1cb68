"""Joining addresses by owner: each address once, in as few ranges as possible."""

from hypothesis import given, settings
from hypothesis import strategies as st

from reconciler.addresses import IPRange, IPSet
from reconciler.documents.findings import Location
from reconciler.families.importing import ImportedRange
from reconciler.importing.assembling import join_sources
from reconciler.planning.space import Lookup
from tests.examples import scaled
from tests.importing.sources import Files, conflicts, imported, lines, table, texts
from tests.world import pool, reconciled


def holding(owner: str, first: int, last: int) -> ImportedRange:
    item = IPRange(4, first, last)
    return ImportedRange("a", owner, "nodes", item, Location("x", first + 1), said=owner)


def test_addresses_that_touch_are_one_range_and_others_are_several() -> None:
    result = imported(table("ip,cluster\n10.0.0.5,web\n10.0.0.7,web\n10.0.0.6,web\n10.0.0.9,web\n"))
    assert lines(result) == [
        "default/web loadbalancer net-10-0-0-0-24 10.0.0.5-10.0.0.7 10.0.0.5-10.0.0.7",
        "default/web loadbalancer net-10-0-0-0-24 10.0.0.9 10.0.0.9",
    ]


EDGE: Files = {"pools/edge.yaml": pool("edge", "10.0.0.0/24")}


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
        "a.csv:3: 'web-1' and 'web 1' of a.csv:2 both map to the name default/web-1"
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
    result = join_sources(held, Lookup(()))
    kept = result.holdings
    assert sum(it.item.size for it in kept) == IPSet.of(it.item for it in kept).size
    for item in kept:
        others = [it.item for it in held if it.owner != item.owner]
        assert not IPSet.of(others) & IPSet((item.item,))
    if not result.conflicts:
        assert IPSet.of(it.item for it in kept) == IPSet.of(it.item for it in held)


def test_more_addresses_of_an_owner_are_added_next_to_those_that_are_known() -> None:
    first = imported(table("ip,cluster\n10.0.0.5,web\n"), EDGE)
    files = {**EDGE, **first.files}
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


TYPED = (
    "network,ip,cluster,type\n10.0.0.0/24,,,\n,10.0.0.10-10.0.0.17,shop,lb\n"
    ",10.0.0.30,shop,node\n,10.0.0.40,,dhcp\n"
)


def test_a_second_import_with_other_meanings_says_how_to_redo_the_first_one() -> None:
    first = imported(table(TYPED.replace("type", "ignored"), type="loadbalancer"))
    result = imported(table(TYPED), first.files)
    assert [it.message for it in result.conflicts] == [
        "10.0.0.30 of default/shop is nodes, and loadbalancer by tenants/default/shop.yaml:20",
        "10.0.0.40 is used by another system, but 10.0.0.40 belongs to default/ip-10-0-0-40"
        " by tenants/default/ip-10-0-0-40.yaml:3",
    ]
    again = (
        "delete pools/net-10-0-0-0-24.yaml,"
        " tenants/default/ip-10-0-0-40.yaml, and tenants/default/shop.yaml and import again,"
    )
    assert all(it.hint.startswith(again) for it in result.conflicts)
    assert conflicts(imported(table(TYPED))) == []
    # Files with records are in use: no hint proposes to delete them.
    odd, used = imported(table(TYPED), reconciled(first.files)).conflicts
    assert odd.hint.endswith("set spec.type of tenants/default/shop.yaml:20 to nodes")
    assert "earlier import" not in odd.hint + used.hint
    edited = dict(texts(first))
    shop = edited["tenants/default/shop.yaml"].rpartition("loadbalancer")
    edited["tenants/default/shop.yaml"] = f"{shop[0]}nodes{shop[2]}"
    (left,) = imported(table(TYPED), reconciled(edited)).conflicts
    assert left.message == used.message


def test_a_default_type_contradicts_no_type_of_the_repository() -> None:
    first = imported(table("ip,name,type\n10.0.0.5,web,lb\n"))
    assert imported(table("ip,name\n10.0.0.5,web\n"), first.files).conflicts == ()


def test_a_name_for_addresses_that_had_none_needs_no_release() -> None:
    first = imported(table("ip\n10.0.0.5\n10.0.0.7-10.0.0.9\n"))
    files = reconciled(first.files)
    named = table("ip,name\n10.0.0.5,web\n10.0.0.7,lb\n")
    part, whole = imported(named, files).conflicts
    path = "tenants/default/ip-10-0-0-5.yaml"
    assert whole.hint == (
        f"set spec.tenantClusterRef of {path}:3 to name web, namespace default; do not delete the request"
    )
    assert part.hint.endswith("; do not delete a request")  # web2 might use the other addresses
    text = texts(first)[path]
    files = {**files, path: text.replace("    name: ip-10-0-0-5", "    name: web")}
    result = imported(table("ip,name\n10.0.0.5,web\n"), files)
    assert (result.conflicts, result.files) == ((), {})


def test_addresses_of_a_removed_request_are_restored_before_they_get_a_name() -> None:
    files = reconciled(imported(table("ip\n10.0.0.5\n10.0.0.9\n")).files)
    del files["tenants/default/ip-10-0-0-5.yaml"]
    (found,) = imported(table("ip,name\n10.0.0.5,web\n"), reconciled(files)).conflicts
    assert found.hint.startswith("restore the request, if the address is in use: git revert")


def test_a_row_next_to_known_addresses_keeps_its_place() -> None:
    first = imported(table("ip,name\n10.0.0.4,web\n"), EDGE)
    rows = "ip,name\n10.0.0.4,web\n10.0.0.5,web\n10.0.0.6,web\n"
    (line,) = imported(table(rows), {**EDGE, **first.files}).lines
    assert (str(line.place), line.old) == ("a.csv:3", IPRange(4, 0x0A000005, 0x0A000006))
