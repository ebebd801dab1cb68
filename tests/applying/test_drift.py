"""Changes that others make to what we own: told with their names, and mended."""

from reconciler.clusters.outcome import Result
from tests.applying.site import (
    ADDRESS_POOLS,
    ALLOCATIONS,
    FIRST,
    INVENTORY,
    MERGE,
    POOLS,
    Site,
    announced,
    results,
    world,
)
from tests.world import provider

POOL = f"{ADDRESS_POOLS}/default-pool"


def test_an_edited_pool_is_told_with_who_and_mended(site: Site) -> None:
    site.apply(world("web"))
    one = site.tenants[FIRST]
    patch = {"spec": {"addresses": ["172.16.0.0/24"]}}
    assert one.request("PATCH", f"{POOL}?fieldManager=kubectl-edit", patch, MERGE)[0] == 200
    applied = site.apply(world("web"))[FIRST]
    (outcome,) = [item for item in applied.outcomes if item.result is Result.CONFIGURED]
    assert outcome.drift is not None
    assert outcome.drift.manager == "kubectl-edit"
    assert outcome.drift.fields == ("spec.addresses",)
    assert outcome.drift.time.endswith("Z")
    assert announced(one) == ["10.0.0.0-10.0.0.3"]
    assert not site.apply(world("web"))[FIRST].is_changed


def test_a_label_that_was_taken_off_comes_back(site: Site) -> None:
    site.apply(world("web"))
    patch = {"metadata": {"labels": {"gitops-ipam.dev/managed-by": None}}}
    site.tenants[FIRST].request("PATCH", f"{POOL}?fieldManager=somebody", patch, MERGE)
    applied = site.apply(world("web"))[FIRST]
    (outcome,) = [item for item in applied.outcomes if item.result is Result.CONFIGURED]
    assert outcome.drift is not None
    assert outcome.drift.fields == ("metadata.labels.gitops-ipam.dev/managed-by",)
    live = site.tenants[FIRST].get(POOL)
    assert live["metadata"]["labels"]["gitops-ipam.dev/managed-by"] == "gitops-ipam"


def test_what_others_add_beside_our_fields_stays(site: Site) -> None:
    site.apply(world("web"))
    patch = {"spec": {"autoAssign": False}, "metadata": {"labels": {"team": "a"}}}
    site.tenants[FIRST].request("PATCH", POOL, patch, MERGE)
    assert not site.apply(world("web"))[FIRST].is_changed
    assert site.tenants[FIRST].get(POOL)["spec"]["autoAssign"] is False


def test_a_status_that_others_wrote_is_mended(site: Site) -> None:
    site.apply(world("web"))
    patch = {"status": {"allocatedIPs": 99}}
    site.management.request("PATCH", f"{POOLS}/edge/status?fieldManager=cli", patch, MERGE)
    applied = site.apply(world("web"))["management"]
    assert results(applied) == {
        "butler.butlerlabs.dev/NetworkPool/butler-system/edge": "configured"
    }
    assert site.management.get(f"{POOLS}/edge")["status"]["allocatedIPs"] == 4


def test_the_time_of_a_condition_moves_only_when_it_flips(site: Site) -> None:
    def times() -> dict[str, str]:
        conditions = site.management.get(f"{POOLS}/edge")["status"]["conditions"]
        return {item["type"]: item["lastTransitionTime"] for item in conditions}

    site.apply(world("web"))
    old = dict.fromkeys(times(), "2020-01-01T00:00:00Z")
    live = site.management.get(f"{POOLS}/edge")["status"]["conditions"]
    moved = [{**item, "lastTransitionTime": old[item["type"]]} for item in live]
    site.management.request(
        "PATCH", f"{POOLS}/edge/status", {"status": {"conditions": moved}}, MERGE
    )
    site.apply(world("web", "shop"), "b")
    assert times() == old
    site.apply(world("web", "shop", *"abcd"), "c")  # 24 of 32: the warning flips
    assert {name for name, time in times().items() if time != old[name]} == {"CapacityWarning"}


def test_a_deleted_object_comes_back(site: Site) -> None:
    site.apply(world("web"))
    site.tenants[FIRST].request("DELETE", POOL)
    applied = site.apply(world("web"))[FIRST]
    assert results(applied) == {"metallb.io/IPAddressPool/metallb-system/default-pool": "created"}


def test_a_deleted_allocation_is_let_go_and_made_anew(site: Site) -> None:
    site.apply(world("web"))
    path = f"{ALLOCATIONS}/team-a-web-lb"
    before = site.management.get(path)["metadata"]["uid"]
    site.management.request("DELETE", path)
    assert "deletionTimestamp" in site.management.get(path)["metadata"]
    site.apply(world("web"))
    live = site.management.get(path)
    assert live["metadata"]["uid"] != before
    assert "deletionTimestamp" not in live["metadata"]
    assert live["status"]["phase"] == "Allocated"
    assert not site.apply(world("web"))["management"].is_changed


def test_an_allocation_that_somebody_else_holds_back_is_told(site: Site) -> None:
    site.apply(world("web"))
    path = f"{ALLOCATIONS}/team-a-web-lb"
    held = ["butler.butlerlabs.dev/ipallocation", "example.com/hold"]
    site.management.request("PATCH", path, {"metadata": {"finalizers": held}}, MERGE)
    site.management.request("DELETE", path)
    applied = site.apply(world("web"))["management"]
    (failed,) = [item for item in applied.outcomes if item.result is Result.FAILED]
    assert failed.error.startswith("it is being deleted, held by example.com/hold")


def test_a_claim_that_got_other_addresses_gets_a_new_object(site: Site) -> None:
    """The spec of an allocation is fixed once it has its addresses: the CRD says so."""
    site.apply(world("web"))
    path = f"{ALLOCATIONS}/team-a-web-lb"
    before = site.management.get(path)["metadata"]["uid"]
    larger = provider(loadBalancer="{defaultPoolSize: 8}")
    applied = site.apply(world("web", **{"providers/default.yaml": larger}), "b")
    assert not applied["management"].is_failed
    live = site.management.get(path)
    assert live["spec"]["count"] == 8
    assert live["status"]["allocatedCount"] == 8
    assert live["metadata"]["uid"] != before


def test_nothing_is_lost_when_the_inventory_is(site: Site) -> None:
    site.apply(world("web"))
    site.tenants[FIRST].request("DELETE", f"/api/v1/namespaces/metallb-system/{INVENTORY}")
    site.management.request("DELETE", f"/api/v1/namespaces/butler-system/{INVENTORY}")
    applied = site.apply(world("web"))
    assert not any(item.is_failed for item in applied.values())
    assert announced(site.tenants[FIRST]) == ["10.0.0.0-10.0.0.3"]
    assert not any(item.is_changed for item in site.apply(world("web")).values())


def test_lines_of_the_inventory_that_cannot_be_read_are_told(site: Site) -> None:
    site.apply(world("web"))
    path = f"/api/v1/namespaces/metallb-system/{INVENTORY}"
    site.tenants[FIRST].request("PATCH", path, {"data": {"objects": "what is this\n\n"}}, MERGE)
    applied = site.apply(world("web"))[FIRST]
    assert applied.notes == (
        "2 lines of the inventory cannot be read; what they name is left alone",
    )
    assert not applied.is_failed
