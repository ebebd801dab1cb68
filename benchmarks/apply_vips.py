"""New Clusters of Cluster API in one `ipam reconcile`: until each has its endpoint and its ingress."""

import json
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from benchmarks.corpus import build
from benchmarks.measure import run_ipam
from tests.envtest.fixtures import CRDS
from tests.envtest.servers import ApiServer
from tests.families.capi.hub import WEB
from tests.families.capi.trees import cluster, pool

TARGETS = {1: 2.0, 20: 2.5, 100: 5.0}
_THEIRS = {1: 10.3, 20: 12.6, 100: 33.3}
_ROUNDS = 3
_CLUSTERS = "/apis/cluster.x-k8s.io/v1beta1/namespaces/default/clusters"
_RESULT = "vip.capi.gorizond.io/ingress-vip"


class Taken(NamedTuple):
    """One run: seconds until the last Cluster was written, until all was, and how many requests."""

    seconds: float
    all: float
    requests: int


def vips_table(server: ApiServer) -> str:
    """How long new Clusters wait for their addresses."""
    if not server.fleet.assets.crds["capi-v1beta1"].is_dir():
        return "Not measured: no CRDs of Cluster API.\n"
    server.wipe()
    lines = [
        "| new Clusters | host and ingress set | target | met | run ended | requests |"
        " capi-vip-allocator |",
        "| ---: | ---: | ---: | --- | ---: | ---: | ---: |",
    ]
    install(server)
    for count, target in TARGETS.items():
        runs = [measured(server, count) for _ in range(_ROUNDS)]
        seconds = median(run.seconds for run in runs)
        cells = [
            str(count),
            f"{seconds:.2f} s",
            f"{target:g} s",
            "yes" if seconds <= target else "no",
        ]
        cells += [f"{median(run.all for run in runs):.2f} s", f"{runs[-1].requests:,}"]
        lines.append(f"| {' | '.join([*cells, f'{_THEIRS[count]:g} s'])} |")
    return "\n".join(lines) + "\n"


def install(server: ApiServer) -> None:
    """Our CRDs, and Cluster API's."""
    server.install_crds(CRDS)
    server.install_cluster_api("v1beta1")


def measured(server: ApiServer, count: int) -> Taken:
    """One `ipam reconcile`, of a server that has the Clusters, and a repository that got them."""
    server.wipe()
    for number in range(count):
        server.put(_live(number), path=_CLUSTERS)
    with tempfile.TemporaryDirectory() as folder:
        remote = build(Path(folder) / "vips.git", count, lambda _: _files(0))
        words = (
            "reconcile",
            f"--remote={remote}",
            f"--kubeconfig={server.kubeconfig}",
            "--timeout=600s",
        )
        run_ipam(*words, cache=Path(folder) / "cache")
        _commit(remote, count)
        before = len(_describe(server))
        start = time.time()
        taken = run_ipam(*words, cache=Path(folder) / "cache").seconds
    events = _describe(server)[before:]
    patched = [event for event in events if _is_of_cluster(event)]
    _check(server, count)
    last = max(_time(event) for event in patched)
    return Taken(last - start, taken, len(events))


def _files(count: int) -> Iterator[tuple[str, bytes]]:
    yield "pools/hosts.yaml", pool("hosts", "10.0.0.0/16", prefix=16).encode()
    yield "pools/doors.yaml", pool("doors", "10.1.0.0/16", prefix=16, role="ingress").encode()
    yield "clusters/web.yaml", WEB.encode()
    for number in range(count):
        yield f"clusters/{_name(number)}.yaml", cluster(_name(number)).encode()


def _name(number: int) -> str:
    return f"shop-{number:03d}"


def _live(number: int) -> Mapping[str, Any]:
    """A Cluster as a person made it."""
    return {
        "apiVersion": "cluster.x-k8s.io/v1beta1",
        "kind": "Cluster",
        "metadata": {"name": _name(number), "namespace": "default"},
        "spec": {"topology": {"class": "web", "version": "v1.31.0"}},
    }


def _commit(remote: Path, count: int) -> None:
    """The documents of the Clusters, on top of what the first run made."""
    stream = b"commit refs/heads/main\ncommitter A <a@example.com> now\ndata 3\nnew\n"
    stream += b"from refs/heads/main^0\n"
    for path, data in _files(count):
        stream += b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data)
    words = ["git", f"--git-dir={remote}", "fast-import", "--quiet", "--date-format=now"]
    subprocess.run(words, input=stream, check=True)


def _describe(server: ApiServer) -> list[Mapping[str, Any]]:
    """All requests of `admin` so far."""
    events = map(json.loads, server.audit_log.read_text("utf-8").splitlines())
    return [event for event in events if event["user"].get("username") == "admin"]


def _is_of_cluster(event: Mapping[str, Any]) -> bool:
    is_patch: bool = event["verb"] == "patch"
    return is_patch and event.get("objectRef", {}).get("resource") == "clusters"


def _time(event: Mapping[str, Any]) -> float:
    return datetime.fromisoformat(event["stageTimestamp"]).timestamp()


def _check(server: ApiServer, count: int) -> None:
    """All Clusters have both addresses, and no two of them one."""
    found = server.get(_CLUSTERS)["items"]
    hosts = {it["spec"].get("controlPlaneEndpoint", {}).get("host") for it in found} - {None, ""}
    doors = {it["metadata"].get("annotations", {}).get(_RESULT) for it in found} - {None}
    if not len(hosts) == len(doors) == len(found) == count:
        raise RuntimeError(f"{len(hosts)} hosts and {len(doors)} ingress addresses of {count}")
