"""Pools for existing addresses: existing pools, pools of a source, and generated pools."""

import pytest

from reconciler.documents.findings import Location
from reconciler.families.importing import ImportedNetwork
from reconciler.importing import pools
from reconciler.importing.cells import ranges_in
from reconciler.importing.sources import ImportedSource, Window
from tests.importing.sources import conflicts, imported, lines, netbox, table, texts
from tests.world import pool

EDGE = {"pools/edge.yaml": pool("edge", "10.0.0.0/24")}


def described(name: str, cidr: str) -> ImportedSource:
    return ImportedSource(
        described=(ImportedNetwork(name, ranges_in(cidr)[0], Location(f"--pool {name}")),)
    )


def test_an_address_outside_of_every_pool_is_a_conflict_until_one_is_described() -> None:
    found = table("ip,name\n10.9.0.5,web\n")
    result = imported(found, EDGE)
    assert conflicts(result) == ["a.csv:2: default/web: 10.9.0.5 is outside all pools"]
    assert result.conflicts[0].hint.endswith("--pool NAME=CIDR (checked: edge)")
    result = imported(described("lab", "10.9.0.0/24").with_more(found), EDGE)
    assert lines(result) == ["default/web nodes lab 10.9.0.5 10.9.0.5"]
    assert "end: 10.9.0.254" in texts(result)["pools/lab.yaml"]


def test_a_pool_that_is_named_and_not_there_is_made_around_its_addresses() -> None:
    result = imported(table("ip,name,pool\n10.9.0.5,web,lab\n10.9.1.9,web,lab\n"), EDGE)
    text = texts(result)["pools/lab.yaml"]
    assert "cidr: 10.9.0.0/23" in text
    assert "gitops-ipam.dev/gate: never" in text
    assert conflicts(result) == []
    assert result.after.gates == ()


def test_addresses_without_any_pool_are_grouped_by_network() -> None:
    result = imported(
        table("range,name\n10.0.0.5,a\n10.0.0.200,b\n10.0.1.250-10.0.2.5,c\n10.0.9.1,d\n")
    )
    assert [path for path in result.files if path.startswith("pools/")] == [
        "pools/net-10-0-0-0-22.yaml",
        "pools/net-10-0-9-0-24.yaml",
    ]
    assert conflicts(result) == []


def test_many_runs_become_one_window(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = "".join(f"10.0.0.{2 * at},h{at}\n" for at in range(20))
    text = texts(imported(table(f"ip,name\n{rows}")))["pools/net-10-0-0-0-24.yaml"]
    assert "tenantAllocation:\n    end: 10.0.0.38\n    start: 10.0.0.0\n" in text
    assert "cidr: 10.0.0.1/32" in text
    monkeypatch.setattr(pools, "MAX_GAPS", 10)
    assert (
        "reserved" not in texts(imported(table(f"ip,name\n{rows}")))["pools/net-10-0-0-0-24.yaml"]
    )


def test_pools_in_each_others_way_are_a_conflict() -> None:
    for name, cidr in (("edge", "10.0.0.0/16"), ("lab", "10.0.0.0/16")):
        assert conflicts(imported(described(name, cidr), EDGE)) == [
            f"--pool {name}: 10.0.0.0/16 ({name}) and pool edge of pools/edge.yaml:5 overlap"
        ]


def test_a_network_within_a_pool_that_is_there_is_served_by_it() -> None:
    result = imported(described("lab", "10.0.0.0/25"), EDGE)
    assert result.notes == (
        "--pool lab: 10.0.0.0/25 is in pool edge of pools/edge.yaml:5, so no pool is added",
    )
    assert imported(described("edge", "10.0.0.0/24"), EDGE).notes == ()


def test_a_named_pool_that_would_lie_in_another_one_is_served_by_it() -> None:
    big = {"pools/edge.yaml": pool("edge", "10.0.0.0/16")}
    result = imported(table("ip,name,pool\n10.0.0.5,web,lab\n"), big)
    assert lines(result) == ["default/web nodes edge 10.0.0.5 10.0.0.5"]
    small = {"pools/edge.yaml": pool("edge", "10.0.0.0/30")}
    result = imported(table("ip,name,pool\n10.0.0.5,web,lab\n"), small)
    assert (lines(result), len(result.conflicts)) == ([], 1)


def test_what_is_in_several_pools_is_a_conflict() -> None:
    two = {**EDGE, "pools/two.yaml": pool("two", "10.0.0.0/25")}
    result = imported(table("ip,name\n10.0.0.5,web\n"), two)
    assert conflicts(result) == [
        "a.csv:2: default/web: 10.0.0.5 is in several pools: edge of pools/edge.yaml:5 and two of pools/two.yaml:5"
    ]
    assert conflicts(imported(table("ip,name,pool\n10.0.0.5,web,two\n"), two)) == []


def test_a_range_of_one_network_is_no_window_of_another() -> None:
    found = ImportedSource(
        described=(
            ImportedNetwork("lab", ranges_in("10.9.0.0/24")[0], Location("a")),
            ImportedNetwork("far", ranges_in("10.8.0.0/24")[0], Location("b")),
        ),
        windows=(Window(ranges_in("10.9.0.64-10.9.0.95")[0], Location("c")),),
    )
    result = imported(found.with_more(table("ip,name\n10.9.0.70,web\n10.8.0.5,shop\n")))
    assert "start: 10.9.0.64" in texts(result)["pools/lab.yaml"]
    assert "10.9.0.64" not in texts(result)["pools/far.yaml"]


def test_networks_of_one_name_are_pools_with_their_addresses() -> None:
    rows = (
        "subnet,ip,name,vlan\n10.0.0.0/24,,,60\n10.9.1.0/24,,,60\n,10.0.0.5,a,60\n,10.9.1.7,b,60\n"
    )
    result = imported(table(rows))
    assert lines(result) == [
        "default/a nodes 60 10.0.0.5 10.0.0.5",
        "default/b nodes 60-10-9-1-0-24 10.9.1.7 10.9.1.7",
    ]
    assert (
        "a.csv:3: the name 60 is taken, so 10.9.1.0/24 becomes pool 60-10-9-1-0-24" in result.notes
    )
    # A later table still means both pools by their VLAN.
    more = imported(table("ip,name,vlan\n10.0.0.6,c,60\n10.9.1.8,d,60\n"), result.files)
    assert [line.split()[2] for line in lines(more)] == ["60", "60-10-9-1-0-24"]
    # Without rows of networks, a name far away is another network as well.
    hosts = table("ip,name,vlan\n10.0.0.5,a,60\n10.5.0.1,c,61\n10.9.1.7,b,60\n")
    assert {line.split()[2] for line in lines(imported(hosts))} == {"60", "60-10-9-1-0-24", "61"}
    prefixes = "Prefix,Description,VRF\n10.0.0.0/24,Office,\n10.0.0.0/24,Office,Blue\n"
    assert len(imported(netbox(prefixes)).after.state.pools) == 2


def test_a_network_that_is_there_twice_is_one_pool_or_one_container() -> None:
    result = imported(netbox("Prefix,Description\n10.0.0.0/24,Office\n10.0.0.0/24,Lab\n"))
    assert list(result.files) == ["pools/office.yaml"]
    assert result.notes == ("0.json:3: 10.0.0.0/24 is already described by 0.json:2",)
    twice = "Prefix\n10.0.0.0/16\n10.0.0.0/16\n10.0.1.0/24\n"
    assert list(imported(netbox(twice)).files) == ["pools/net-10-0-1-0-24.yaml"]


def test_an_address_outside_of_the_pools_of_its_vrf_is_told_how_to_get_one() -> None:
    rows = "Address,DNS name,VRF\n10.0.0.5/24,web,Blue\n"
    (found,) = imported(netbox(rows), EDGE).conflicts
    assert found.message == "default/web: 10.0.0.5 is outside all pools of VRF blue"
    assert "--pool" not in found.hint
    prefix = "Prefix,VRF\n10.0.0.0/24,Blue\n"
    assert conflicts(imported(netbox(prefix, rows), EDGE)) == []
