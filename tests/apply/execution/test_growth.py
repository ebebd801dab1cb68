"""Growth on real API servers with MetalLB's own controller: from Service to address, and back."""

from typing import Any

from reconciler.apply.expiry import still_announced
from reconciler.reconcile.discovery import Looked, LookOptions, look
from tests.apply.execution.site import FIRST, INVENTORY, Files, Site, announced, evaluated
from tests.envtest.processes import until
from tests.envtest.servers import ApiServer
from tests.reconcile.looking.country import SETTINGS, elastic
from tests.world import reconciled

SERVICES = "/api/v1/namespaces/default/services"


def service(server: ApiServer, name: str, **spec: Any) -> None:
    server.put(
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": name},
            "spec": {"type": "LoadBalancer", "ports": [{"port": 80}], **spec},
        },
        path=SERVICES,
    )


def address(server: ApiServer, name: str) -> str:
    _, found = server.request("GET", f"{SERVICES}/{name}")
    ingress = found["status"]["loadBalancer"].get("ingress") or [{}]
    return str(ingress[0].get("ip", ""))


def seen(site: Site, files: Files) -> Looked:
    """Return what the cluster needs; a Service counts at once."""
    return look(evaluated(files), site.clusters(), LookOptions())


def committed(files: Files, looked: Looked) -> dict[str, str | bytes]:
    found = dict(files) | {it.path: it.data for it in looked.changes if it.data is not None}
    return reconciled(found)


def test_a_third_service_gets_an_address_and_gives_it_back(site: Site) -> None:
    one = site.tenants[FIRST]
    text = SETTINGS.replace("retention: 0s", "elastic: {pendingAfter: 0s, shrinkAfter: 0s}")
    files = reconciled({**elastic("web"), "ipam.yaml": text})
    controller = one.start_metallb()
    try:
        site.apply(files)
        for name in "abc":
            service(one, name)
        service(one, "other", loadBalancerClass="others/lb")
        until(lambda: len([n for n in "abc" if address(one, n)]) == 2, "MetalLB gives two")
        looked = seen(site, files)
        assert (looked.unasked, looked.figures[FIRST]) == ({}, (1, 0, 0, 0))
        assert looked.at > 0
        files = committed(files, looked)
        assert not site.apply(files, "b")[FIRST].is_failed
        until(lambda: all(address(one, name) for name in "abc"), "MetalLB gives the third")
        assert announced(one) == ["10.0.0.0-10.0.0.2"]
        assert seen(site, files).changes == ()

        last = next(name for name in "abc" if address(one, name) == "10.0.0.2")
        one.request("DELETE", f"{SERVICES}/{last}")
        looked = seen(site, files)
        assert len(looked.changes) == 1
        status, found = one.request("GET", f"/api/v1/namespaces/metallb-system/{INVENTORY}")
        assert (status, found["data"]["idle"].startswith("1@a000002 ")) == (200, True)
        files = committed(files, looked)
        due = evaluated(files, "c")
        assert still_announced(due, site.clusters(), LookOptions().apply)
        assert not site.apply(files, "c")[FIRST].is_failed
        assert announced(one) == ["10.0.0.0-10.0.0.1"]
        assert not still_announced(due, site.clusters(), LookOptions().apply)
    finally:
        controller.stop()
