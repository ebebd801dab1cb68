"""Apply against one real API server: beside raw HTTP and kubectl, first and with nothing to do."""

import json
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

import urllib3

from benchmarks.apply_many import many_table
from benchmarks.apply_vips import vips_table
from reconciler.apply.fleet import apply_fleet
from reconciler.apply.targets import ApplyOptions
from reconciler.kube.clusters import KubeClusters
from reconciler.kube.deadline import Timeouts
from reconciler.kube.resources import DesiredObject, desired_objects
from reconciler.model.objects import MANAGEMENT, MANAGER, STATUS_MANAGER
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.projection import project
from tests.envtest.assets import find
from tests.envtest.fixtures import CRDS
from tests.envtest.servers import ApiServer, Fleet
from tests.world import evaluation_of, pool, reconciled, request

FIRST_SIZE = 1_000
SIZES = (10, 100, 1_000)
KUBECTL_SIZE = 100
ROUNDS = 3
_IN_A_POOL = 1_000
_DEADLINE = 600.0
_APPLY = "application/apply-patch+yaml"
_READ = re.compile(r"^apiserver_response_sizes_sum\{.*\} (\S+)$", re.MULTILINE)


class Run(NamedTuple):
    """One run: how long, how many requests, and how many bytes were read from the server."""

    seconds: float
    requests: int = 0
    read: int = 0


def cluster_tables() -> str:
    """All tables on clusters as Markdown; one line when there is no API server to ask."""
    assets = find()
    if isinstance(assets, str):
        return f"Not measured: {assets}.\n"
    with tempfile.TemporaryDirectory() as folder:
        fleet = Fleet(assets, Path(folder))
        try:
            fleet.start(["management"])
            server = fleet.servers["management"]
            server.install_crds(CRDS)
            tables = [first_table(server), idle_table(server), many_table()]
            tables.append(vips_table(server))
            return "\n".join(tables)
        finally:
            fleet.stop()


def corpus(records: int) -> Evaluation:
    """A tree with so many records, all of them carried out, and no tenant cluster."""
    files: dict[str, str | bytes] = {}
    for number in range(records):
        home = number // _IN_A_POOL
        files[f"pools/{home}.yaml"] = pool(f"p{home}", f"10.{home}.0.0/16")
        files[f"pools/requests/{number}.yaml"] = request(f"r{number:05d}", f"p{home}", count=4)
    found = evaluation_of(reconciled(files))
    assert len(found.state.records) == records, found.findings[:1]
    return found


def apply(server: ApiServer, evaluation: Evaluation) -> None:
    """Apply a tree by connections of its own, as each run of `ipam apply` does."""
    clusters = KubeClusters(server.kubeconfig, timeouts=Timeouts(_DEADLINE))
    applied = apply_fleet(evaluation, clusters, ApplyOptions(), lambda _old, _new: True)
    if any(item.is_failed for item in applied):
        raise RuntimeError(next(item for item in applied if item.is_failed))


def objects_of(evaluation: Evaluation) -> list[DesiredObject]:
    """The objects that the management cluster gets."""
    return [
        item for item in desired_objects(project(evaluation))[MANAGEMENT] if item.body is not None
    ]


def first_table(server: ApiServer) -> str:
    """Objects a second of a first apply, by us, by raw HTTP and by kubectl, in turn."""
    evaluation = corpus(FIRST_SIZE)
    found = objects_of(evaluation)
    ways: dict[str, Callable[[], None]] = {
        "raw HTTP, one connection": raw(server, found),
        "`ipam apply`": lambda: apply(server, evaluation),
        "`kubectl apply --server-side`, no status": kubectl(server, found, "apply"),
    }
    runs: dict[str, list[Run]] = {name: [] for name in ways}
    apply(server, corpus(10))  # what is imported once
    for _ in range(ROUNDS):
        for name, way in ways.items():
            server.wipe()
            server.namespace("butler-system", "team-a")
            runs[name].append(measured(server, way))
    server.wipe()
    base = median(run.seconds for run in runs["raw HTTP, one connection"])
    lines = [
        "| first apply | objects | requests | time | objects/s | of raw HTTP's speed |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, taken in runs.items():
        seconds = median(run.seconds for run in taken)
        cells = (f"{len(found):,}", f"{taken[-1].requests:,}", f"{seconds:.2f} s")
        speed = (f"{len(found) / seconds:,.0f}", f"{base / seconds:.2f}")
        lines.append(f"| {' | '.join([name, *cells, *speed])} |")
    return "\n".join(lines) + "\n"


def idle_table(server: ApiServer) -> str:
    """What it costs to find that there is nothing to do."""
    lines = [
        "| nothing to do | objects | requests | read | time |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for size in SIZES:
        evaluation = corpus(size)
        server.wipe()
        apply(server, evaluation)
        found = objects_of(evaluation)
        ways: dict[str, Callable[[], None]] = {"`ipam apply`": partial(apply, server, evaluation)}
        if size == KUBECTL_SIZE:
            ways["`kubectl apply --server-side`, no status"] = kubectl(server, found, "apply")
            ways["`kubectl diff --server-side`, no status"] = kubectl(server, found, "diff")
        for name, way in ways.items():
            taken = [measured(server, way) for _ in range(ROUNDS)]
            seconds = median(run.seconds for run in taken)
            run = taken[-1]
            cells = (f"{len(found):,}", f"{run.requests:,}", f"{run.read / 1024:,.0f} KiB")
            lines.append(f"| {' | '.join([name, *cells, f'{seconds:.2f} s'])} |")
    server.wipe()
    return "\n".join(lines) + "\n"


def measured(server: ApiServer, way: Callable[[], None]) -> Run:
    """Run it once; requests and bytes are told by the server."""
    asked, read = len(requests(server)), bytes_read(server)
    start = time.perf_counter()
    way()
    seconds = time.perf_counter() - start
    return Run(seconds, len(requests(server)) - asked - 1, bytes_read(server) - read)


def requests(server: ApiServer) -> list[str]:
    """All requests of `admin` so far, by the audit log."""
    text = server.audit_log.read_text("utf-8")
    return [line for line in text.splitlines() if '"username":"admin"' in line]


def bytes_read(server: ApiServer) -> int:
    """How much the server answered to reads so far; it does not count answers to writes."""
    headers = {"Authorization": f"Bearer {server.fleet.tokens['admin']}"}
    text = server.pool.request("GET", f"{server.url}/metrics", headers=headers).data.decode()
    return int(sum(float(value) for value in _READ.findall(text)))


def raw(server: ApiServer, found: Sequence[DesiredObject]) -> Callable[[], None]:
    """The same bodies over one warm connection, without parsing what comes back."""
    sent = list(_requests(server.url, found))
    headers = {
        "Authorization": f"Bearer {server.fleet.tokens['admin']}",
        "Content-Type": _APPLY,
        "Accept": "application/json",
    }
    authority = str(server.folder / "apiserver.crt")

    def run() -> None:
        with urllib3.PoolManager(ca_certs=authority, retries=False, maxsize=1) as http:
            for url, body in sent:
                answer = http.request("PATCH", url, body=body, headers=headers)
                if answer.status not in (200, 201):
                    raise RuntimeError(answer.data.decode())

    return run


def _requests(url: str, found: Sequence[DesiredObject]) -> Iterator[tuple[str, bytes]]:
    for item in found:
        path = url + item.ref.resource.path(item.ref.namespace, item.ref.name)
        query = "force=false&fieldValidation=Strict&fieldManager"
        body = item.at("a" * 40)
        yield f"{path}?{query}={MANAGER}", _bytes(body)
        status = {**(item.status or {}), "observedGeneration": 1}
        metadata = {"name": item.ref.name, "namespace": item.ref.namespace}
        said = {"apiVersion": body["apiVersion"], "kind": body["kind"], "metadata": metadata}
        yield f"{path}/status?{query}={STATUS_MANAGER}", _bytes({**said, "status": status})


def kubectl(server: ApiServer, found: Sequence[DesiredObject], verb: str) -> Callable[[], None]:
    """One kubectl for the folder of all files, each with one object."""
    folder = Path(tempfile.mkdtemp(dir=server.folder))
    for number, item in enumerate(found):
        (folder / f"{number:05d}.json").write_bytes(_bytes(item.at("a" * 40)))
    manager = f"--field-manager={MANAGER}"

    def run() -> None:
        done = server.kubectl(verb, "--server-side", manager, "-f", str(folder))
        if done.returncode != 0:
            raise RuntimeError(done.stdout + done.stderr)

    return run


def _bytes(manifest: object) -> bytes:
    return json.dumps(manifest, separators=(",", ":"), default=dict).encode()
