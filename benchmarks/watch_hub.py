"""What the management cluster and the branch ask for: Clusters, TenantClusters, a pool that is edited."""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.watch_rows import Waited
from benchmarks.watched import SETTLED, Eye, Objects, Ring, commits, eye, hook, running
from tests.e2e.site import BUTLER, METALLB, POOL_NAME, Site
from tests.envtest.fixtures import CRDS
from tests.envtest.servers import ApiServer, Fleet
from tests.families.capi.hub import WEB
from tests.families.capi.trees import cluster
from tests.families.capi.trees import pool as vip_pool
from tests.world import pool, provider, tenant

ONE = "team-a/one"
MADE = {1: (10, 1.0, "10.3 s"), 20: (5, 2.0, "12.6 s"), 100: (3, 4.0, "33.3 s")}
PUSHED, EDITED = 10, 20
CLUSTERS = "/apis/cluster.x-k8s.io/v1beta1/namespaces/default/clusters"
TENANTS = "/apis/butler.butlerlabs.dev/v1alpha1/namespaces/team-a/tenantclusters"
_RESULT = "vip.capi.gorizond.io/ingress-vip"
_SETTINGS = """apiVersion: gitops-ipam.dev/v1alpha1
kind: Settings
metadata: {name: ipam}
spec:
  intake: [{kind: KIND}]
"""
_POOLS: dict[str, str | bytes] = {
    "pools/hosts.yaml": vip_pool("hosts", "10.0.0.0/16", prefix=16),
    "pools/doors.yaml": vip_pool("doors", "10.1.0.0/16", prefix=16, role="ingress"),
    "clusters/web.yaml": WEB,
}
_TENANTS: dict[str, str | bytes] = {
    "pools/edge.yaml": pool("edge", "10.92.0.0/16"),
    "providers/default.yaml": provider(loadBalancer="{defaultPoolSize: 4}"),
    "tenants/one.yaml": tenant("one"),
}


def hub_rows(fleet: Fleet, folder: Path) -> Iterator[Waited]:
    """All that a management cluster and a branch ask for."""
    server = _emptied(fleet)
    taking = {"ipam.yaml": _SETTINGS.replace("KIND", "TenantCluster")}
    site = _site(folder / "tenants", server, {**_TENANTS, **taking})
    with _ringing(site) as ring:
        yield _allocated("TenantCluster pushed, `/hook` called", _pushed_tenants(site, ring))
        yield _allocated("TenantCluster made with kubectl", _made_tenants(site))
    yield _edited(fleet, folder)
    server = _emptied(fleet)
    server.install_cluster_api("v1beta1")
    taking = {"ipam.yaml": _SETTINGS.replace("KIND", "Cluster")}
    site = _site(folder / "made", server, {**_POOLS, **taking})
    with running(site):
        for count in MADE:
            yield _made(site, count)
    _emptied(fleet)
    site = _site(folder / "pushed", server, _POOLS)
    with _ringing(site) as ring:
        yield _pushed(site, ring)


def _allocated(what: str, runs: list[float]) -> Waited:
    return Waited(f"{what} → IPAllocation Allocated", runs, (None, 1.0), "Butler < 1 s")


def _made(site: Site, count: int) -> Waited:
    """Clusters that kubectl makes, from the first that the server has to the last that is served."""
    runs, peer_runs = [], MADE[count][0]
    before = commits(site)
    for number in range(peer_runs):
        time.sleep(SETTLED)
        names = [f"c{count}-{number}-{at:03d}" for at in range(count)]
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [*map(_live, names)]})
        with eye(site.management, CLUSTERS) as seen:
            done = site.management.kubectl("create", "-f", "-", stdin=text)
            if done.returncode != 0:
                raise RuntimeError(done.stderr)
            first = names[0]
            start = seen.until(partial(_is_there, first))
            runs.append(_all_served(seen, names) - start)
    told = f"{commits(site) - before} commits in {peer_runs} runs"
    what = f"{count} Cluster{'s' if count > 1 else ''} made with kubectl at once"
    what += " → host, variable, ingress annotation"
    others = f"capi-vip-allocator 0.7.1 {MADE[count][2]}"
    return Waited(what, runs, (None, MADE[count][1]), others, told)


def _pushed(site: Site, ring: Ring) -> Waited:
    """Clusters that are there, and described in Git from then on."""
    runs = []
    for number in range(PUSHED):
        name = f"p-{number}"
        with eye(site.management, CLUSTERS) as seen:
            site.management.put(_live(name), path=CLUSTERS)
            time.sleep(SETTLED)
            site.commit({f"clusters/{name}.yaml": cluster(name)}, f"Cluster {name}")
            start = time.monotonic()
            ring()
            runs.append(_all_served(seen, [name]) - start)
    what = "Cluster pushed to Git, `/hook` called → host, variable, ingress annotation"
    return Waited(what, runs, (None, 1.5))


def _all_served(seen: Eye, names: list[str]) -> float:
    return seen.until(lambda there: all(_is_served(there.get(name, {})) for name in names))


def _is_served(found: Mapping[str, Any]) -> bool:
    spec = found.get("spec", {})
    host = spec.get("controlPlaneEndpoint", {}).get("host")
    variables = {it["name"]: it["value"] for it in spec.get("topology", {}).get("variables", ())}
    door = found.get("metadata", {}).get("annotations", {}).get(_RESULT)
    return bool(host and door and variables.get("clusterVip") == host)


def _live(name: str) -> Mapping[str, Any]:
    """A Cluster as a person makes it."""
    return {
        "apiVersion": "cluster.x-k8s.io/v1beta1",
        "kind": "Cluster",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"topology": {"class": "web", "version": "v1.31.0"}},
    }


def _pushed_tenants(site: Site, ring: Ring) -> list[float]:
    runs = []
    with eye(site.management, f"{BUTLER}/ipallocations") as seen:
        for number in range(PUSHED):
            name = f"p{number}"
            time.sleep(SETTLED)
            site.commit({f"tenants/{name}.yaml": tenant(name)}, f"tenant {name}")
            start = time.monotonic()
            ring()
            runs.append(_allocation(seen, name) - start)
    return runs


def _made_tenants(site: Site) -> list[float]:
    runs = []
    with eye(site.management, f"{BUTLER}/ipallocations") as seen:
        for number in range(PUSHED):
            name = f"k{number}"
            time.sleep(SETTLED)
            done = site.management.kubectl("create", "-f", "-", stdin=tenant(name))
            if done.returncode != 0:
                raise RuntimeError(done.stderr)
            start = time.monotonic()
            runs.append(_allocation(seen, name) - start)
    return runs


def _allocation(seen: Eye, name: str) -> float:
    """When a tenant has its allocation."""

    def has(there: Objects) -> bool:
        return any(
            item["spec"].get("tenantClusterRef", {}).get("name") == name
            and item.get("status", {}).get("phase") == "Allocated"
            for item in there.values()
        )

    return seen.until(has)


def _edited(fleet: Fleet, folder: Path) -> Waited:
    """A pool that a person edits: until it is as before, and until the round has told who it was."""
    server, one = _emptied(fleet), fleet.servers["one"]
    one.wipe()
    one.install_crds(fleet.assets.crds["metallb"])
    one.namespace("metallb-system")
    site = _site(folder / "edited", server, _TENANTS)
    site.put_as_secret(ONE, one)
    runs, told = [], 0
    with running(site) as made, eye(one, f"{METALLB}/ipaddresspools") as seen:
        right = site.pool(ONE)
        for number in range(EDITED):
            time.sleep(SETTLED)
            wrong = f"10.92.{number + 1}.0/24"
            patch = json.dumps({"spec": {"addresses": [wrong]}})
            words = ("--type=merge", "--field-manager=kubectl-edit", "-p", patch)
            one.kubectl("patch", "ipaddresspool", "default-pool", "-n", "metallb-system", *words)
            start = seen.until(partial(_announces, [wrong]))
            mended = seen.until(partial(_announces, right))
            found = made.round(lambda it: POOL_NAME in json.dumps(it))
            runs.append(max(mended, time.monotonic()) - start)
            told += "kubectl-edit" in json.dumps(found)
    what = "pool edited with kubectl → restored, with a report of the user"
    return Waited(what, runs, (None, 1.0), "next resync", f"{told} reports", told == EDITED)


def _addresses(there: Objects) -> list[str]:
    found: list[str] = there.get("default-pool", {}).get("spec", {}).get("addresses", [])
    return found


def _announces(addresses: list[str], there: Objects) -> bool:
    return _addresses(there) == addresses


def _is_there(name: str, there: Objects) -> bool:
    return name in there


@contextmanager
def _ringing(site: Site) -> Iterator[Ring]:
    """A daemon that may be rung."""
    words, ring = hook(site.folder)
    with running(site, *words):
        yield ring


def _emptied(fleet: Fleet) -> ApiServer:
    server = fleet.servers["management"]
    server.wipe()
    server.install_crds(CRDS)
    return server


def _site(folder: Path, server: ApiServer, files: Mapping[str, str | bytes]) -> Site:
    folder.mkdir()
    if server.request("GET", "/api/v1/namespaces/team-a")[0] == 404:
        server.namespace("team-a")
    return Site(folder, server, files)
