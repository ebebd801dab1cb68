"""A daemon that is measured, and eyes on the servers that it works on: each tells when it saw what."""

import hmac
import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import urllib3

from tests.e2e.daemon import Daemon, daemon
from tests.e2e.site import Site
from tests.envtest.processes import free_port
from tests.envtest.servers import ApiServer
from tests.world import git

PATIENCE = 600.0
"""Seconds after which what is waited for has failed."""
SETTLED = 2.0
"""Seconds in which what a daemon began is over, on any machine that is fit to be measured on."""
Objects = dict[str, Mapping[str, Any]]
_SECRET = "a secret of sixteen and more"
_TICKS = os.sysconf("SC_CLK_TCK")


class Eye:
    """Watches a collection of a server, as `kubectl get --watch` does.

    Attributes:
        objects: What is there, by name, as far as it was waited for.
    """

    def __init__(self, url: str, authority: Path, token: str = "") -> None:
        headers = {"Authorization": f"Bearer {token}"}
        self._pool = urllib3.PoolManager(ca_certs=str(authority), headers=headers, retries=False)
        listing = self._pool.request("GET", url).json()
        self.objects: Objects = {item["metadata"]["name"]: item for item in listing["items"]}
        since = listing["metadata"]["resourceVersion"]
        self._answer = self._pool.request(
            "GET", f"{url}?watch=1&resourceVersion={since}", preload_content=False
        )
        self._seen: Queue[tuple[float, Mapping[str, Any]]] = Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def until(self, is_it: Callable[[Objects], bool]) -> float:
        """When the collection first was so, by the monotonic clock; now, if it is so already."""
        if is_it(self.objects):
            return time.monotonic()
        end = time.monotonic() + PATIENCE
        while True:
            try:
                at, event = self._seen.get(timeout=max(0.0, end - time.monotonic()))
            except Empty:
                raise RuntimeError(f"not within {PATIENCE:g} s: {self.objects}") from None
            self._take(event)
            if is_it(self.objects):
                return at

    def close(self) -> None:
        """See nothing more."""
        with suppress(OSError, ValueError):
            self._answer.shutdown()
        self._pool.clear()

    def _take(self, event: Mapping[str, Any]) -> None:
        found = event["object"]
        if event["type"] == "DELETED":
            self.objects.pop(found["metadata"]["name"], None)
        elif event["type"] in ("ADDED", "MODIFIED"):
            self.objects[found["metadata"]["name"]] = found

    def _read(self) -> None:
        rest = b""
        with suppress(urllib3.exceptions.HTTPError, OSError, ValueError):
            while piece := self._answer.read1(65_536):
                at = time.monotonic()
                *lines, rest = (rest + piece).split(b"\n")
                for line in lines:
                    self._seen.put((at, json.loads(line)))


@contextmanager
def eye(server: ApiServer, path: str) -> Iterator[Eye]:
    """Watch a collection, until the end of the block."""
    server.get(path)  # one that was started anew may have to be asked twice
    authority = server.folder / "apiserver.crt"
    made = Eye(f"{server.url}{path}", authority, server.fleet.tokens["admin"])
    try:
        yield made
    finally:
        made.close()


@contextmanager
def running(site: Site, *words: str) -> Iterator[Daemon]:
    """A daemon on a site, which has done its first round and watches."""
    kubeconfig = str(site.management.kubeconfig_for("reconciler"))
    with daemon(site.clone, site.folder / "cache", "--kubeconfig", kubeconfig, *words) as made:
        made.patience = PATIENCE
        made.round()
        time.sleep(SETTLED)
        yield made
        if made.end() != 0:
            raise RuntimeError(made.errors())
        log = made.errors()
        if "Traceback" in log or "a bug" in log:
            raise RuntimeError(log)
        _keep(log)


def _keep(log: str) -> None:
    """Keep the log, where somebody asks for it: `BENCH_LOGS` names a folder."""
    if folder := os.environ.get("BENCH_LOGS"):
        Path(folder, f"{time.time():.0f}.log").write_text(log, encoding="utf-8")


class Ring:
    """Calls the webhook of a daemon."""

    def __init__(self, url: str) -> None:
        self._url = url

    def __call__(self) -> None:
        mark = hmac.new(_SECRET.encode(), b"{}", "sha256").hexdigest()
        headers = {"X-Signature-256": mark}
        answer = urllib3.request("POST", self._url, body=b"{}", headers=headers)
        if answer.status >= 300:
            raise RuntimeError(f"{answer.status}: {answer.data.decode()}")


def hook(folder: Path) -> tuple[tuple[str, ...], Ring]:
    """Options of a daemon that has a webhook, and a call of it."""
    secret = folder / "secret"
    secret.write_text(_SECRET, encoding="utf-8")
    address = f"127.0.0.1:{free_port()}"
    words = ("--listen", address, "--hook-secret-file", str(secret))
    return words, Ring(f"http://{address}/hook")


def commits(site: Site) -> int:
    """How many commits the branch has."""
    return int(git(site.remote, "rev-list", "--count", "main"))


def processor_seconds(daemon_: Daemon) -> float:
    """What a daemon took of the processors since it began; git that it ran is included."""
    fields = Path(f"/proc/{daemon_.process.pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / _TICKS


def memory(daemon_: Daemon, field: str = "VmRSS") -> float:
    """Its resident memory in MiB; the most there was by `VmHWM`."""
    text = Path(f"/proc/{daemon_.process.pid}/status").read_text("utf-8")
    (line,) = (line for line in text.splitlines() if line.startswith(f"{field}:"))
    return int(line.split()[1]) / 1024
