"""Write an inventory as ConfigMaps within the size limit of a server, and read it back."""

import re
import string
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reconciler.apply.inventory import (
    HALF,
    NAME,
    Enrolled,
    Inventory,
    InventoryEntry,
    cluster_data,
    config_maps,
    line_bytes,
    orphan,
    placed,
    read_inventory,
    written_to,
)
from reconciler.kube.resources import IP_ALLOCATION
from reconciler.loadbalancers.metallb.kinds import ADDRESS_POOL
from reconciler.model.objects import NAMESPACE, Ref
from tests.examples import scaled

UID = "0b6d7a7a-3c29-4b50-9b1a-5e5f3f0f3a11"
HASH = f"{'0' * 16}.{'f' * 16}"

alphanumeric = string.ascii_lowercase + string.digits
label = st.text(alphanumeric + "-", min_size=1, max_size=63).filter(
    lambda text: text[0] != "-" != text[-1]
)
subdomain = st.lists(label, min_size=1, max_size=4).map(".".join).filter(lambda it: len(it) <= 253)
refs = st.one_of(
    st.builds(Ref, st.sampled_from([IP_ALLOCATION, ADDRESS_POOL]), label, subdomain),
    st.builds(Ref, st.just(NAMESPACE), st.just(""), label),
)
uids = st.uuids().map(str)
entries = st.one_of(
    st.builds(InventoryEntry, uids, st.sampled_from([HASH, "-"])),
    st.builds(orphan, uids, st.integers(0, 2**33)),
)
names = st.one_of(subdomain, st.builds(lambda *parts: "/".join(parts), label, subdomain))
spaces = st.lists(st.text(), max_size=3, unique=True).map(tuple)
addresses = st.lists(
    st.sampled_from(["10.0.0.0-10.0.0.7", "fd00::-fd00::7", "10.0.1.0-10.0.1.0"]), unique=True
)
enrolled = st.builds(Enrolled, uids, st.sampled_from(["", "a" * 40]), spaces, addresses.map(tuple))
inventories = st.builds(
    Inventory,
    uids,
    st.sampled_from(["", "a" * 40]),
    st.dictionaries(refs.map(str), entries),
    st.dictionaries(names, enrolled),
)


def many(count: int, name: str = "t") -> dict[str, InventoryEntry]:
    return {
        str(Ref(IP_ALLOCATION, "butler-system", f"{name}{number}")): InventoryEntry(UID, HASH)
        for number in range(count)
    }


def stored(inventory: Inventory) -> list[Mapping[str, Any]]:
    """Return the ConfigMaps, with the other clusters merged into the first as by a merge patch."""
    first, *rest = config_maps(inventory, "butler-system")
    clusters = cluster_data(inventory.clusters)
    return [{**first, "data": {**first["data"], **clusters}}, *rest]


def changed(old: Iterable[Mapping[str, Any]], new: Iterable[Mapping[str, Any]]) -> int:
    return sum(before != after for before, after in zip(old, new, strict=True))


@given(inventories)
def test_what_is_written_is_read_back(inventory: Inventory) -> None:
    assert read_inventory(stored(inventory)) == inventory


@given(st.dictionaries(names, enrolled))
def test_every_key_is_one_that_a_server_takes_and_no_two_names_share_one(
    clusters: dict[str, Enrolled],
) -> None:
    data = cluster_data(clusters)
    assert len(data) == len(clusters)
    for key in data:
        assert re.fullmatch(r"[-._a-zA-Z0-9]{1,253}", key)


def test_the_longest_names_have_keys_too() -> None:
    longest = ".".join(["n" * 63] * 3 + ["n" * 61])
    assert len(longest) == 253
    clusters = {
        f"{'s' * 63}/{longest}": Enrolled(UID, "a" * 40, ("default",), ("10.0.0.0-10.0.0.7",)),
        f"{'r' * 63}/{longest}": Enrolled(UID, "", (), ()),
        longest: Enrolled(UID, "b" * 40),
        "team-a/a.b.c": Enrolled(UID, "c" * 40),
        "a.b.c": Enrolled(UID, "d" * 40),
    }
    assert all(len(key) <= 253 for key in cluster_data(clusters))
    assert read_inventory(stored(Inventory(UID, clusters=clusters))).clusters == clusters
    gone = cluster_data(dict.fromkeys(clusters))
    assert gone == dict.fromkeys(cluster_data(clusters))


@pytest.mark.parametrize(
    ("count", "parts"), [(0, 1), (1, 1), (3_000, 1), (4_000, 2), (8_000, 4), (16_000, 8)]
)
def test_objects_are_spread_over_as_many_config_maps_as_are_needed(count: int, parts: int) -> None:
    inventory = Inventory(UID, "a" * 40, many(count))
    maps = config_maps(inventory, "butler-system")
    assert [item["metadata"]["name"] for item in maps] == [
        NAME,
        *(f"{NAME}-{part}" for part in range(1, parts)),
    ]
    assert read_inventory(reversed(maps)) == inventory
    assert [item for item in maps if "uid" in item["data"]] == maps[:1]


@settings(max_examples=scaled(25))
@given(st.integers(0, 4_999))
def test_a_change_of_one_object_changes_one_config_map(number: int) -> None:
    objects = many(5_000)
    assert len(config_maps(Inventory(UID, "a" * 40, objects), "x")) > 1
    maps = config_maps(Inventory(UID, "a" * 40, objects), "x")
    name = list(objects)[number]
    other = config_maps(Inventory(UID, "a" * 40, {**objects, name: InventoryEntry(UID, "-")}), "x")
    assert changed(maps, other) == 1
    del objects[name]
    assert changed(maps, config_maps(Inventory(UID, "a" * 40, objects), "x")) == 1


@pytest.mark.parametrize(("before", "after"), [(0, 10), (10, 9_000), (4_000, 3_000), (9_000, 0)])
def test_an_inventory_that_is_cut_off_between_two_writes_has_lost_nothing(
    before: int, after: int
) -> None:
    """It can list objects that are deleted, but lists each object that exists."""
    objects = {**many(before), **many(after // 2, "u")}
    old = config_maps(Inventory(UID, "", many(before)), "x")
    new = config_maps(Inventory(UID, "", objects), "x")
    there = {item["metadata"]["name"]: item for item in old}
    for item in reversed(new):
        kept = read_inventory(there.values()).objects
        assert many(before).keys() <= kept.keys() <= objects.keys()
        there[item["metadata"]["name"]] = item
    assert read_inventory(there.values()).objects == objects


@pytest.mark.parametrize(
    "line",
    [
        "",
        "not an entry",
        "x y z",
        "metallb.io/IPAddressPool/a/b",
        f"metallb.io/IPAddressPool/a/b {UID}",
        f"metallb.io/IPAddressPool/a/b {UID} {HASH} more",
        f"metallb.io/IPAddressPool/b {UID} {HASH}",
        f"metallb.io/Unheard/a/b {UID} {HASH}",
        f"Namespace/a/b {UID} {HASH}",
        f"/ {UID} {HASH}",
    ],
)
def test_a_line_that_cannot_be_read_is_kept_as_it_is(line: str) -> None:
    good = f"metallb.io/IPAddressPool/a/b {UID} {HASH}"
    data = {"uid": UID, "revision": "", "objects": f"{line}\n{good}\n"}
    inventory = read_inventory([{"metadata": {"name": NAME}, "data": data}])
    assert inventory.damaged == (line,)
    assert list(inventory.objects) == [good.partition(" ")[0]]
    assert config_maps(inventory, "x")[0]["data"] == data


GOOD = f"{UID} {'a' * 40} default 10.0.0.0-10.0.0.7"


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        (GOOD.replace("10.0.0.7", "10.0.0.x"), "'10.0.0.0-10.0.0.x' is not a CIDR or"),
        (f"a uid with blanks {GOOD}", "'uid' is not the id of a commit"),
        (GOOD.replace("a" * 40, "z" * 40), f"'{'z' * 40}' is not the id of a commit"),
        (GOOD.replace("a" * 40, "f" * 200_000), "…(200000 characters)' is not the id of a commit"),
        (GOOD.replace(UID, "\x1b[2J"), "is not the uid of a cluster"),
        (GOOD.replace(UID, "u" * 65), "is not the uid of a cluster"),
    ],
)
def test_a_damaged_line_is_that_of_one_cluster(value: str, wrong: str) -> None:
    """Its readable parts count, and its addresses then count for all address spaces."""
    data = {"uid": UID, "cluster.team-a.web": value, "cluster.team-a.shop": GOOD}
    inventory = read_inventory([{"metadata": {"name": NAME}, "data": data}])
    assert list(inventory.odd) == ["team-a/web"]
    assert inventory.odd["team-a/web"].startswith(f"cluster.team-a.web of ConfigMap {NAME}: ")
    assert wrong in inventory.odd["team-a/web"]
    assert inventory.clusters["team-a/web"].spaces == ()
    kept = () if "x" in value.split("-")[-1] else ("10.0.0.0-10.0.0.7",)
    assert inventory.clusters["team-a/web"].addresses == kept
    assert inventory.clusters["team-a/shop"].uid == UID


def test_a_line_whose_key_is_not_that_of_its_name_is_damaged() -> None:
    data = {"cluster.-0123": f"team-a/web {GOOD}"}
    inventory = read_inventory([{"metadata": {"name": NAME}, "data": data}])
    assert "the key does not match the cluster" in inventory.odd["cluster.-0123"]


@pytest.mark.parametrize(
    "data", [{"uid": "a b"}, {"revision": "HEAD"}, {"revision": "f" * 200_000}]
)
def test_an_inventory_of_another_identity_than_any_is_not_read(data: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="is not the"):
        read_inventory([{"metadata": {"name": NAME}, "data": data}])


def test_a_cluster_that_two_lines_name_may_announce_what_either_says() -> None:
    """A run ended between two writes."""
    other = GOOD.replace("10.0.0.0-10.0.0.7", "10.0.1.0-10.0.1.7 10.0.0.0-10.0.0.7")
    maps = [
        {"metadata": {"name": NAME}, "data": {"cluster.team-a.web": GOOD}},
        {"metadata": {"name": f"{NAME}-3"}, "data": {"cluster.team-a.web": other}},
    ]
    ranges = ("10.0.0.0-10.0.0.7", "10.0.1.0-10.0.1.7")
    both = read_inventory(maps)
    assert both.clusters == {"team-a/web": Enrolled(UID, "a" * 40, ("default",), ranges)}
    assert both.odd == {}
    maps[1]["data"]["cluster.team-a.web"] = other.replace(UID, "x")
    assert "with different uids" in read_inventory(maps).odd["team-a/web"]


# A move of one line does not lose lines of other clusters

LARGE = 60_000  # characters: seven lines of this size fill a ConfigMap
Parts = Mapping[str, Mapping[str, str]]


def line(address: str, size: int = 0) -> str:
    return f"{UID} {'a' * 40} {'s' * size} {address}-{address}"


def known(parts: Parts) -> dict[str, tuple[str, ...]]:
    """Return the addresses that each cluster can announce."""
    maps = [{"metadata": {"name": name}, "data": dict(data)} for name, data in parts.items()]
    found = read_inventory(maps)
    assert found.odd == {}
    return {name: item.addresses for name, item in found.clusters.items()}


line_changes = st.dictionaries(
    st.integers(0, 20), st.one_of(st.none(), st.integers(0, LARGE)), min_size=1
)


@settings(max_examples=scaled(40))
@given(st.lists(line_changes, max_size=3), st.data())
def test_no_cluster_is_forgotten_wherever_the_writes_are_cut_off(
    steps: list[dict[int, int | None]], drawn: st.DataObject
) -> None:
    parts: Parts = {NAME: {"uid": "x"}}
    for at, step in enumerate(steps):
        texts = {
            f"cluster.t.c{number}": None if size is None else line(f"10.0.{at}.1", size)
            for number, size in step.items()
        }
        before = known(parts)
        writes = placed(parts, texts)
        done = drawn.draw(st.integers(0, len(writes)))
        for write in writes[:done]:
            parts = written_to(parts, [write])
            assert line_bytes(parts[write[0]]) <= HALF
        now = known(parts)
        gone = {f"t/c{number}" for number, size in step.items() if size is None}
        for name in before.keys() - gone:
            is_changed = int(name.removeprefix("t/c")) in step
            assert now[name] == before[name] or (is_changed and now[name])
        if done == len(writes):
            wanted = {f"t/c{number}" for number, size in step.items() if size is not None}
            assert now.keys() == (before.keys() | wanted) - gone
            assert all(now[name] == (f"10.0.{at}.1-10.0.{at}.1",) for name in wanted)


def test_twenty_thousand_clusters_have_room() -> None:
    texts = {f"cluster.team.c{number}": line("10.0.0.1") for number in range(20_000)}
    parts = written_to({}, placed({}, texts))
    assert len(known(parts)) == 20_000
    assert len(parts) == 5
    assert max(map(line_bytes, parts.values())) <= HALF
