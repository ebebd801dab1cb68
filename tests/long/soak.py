"""A daemon for an hour on real servers with 1% failing requests: does its memory stay constant?

`python -m tests.long.soak [--minutes 60] [--seed 1] [--every 6]`. It needs what `make envtest`
builds, and ends with 1 if memory, threads, or descriptors grow, or if a commit is not replayed.
"""

import argparse
import http.client
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from tests.caches import PYTHON
from tests.e2e.site import MERGE, POOL, SERVICES, Site, service
from tests.envtest.assets import find
from tests.envtest.fixtures import CRDS
from tests.envtest.servers import Fleet
from tests.git_server import GitServer, Start, serving
from tests.kube.proxy import Fault, Handler, Proxy, proxied
from tests.long.texts import say
from tests.world import ENVIRONMENT, git, pool, provider, settings, tenant

SHARE = 0.01
FAULTS = (
    Fault("", status=500, body={"kind": "Status", "code": 500, "message": "by lot"}),
    Fault("", status=503),
    Fault("", status=429, headers={"Retry-After": "1"}),
    Fault("", kind="reset"),
    Fault("", kind="lost"),
)
TENANTS = ("one", "two")
ELASTIC = "{allocationMode: elastic, initialPoolSize: 2, growthIncrement: 1}"
FILES = {
    "ipam.yaml": settings("{retention: 1m, elastic: {pendingAfter: 0s, shrinkAfter: 20s}}"),
    "pools/edge.yaml": pool(),
    "providers/default.yaml": provider(loadBalancer=ELASTIC),
    **{f"tenants/{name}.yaml": tenant(name) for name in TENANTS},
}
SAMPLE_SECONDS = 20.0
# Normal variation within a quarter of an hour: KiB, threads, descriptors.
SLACK = {"rss": 2048.0, "threads": 1.0, "descriptors": 1.0}
Sample = dict[str, float]


@dataclass
class Flaky(Proxy):
    """A proxy that breaks a share of all requests."""

    lot: Random = field(default_factory=Random)

    def fault(self, line: str) -> Fault | None:
        del line  # there are too many to keep
        with self._lock:
            return self.lot.choice(FAULTS) if self.lot.random() < SHARE else None


class Streaming(Handler):
    """Passes watches on event by event."""

    def finish(self) -> None:
        with suppress(OSError):
            super().finish()

    def _pass(self, fault: Fault, body: bytes) -> None:
        if "watch=" not in self.path:
            super()._pass(fault, body)
            return
        self.close_connection = True
        connection: http.client.HTTPConnection = self.upstream()
        with suppress(OSError, http.client.HTTPException):  # the server or the client ended
            connection.request(self.command, self.path, None, dict(self.headers.items()))
            connection.sock.settimeout(None)
            answer = connection.getresponse()
            self.send_response_only(answer.status)
            self.send_header("Content-Type", answer.headers.get("Content-Type", ""))
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            while part := answer.read1(65_536):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")
        connection.close()


@dataclass
class FlakyGit:
    """A Git server that refuses a share of all requests."""

    server: GitServer
    lot: Random

    def __call__(self, environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        self.server.requests.clear()
        if self.lot.random() >= SHARE:
            return self.server(environ, start)
        start("503 Service Unavailable", [])
        return [b"by lot\n"]


@dataclass
class People:
    """Changes in Git and in clusters, drawn by lot."""

    site: Site
    lot: Random
    services: dict[str, list[str]] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)
    number: int = 0

    def step(self) -> None:
        self.number += 1
        self.lot.choice([*[self.change_services] * 8, self.edit_pool, self.push])()

    def change_services(self) -> None:
        name = self.lot.choice(TENANTS)
        there, server = self.services.setdefault(name, []), self.site.tenants[f"team-a/{name}"]
        if there and (len(there) == 6 or self.lot.random() < 0.5):
            gone = there.pop(self.lot.randrange(len(there)))
            server.request("DELETE", f"{SERVICES}/{gone}")
        else:
            there.append(f"s{self.number}")
            server.put(service(there[-1]), path=SERVICES)

    def edit_pool(self) -> None:
        patch = {"spec": {"autoAssign": self.lot.random() < 0.5, "avoidBuggyIPs": True}}
        server = self.site.tenants[f"team-a/{self.lot.choice(TENANTS)}"]
        server.request("PATCH", POOL, patch, MERGE)

    def push(self) -> None:
        """Push a new tenant, or a removal. A lost race drops the change."""
        gone = self.others.pop(0) if len(self.others) == 4 else ""
        name = gone or f"p{self.number}"
        fetched(self.site.clone)
        clock = int(git(self.site.clone, "show", "-s", "--format=%ct"))
        with suppress(AssertionError, FileNotFoundError):
            files = {f"tenants/{name}.yaml": None if gone else tenant(name)}
            self.site.commit(files, f"change {name}", clock)
            self.others += [] if gone else [name]


def fetched(clone: Path) -> None:
    git(clone, "fetch", "-q", "origin")
    git(clone, "reset", "-q", "--hard", "origin/main")


def sampled(process: int) -> Sample:
    here = Path("/proc") / str(process)
    lines = (here / "status").read_text(encoding="ascii").splitlines()
    told = dict(line.split(":", 1) for line in lines)
    rss, threads = (float(told[name].split()[0]) for name in ("VmRSS", "Threads"))
    return {
        "rss": rss,
        "threads": threads,
        "descriptors": float(len(list((here / "fd").iterdir()))),
    }


def leaks(samples: Sequence[Sample]) -> list[str]:
    """Return the figures whose last quarter is above the third one."""
    quarter = max(1, len(samples) // 4)
    late, last = samples[-2 * quarter : -quarter], samples[-quarter:]
    found = []
    for name, slack in SLACK.items():
        before, after = (median(it[name] for it in part) for part in (late or last, last))
        if after > before + slack:
            found.append(f"{name} grew from {before:.0f} to {after:.0f}")
    return found


def watched(site: Site, words: list[str], wish: argparse.Namespace) -> list[Sample]:
    """Run the daemon while people are at work, and sample it now and then."""
    environment = {**ENVIRONMENT, **PYTHON, "XDG_CACHE_HOME": str(site.folder / "daemon-cache")}
    command = [sys.executable, "-m", "reconciler", "reconcile", "--watch", "-o", "json", *words]
    with (site.folder / "out").open("wb") as out, (site.folder / "log").open("wb") as log:
        daemon = subprocess.Popen(command, env=environment, stdout=out, stderr=log)
    people, begun, samples = People(site, Random(wish.seed)), time.monotonic(), list[Sample]()
    try:
        while (gone := time.monotonic() - begun) < 60 * wish.minutes:
            if gone >= SAMPLE_SECONDS * (len(samples) + 1):
                samples.append(sampled(daemon.pid))
                say(f"{gone / 60:.1f} min: {samples[-1]}")
            people.step()
            time.sleep(wish.every)
        daemon.send_signal(signal.SIGTERM)
        say(f"exit code {daemon.wait(60)}")
    finally:
        daemon.kill()
    lines = (site.folder / "out").read_text(encoding="utf-8").splitlines()
    say(f"rounds by exit code: {dict(Counter(json.loads(it)['exitCode'] for it in lines))}")
    return samples


def main() -> int:
    """Return 0 if nothing grows, and every commit is replayed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=float, default=6.0, help="Seconds between two changes.")
    wish = parser.parse_args()
    assets = find()
    if isinstance(assets, str):
        raise SystemExit(assets)
    with tempfile.TemporaryDirectory(prefix="soak-") as name, ExitStack() as stack:
        folder = Path(name)
        (folder / "fleet").mkdir()
        fleet = Fleet(assets, folder / "fleet")
        stack.callback(fleet.stop)
        fleet.start(("management", *TENANTS))
        management = fleet.servers["management"]
        management.install_crds(CRDS)
        site, words = Site(folder, management, FILES), list[str]()
        for tenant_name in TENANTS:
            fleet.servers[tenant_name].start_metallb()
            site.tenants[f"team-a/{tenant_name}"] = fleet.servers[tenant_name]
        for at, (cluster, server) in enumerate([("", management), *site.tenants.items()]):
            proxy = Flaky((), lot=Random(wish.seed + at))
            config = server.kubeconfig_for("reconciler").read_bytes()
            stack.enter_context(proxied(config, proxy=proxy, handler=Streaming))
            path = folder / f"{server.name}.kubeconfig"
            path.write_bytes(proxy.kubeconfig)
            words += [f"--cluster={cluster}={path}"] if cluster else [f"--kubeconfig={path}"]
        lot = Random(wish.seed + 9)
        served = stack.enter_context(serving(folder, lambda server: FlakyGit(server, lot)))
        words += [f"--remote={served.url}/remote.git", "--resync=1m", "--interval=15s"]
        samples = watched(site, words, wish)
        fetched(site.clone)
        verify = [sys.executable, "-m", "reconciler", "verify", "HEAD"]
        code = subprocess.run(verify, cwd=site.clone, env={**ENVIRONMENT, **PYTHON}).returncode
        fleet.stop()  # before the proxies, whose watches end with it
    found = leaks(samples)
    say("\n".join(found) or "flat")
    return int(bool(found) or code != 0)


if __name__ == "__main__":
    sys.exit(main())
