"""Services that wait, on a real API server with MetalLB's controller: growth, and giving back."""

import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from benchmarks.watch_rows import Waited
from benchmarks.watched import SETTLED, Eye, Objects, commits, eye, running
from tests.e2e.site import BUTLER, SERVICES, Site, service
from tests.envtest.fixtures import CRDS
from tests.envtest.servers import ApiServer, Fleet
from tests.world import pool, provider, tenant

ONE = "team-a/one"
SINGLES, BURSTS, RETURNS = 50, 5, 10
AT_ONCE = 20
PAUSE = 1.5
"""Seconds between two Services: more often a cluster begins no round for long."""
_ELASTIC = "{allocationMode: elastic, initialPoolSize: 1, growthIncrement: 1}"
_SETTINGS = """apiVersion: gitops-ipam.dev/v1alpha1
kind: Settings
metadata: {name: ipam}
spec:
  elastic: {maxGrowth: 500, shrinkAfter: SHRINK}
"""


def growth_rows(fleet: Fleet, folder: Path) -> Iterator[Waited]:
    """All that Services ask for."""
    with _site(fleet, folder / "growth", "1h") as site:
        yield Waited(
            "Service made → its address, all others used; 1 s of it is `pendingAfter`",
            _singles(site),
            (1.5, 2.5),
            "Butler 37 s, by its documentation",
        )
    with _site(fleet, folder / "bursts", "1h") as site:
        bursts = _bursts(site)
        made = sum(number for _, number in bursts)
        yield Waited(
            f"{AT_ONCE} Services at once in one tenant → all have an address",
            [seconds for seconds, _ in bursts],
            (None, 3.0),
            f"Butler: {AT_ONCE} passes",
            f"{made} commits in {BURSTS} runs",
            made == BURSTS,
        )
    with _site(fleet, folder / "returns", "5s") as site:
        yield Waited(
            "Service deleted → its address is free, with `shrinkAfter: 5s`",
            _returns(site),
            (None, 8.0),
            "Butler about 10 min, fixed",
        )


def _singles(site: Site) -> list[float]:
    """One Service after the other, each of which needs an address more."""
    server = site.tenants[ONE]
    with eye(server, SERVICES) as seen, running(site):
        _served(server, seen, "first")
        found = []
        for number in range(SINGLES):
            time.sleep(PAUSE + number % 10 / 10)  # at each tenth of a second alike
            found.append(_served(server, seen, f"s{number}"))
    return found


def _bursts(site: Site) -> list[tuple[float, int]]:
    """Many at once: seconds until the last has an address, and commits."""
    server, found = site.tenants[ONE], []
    with eye(server, SERVICES) as seen, running(site):
        _served(server, seen, "first")
        for number in range(BURSTS):
            time.sleep(SETTLED)
            before = commits(site)
            names = [f"b{number}-{at}" for at in range(AT_ONCE)]
            start = time.monotonic()
            with ThreadPoolExecutor(AT_ONCE) as threads:
                list(threads.map(lambda name: server.put(service(name), path=SERVICES), names))
            seconds = seen.until(partial(_have_all, names))
            found.append((seconds - start, commits(site) - before))
    return found


def _returns(site: Site) -> list[float]:
    """A Service that goes: until the allocation that it grew by is gone in the management cluster."""
    server, found = site.tenants[ONE], []
    allocations = f"{BUTLER}/ipallocations"
    with eye(server, SERVICES) as seen, eye(site.management, allocations) as grown, running(site):
        _served(server, seen, "first")
        for number in range(RETURNS):
            _served(server, seen, f"r{number}")
            grown.until(lambda there: len(there) == 2)
            time.sleep(SETTLED)
            start = time.monotonic()
            server.request("DELETE", f"{SERVICES}/r{number}")
            found.append(grown.until(lambda there: len(there) == 1) - start)
    return found


def _served(server: ApiServer, seen: Eye, name: str) -> float:
    start = time.monotonic()
    server.put(service(name), path=SERVICES)
    return seen.until(lambda there: _has(there, name)) - start


def _has(there: Objects, name: str) -> bool:
    ingress = there.get(name, {}).get("status", {}).get("loadBalancer", {}).get("ingress") or [{}]
    return bool(ingress[0].get("ip"))


def _have_all(names: Iterable[str], there: Objects) -> bool:
    return all(_has(there, name) for name in names)


@contextmanager
def _site(fleet: Fleet, folder: Path, shrink: str) -> Iterator[Site]:
    """One elastic tenant with MetalLB, which holds one address."""
    management, one = fleet.servers["management"], fleet.servers["one"]
    for server in (management, one):
        server.wipe()
    management.install_crds(CRDS)
    one.install_crds(fleet.assets.crds["metallb"])
    one.namespace("metallb-system")
    files: dict[str, str | bytes] = {
        "ipam.yaml": _SETTINGS.replace("SHRINK", shrink),
        "pools/edge.yaml": pool("edge", "10.92.0.0/16"),
        "providers/default.yaml": provider(loadBalancer=_ELASTIC),
        "tenants/one.yaml": tenant("one"),
    }
    folder.mkdir()
    site = Site(folder, management, files)
    site.put_as_secret(ONE, one)
    one.start_metallb()
    try:
        yield site
    finally:
        one.stop_controllers()
