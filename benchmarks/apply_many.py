"""A hundred clusters, some of which take connections and never answer."""

import json
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import quantiles
from typing import NamedTuple

import urllib3

from reconciler.apply.fleet import apply_fleet
from reconciler.apply.targets import ApplyOptions
from reconciler.kube.clusters import KubeClusters
from reconciler.kube.deadline import Timeouts
from reconciler.model.applied import ClusterState
from reconciler.model.objects import MANAGEMENT
from reconciler.planning.evaluate import Evaluation
from tests.world import evaluation_of, pool, provider, reconciled, tenant

CLUSTERS = 100
DEAD = 20
DEADLINE = 20.0
ROUNDS = 5


class Done(NamedTuple):
    """Seconds until each healthy cluster was done, and until all were."""

    healthy: list[float]
    all: float
    unreachable: int


def many_table() -> str:
    """When healthy clusters are done, without dead ones beside them and with."""
    evaluation = corpus()
    with tempfile.TemporaryDirectory() as folder, served() as port, _black_hole() as hole:
        _apply(
            evaluation, replace(_clusters(Path(folder), port, port, 0), timeouts=Timeouts(600.0))
        )
        runs: dict[int, list[Done]] = {0: [], DEAD: []}
        for _ in range(ROUNDS):
            for dead, taken in runs.items():
                taken.append(_measured(evaluation, Path(folder), port, hole, dead))
    lines = [
        f"| nothing to do in {CLUSTERS} clusters | healthy done, p50 | p99 | all done | reported dead |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for dead, taken in runs.items():
        cuts = quantiles([seconds for run in taken for seconds in run.healthy], n=100)
        last = max(run.all for run in taken)
        told = taken[-1].unreachable
        name = f"{dead} never answer, deadline {DEADLINE:g} s" if dead else "all answer after 5 ms"
        cells = (name, f"{cuts[49]:.2f} s", f"{cuts[98]:.2f} s", f"{last:.2f} s", str(told))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def corpus(clusters: int = CLUSTERS) -> Evaluation:
    """A tree of tenants with four addresses each, carried out."""
    files: dict[str, str | bytes] = {
        "pools/edge.yaml": pool("edge", "10.0.0.0/16"),
        "providers/default.yaml": provider(loadBalancer="{defaultPoolSize: 4}"),
    }
    files |= {f"tenants/{number}.yaml": tenant(name_of(number)) for number in range(clusters)}
    return evaluation_of(reconciled(files))


def _measured(evaluation: Evaluation, folder: Path, port: int, hole: int, dead: int) -> Done:
    clusters = _clusters(folder, port, hole, dead)
    start = time.monotonic()
    unreachable = _apply(evaluation, clusters)
    seconds = time.monotonic() - start
    done = last_answers(port, start)
    assert len(done) == CLUSTERS - dead, len(done)
    return Done(done, seconds, unreachable)


def last_answers(port: int, start: float) -> list[float]:
    """Seconds until the last answer of each tenant that was asked after the start."""
    last = json.loads(urllib3.request("GET", f"http://127.0.0.1:{port}/last").data)
    return [at - start for name, at in last.items() if name != MANAGEMENT and at >= start]


def _apply(evaluation: Evaluation, clusters: KubeClusters) -> int:
    applied = apply_fleet(evaluation, clusters, ApplyOptions(), lambda _old, _new: True)
    states = Counter(item.state for item in applied)
    assert states.keys() <= {ClusterState.APPLIED, ClusterState.UNREACHABLE}, applied
    return states[ClusterState.UNREACHABLE]


def _clusters(folder: Path, port: int, hole: int, dead: int) -> KubeClusters:
    """All clusters by kubeconfig; those that are dead are spread over them."""
    every = CLUSTERS // dead if dead else CLUSTERS + 1
    named = {}
    for number in range(CLUSTERS):
        is_dead = (number + 1) % every == 0
        url = f"http://127.0.0.1:{hole if is_dead else port}/{name_of(number)}"
        named[f"team-a/{name_of(number)}"] = kubeconfig(folder, name_of(number), url)
    home = kubeconfig(folder, MANAGEMENT, f"http://127.0.0.1:{port}/{MANAGEMENT}")
    return KubeClusters(home, clusters=named, timeouts=Timeouts(DEADLINE))


def kubeconfig(folder: Path, name: str, url: str, **tls: str) -> Path:
    """A file that leads to a cluster."""
    config = {
        "clusters": [{"name": "c", "cluster": {"server": url, **tls}}],
        "users": [{"name": "u", "user": {"token": "secret-token"}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    path = folder / name
    path.write_text(json.dumps(config), encoding="utf-8")
    return path


def name_of(number: int) -> str:
    """The name of a tenant."""
    return f"c{number:03d}"


@contextmanager
def served(module: str = "benchmarks.fake_clusters", *words: str) -> Iterator[int]:
    """The port of a server in a process of its own; by default one that stands for many clusters."""
    command = [sys.executable, "-m", module, *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.kill()


@contextmanager
def _black_hole() -> Iterator[int]:
    """The port of a socket that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listening:
        yield listening.getsockname()[1]
