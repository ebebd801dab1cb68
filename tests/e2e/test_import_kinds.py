"""Import objects of each family from real API servers. Objects in use keep their addresses."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from reconciler.cli import run
from tests.caches import ROOT
from tests.e2e.butler_site import API, left_behind
from tests.e2e.site import BUTLER, METALLB, SERVICES, Site, require_quiet, service
from tests.e2e.test_ipam_provider import (
    ADDRESSES,
    CLAIMS,
    DOORS,
    POOLS,
    answered,
    claim,
    counted,
    made,
    released,
    settled,
    shop,
    vips,
)
from tests.envtest.assets import CLUSTER_API
from tests.envtest.processes import until
from tests.envtest.servers import ApiServer
from tests.families.capi.trees import VIP, pool
from tests.world import commit, git

EMPTY = {"README.md": "Addresses\n"}
ANNOUNCED = f"{METALLB}/ipaddresspools"
# Objects of Butler that contain allocated addresses.
ALLOCATIONS, TENANTS = f"{BUTLER}/ipallocations", f"{API}/namespaces/team-a/tenantclusters"


def metallb(server: ApiServer, name: str, *addresses: str) -> None:
    """Create the MetalLB objects of a manual setup."""
    for kind, called, spec in (
        ("IPAddressPool", name, {"addresses": list(addresses)}),
        ("L2Advertisement", "by-hand", {"ipAddressPools": [name]}),
    ):
        metadata = {"name": called, "namespace": "metallb-system"}
        body = {"apiVersion": "metallb.io/v1beta1", "kind": kind, "metadata": metadata}
        server.put({**body, "spec": spec}, path=f"{METALLB}/{kind.lower()}s")


def ingress(server: ApiServer, name: str) -> Any:
    return server.get(f"{SERVICES}/{name}")["status"]["loadBalancer"].get("ingress")


def _is_served(server: ApiServer) -> bool:
    """Return whether both Services have addresses, also in the status of the pools."""
    pools = server.get(f"{METALLB}/ipaddresspools")["items"]
    told = sum(pool.get("status", {}).get("assignedIPv4", 0) for pool in pools)
    return told == 2 and all(ingress(server, name) for name in ("front", "back"))


Living = Callable[[], Mapping[str, Any]]


def brought_in(
    site: Site, living: Living, capsys: pytest.CaptureFixture[str], *first: str, count: int = 4
) -> None:
    """Import, commit, reconcile, and apply, each twice. No step changes objects in use.

    Args:
        first: Options of the first run that applies.
        count: The number of claims that keep their addresses.
    """
    before, announced = living(), site.announced()
    named = [str(site.management.kubeconfig)]
    named += [f"{name}={server.kubeconfig}" for name, server in site.tenants.items()]
    words = ["import", "cluster", *named, "--repo", str(site.clone)]
    site.management.writes()
    assert run(words) == 0, capsys.readouterr()
    said = capsys.readouterr().out
    assert f"Plan: {count} to allocate, 0 kept, 0 moved.\nNext:\n" in said, said
    assert site.management.writes() == []
    commit(site.clone, "Import addresses in use")
    git(site.clone, "push", "-q")
    assert site.ipam("check").code == 0
    assert site.ipam("reconcile", "--no-apply").code == 0
    git(site.clone, "pull", "-q", "--ff-only")
    planned = site.ipam("plan", "--all")
    assert {each["action"] for each in planned.document["actions"]} == {"keep"}
    assert planned.code == 0
    site.reconcile(*first, code=5)  # reports objects of other managers, and changes nothing
    assert (living(), site.announced()) == (before, announced)
    site.reconcile("--adopt")
    assert (living(), site.announced()) == (before, announced)
    site.reconcile()
    require_quiet(site)
    assert (living(), site.announced()) == (before, announced)
    git(site.clone, "pull", "-q", "--ff-only")
    assert run([*words, "--dry-run"]) == 0, capsys.readouterr()
    assert "Nothing to write." in capsys.readouterr().out


def each(server: ApiServer, path: str, *parts: str) -> dict[str, Any]:
    """Return the uid and some fields of each object of a collection."""
    return {
        f"{path}/{item['metadata']['name']}": (
            item["metadata"]["uid"],
            {part: _at(item, part) for part in parts},
        )
        for item in server.get(path)["items"]
    }


def _at(item: Any, part: str) -> Any:
    for step in part.split("."):
        item = (item or {}).get(step)
    return item


def test_pools_and_services_of_metallb_stay_as_they_are(
    tmp_path: Path,
    management: ApiServer,
    tenants: tuple[ApiServer, ...],
    capsys: pytest.CaptureFixture[str],
) -> None:
    site = Site(tmp_path, management, EMPTY)
    metallb(tenants[0], "default-pool", "10.60.1.0/29", "10.60.1.32-10.60.1.35")
    metallb(tenants[1], "main", "10.60.1.64-10.60.1.71")
    for name, server in zip(("team-a/web", "team-b/shop"), tenants, strict=False):
        site.name(name, server)
        server.put(service("front"), path=SERVICES)
        server.put(service("back"), path=SERVICES)
        server.start_metallb()
        until(partial(_is_served, server), "Services have addresses")

    def living() -> Mapping[str, Any]:
        return {
            name: (each(server, ANNOUNCED), [ingress(server, it) for it in ("front", "back")])
            for name, server in site.tenants.items()
        }

    brought_in(site, living, capsys, count=3)


def test_what_butler_gave_out_stays_with_who_has_it(
    tmp_path: Path,
    bare: ApiServer,
    tenants: tuple[ApiServer, ...],
    capsys: pytest.CaptureFixture[str],
) -> None:
    bare.install_crds(ROOT / "tests" / "crds" / "butler")
    site = Site(tmp_path, bare, EMPTY)
    for name, server in zip(("team-a/web", "team-a/shop"), tenants, strict=False):
        site.name(name, server)
    left_behind(bare, site.tenants)

    def living() -> Mapping[str, Any]:
        found = each(
            bare, ALLOCATIONS, *(f"status.{it}" for it in ("phase", "startAddress", "endAddress"))
        )
        found |= each(bare, TENANTS, "status.lbAllocationRef")
        for name, server in site.tenants.items():
            found[name] = each(server, ANNOUNCED)  # `Site.announced` returns the addresses
        return found

    brought_in(site, living, capsys)


def test_addresses_of_cluster_api_stay_with_their_claims(
    tmp_path: Path, bare: ApiServer, capsys: pytest.CaptureFixture[str]
) -> None:
    version = CLUSTER_API[-1]
    bare.install_cluster_api(version)
    bare.start_ipam_provider()
    theirs = pool("theirs", "10.9.0.5-10.9.0.6", namespace="default")
    made(bare, vips(), DOORS, theirs, claim("early"))
    answered(bare, "early")
    # Claims of capi-vip-allocator, and manual ones. None of them has the lowest address.
    made(bare, claim("vip-cp-shop"), claim("vip-ingress-shop", "doors"))
    control, door = answered(bare, "vip-cp-shop"), answered(bare, "vip-ingress-shop")
    made(bare, claim("two"), claim("one", "theirs", "InClusterIPPool"))
    answered(bare, "two"), answered(bare, "one")
    released(bare, "early")
    settled(bare)
    counted(bare, "vips", used=2)
    counted(bare, "doors", used=1)
    body = yaml.safe_load(shop(version))
    body["metadata"]["annotations"] = {f"{VIP}ingress-vip": door}
    body["spec"]["controlPlaneEndpoint"] = {"host": control, "port": 6443}
    made(bare, yaml.safe_dump(body))

    def living() -> Mapping[str, Any]:
        clusters = f"/apis/cluster.x-k8s.io/{version}/namespaces/default/clusters"
        return {
            **each(bare, ADDRESSES, "spec"),
            **each(bare, CLAIMS, "spec", "status.addressRef"),
            **each(bare, POOLS, "spec.addresses", "status.ipAddresses"),
            **each(bare, clusters, "spec.controlPlaneEndpoint", "metadata.annotations"),
        }

    brought_in(Site(tmp_path, bare, EMPTY), living, capsys, "--crds")
