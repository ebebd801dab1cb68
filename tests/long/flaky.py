"""Servers of which one request in a hundred fails, by lot: API servers through a proxy, and Git."""

import http.client
import select
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from tests.git_server import GitServer, Start, serving
from tests.kube.proxy import Fault, Handler, Proxy, proxied

SHARE = 0.01
KINDS = ("500", "503", "429", "reset", "lost", "eof", "stall")
_FAULTS = {
    "500": Fault("", status=500, body={"kind": "Status", "code": 500, "message": "by lot"}),
    "503": Fault("", status=503),
    "429": Fault("", status=429, headers={"Retry-After": "1"}),
}
_CHUNK = 65_536


@dataclass
class Flaky(Proxy):
    """A proxy that breaks a share of all requests.

    Attributes:
        lot: Says which, and how.
        drawn: How often each kind of fault was drawn, and `none`.
    """

    lot: Random = field(default_factory=Random)
    share: float = SHARE
    drawn: Counter[str] = field(default_factory=Counter)

    def fault(self, line: str) -> Fault | None:
        """What shall go wrong with a request; lines are not kept, there are too many."""
        del line
        with self._lock:
            kind = self.lot.choice(KINDS) if self.lot.random() < self.share else "none"
            self.drawn[kind] += 1
        return None if kind == "none" else _FAULTS.get(kind, Fault("", kind=kind))


class Streaming(Handler):
    """Passes on watches event by event, and cuts them where it is told to."""

    def finish(self) -> None:
        """Let go of a client, which may be gone."""
        with suppress(OSError):
            super().finish()

    def _pass(self, fault: Fault, body: bytes) -> None:
        if "watch=" in self.path:
            self._stream(cut=False)
        else:
            super()._pass(fault, body)

    def _eof(self, fault: Fault, body: bytes) -> None:
        if "watch=" in self.path:
            self._stream(cut=True)
        else:
            super()._eof(fault, body)

    def _stall(self, _fault: Fault, _body: bytes) -> None:
        """No answer until the client has enough of it."""
        self.close_connection = True
        while not self.proxy.ended.is_set():
            if select.select([self.connection], [], [], 1.0)[0]:
                return

    def _stream(self, *, cut: bool) -> None:
        """Pass on an answer as it comes; one that is cut ends in the middle of its first event."""
        self.close_connection = True
        connection: http.client.HTTPConnection = self.upstream()
        try:
            connection.request(self.command, self.path, None, dict(self.headers.items()))
            connection.sock.settimeout(None)
            answer = connection.getresponse()
            self.send_response_only(answer.status)
            for name in ("Date", "Content-Type"):
                self.send_header(name, answer.headers.get(name, ""))
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.flush()
            while part := answer.read1(_CHUNK):
                part = part[: len(part) // 2] if cut else part
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                self.wfile.flush()
                if cut:
                    return
            self.wfile.write(b"0\r\n\r\n")
            self.wfile.flush()
        except (OSError, http.client.HTTPException):
            return  # the server ended, or the client went
        finally:
            connection.close()


@contextmanager
def flaky(kubeconfig: Path, seed: int, share: float = SHARE) -> Iterator[Flaky]:
    """A proxy in front of an API server that breaks a share of all requests."""
    proxy = Flaky((), lot=Random(seed), share=share)
    with proxied(kubeconfig.read_bytes(), proxy=proxy, handler=Streaming):
        yield proxy


@dataclass
class FlakyGit:
    """A Git server that refuses a share of all requests."""

    server: GitServer
    lot: Random
    share: float = SHARE
    drawn: Counter[str] = field(default_factory=Counter)

    def __call__(self, environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        self.server.requests.clear()
        kind = "503" if self.lot.random() < self.share else "none"
        self.drawn[kind] += 1
        if kind == "503":
            start("503 Service Unavailable", [])
            return [b"by lot\n"]
        return self.server(environ, start)


@contextmanager
def flaky_git(root: Path, seed: int, share: float = SHARE) -> Iterator[tuple[str, FlakyGit]]:
    """Serve the repositories of a folder; the address, and what refuses."""
    made: list[FlakyGit] = []

    def wrap(server: GitServer) -> FlakyGit:
        made.append(FlakyGit(server, Random(seed), share))
        return made[0]

    with serving(root, wrap) as served:
        yield served.url, made[0]
