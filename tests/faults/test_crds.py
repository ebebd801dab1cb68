"""Kinds and namespaces that are missing, or go away: F38, F39, F55 of the fault table."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.apply.execution.site import ALLOCATIONS, FIRST, POOLS, SECOND, failures, world
from tests.envtest.processes import until
from tests.envtest.servers import ApiServer
from tests.faults.site import HUB, POOL_NAME, Faulty, faulty, good
from tests.kube.proxy import Fault

FILES = world("web", "shop")
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
NETWORK_POOLS = f"{CRDS}/networkpools.butler.butlerlabs.dev"


@pytest.fixture
def new_site(bare: ApiServer, tenants: tuple[ApiServer, ...], tmp_path: Path) -> Iterator[Faulty]:
    """A site whose management cluster has no CRD yet."""
    named = dict(zip((FIRST, SECOND), tenants, strict=False))
    with faulty(bare, named, tmp_path) as site:
        # A server that gets a CRD is busy for a moment, in truth.
        site.clocks[HUB].longest_poll = 1.0
        yield site


def test_f38_f39_crds_are_installed_and_come_back(new_site: Faulty) -> None:
    """F38: told without --crds, installed with it. F39: deleted mid-run, then made anew, loudly."""
    site, hub = new_site, new_site.management
    applied = site.apply(FILES)
    assert applied[HUB].error == "no kind NetworkPool, IPAllocation there"
    assert applied[HUB].hint == "--crds installs the CRDs"
    good(applied, FIRST, SECOND)
    good(site.apply(FILES, crds=True), HUB, FIRST, SECOND)
    site.settle(FILES)

    more = world("web", "shop", "blog")

    def delete_it() -> None:
        hub.request("DELETE", NETWORK_POOLS)
        until(lambda: hub.request("GET", NETWORK_POOLS)[0] == 404, "the CRD is gone")
        until(lambda: hub.request("GET", POOLS)[0] == 404, "its objects are gone")

    proxy = site.breaks(HUB, Fault(f"PATCH {POOLS}", 1, "pass", then=delete_it))
    applied = site.apply(more, "b")
    assert proxy.count(f"PATCH {POOLS}") >= 1
    (error,) = failures(applied[HUB]).values()
    assert "the cluster does not know the kind" in error
    assert hub.get(f"{ALLOCATIONS}/team-a-blog-lb")["status"]["phase"] == "Allocated"
    good(applied, FIRST, SECOND)
    site.mend()
    applied = site.apply(more, "b")
    assert applied[HUB].notes[0] == "the CRD of NetworkPool was gone; it is installed again"
    good(applied, HUB, FIRST, SECOND)
    assert hub.get(f"{POOLS}/edge")["status"]["allocatedIPs"] == 12
    assert not any(item.is_changed for item in site.apply(more, "b").values())


def test_f38_a_crd_that_is_never_served_is_told(site: Faulty) -> None:
    """F38: after a minute; objects of tenants are applied all the same."""
    live = site.management.get(NETWORK_POOLS)
    never: dict[str, Any] = {**live, "status": {"conditions": []}}
    path = f"GET {NETWORK_POOLS}"
    site.timeout, site.clocks[HUB].longest_poll = 120.0, 0.0
    proxy = site.breaks(HUB, Fault(path, 0, status=200, body=never))
    applied = site.apply(FILES, crds=True, adopt=True)
    assert applied[HUB].error == (
        "CRD networkpools.butler.butlerlabs.dev is not established after 60 s"
    )
    assert proxy.count(path) == 301
    good(applied, FIRST, SECOND)
    site.settle(FILES)


def test_f38_metallb_that_goes_away_is_not_taken_for_an_empty_cluster(site: Faulty) -> None:
    """F38: its addresses stay in the inventory, and nobody else gets them."""
    site.apply(FILES)
    missing = b"404 page not found\n"
    site.breaks(FIRST, Fault("GET /apis/metallb.io/", status=404, body=missing))
    applied = site.apply(FILES, "b")
    assert applied[FIRST].is_failed
    assert site.known()[FIRST].addresses == ("10.0.0.4-10.0.0.7",)
    good(applied, HUB, SECOND)
    site.settle(FILES, "b")


def test_f55_a_namespace_that_is_missing_is_named(site: Faulty) -> None:
    """F55: `metallb-system` is MetalLB's own; we do not make it."""
    one = site.tenants[FIRST]
    _end(one)
    applied = site.apply(FILES)
    assert applied[FIRST].is_failed
    assert "there is no namespace metallb-system" in failures(applied[FIRST])[POOL_NAME]
    good(applied, HUB, SECOND)
    one.namespace("metallb-system")
    site.settle(FILES)


def _end(server: ApiServer) -> None:
    """Delete the namespace `metallb-system` and see it gone, as its controller would."""
    path = "/api/v1/namespaces/metallb-system"
    server.request("DELETE", path)
    body = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "metallb-system"},
        "spec": {"finalizers": []},
    }
    server.request("PUT", f"{path}/finalize", body)
    until(lambda: server.request("GET", path)[0] == 404, "the namespace is gone")
