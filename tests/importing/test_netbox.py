"""Exports of NetBox: as its API gives them, and as its lists are exported."""

import json
import re

import pytest

from reconciler.addresses import IPSet
from reconciler.importing.assembling import Imported
from reconciler.importing.cells import ranges_in
from reconciler.importing.run import files_found, netbox_rows
from reconciler.importing.tables import Assumed
from tests.importing.sources import conflicts, imported, lines, netbox, table, texts
from tests.world import pool

PREFIXES = """{"count": 2, "next": null, "results": [
  {"id": 1, "prefix": "10.0.0.0/16", "status": {"value": "active", "label": "Active"}},
  {"id": 2, "prefix": "10.0.1.0/24", "status": {"value": "active"}, "description": "Edge"}]}"""
RANGES = """[
  {"start_address": "10.0.1.64/24", "end_address": "10.0.1.95/24", "tenant": null},
  {"start_address": "10.0.1.96/24", "end_address": "10.0.1.99/24", "role": {"name": "vip"},
   "tenant": {"name": "Shop", "slug": "shop"}}]"""
ADDRESSES = """[
  {"address": "10.0.1.70/24", "dns_name": "web.example.com", "status": {"value": "active"}},
  {"address": "10.0.1.71/24", "assigned_object": {"device": {"name": "sw-1"}, "name": "eth0"}},
  {"address": "10.0.1.97/24", "dns_name": "a", "tenant": {"name": "Shop", "slug": "shop"}},
  {"address": "10.0.1.72/24", "status": {"value": "deprecated"}}]"""


def test_prefixes_are_pools_ranges_their_windows_and_addresses_pins() -> None:
    result = imported(netbox(PREFIXES, RANGES, ADDRESSES))
    assert lines(result) == [
        "default/web-example-com nodes edge 10.0.1.70 10.0.1.70",
        "default/sw-1 nodes edge 10.0.1.71 10.0.1.71",
        "shop/shop loadbalancer edge 10.0.1.96-10.0.1.99 10.0.1.96-10.0.1.99",
    ]
    assert "start: 10.0.1.64" in texts(result)["pools/edge.yaml"]
    assert conflicts(result) == []
    assert (
        "0.json/0 (id 1): 10.0.0.0/16 contains smaller networks, so it is not a pool"
        in result.notes
    )


def test_a_list_that_was_exported_as_a_table_is_read_alike() -> None:
    text = "IP Address,Status,Tenant,DNS Name,VRF\n10.0.1.70/24,Active,Shop,web,\n"
    (held,) = netbox(text).holdings
    assert (held.title, held.team, held.item.size) == ("shop/web", "shop", 1)
    (pool,) = netbox("Prefix,Status,Tenant,VRF\n10.0.1.0/24,Active,Shop,blue\n").described
    assert (pool.name, pool.space) == ("net-10-0-1-0-24", "blue")
    assert netbox("Colour\nred\n").conflicts


def test_a_column_of_a_table_gets_the_meaning_that_map_names() -> None:
    data = b"IP Address,DNS Name,Colour\n10.0.1.70/24,web,vip\n"
    (note,) = (found := files_found([("a.csv", data)], Assumed(), netbox_rows)).notes
    assert (note.endswith("pass --map Colour=MEANING"), found.holdings[0].type) == (True, "nodes")
    asked = [("a.csv", data)], Assumed(mapped={"Colour": "type"}), netbox_rows
    assert files_found(*asked).holdings[0].type == "loadbalancer"
    (wrong,) = files_found([("a.json", b"[]")], *asked[1:]).conflicts
    assert wrong.message == "--map needs columns, and JSON has none"


def test_a_table_as_netbox_imports_it_says_the_same_as_one_that_it_exports() -> None:
    exported = "IP Address,Status,Tenant,VRF,Role,DNS name,Description\n"
    taken_in = "address,status,tenant,vrf,role,dns_name,description\n"
    rows = "10.0.1.70/24,Active,Shop,,,web,gate\n10.0.1.71/24,Reserved,,,VIP,,spare\n"
    assert netbox(taken_in + rows) == netbox(exported + rows)
    exported, taken_in = "Prefix,Status,Tenant,VLAN\n", "prefix,status,tenant,vlan\n"
    row = "10.0.1.0/24,Active,Shop,60\n"
    assert netbox(taken_in + row) == netbox(exported + row)
    assert netbox(taken_in + row).described


def test_addresses_of_two_vrfs_are_apart() -> None:
    item = {"address": "10.0.1.70/24", "dns_name": "web"}
    found = netbox(json.dumps([item, {**item, "dns_name": "shop", "vrf": {"name": "Blue"}}]))
    result = imported(found)
    assert conflicts(result) == []
    assert len(result.lines) == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "[{",
            "0.json:1: the file is not valid JSON: Expecting property name enclosed in double quotes",
        ),
        ("[" * 100_000, "0.json: the file is not valid JSON: the nesting is too deep"),
        ('{"results": 1}', "0.json: the file contains no list of objects"),
        ('{"results": [], "next": "x"}', "0.json: the file is one page of several"),
        ('[{"id": 7}]', "0.json: /0 (id 7): the row has no address"),
    ],
)
def test_what_is_no_whole_export_is_told(text: str, said: str) -> None:
    assert conflicts(netbox(text)) == [said]


SCOPE = {"start_address": "10.20.0.2/24", "end_address": "10.20.0.99/24", "id": 7}
USED: list[dict[str, object]] = [
    {"mark_populated": True},
    {"mark_utilized": True},
    {"status": {"value": "reserved", "label": "Reserved"}},
    {"status": {"value": "deprecated", "label": "Deprecated"}},
    {"role": {"name": "DHCP scope", "slug": "dhcp"}},
]
ROWS = [
    "Start address,End address,Status,Role,Marked Populated,Mark Utilized\n10.20.0.2/24,10.20.0.99/24,",
    *("Active,,True,False", "Active,,,yes", "Reserved,,,", "Deprecated,,,", "Active,DHCP,False,"),
]


def unused(result: Imported) -> IPSet:
    """Return the addresses that the pools of an import can still allocate."""
    pools = result.after.state.pools.values()
    given = IPSet.of(item for pool in pools for item in pool.usable)
    return given - IPSet.of(line.new for line in result.lines if line.new is not None)


@pytest.mark.parametrize("at", range(len(USED)))
@pytest.mark.parametrize("mark", [",", "\t"])
def test_a_range_that_something_else_uses_is_not_given_out(at: int, mark: str) -> None:
    prefix = '[{"prefix": "10.20.0.0/24"}]'
    held = '[{"address": "10.20.0.50/24", "dns_name": "printer"}]'
    table = f"{ROWS[0]}{ROWS[at + 1]}\n".replace(",", mark)
    for ranges in (json.dumps([{**SCOPE, **USED[at]}]), table):
        result = imported(netbox(prefix, ranges, held))
        assert conflicts(result) == []
        left = unused(result)
        assert not left.overlapping(ranges_in("10.20.0.2-10.20.0.99")[0])
        assert left.covers(ranges_in("10.20.0.100-10.20.0.254")[0])


@pytest.mark.parametrize(
    "text",
    [
        '[{"prefix": "10.21.0.0/24", "mark_utilized": true}, {"prefix": "10.0.0.0/8"}]',
        '[{"prefix": "10.21.0.0/24", "status": {"value": "reserved"}}, {"prefix": "10.0.0.0/8"}]',
        "Prefix,Status,Marked Utilized\n10.21.0.0/24,Active,True\n10.0.0.0/8,Active,False\n",
        "Prefix\tStatus\n10.21.0.0/24\tReserved\n10.0.0.0/8\tActive\n",
        "sep=;\nPrefix;Status\n10.21.0.0/24;Deprecated\n10.0.0.0/8;Active\n",
    ],
)
@pytest.mark.parametrize("held", ["[]", '[{"address": "10.21.0.50/24", "dns_name": "web"}]'])
def test_a_prefix_that_is_full_gives_nothing_out(text: str, held: str) -> None:
    result = imported(netbox(text, held))
    assert conflicts(result) == []
    left = unused(result)
    assert not left.overlapping(ranges_in("10.21.0.0/24")[0])
    assert bool(left) == (held == "[]")  # a network that holds a smaller pool is a container


@pytest.mark.parametrize(
    ("vrf", "space"),
    [
        *(("Global", "default"), ("", "default"), ("\u2014", "default")),
        *(("Prod", "prod"), ("Prod (65000:1)", "prod"), ("Prod (old)", "prod-old")),
    ],
)
def test_a_vrf_of_a_table_is_an_address_space(vrf: str, space: str) -> None:
    (made,) = netbox(f"Prefix,VRF\n10.0.0.0/24,{vrf}\n").described
    assert made.space == space


@pytest.mark.parametrize("pool", ["True", "False", "yes", "\u2714", "\u2718"])
def test_the_column_pool_is_a_boolean(pool: str) -> None:
    found = netbox(f"Prefix;Pool;Description\n10.0.0.0/24;{pool};Office\n10.0.1.0/24;{pool};\n")
    assert [it.name for it in found.described] == ["office", "net-10-0-1-0-24"]


def test_many_ranges_of_a_prefix_give_out_no_address_between_them() -> None:
    ranges = [
        {"start_address": f"10.20.0.{at}/24", "end_address": f"10.20.0.{at + 1}/24"}
        for at in range(10, 100, 4)
    ]
    result = imported(netbox('[{"prefix": "10.20.0.0/24"}]', json.dumps(ranges)))
    assert conflicts(result) == []
    assert unused(result).size == 2 * len(ranges)


def test_roles_are_types_and_one_that_is_not_known_is_a_conflict() -> None:
    rows = [
        {"address": f"10.0.0.{at}/24", "dns_name": f"h{at}", "role": {"value": role}}
        for at, role in enumerate(("vip", "loopback", "anycast", "vrrp"), 1)
    ]
    found = netbox(json.dumps(rows))
    assert [it.type for it in found.holdings] == ["loadbalancer", "nodes"]
    assert conflicts(found) == [
        "0.json: /2: unknown type 'anycast'",
        "0.json: /3: unknown type 'vrrp'",
    ]


def test_the_hint_for_addresses_that_something_else_uses_leads_to_a_valid_pool() -> None:
    files = {"pools/edge.yaml": pool("edge", "10.20.0.0/24")}
    held = '[{"address": "10.20.0.50/24", "dns_name": "printer"}]'
    files |= texts(imported(netbox(held), files))
    found = netbox(json.dumps([{**SCOPE, "mark_utilized": True}]), held)
    (conflict,) = imported(found, files).conflicts
    blocks = ", ".join(f"{{cidr: {it}}}" for it in re.findall(r"[0-9.]+/[0-9]+", conflict.hint))
    files["pools/edge.yaml"] = pool("edge", "10.20.0.0/24", reserved=f"[{blocks}]")
    result = imported(found, files)
    assert (result.conflicts, result.files) == ((), {})
    # An address that the source does not name is a question, because no pool can reserve it.
    (conflict,) = imported(netbox(json.dumps([{**SCOPE, "mark_utilized": True}])), files).conflicts
    assert conflict.message.endswith(
        "10.20.0.50 belongs to default/printer by tenants/default/printer.yaml:3"
    )


def test_a_pool_of_the_repository_that_the_import_fills_is_noted() -> None:
    files = {"pools/edge.yaml": pool("edge", "10.20.0.0/30")}
    result = imported(table("range,name\n10.20.0.0/30,web\n"), files)
    assert conflicts(result) == []
    (note,) = (note for note in result.notes if "capacity" in note)
    assert note.endswith("or set gitops-ipam.dev/gate: never")


@pytest.mark.parametrize(
    ("of_range", "of_address", "types"),
    [
        (None, None, ["nodes"]),
        (None, "vip", []),
        (None, "loopback", ["nodes"]),
        ("vip", None, ["loadbalancer"]),
        ("vip", "vip", ["loadbalancer"]),
        ("vip", "loopback", []),
        ("loopback", "vip", []),
    ],
)
def test_an_address_in_a_range_of_its_tenant_never_loses_its_role(
    of_range: str | None, of_address: str | None, types: list[str]
) -> None:
    shop = {"tenant": {"slug": "shop"}}
    ends = {"start_address": "10.0.1.96/24", "end_address": "10.0.1.99/24"}
    ranges = [{**ends, **shop, "role": {"name": of_range}}]
    held = [{"address": "10.0.1.97/24", "dns_name": "www", **shop, "role": {"value": of_address}}]
    result = imported(netbox(json.dumps(ranges), json.dumps(held)))
    assert [line.type for line in result.lines] == types
    assert len(result.conflicts) == (not types)
    if of_range is None and not types:
        assert "state the type of 10.0.1.96-10.0.1.99" in result.conflicts[0].hint


def test_two_names_of_one_address_are_a_conflict_within_a_tenant_as_well() -> None:
    held = [
        {"address": "10.0.1.97/24", "dns_name": name, "tenant": {"slug": "shop"}}
        for name in ("www", "mail")
    ]
    (found,) = imported(netbox(json.dumps(held))).conflicts
    assert found.message.startswith("/1: 10.0.1.97 has two holders: shop/mail")
    ends = {"start_address": "10.0.1.97/24", "end_address": "10.0.1.97/24"}
    one = [{**ends, "tenant": {"slug": "shop"}}]
    assert lines(imported(netbox(json.dumps(one), json.dumps(held[:1])))) == [
        "shop/shop nodes net-10-0-1-0-24 10.0.1.97 10.0.1.97"
    ]
