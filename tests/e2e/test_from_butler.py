"""docs/how-to/migrate-from-butler.md on real API servers, with objects of Butler's controller."""

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.documentation import ROOT, blocks
from tests.e2e.butler_site import (
    ALLOCATIONS,
    API,
    CONTROLLER,
    allocation,
    condition,
    left_behind,
    made,
    tenant_cluster,
)
from tests.e2e.site import BUTLER, POOL_NAME, Site, require_quiet, say, versions
from tests.envtest.servers import ApiServer
from tests.families.novaedge import pool as vip_pool
from tests.families.novaedge import vip
from tests.world import commit, git

PAGE = (ROOT / "docs" / "how-to" / "migrate-from-butler.md").read_text(encoding="utf-8")
COPY, RELABEL = (block.text for block in blocks(PAGE))
WEB, SHOP, NEW = "team-a/web", "team-a/shop", "team-a/new"
TENANTS = f"{API}/namespaces/team-a/tenantclusters"
RECORDS = f"{BUTLER}/ipallocations"
THEIRS = (f"{BUTLER}/networkpools", RECORDS, f"{BUTLER}/providerconfigs", TENANTS)
HELD = {name: f"{first}-{last}" for name, _, _, _, first, last in ALLOCATIONS}
REFUSED = "already exists, and does not belong to ipam; use --adopt to take it over"


@pytest.fixture
def site(tmp_path: Path, bare: ApiServer, tenants: tuple[ApiServer, ...]) -> Site:
    """Butler's CRDs and objects, two tenants with ranges, a new tenant, and an empty repository."""
    bare.install_crds(ROOT / "tests" / "crds" / "butler")
    site = Site(tmp_path, bare, {"README.md": "Addresses\n"})
    for name, server in zip((WEB, SHOP, NEW), tenants, strict=True):
        site.name(name, server)
    left_behind(bare, {WEB: tenants[0], SHOP: tenants[1]})
    return site


def test_a_cluster_of_butler_is_taken_over_and_given_back(site: Site) -> None:
    announced = site.announced()
    _copied(site)
    _first_contact_is_refused(site)
    uids = _uids(site)
    site.reconcile("--adopt")
    assert _uids(site) == uids
    assert _held(site) == HELD
    assert site.announced() == announced
    site.reconcile()  # now the idle time of imported growth is known
    require_quiet(site)
    _butler_makes_a_cluster_in_mode_cloud(site)
    _butler_allocates_all_the_same(site)
    _another_system_joins(site)
    # The way back: all that Butler reads is in the cluster.
    mine = _held(site)
    typed(site, RELABEL)
    for item in _records(site):
        labels = {
            key.rpartition("/")[2]: value for key, value in item["metadata"]["labels"].items()
        }
        tenant = item["spec"].get("tenantClusterRef", {"namespace": ""})
        assert labels["team"] == tenant["namespace"]
        assert item["metadata"]["finalizers"] == ["butler.butlerlabs.dev/ipallocation"]
    assert _held(site) == mine
    for name in ("web", "shop", "new"):
        live = site.management.get(f"{TENANTS}/{name}")
        assert live["status"]["lbAllocationRef"]["name"] == f"team-a-{name}-lb"


def _copied(site: Site) -> None:
    typed(site, COPY)
    commit(site.clone, "What Butler has")
    git(site.clone, "push", "-q")
    checked, planned = site.ipam("check"), site.ipam("plan", "--all")
    assert (checked.code, planned.code) == (0, 0)
    assert [each["action"] for each in planned.document["actions"]] == ["keep"] * len(HELD)
    assert site.ipam("reconcile", "--no-apply").code == 0
    texts = site.records().values()
    assert len(texts) == len(HELD)
    assert all("gitops-ipam.dev/claim" in text for text in texts)


def _first_contact_is_refused(site: Site) -> None:
    """All that is Butler's is named, and stays as it is."""
    before, announced = versions(site.management, THEIRS), site.announced()
    ran = site.reconcile(code=5)
    assert ran.objects(WEB)[POOL_NAME]["error"] == REFUSED
    told = {key.rpartition("/")[2]: it for key, it in ran.objects("management").items()}
    assert {name for name, it in told.items() if it["error"] == REFUSED} == {"edge", *HELD}
    assert "butler-controller owns status.capacity" in told["harvester"]["error"]
    after = versions(site.management, THEIRS)
    # Fields with the same values need no adoption, because they do not change.
    assert {path for path in after if before[path] != after[path]} <= {f"{TENANTS}/web"}
    assert site.announced() == announced


def _butler_makes_a_cluster_in_mode_cloud(site: Site) -> None:
    """It allocates nothing and reports that. It owns these fields until a person adopts them."""
    body, status = tenant_cluster("new")
    word = condition("NetworkReady", "True", "Ready", "cloud networking mode")
    made(site.management, "team-a", "tenantclusters", body, {**status, "conditions": [word]})
    site.commit({"tenants/new.yaml": json.dumps(_in_team(body))}, "New")
    say(site.management, f"{BUTLER}/networkpools/edge", {"availableIPs": 1}, CONTROLLER)
    told = site.reconcile(code=5).objects("management")
    assert {key.rpartition("/")[2] for key, it in told.items() if it["error"]} == {
        "harvester", "new",
    }  # fmt: skip
    drifted = told["butler.butlerlabs.dev/NetworkPool/butler-system/edge"]
    assert drifted["result"] == "configured"
    assert site.pool(NEW) == ["10.40.0.18-10.40.0.19"]
    site.reconcile("--adopt")
    require_quiet(site)


def _butler_allocates_all_the_same(site: Site) -> None:
    """It was faster, with another range than the plan: nothing is overwritten unasked."""
    body, status = allocation("team-a-fast-lb", "fast", "loadbalancer", "initial",
                              "10.40.0.200", "10.40.0.201")  # fmt: skip
    made(site.management, "butler-system", "ipallocations", body, status)
    site.commit({"tenants/fast.yaml": json.dumps(_in_team(tenant_cluster("fast")[0]))}, "Fast")
    told = site.reconcile(code=5).objects("management")
    name = "butler.butlerlabs.dev/IPAllocation/butler-system/team-a-fast-lb"
    assert told[name]["error"] == REFUSED
    assert _held(site)["team-a-fast-lb"] == "10.40.0.200-10.40.0.201"
    site.reconcile("--adopt")
    assert _held(site)["team-a-fast-lb"] == "10.40.0.22-10.40.0.23"


def _another_system_joins(site: Site) -> None:
    """Butler's CRD has no words for a VIP; ours takes its place, and no object is lost."""
    mine = _held(site)
    site.commit(
        {"pools/vip.yaml": vip_pool(cidrs="[10.200.0.0/24]"), "tenants/vip.yaml": vip("web")},
        "A VIP",
    )
    told = site.reconcile(code=5).errors()
    assert "kind ProxyIPPool is not installed" in told
    assert ".spec.claimRef: field not declared in schema" in told
    site.reconcile("--adopt", "--crds")
    assert _held(site) == {**mine, "web-vip": "10.200.0.1-10.200.0.1"}


def typed(site: Site, script: str) -> None:
    server = site.management
    kubectl = server.fleet.assets.binaries["kubectl"].parent
    done = subprocess.run(
        ["bash", "-ec", script],
        cwd=site.clone,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={
            "KUBECONFIG": str(server.kubeconfig),
            "HOME": str(server.folder),
            "PATH": f"{kubectl}:{os.environ['PATH']}",
        },
    )
    told = (done.stdout + done.stderr).splitlines()
    # A server warns of values of Butler that our CRD would reject, and keeps them.
    rest = [line for line in told if not line.startswith("Warning: status.cidr:")]
    assert all(line.endswith(" labeled") for line in rest), told


def _in_team(body: Mapping[str, Any]) -> dict[str, Any]:
    return {**body, "metadata": {"name": body["metadata"]["name"], "namespace": "team-a"}}


def _records(site: Site) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = site.management.get(RECORDS)["items"]
    return found


def _uids(site: Site) -> set[str]:
    return {item["metadata"]["uid"] for item in _records(site)}


def _held(site: Site) -> dict[str, str]:
    return {
        item["metadata"]["name"]: f"{status['startAddress']}-{status['endAddress']}"
        for item in _records(site)
        if (status := item["status"])["phase"] == "Allocated"
    }
