"""Clusters with a proxy in front of each, and simulated clocks."""

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reconciler.addresses import format_range
from reconciler.apply.inventory import Enrolled, Inventory, read_inventory
from reconciler.kube.clusters import KubeCluster, KubeClusters
from reconciler.kube.interface import Clusters
from reconciler.model.applied import Applied
from tests.apply.execution.site import INVENTORY, METALLB, Files, Site, announced, evaluated
from tests.envtest.servers import ApiServer
from tests.kube.proxy import Fault, Proxy, proxied
from tests.kube.server import Time

HUB = "management"
POOL = f"{METALLB}/ipaddresspools/default-pool"
POOL_NAME = "metallb.io/IPAddressPool/metallb-system/default-pool"
PATCH_POOL = f"PATCH {POOL}"
HOMES = {HUB: "butler-system"}


@dataclass
class Clock(Time):
    """A clock that advances when code sleeps. Short pauses are polls of a real server.

    Attributes:
        longest_poll: Longest real pause. Longer pauses only advance the clock.
    """

    longest_poll: float = 0.2

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds)
        if seconds <= self.longest_poll:
            time.sleep(seconds)


@dataclass
class Faulty(Site):
    """A site with scripted failures.

    Attributes:
        proxies: Proxies by the name of their cluster.
        clocks: Clock of each cluster, so that one can wait without the others.
    """

    folder: Path = Path()
    proxies: dict[str, Proxy] = field(default_factory=dict)
    clocks: dict[str, Clock] = field(default_factory=dict)

    def servers(self) -> dict[str, ApiServer]:
        return {HUB: self.management, **self.tenants}

    def kubeconfig_of(self, cluster: str) -> Path:
        return self.folder / f"{cluster.replace('/', '.')}.kubeconfig"

    def breaks(self, cluster: str, *faults: Fault) -> Proxy:
        """Set the faults of a cluster, and forget its earlier requests."""
        proxy = self.proxies[cluster]
        proxy.faults = faults
        proxy.asked.clear()
        self.clocks[cluster].slept.clear()
        return proxy

    def mend(self) -> None:
        for name in self.proxies:
            self.breaks(name)

    def clusters(self) -> Clusters:
        return _Clocked(self)

    def settle(self, files: Files, revision: str = "a", **options: Any) -> None:
        """Require that two runs after a fault complete all work, and that a third writes nothing."""
        self.mend()
        self.apply(files, revision, **options)
        applied = self.apply(files, revision)
        assert not [item for item in applied.values() if item.is_failed], applied
        for server in self.servers().values():
            server.writes()
        again = self.apply(files, revision)
        assert not [item for item in again.values() if item.is_changed or item.is_failed], again
        assert [server.writes() for server in self.servers().values()] == [[]] * len(self.servers())
        self.check(files)

    def check(self, files: Files) -> None:
        """Require that clusters announce the ranges of records, and inventories list all objects."""
        wanted = wanted_of(files)
        assert self.announced() == wanted
        for name, server in self.servers().items():
            inventory = self.inventory(name)
            assert inventory.uid in ("", server.uid())
            if name == HUB:
                known = {other: item.addresses for other, item in inventory.clusters.items()}
                assert {other: ranges for other, ranges in known.items() if ranges} == wanted
            else:
                live = server.get(POOL)["metadata"]["uid"] if name in wanted else None
                entry = inventory.objects.get(POOL_NAME)
                assert (entry and entry.uid) == live

    def announced(self) -> dict[str, tuple[str, ...]]:
        """Return the ranges that each API server announces. Require that no two overlap."""
        found = {name: tuple(announced(server) or ()) for name, server in self.tenants.items()}
        every = [item for ranges in found.values() for item in ranges]
        assert len(every) == len(set(every)), found
        return {name: ranges for name, ranges in found.items() if ranges}

    def known(self) -> Mapping[str, Enrolled]:
        return self.inventory(HUB).clusters

    def inventory(self, name: str) -> Inventory:
        home = HOMES.get(name, "metallb-system")
        path = f"/api/v1/namespaces/{home}/{INVENTORY}"
        status, found = self.servers()[name].request("GET", path)
        return read_inventory([found] if status == 200 else [])


class _Clocked:
    """Clusters, each with its own clock."""

    def __init__(self, site: Faulty) -> None:
        self._site = site

    def management(self) -> KubeCluster | None:
        return self._of(HUB).management()

    def named(self, cluster: str) -> bytes | None:
        return self._of(cluster).named(cluster)

    def connect(self, cluster: str, kubeconfig: bytes, *, is_named: bool = False) -> KubeCluster:
        return self._of(cluster).connect(cluster, kubeconfig, is_named=is_named)

    def _of(self, cluster: str) -> KubeClusters:
        site = self._site
        clock = site.clocks.setdefault(cluster, Clock())
        named = {name: site.kubeconfig_of(name) for name in site.tenants}
        timeouts = clock.timeouts(site.timeout)
        return KubeClusters(site.kubeconfig_of(HUB), clusters=named, timeouts=timeouts)


@contextmanager
def faulty(management: ApiServer, tenants: dict[str, ApiServer], folder: Path) -> Iterator[Faulty]:
    site = Faulty(management, tenants, folder=folder)
    with ExitStack() as stack:
        for name, server in site.servers().items():
            proxy = stack.enter_context(proxied(server.kubeconfig.read_bytes()))
            site.proxies[name] = proxy
            site.clocks[name] = Clock()
            site.kubeconfig_of(name).write_bytes(proxy.kubeconfig)
        yield site


def wanted_of(files: Files) -> dict[str, tuple[str, ...]]:
    """Return the addresses that each cluster must announce, from the records."""
    found: dict[str, list[str]] = {}
    for record in evaluated(files).state.records:
        if record.range is not None and not record.is_released:
            name = f"{record.owner.namespace}/{record.owner.name}"
            found.setdefault(name, []).append(format_range(record.range))
    return {name: tuple(ranges) for name, ranges in found.items()}


def refusal(code: int, message: str, reason: str = "", **details: Any) -> dict[str, Any]:
    """Return the body of a refusal, as API servers send it."""
    body = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code}
    return body | {"message": message, "reason": reason, "details": details}


def good(applied: Mapping[str, Applied], *names: str) -> None:
    """Require that these clusters were applied without failures."""
    for name in names:
        assert applied[name].state == "applied", applied[name]
        assert not applied[name].is_failed, applied[name]
