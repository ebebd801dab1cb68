"""Two that want one address, late runs, and trees that ask for less than is meant."""

from typing import Any

from reconciler.apply.plan import ClusterState
from tests.apply.execution.site import (
    FIRST,
    INVENTORY,
    MERGE,
    SECOND,
    Site,
    announced,
    failures,
    results,
    world,
)
from tests.apply.execution.test_documents import ALL, NAME, TENANT

POOL = "metallb.io/IPAddressPool/metallb-system/default-pool"
WEB = "allocations/NetworkPool/butler-system.edge/team-a/web.loadbalancer.yaml"
SHOP = "allocations/NetworkPool/butler-system.edge/team-a/shop.loadbalancer.yaml"
HUB_INVENTORY = f"/api/v1/namespaces/butler-system/{INVENTORY}"


def disputed() -> dict[str, str | bytes]:
    """The tree in which the record of web names the addresses of shop, too."""
    files = world("web", "shop")
    text = files[WEB]
    text = text if isinstance(text, str) else text.decode()
    for number in range(4):
        text = text.replace(f"10.0.0.{number + 4}\n", f"10.0.0.{number}\n")
    return {**files, WEB: text.replace("10.0.0.4/30", "10.0.0.0/30")}


def test_of_two_records_of_one_address_neither_is_announced_anew(site: Site) -> None:
    applied = site.apply(disputed())
    for name, other in ((FIRST, SECOND), (SECOND, FIRST)):
        assert f"{other} may still announce" in failures(applied[name])[POOL]
        assert announced(site.tenants[name]) is None


def test_of_two_records_of_one_address_the_one_that_is_announced_stays(site: Site) -> None:
    site.apply(world("web", "shop"))
    site.apply(disputed(), "b")
    assert announced(site.tenants[SECOND]) == ["10.0.0.0-10.0.0.3"]
    assert announced(site.tenants[FIRST]) != ["10.0.0.0-10.0.0.3"]


def test_a_late_run_does_not_give_back_what_a_newer_one_withdrew(site: Site) -> None:
    """The late one read the management cluster before the newer one wrote it."""
    site.apply(world("web", "shop"))
    memory = site.management.get(HUB_INVENTORY)["data"]
    site.apply(world("web"), "c")
    assert announced(site.tenants[SECOND]) is None
    site.management.request("PATCH", HUB_INVENTORY, {"data": memory}, MERGE)
    applied = site.apply(world("web", "shop"), "b")
    assert applied[SECOND].state is ClusterState.REFUSED
    assert applied[SECOND].error == "cccccccccccc is applied already, and newer than bbbbbbbbbbbb"
    assert announced(site.tenants[SECOND]) is None


def test_two_names_of_one_cluster_are_refused_across_shards(site: Site) -> None:
    files = world("web", "shop")
    site.apply(files)
    site.tenants[SECOND] = site.tenants[FIRST]
    uids: dict[str, Any] = {"cluster.team-a.shop": None}
    site.management.request("PATCH", HUB_INVENTORY, {"data": uids}, MERGE)
    states = [site.apply(files, "b", shard=(index, 16)) for index in range(16)]
    assert [item[SECOND].state for item in states if SECOND in item] == [ClusterState.REFUSED]


def test_an_inventory_without_its_label_is_not_taken_for_none(site: Site) -> None:
    site.apply(world("web"))
    off = {"metadata": {"labels": {"gitops-ipam.dev/inventory": None}}}
    site.management.request("PATCH", HUB_INVENTORY, off, MERGE)
    applied = site.apply(world("web"), "b")
    assert list(applied) == ["management"]
    assert "is there without the label" in applied["management"].error


def test_documents_stay_where_settings_go_back_to_pools(site: Site) -> None:
    files = world("web", **{"ipam.yaml": ALL})
    site.apply(files)
    gone = {path: text for path, text in files.items() if path not in ("ipam.yaml", WEB)}
    less = {path: text for path, text in gone.items() if not path.startswith("tenants/")}
    applied = site.apply(less, "b", allow_release=9)["management"]
    assert NAME not in results(applied)
    assert site.management.request("GET", TENANT)[0] == 200


def test_nothing_is_withdrawn_where_all_records_are_out_of_sight(site: Site) -> None:
    """Settings that name another folder of records, say."""
    files = world("web", "shop")
    site.apply(files)
    less = {path: text for path, text in files.items() if path not in (WEB, SHOP)}
    applied = site.apply(less, "b", allow_release=9)
    assert "is not withdrawn" in failures(applied[FIRST])[POOL]
    assert announced(site.tenants[FIRST]) == ["10.0.0.4-10.0.0.7"]
    assert announced(site.tenants[SECOND]) == ["10.0.0.0-10.0.0.3"]


def test_nothing_is_pruned_while_a_brake_stops_the_plan(site: Site) -> None:
    files = world("web", "shop", **{"ipam.yaml": ALL})
    site.apply(files)
    less = {path: text for path, text in files.items() if not path.startswith("tenants/")}
    applied = site.apply(less, "b")["management"]
    assert NAME not in results(applied)
    assert site.management.request("GET", TENANT)[0] == 200
    assert any("objects stay while" in note for note in applied.notes)


def test_a_cluster_is_not_forgotten_while_a_broken_file_may_name_it(site: Site) -> None:
    files = world("web", "shop")
    site.apply(files)
    less = {path: text for path, text in files.items() if "/shop" not in path}
    shop = site.tenants.pop(SECOND)
    applied = site.apply({**less, "tenants/shop.yaml": "what is this"}, "b")
    assert applied[SECOND].error == "no kubeconfig any more"
    assert SECOND not in site.apply(less, "c")
    site.tenants[SECOND] = shop
