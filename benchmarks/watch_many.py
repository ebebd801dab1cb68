"""A daemon over many tenants, whose clusters are one small server with TLS: idle, and when some ask."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

import urllib3

from benchmarks.apply_many import kubeconfig, name_of, served
from benchmarks.watch_rows import Waited
from benchmarks.watched import SETTLED, Eye, Objects, commits, memory, processor_seconds, running
from reconciler.loadbalancers.metallb.objects import addresses as pool_addresses
from tests.e2e.daemon import Daemon
from tests.e2e.site import METALLB, SERVICES, USER, Site, service
from tests.envtest.fixtures import CRDS
from tests.envtest.servers import ApiServer, Fleet
from tests.kube.certificates import Certificate, encoded, make
from tests.world import pool, provider, tenant

IDLE_SECONDS = 60
ASKING = 5
_PAUSE = 5.0
_ELASTIC = "{allocationMode: elastic, initialPoolSize: 1, growthIncrement: 1}"
_SETTINGS = """apiVersion: gitops-ipam.dev/v1alpha1
kind: Settings
metadata: {name: ipam}
"""


class Idle(NamedTuple):
    """What a daemon takes that looks after so many clusters.

    Attributes:
        first: Seconds of the round that makes everything.
        whole: Seconds of a round over everything that finds nothing to do; start-up is in it.
        whole_cpu: Processor seconds of that.
        share: Of one core, in percent, while nothing happens.
        rest: Resident memory in MiB then; `most`: the most there was.
        writes: Requests that wrote while nothing happened, and commits.
        asked_cpu: Processor seconds of a round in which 1 % of the clusters ask.
    """

    clusters: int
    first: float
    whole: float
    whole_cpu: float
    share: float
    rest: float
    most: float
    writes: int
    commits: int
    asked_cpu: float

    @property
    def is_met(self) -> bool:
        """200 clusters cost no more than they may."""
        return self.share < 3 and self.rest <= 250 and not self.writes and not self.commits


def many_rows(fleet: Fleet, folder: Path, clusters: int) -> tuple[Idle, Waited]:
    """Everything about so many clusters."""
    place = folder / f"many-{clusters}"
    place.mkdir()
    shown = make(place, "tenants")
    words = (str(shown.certificate), str(shown.key))
    with served("benchmarks.fake_clusters", *words) as port:
        fakes = Fakes(port, shown)
        site = _site(fleet, place, fakes, clusters)
        start = time.monotonic()
        with running(site, "--leader-elect"):
            first = time.monotonic() - start - SETTLED
        start = time.monotonic()
        with running(site, "--leader-elect") as made:
            whole, whole_cpu = time.monotonic() - start - SETTLED, processor_seconds(made)
            _quiet(made)
            share, rest, writes, made_commits = _idle(site, made, fakes)
            runs, number, asked_cpu = _asking(site, made, fakes, clusters)
            most = memory(made, "VmHWM")
    figures = Idle(
        clusters, first, whole, whole_cpu, share, rest, most, writes, made_commits, asked_cpu
    )
    waited = Waited(
        f"Services made in 1 % of {clusters:,} tenants at once → one address more in its pool",
        runs,
        (None, 5.0),
        told=f"{number} commits in {ASKING} runs",
        is_right=number == ASKING,
    )
    return figures, waited


def idle_table(rows: list[Idle]) -> str:
    """What a daemon takes."""
    lines = [
        "| tenant clusters | first round | round over everything | idle | memory | at most"
        " | writes, commits | 1 % ask | target | met |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |",
    ]
    for row in rows:
        is_asked = row.clusters == 200
        cells = [
            f"{row.clusters:,}",
            f"{row.first:.1f} s",
            f"{row.whole:.1f} s, {row.whole_cpu:.1f} s of a core",
            f"{row.share:.1f} % of a core",
            f"{row.rest:.0f} MiB",
            f"{row.most:.0f} MiB",
            f"{row.writes}, {row.commits}",
            f"{row.asked_cpu:.1f} s of a core",
            "< 3 %, <= 250 MiB, 0, 0" if is_asked else "",
            ("yes" if row.is_met else "no") if is_asked else "",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


class Fakes:
    """The server that stands for all clusters of tenants."""

    def __init__(self, port: int, shown: Certificate) -> None:
        self.shown = shown
        self.url = f"https://127.0.0.1:{port}"
        authority = str(shown.certificate)
        self._pool = urllib3.PoolManager(ca_certs=authority, retries=False, maxsize=16)

    def writes(self) -> int:
        """How many requests wrote something so far."""
        found: dict[str, int] = self._pool.request("GET", f"{self.url}/writes").json()
        return sum(found.values())

    def ask(self, name: str) -> None:
        """Make Services in a cluster: one more than it has addresses. Nobody hands them out."""
        for body in map(service, ("web", "door")):
            self._pool.request("POST", f"{self.url}/{name}{SERVICES}", json=body)

    @contextmanager
    def eye(self, name: str) -> Iterator[Eye]:
        """Watch the pools of a cluster."""
        made = Eye(f"{self.url}/{name}{METALLB}/ipaddresspools", self.shown.certificate)
        try:
            yield made
        finally:
            made.close()


def _quiet(made: Daemon) -> None:
    """Wait until all watches are begun: three connections for each cluster."""
    before = -1.0
    while (now := processor_seconds(made)) - before > _PAUSE / 20:
        before = now
        time.sleep(_PAUSE)


def _idle(site: Site, made: Daemon, fakes: Fakes) -> tuple[float, float, int, int]:
    """Nothing happens: the share of a core, memory, writes but those of the Lease, and commits."""
    site.management.writes(USER)
    before = (processor_seconds(made), fakes.writes(), commits(site))
    time.sleep(IDLE_SECONDS)
    taken = processor_seconds(made) - before[0]
    own = [it for it in site.management.writes(USER) if "/leases/" not in it]
    written = fakes.writes() - before[1] + len(own)
    return 100 * taken / IDLE_SECONDS, memory(made), written, commits(site) - before[2]


def _asking(
    site: Site, made: Daemon, fakes: Fakes, clusters: int
) -> tuple[list[float], int, float]:
    """Some clusters ask at once, others each time."""
    runs, before, taken, size = [], commits(site), [], max(1, clusters // 100)
    for number in range(ASKING):
        names = [name_of(number * size + at) for at in range(size)]
        with ExitStack() as opened:
            seen = {name: opened.enter_context(fakes.eye(name)) for name in names}
            cpu = processor_seconds(made)
            start = time.monotonic()
            with ThreadPoolExecutor(size) as threads:
                list(threads.map(fakes.ask, names))
            runs += [it.until(lambda there: _size(there) == 2) - start for it in seen.values()]
        time.sleep(_PAUSE)
        taken.append(processor_seconds(made) - cpu)
    return runs, commits(site) - before, median(taken)


def _size(there: Objects) -> int:
    """How many addresses a cluster announces."""
    return sum(pool_addresses(item).size for item in there.values())


def _site(fleet: Fleet, folder: Path, fakes: Fakes, clusters: int) -> Site:
    """So many elastic tenants, whose kubeconfigs are in Secrets."""
    server: ApiServer = fleet.servers["management"]
    server.wipe()
    server.install_crds(CRDS)
    server.namespace("team-a")
    files: dict[str, str | bytes] = {
        "ipam.yaml": _SETTINGS,
        "pools/edge.yaml": pool("edge", "10.64.0.0/16"),
        "providers/default.yaml": provider(loadBalancer=_ELASTIC),
    }
    authority = encoded(fakes.shown.certificate)
    for number in range(clusters):
        name = name_of(number)
        files[f"tenants/{name}.yaml"] = tenant(name)
        url = f"{fakes.url}/{name}"
        config = kubeconfig(folder, name, url, **{"certificate-authority-data": authority})
        secret = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": f"{name}-kubeconfig"},
            "stringData": {"value": config.read_text(encoding="utf-8")},
        }
        server.put(secret, path="/api/v1/namespaces/team-a/secrets")
    return Site(folder / "site", server, files)
