"""Exports of NetBox: as its API gives them, and as its lists are exported."""

import json

import pytest

from reconciler.importing import run as reading
from tests.importing.sources import conflicts, imported, lines, netbox, texts

PREFIXES = json.dumps(
    {
        "count": 2,
        "next": None,
        "results": [
            {"id": 1, "prefix": "10.0.0.0/16", "status": {"value": "active", "label": "Active"}},
            {
                "id": 2,
                "prefix": "10.0.1.0/24",
                "status": {"value": "active"},
                "description": "Edge",
            },
        ],
    }
)
RANGES = json.dumps(
    [
        {"start_address": "10.0.1.64/24", "end_address": "10.0.1.95/24", "tenant": None},
        {
            "start_address": "10.0.1.96/24",
            "end_address": "10.0.1.99/24",
            "tenant": {"name": "Shop", "slug": "shop"},
            "role": {"name": "vip"},
        },
    ]
)
ADDRESSES = json.dumps(
    [
        {"address": "10.0.1.70/24", "dns_name": "web.example.com", "status": {"value": "active"}},
        {
            "address": "10.0.1.71/24",
            "assigned_object": {"device": {"name": "sw-1"}, "name": "eth0"},
        },
        {"address": "10.0.1.97/24", "dns_name": "a", "tenant": {"name": "Shop", "slug": "shop"}},
        {"address": "10.0.1.72/24", "status": {"value": "deprecated"}},
    ]
)


def test_prefixes_are_pools_ranges_their_windows_and_addresses_pins() -> None:
    result = imported(netbox(PREFIXES, RANGES, ADDRESSES))
    assert lines(result) == [
        "default/web-example-com nodes edge 10.0.1.70 10.0.1.70",
        "default/sw-1 nodes edge 10.0.1.71 10.0.1.71",
        "shop/shop loadbalancer edge 10.0.1.96-10.0.1.99 10.0.1.96-10.0.1.99",
    ]
    assert "start: 10.0.1.64" in texts(result)["pools/edge.yaml"]
    assert conflicts(result) == []
    assert "0.json: 10.0.0.0/16 holds smaller networks, and is no pool" in result.notes


def test_a_list_that_was_exported_as_a_table_is_read_alike() -> None:
    text = "IP Address,Status,Tenant,DNS Name,VRF\n10.0.1.70/24,Active,Shop,web,\n"
    (held,) = netbox(text).holdings
    assert (held.title, held.team, held.item.size) == ("shop/web", "shop", 1)
    (pool,) = netbox("Prefix,Status,Tenant,VRF\n10.0.1.0/24,Active,Shop,blue\n").described
    assert (pool.name, pool.space) == ("net-10-0-1-0-24", "blue")
    assert netbox("Colour\nred\n").conflicts


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
        ("[{", "0.json:1: the file is no JSON: Expecting property name enclosed in double quotes"),
        ("[" * 100_000, "0.json: the file is no JSON: it cannot be read"),
        ('{"results": 1}', "0.json: the file holds no list of objects"),
        ('{"results": [], "next": "x"}', "0.json: the file is one page of several"),
        ('[{"id": 7}]', "0.json: /0 (id 7): the row says no address"),
    ],
)
def test_what_is_no_whole_export_is_told(text: str, said: str) -> None:
    assert conflicts(netbox(text)) == [said]


def test_more_objects_than_are_read_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_ROWS", 1)
    assert conflicts(netbox(ADDRESSES)) == ["0.json: the file has more than 1 objects"]
