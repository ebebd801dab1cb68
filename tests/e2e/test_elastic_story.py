"""Elastic tenants as people run them: the worked example of the seed, asked for by Services alone."""

from pathlib import Path
from typing import Any

import yaml

from tests.e2e.daemon import applied_to, daemon
from tests.e2e.site import SERVICES, Site, _kubeconfig, service
from tests.envtest.processes import until
from tests.envtest.servers import ApiServer
from tests.world import pool, provider, settings, tenant

ONE = "team-a/t00"
# A network with 32 usable addresses, elastic, two for each tenant.
POOL = pool("prod", "10.92.90.0/23", tenantAllocation="{start: 10.92.90.49, end: 10.92.90.80}")
ELASTIC = "{allocationMode: elastic, initialPoolSize: 2, growthIncrement: 1}"
FILES = {
    "pools/prod.yaml": POOL,
    "providers/default.yaml": provider(pools="[{name: prod}]", loadBalancer=ELASTIC),
    **{f"tenants/t{at:02}.yaml": tenant(f"t{at:02}") for at in range(8)},
}


def address(server: ApiServer, name: str) -> str:
    _, found = server.request("GET", f"{SERVICES}/{name}")
    ingress: list[dict[str, Any]] = found["status"]["loadBalancer"].get("ingress") or [{}]
    return str(ingress[0].get("ip", ""))


def allocated(site: Site) -> int:
    statuses = [yaml.safe_load(text)["status"] for text in site.records().values()]
    return sum(it["allocatedCount"] for it in statuses if it["phase"] == "Allocated")


def test_a_daemon_answers_a_service_at_once_and_takes_the_address_back(
    tmp_path: Path, management: ApiServer, tenants: tuple[ApiServer, ...]
) -> None:
    one = tenants[0]
    site = Site(
        tmp_path, management, {**FILES, "ipam.yaml": settings("{elastic: {shrinkAfter: 1s}}")}
    )
    site.put_as_secret(ONE, one)
    controller = one.start_metallb()
    words = ("--kubeconfig", str(_kubeconfig(management)), "--interval", "1s")
    try:
        with daemon(site.clone, site.folder / "cache", *words) as running:
            running.round(applied_to(ONE))
            for name in "abc":
                one.put(service(name), path=SERVICES)
            until(lambda: all(address(one, name) for name in "abc"), "each Service is served")
            assert allocated(site) == 17
            last = next(name for name in "abc" if address(one, name) == "10.92.90.65")
            one.request("DELETE", f"{SERVICES}/{last}")
            until(lambda: allocated(site) == 16, "the address comes back")
            until(lambda: site.pool(ONE) == ["10.92.90.49-10.92.90.50"], "no cluster announces it")
            assert running.end() == 0
            assert "Traceback" not in running.errors()
    finally:
        controller.stop()
    assert site.ipam("verify").code == 0
