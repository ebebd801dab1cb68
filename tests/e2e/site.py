"""A complete site: a Git remote, a clone, clusters, and `ipam` as a separate process."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from reconciler.addresses import IPSet
from reconciler.loadbalancers.metallb.objects import addresses as pool_addresses
from tests.caches import PYTHON
from tests.cli.running import STILL
from tests.envtest.servers import ApiServer
from tests.world import CLOCK, commit, git, repository, write

BUTLER = "/apis/butler.butlerlabs.dev/v1alpha1/namespaces/butler-system"
METALLB = "/apis/metallb.io/v1beta1/namespaces/metallb-system"
POOL = f"{METALLB}/ipaddresspools/default-pool"
USER = "reconciler"
POOL_NAME = "metallb.io/IPAddressPool/metallb-system/default-pool"
SERVICES = "/api/v1/namespaces/default/services"
MERGE = "application/merge-patch+json"

# Retries to a stopped server take 7.5 seconds in all, and other requests take part of a second.
_BRIEFLY = ("--timeout", "20s")


class Ran(NamedTuple):
    code: int
    document: Mapping[str, Any]
    err: str

    @property
    def clusters(self) -> dict[str, Mapping[str, Any]]:
        applied = self.document.get("apply") or self.document
        return {item["cluster"]: item for item in applied["clusters"]}

    @property
    def states(self) -> dict[str, str]:
        return {name: item["state"] for name, item in self.clusters.items()}

    @property
    def summary(self) -> dict[str, int]:
        """Return the number of decisions of the plan by kind, without `keep`."""
        counts: Mapping[str, int] = self.document["plan"]["summary"]
        return {name: count for name, count in counts.items() if count and name != "keep"}

    def objects(self, cluster: str) -> dict[str, Mapping[str, Any]]:
        return {item["object"]: item for item in self.clusters[cluster]["objects"]}

    def errors(self) -> str:
        told = [
            error
            for item in self.clusters.values()
            for error in (item["error"], *(found["error"] for found in item["objects"]))
        ]
        return "\n".join(error for error in told if error)


@dataclass
class Site:
    """A management cluster, tenants by name, and their repository.

    Attributes:
        tenants: Servers by cluster name.
        words: Options of the command to reach the tenants.
    """

    folder: Path
    management: ApiServer
    files: Mapping[str, str | bytes]
    tenants: dict[str, ApiServer] = field(default_factory=dict)
    words: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.clone = repository(self.folder / "clone", self.files)
        self.remote = self.folder / "remote.git"
        git(self.folder, "clone", "-q", "--bare", str(self.clone), str(self.remote))
        git(self.clone, "remote", "add", "origin", str(self.remote))
        git(self.clone, "fetch", "-q", "origin")
        git(self.clone, "branch", "-q", "--set-upstream-to=origin/main")

    def name(self, cluster: str, server: ApiServer) -> None:
        self.tenants[cluster] = server
        self.words[cluster] = ("--cluster", f"{cluster}={_kubeconfig(server)}")

    def put_in_folder(self, cluster: str, server: ApiServer) -> None:
        folder = self.folder / "kubeconfigs"
        folder.mkdir(exist_ok=True)
        path = folder / f"{cluster.replace('/', '.')}.kubeconfig"
        path.write_bytes(_kubeconfig(server).read_bytes())
        self.tenants[cluster] = server
        self.words[cluster] = ("--clusters", str(folder))

    def put_as_secret(self, cluster: str, server: ApiServer) -> None:
        """Store a kubeconfig like Cluster API, in a Secret of the management cluster."""
        namespace, _, name = cluster.partition("/")
        if self.management.request("GET", f"/api/v1/namespaces/{namespace}")[0] == 404:
            self.management.namespace(namespace)
        secret = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": f"{name}-kubeconfig"},
            "stringData": {"value": _kubeconfig(server).read_text()},
        }
        self.management.put(secret, path=f"/api/v1/namespaces/{namespace}/secrets")
        self.tenants[cluster] = server

    def forget(self, cluster: str) -> None:
        del self.words[cluster]

    def ipam(self, verb: str, *words: str) -> Ran:
        """Run the command in the clone, with JSON output."""
        done = subprocess.run(
            [sys.executable, *STILL, verb, "-o", "json", *words],
            cwd=self.clone,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            env={
                "PATH": os.environ["PATH"],
                **PYTHON,
                "XDG_CACHE_HOME": str(self.folder / "cache"),
                "LC_ALL": "C.UTF-8",
            },
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Ran(done.returncode, json.loads(done.stdout or "{}"), done.stderr)

    def reconcile(self, *words: str, code: int = 0) -> Ran:
        """Reconcile all clusters. Check the exit code, and that no two announce one address."""
        named = list(dict.fromkeys(self.words.values()))
        reached = [word for group in named for word in group]
        if not all(map(_is_running, self.tenants.values())):
            reached += _BRIEFLY
        kubeconfig = ("--kubeconfig", str(_kubeconfig(self.management)))
        ran = self.ipam("reconcile", *kubeconfig, *reached, *words)
        told = json.dumps(ran.document.get("apply"), indent=1)
        assert ran.code == code, f"exit code {ran.code}\n{ran.err}\n{told}"
        self.require_disjoint()
        return ran

    def commit(self, files: Mapping[str, str | None], message: str, clock: int = CLOCK) -> None:
        """Commit and push edits. None removes a file."""
        git(self.clone, "pull", "-q", "--ff-only")
        write(self.clone, {path: text for path, text in files.items() if text is not None})
        for path in (path for path, text in files.items() if text is None):
            (self.clone / path).unlink()
        commit(self.clone, message, clock)
        git(self.clone, "push", "-q")

    def records(self) -> dict[str, str]:
        listing = git(self.remote, "ls-tree", "-r", "--name-only", "main", "allocations/")
        paths = listing.splitlines()
        return {path: git(self.remote, "show", f"main:{path}") for path in paths}

    def announced(self) -> dict[str, IPSet]:
        """Return the ranges that each running tenant cluster announces, from its API server."""
        running = {name: item for name, item in self.tenants.items() if _is_running(item)}
        return {
            name: IPSet.of(
                item
                for pool in server.get(f"{METALLB}/ipaddresspools")["items"]
                for item in pool_addresses(pool)
            )
            for name, server in running.items()
        }

    def require_disjoint(self) -> None:
        for (one, mine), (other, theirs) in combinations(self.announced().items(), 2):
            assert not mine & theirs, f"{one} and {other} both announce {mine & theirs}"

    def pool(self, cluster: str) -> list[str]:
        status, body = self.tenants[cluster].request("GET", POOL)
        return [] if status == 404 else list(body["spec"]["addresses"])


def require_quiet(site: Site) -> None:
    servers = [site.management, *site.tenants.values()]
    for server in servers:
        server.writes(USER)
    ran = site.reconcile()
    assert not any(ran.objects(name) for name in ran.states)
    assert [server.writes(USER) for server in servers] == [[]] * len(servers)


@contextmanager
def down(server: ApiServer) -> Iterator[None]:
    server.stop()
    try:
        yield
    finally:
        server.start()


def versions(server: ApiServer, paths: Sequence[str]) -> dict[str, str]:
    return {
        f"{path}/{item['metadata']['name']}": item["metadata"]["resourceVersion"]
        for path in paths
        for item in server.get(path)["items"]
    }


def _kubeconfig(server: ApiServer) -> Path:
    """Return a kubeconfig of a separate user, so that the audit log shows its requests."""
    return server.kubeconfig_for(USER)


def _is_running(server: ApiServer) -> bool:
    return server.process is not None and server.process.poll() is None


def service(name: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name},
        "spec": {"type": "LoadBalancer", "ports": [{"port": 80}]},
    }


def use(server: ApiServer, name: str, address: str) -> None:
    """Create a Service with an address, as from MetalLB's controller."""
    server.put(service(name), path=SERVICES)
    give(server, name, address)


def give(server: ApiServer, name: str, address: str) -> None:
    say(server, f"{SERVICES}/{name}", {"loadBalancer": {"ingress": [{"ip": address}]}})


def say(server: ApiServer, path: str, status: Mapping[str, Any], manager: str = "test") -> None:
    path = f"{path}/status?fieldManager={manager}"
    answered, body = server.request("PATCH", path, {"status": status}, MERGE)
    assert answered == 200, body
