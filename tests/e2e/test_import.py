"""Import on real API servers: MetalLB and Services that live go on as they are."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from reconciler.cli import run
from tests.e2e.site import METALLB, SERVICES, Site, require_quiet, service, versions
from tests.envtest.processes import until
from tests.envtest.servers import ApiServer
from tests.world import commit, git

WEB, SHOP = "team-a/web", "team-b/shop"
POOLS = f"{METALLB}/ipaddresspools"


def metallb(server: ApiServer, name: str, *addresses: str) -> None:
    """What a person set up by hand."""
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
    """Services have their addresses, and the controller has told so at the pools: it rests then."""
    pools = server.get(f"{METALLB}/ipaddresspools")["items"]
    told = sum(pool.get("status", {}).get("assignedIPv4", 0) for pool in pools)
    return told == 2 and all(ingress(server, name) for name in ("front", "back"))


@pytest.fixture
def site(tmp_path: Path, management: ApiServer, tenants: tuple[ApiServer, ...]) -> Iterator[Site]:
    """Two clusters with MetalLB and Services, one with a pool of its own name; no repository yet."""
    site = Site(tmp_path, management, {"README.md": "Addresses\n"})
    metallb(tenants[0], "default-pool", "10.60.1.0/29", "10.60.1.32-10.60.1.35")
    metallb(tenants[1], "main", "10.60.1.64-10.60.1.71")
    for name, server in zip((WEB, SHOP), tenants, strict=False):
        site.name(name, server)
        server.put(service("front"), path=SERVICES)
        server.put(service("back"), path=SERVICES)
    started = [server.start_metallb() for server in tenants[:2]]
    for server in tenants[:2]:
        until(partial(_is_served, server), "Services have addresses")
    yield site
    for controller in started:
        controller.stop()


def test_import_commit_reconcile_and_apply_change_no_address(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    servers = list(site.tenants.values())
    before, announced = [_living(server) for server in servers], site.announced()
    untouched = [versions(server, [POOLS, SERVICES]) for server in servers]
    named = [f"{name}={server.kubeconfig}" for name, server in site.tenants.items()]
    assert run(["import", "cluster", *named, "--repo", str(site.clone)]) == 0
    said = capsys.readouterr().out
    assert "10.60.1.0-10.60.1.7     =   10.60.1.0-10.60.1.7" in said
    assert said.endswith("Plan: 3 to allocate, 0 kept, 0 moved.\n")
    assert [versions(server, [POOLS, SERVICES]) for server in servers] == untouched
    commit(site.clone, "What lives")
    git(site.clone, "push", "-q")
    site.reconcile(code=5)  # what others made is named first
    assert [_living(server) for server in servers] == before
    assert all("--adopt" in item["error"] for item in site.reconcile(code=5).objects(WEB).values())
    site.reconcile("--adopt")
    assert [_living(server) for server in servers] == before
    assert site.announced() == announced
    require_quiet(site)
    assert [_living(server) for server in servers] == before
    assert run(["import", "cluster", *named, "--repo", str(site.clone), "--dry-run"]) == 0
    assert "Nothing to write." in capsys.readouterr().out


def _living(server: ApiServer) -> Any:
    """Each pool by its own identity, and what each Service has."""
    pools = {item["metadata"]["uid"] for item in server.get(POOLS)["items"]}
    return pools, {name: ingress(server, name) for name in ("front", "back")}
