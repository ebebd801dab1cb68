"""Elastic tenants on real API servers with MetalLB, and people who are never quiet, by lot."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from tests.caches import PYTHON
from tests.e2e.site import MERGE, POOL, SERVICES, Site, service
from tests.envtest.assets import find
from tests.envtest.fixtures import CRDS
from tests.envtest.servers import ApiServer, Fleet
from tests.world import ENVIRONMENT, git, pool, provider, tenant

TENANTS = ("team-a/one", "team-a/two")
SETTINGS = """apiVersion: gitops-ipam.dev/v1alpha1
kind: Settings
metadata: {name: ipam}
spec:
  retention: 1m
  elastic: {pendingAfter: 0s, shrinkAfter: 20s}
  intake: [{kind: TenantCluster}]
"""
ELASTIC = "{allocationMode: elastic, initialPoolSize: 2, growthIncrement: 1}"
FILES = {
    "ipam.yaml": SETTINGS,
    "pools/edge.yaml": pool(),
    "providers/default.yaml": provider(loadBalancer=ELASTIC),
    **{
        f"tenants/{name.partition('/')[2]}.yaml": tenant(name.partition("/")[2]) for name in TENANTS
    },
}
MADE = "/apis/butler.butlerlabs.dev/v1alpha1/namespaces/team-a/tenantclusters"
MAX_SERVICES = 6
MAX_OTHERS = 4


@contextmanager
def servers(folder: Path) -> Iterator[Fleet]:
    """A management cluster and two tenants with MetalLB, running."""
    assets = find()
    if isinstance(assets, str):
        raise SystemExit(assets)
    fleet = Fleet(assets, folder)
    try:
        fleet.start(("management", "one", "two"))
        management = fleet.servers["management"]
        management.install_crds(CRDS)
        management.namespace("team-a")
        for name in TENANTS:
            fleet.servers[name.partition("/")[2]].start_metallb()
        yield fleet
    finally:
        fleet.stop()


@dataclass
class People:
    """What befalls a town: one thing at a time, drawn by lot.

    Attributes:
        done: How often each thing was done.
    """

    site: Site
    lot: Random
    done: Counter[str] = field(default_factory=Counter)
    _services: dict[str, list[str]] = field(default_factory=dict)
    _others: list[str] = field(default_factory=list)
    _made: list[str] = field(default_factory=list)
    _number: int = 0

    def step(self) -> str:
        """One thing happens; what."""
        things: list[Callable[[], str]] = [
            *([self.come] * 4), *([self.go] * 4), self.meddle, self.push, self.make,
        ]  # fmt: skip
        what = self.lot.choice(things)()
        self.done[what] += 1
        return what

    def come(self) -> str:
        """A Service comes."""
        name = self.lot.choice(TENANTS)
        there = self._services.setdefault(name, [])
        if len(there) < MAX_SERVICES:
            self._number += 1
            there.append(f"s{self._number}")
            self._server(name).put(service(there[-1]), path=SERVICES)
        return "service made"

    def go(self) -> str:
        """A Service goes."""
        name = self.lot.choice(TENANTS)
        there = self._services.setdefault(name, [])
        if there:
            gone = there.pop(self.lot.randrange(len(there)))
            self._server(name).request("DELETE", f"{SERVICES}/{gone}")
        return "service deleted"

    def meddle(self) -> str:
        """Somebody edits a pool in a cluster."""
        patch = {"spec": {"autoAssign": self.lot.random() < 0.5, "avoidBuggyIPs": True}}
        self._server(self.lot.choice(TENANTS)).request("PATCH", POOL, patch, MERGE)
        return "pool edited"

    def push(self) -> str:
        """Somebody pushes a tenant, or takes one away; it may lose a race, as people do."""
        gone = self._others.pop(0) if len(self._others) >= MAX_OTHERS else ""
        self._number += 1
        name = gone or f"p{self._number}"
        path = f"tenants/{name}.yaml"
        git(self.site.clone, "fetch", "-q", "origin")
        git(self.site.clone, "reset", "-q", "--hard", "origin/main")
        clock = int(git(self.site.clone, "show", "-s", "--format=%ct"))
        try:
            self.site.commit({path: None if gone else tenant(name)}, f"change {name}", clock)
        except (AssertionError, FileNotFoundError):
            return "push lost"
        if not gone:
            self._others.append(name)
        return "commit pushed"

    def make(self) -> str:
        """Somebody makes a TenantCluster with kubectl, or deletes one."""
        if len(self._made) >= MAX_OTHERS:
            self.site.management.request("DELETE", f"{MADE}/{self._made.pop(0)}")
            return "tenant deleted"
        self._number += 1
        self._made.append(f"k{self._number}")
        body: dict[str, Any] = {
            "apiVersion": "butler.butlerlabs.dev/v1alpha1",
            "kind": "TenantCluster",
            "metadata": {"name": self._made[-1]},
            "spec": {"workers": {"replicas": 1}},
        }
        self.site.management.put(body, path=MADE)
        return "tenant made"

    def _server(self, name: str) -> ApiServer:
        return self.site.tenants[name]


def replayed(site: Site, cache: Path) -> dict[str, Any]:
    """What `ipam verify` says of the branch: how many commits of each verdict, and those that differ."""
    git(site.clone, "fetch", "-q", "origin")
    git(site.clone, "reset", "-q", "--hard", "origin/main")
    environment = {**ENVIRONMENT, **PYTHON, "XDG_CACHE_HOME": str(cache)}
    done = subprocess.run(
        [sys.executable, "-m", "reconciler", "verify", "-o", "json", "HEAD"],
        cwd=site.clone, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    found = json.loads(done.stdout)
    counts = {name: count for name, count in found["summary"].items() if count}
    wrong = [it for it in found["commits"] if it["verdict"] == "different"]
    return counts | {"exit": done.returncode, "wrong": wrong}


def say(line: str) -> None:
    """Tell who runs it."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def commits(remote: Path) -> list[str]:
    """The ids of all commits of the branch, the oldest first."""
    return git(remote, "rev-list", "--reverse", "main").splitlines()


def rounds_of(out: Path) -> tuple[int, Counter[str]]:
    """How many rounds a daemon told by now, and how they ended."""
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    return len(lines), Counter(str(line["exitCode"]) for line in lines)
