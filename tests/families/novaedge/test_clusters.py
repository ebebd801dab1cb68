"""NovaEdge's objects on a real API server, also next to NovaEdge's controller."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from reconciler.addresses import format_short
from reconciler.documents.yaml import dump
from reconciler.families.novaedge.kinds import VIP as VIP_KIND
from reconciler.model.objects import MANAGEMENT
from tests.apply.execution.site import MERGE, Site, failures, results
from tests.envtest.fixtures import CRDS
from tests.envtest.servers import ApiServer
from tests.families.novaedge import MAIN, tree, vip
from tests.families.novaedge.test_seed import FILES
from tests.world import evaluation_of, reconciled

API = "/apis/novaedge.io/v1alpha1"
POOLS, VIPS = f"{API}/proxyippools", f"{API}/proxyvips"
POOL_REF = "novaedge.io/ProxyIPPool"
SINCE = "2026-02-15T10:00:30Z"
Files = dict[str, str | bytes]


@pytest.fixture
def site(management: ApiServer) -> Site:
    return Site(management)


def body_of(text: str) -> dict[str, Any]:
    body: dict[str, Any] = yaml.safe_load(text)
    return body


def there(site: Site, files: Files) -> None:
    """Create the VIPs of a tree in the cluster, as a person."""
    for document in evaluation_of(files).documents.of(VIP_KIND):
        site.management.put(dict(document.body), path=VIPS)


def by_controller(site: Site, path: str, status: dict[str, Any]) -> None:
    answer = site.management.request("PATCH", f"{path}/status", {"status": status}, MERGE)
    assert answer[0] == 200, answer


def conditions(manifest: dict[str, Any]) -> dict[str, tuple[str, str, str]]:
    return {
        item["type"]: (item["status"], item["reason"], item["message"])
        for item in manifest["status"]["conditions"]
    }


def test_the_seed_is_applied_as_it_says(site: Site) -> None:
    files = reconciled(FILES)
    there(site, files)
    hub = site.apply(files)[MANAGEMENT]
    assert failures(hub) == {}
    main = site.management.get(f"{POOLS}/main-vip-pool")
    assert main["status"]["allocated"] == 2
    assert main["status"]["available"] == 252
    assert main["status"]["allocations"] == [
        {"address": "10.200.0.1/32", "allocatedAt": SINCE, "vipRef": "auto-vip"},
        {"address": "10.200.0.50/32", "allocatedAt": SINCE, "vipRef": "specific-vip"},
    ]
    assert conditions(main) == {"Ready": ("True", "PoolReady", "Pool has 252 available addresses")}
    auto = site.management.get(f"{VIPS}/auto-vip")
    assert auto["status"]["allocatedAddress"] == "10.200.0.1/32"
    assert conditions(auto) == {
        "Bound": ("True", "AddressAllocated",
                  "Address 10.200.0.1/32 allocated from pool main-vip-pool"),
    }  # fmt: skip
    specific = site.management.get(f"{VIPS}/specific-vip")
    assert specific["status"]["allocatedAddress"] == "10.200.0.50/32"
    assert results(site.apply(files, "b")[MANAGEMENT]) == {}


def copied(site: Site, path: str) -> str:
    return dump(site.management.get(path))


def test_a_cluster_of_novaedge_is_taken_over_and_given_back(site: Site) -> None:
    """The migration guide: import, first apply, a running controller, and the way back."""
    site.management.put(body_of(MAIN), path=POOLS)
    for name, address in (("web", "10.200.0.10/32"), ("api", "10.200.0.1/32")):
        site.management.put(body_of(vip(name)), path=VIPS)
        by_controller(site, f"{VIPS}/{name}", {"allocatedAddress": address, "activeNode": "node-1"})
    by_controller(site, f"{POOLS}/main", {
        "allocated": 1, "allocations": [{"address": "10.200.0.77", "vipRef": "service/shop/web"}],
    })  # fmt: skip
    # Import: records have the existing addresses.
    files = reconciled({
        "pools/novaedge.yaml": copied(site, f"{POOLS}/main"),
        "tenants/novaedge.yaml": "---\n".join(copied(site, f"{VIPS}/{it}") for it in ("web", "api")),
    })  # fmt: skip
    held = {it.owner.name: it.range for it in evaluation_of(files).state.records}
    assert {name: format_short(it) for name, it in held.items() if it} == {
        "web": "10.200.0.10", "api": "10.200.0.1",
    }  # fmt: skip
    # The first apply refuses the pool of another manager. `--adopt` moves no address.
    assert f"{POOL_REF}/main" in failures(site.apply(files)[MANAGEMENT])
    assert failures(site.apply(files, "b", adopt=True)[MANAGEMENT]) == {}
    web = site.management.get(f"{VIPS}/web")
    assert (web["status"]["allocatedAddress"], web["status"]["activeNode"]) == (
        "10.200.0.10/32", "node-1",
    )  # fmt: skip
    # NovaEdge's controller is first with a new VIP: `ipam` does not overwrite it unasked.
    files["tenants/new.yaml"] = vip("new")
    files = reconciled(files)
    site.management.put(body_of(vip("new")), path=VIPS)
    by_controller(site, f"{VIPS}/new", {"allocatedAddress": "10.200.0.1/32"})
    said = failures(site.apply(files, "c")[MANAGEMENT])
    assert "allocatedAddress" in said["novaedge.io/ProxyVIP/new"]
    assert failures(site.apply(files, "d", adopt=True)[MANAGEMENT]) == {}
    new = site.management.get(f"{VIPS}/new")["status"]
    assert new["allocatedAddress"] == "10.200.0.2/32"
    # The way back: without `ipam`, all fields that NovaEdge reads still exist.
    status = site.management.get(f"{POOLS}/main")["status"]
    assert {item["vipRef"]: item["address"] for item in status["allocations"]} == {
        "web": "10.200.0.10/32", "api": "10.200.0.1/32", "new": "10.200.0.2/32",
        "service/shop/web": "10.200.0.77/32",
    }  # fmt: skip


def of_the_original(folder: Path) -> Path:
    """Return our CRDs with conditions as an atomic list, as in NovaEdge's CRDs."""
    folder.mkdir()
    for path in CRDS.glob("*.yaml"):
        crd = body_of(path.read_text(encoding="utf-8"))
        if crd["spec"]["group"] == VIP_KIND.group:
            status = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"]
            del status["properties"]["conditions"]["x-kubernetes-list-type"]
            del status["properties"]["conditions"]["x-kubernetes-list-map-keys"]
        (folder / path.name).write_text(yaml.safe_dump(crd), encoding="utf-8")
    return folder


def test_beside_novaedges_own_crds_nothing_of_its_controller_is_lost(
    bare: ApiServer, tmp_path: Path
) -> None:
    bare.install_crds(of_the_original(tmp_path / "crds"))
    site = Site(bare)
    files = reconciled(tree(vip("a"), vip("b")))
    there(site, files)
    announced = {
        "type": "Ready", "status": "True", "reason": "VIPAssigned", "message": "on node-1",
        "lastTransitionTime": SINCE,
    }  # fmt: skip
    for name in ("a", "b"):
        by_controller(site, f"{VIPS}/{name}", {"activeNode": "node-1", "conditions": [announced]})
    # Its list of conditions has one owner: `ipam` does not take it unasked.
    said = failures(site.apply(files)[MANAGEMENT])
    assert "status.conditions" in said["novaedge.io/ProxyVIP/a"]
    assert conditions(site.management.get(f"{VIPS}/a")).keys() == {"Ready"}
    # After the adoption, its conditions stay next to ours, and nothing is left to do.
    assert failures(site.apply(files, "b", adopt=True)[MANAGEMENT]) == {}
    live = site.management.get(f"{VIPS}/a")
    assert conditions(live)["Ready"] == ("True", "VIPAssigned", "on node-1")
    assert conditions(live)["Bound"][1] == "AddressAllocated"
    assert results(site.apply(files, "c")[MANAGEMENT]) == {}
    # With our CRDs, each condition has its own owner, and a new VIP needs no adoption.
    assert failures(site.apply(files, "d", adopt=True, crds=True)[MANAGEMENT]) == {}
    files["tenants/c.yaml"] = vip("c")
    site.management.put(body_of(vip("c")), path=VIPS)
    by_controller(site, f"{VIPS}/c", {"conditions": [announced]})
    assert failures(site.apply(reconciled(files), "e")[MANAGEMENT]) == {}
    assert conditions(site.management.get(f"{VIPS}/c")).keys() == {"Ready", "Bound"}
