"""The example repository, from a commit to addresses that Services have."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.caches import ROOT
from tests.e2e.site import BUTLER, POOL, SERVICES, Site, require_quiet, service
from tests.envtest.processes import until
from tests.envtest.servers import ApiServer
from tests.golden.cases import read

CHECKOUT, FRONTEND, LEDGER = (
    "team-payments/checkout",
    "team-search/frontend",
    "team-payments/ledger",
)


@pytest.fixture
def site(tmp_path: Path, bare: ApiServer, tenants: tuple[ApiServer, ...]) -> Iterator[Site]:
    """The example repository. Kubeconfigs of tenants are in an option, a folder, and a Secret."""
    for name in ("capi", "in-cluster"):
        bare.install_crds(ROOT / "tests" / "crds" / name)
    site = Site(tmp_path, bare, read(ROOT / "example-repo"))
    site.name(CHECKOUT, tenants[0])
    site.put_in_folder(FRONTEND, tenants[1])
    site.put_as_secret(LEDGER, tenants[2])
    metallb = tenants[0].start_metallb()
    yield site
    metallb.stop()


def test_a_service_gets_the_first_address_of_the_recorded_range_and_a_second_run_writes_nothing(
    site: Site,
) -> None:
    ran = site.reconcile("--crds")
    applied = {name for name, state in ran.states.items() if state == "applied"}
    assert applied == {"management", CHECKOUT, FRONTEND, LEDGER}
    assert set(ran.states.values()) == {"applied", "waiting"}
    _check_pools_are_what_is_recorded(site)
    _check_a_service_gets_its_address(site)
    _check_counters_are_ours(site)
    _check_metallb_counts_as_we_do(site)
    require_quiet(site)


def _check_pools_are_what_is_recorded(site: Site) -> None:
    for cluster, server in site.tenants.items():
        record = _allocation(site, cluster)
        wanted = [f"{record['startAddress']}-{record['endAddress']}"]
        assert server.get(POOL)["spec"]["addresses"] == wanted, cluster


def _check_a_service_gets_its_address(site: Site) -> None:
    server = site.tenants[CHECKOUT]
    server.put(service("traefik"), path=SERVICES)
    found = until(lambda: _ingress(server, "traefik"), "the Service has an address")
    assert found == [{"ip": _allocation(site, CHECKOUT)["startAddress"], "ipMode": "VIP"}]


def _check_counters_are_ours(site: Site) -> None:
    listed = site.ipam("status").document["items"]
    ours = {it["pool"]: it for it in listed if it["pool"].startswith("butler/")}
    live = site.management.get(f"{BUTLER}/networkpools")["items"]
    assert len(live) == len(ours) == 3
    for pool in live:
        counted = ours[f"butler/NetworkPool/butler-system/{pool['metadata']['name']}"]
        status = pool["status"]
        assert status["totalIPs"] == counted["total"]
        assert status["allocatedIPs"] == counted["allocated"] + counted["held"]
        assert status["availableIPs"] == counted["available"]
        assert status["allocationCount"] == counted["allocationCount"]
        assert status["fragmentationPercent"] == counted["fragmentationPercent"]
        assert status["largestFreeBlock"] == counted["largestFreeBlock"]


def _check_metallb_counts_as_we_do(site: Site) -> None:
    count = _allocation(site, CHECKOUT)["allocatedCount"]

    def counted() -> Mapping[str, Any] | None:
        status: Mapping[str, Any] = site.tenants[CHECKOUT].get(POOL).get("status") or {}
        return status if status.get("assignedIPv4") == 1 else None

    status = until(counted, "MetalLB has counted the Service")
    assert status["assignedIPv4"] + status["availableIPv4"] == count


def _allocation(site: Site, cluster: str) -> Mapping[str, Any]:
    namespace, _, name = cluster.partition("/")
    path = f"{BUTLER}/ipallocations/{namespace}-{name}-lb"
    status: Mapping[str, Any] = site.management.get(path)["status"]
    return status


def _ingress(server: ApiServer, name: str) -> Any:
    return server.get(f"{SERVICES}/{name}")["status"]["loadBalancer"].get("ingress")
