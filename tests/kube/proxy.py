"""A proxy in front of an API server that breaks what a script tells it to break.

It speaks plain HTTP on the loopback and passes on what clients send, tokens too, so it works with
any API server whose users have tokens. `Proxy.kubeconfig` is the server's own with its address.
"""

import http.client
import json
import re
import ssl
import threading
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from reconciler.documents import yaml
from tests.kube.server import Loopback, Quiet

_NOT_PASSED = {"connection", "content-length", "transfer-encoding", "host", "keep-alive"}


class Fault(NamedTuple):
    """What goes wrong, and when.

    Attributes:
        match: A regular expression that `METHOD /path?query` begins with.
        nth: Which of the requests that match, from 1 on; 0 is each of them.
        kind: `status`: an answer of the proxy's own. `reset`: the connection is reset, nothing is
            carried out. `lost`: it is carried out, then reset. `eof`: it is carried out, and the
            answer ends in its middle. `pass`: nothing; for the sake of `then` and `after`.
        body: Of `status`; a mapping is sent as JSON.
        then: Called first: what happens behind the client's back. When it raises a
            ConnectionError, nothing is carried out.
        after: Of `pass`: called when it was carried out, before the answer.
    """

    match: str
    nth: int = 0
    kind: str = "status"
    status: int = 503
    body: Mapping[str, Any] | bytes = b""
    headers: Mapping[str, str] = {}
    then: Callable[[], object] | None = None
    after: Callable[[], object] | None = None


@dataclass
class Proxy:
    """A proxy, its script, and what went through it.

    Attributes:
        faults: Of those that match a request, the first is taken. May be changed at any time.
        asked: `METHOD /path?query` of every request, in order.
        kubeconfig: How to reach the API server through the proxy.
    """

    faults: Sequence[Fault]
    asked: list[str] = field(default_factory=list)
    kubeconfig: bytes = b""
    url: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, match: str) -> int:
        """How many requests match."""
        with self._lock:
            return sum(bool(re.match(match, line)) for line in self.asked)

    def fault(self, line: str) -> Fault | None:
        """Take note of a request; what shall go wrong with it?"""
        with self._lock:
            self.asked.append(line)
            for fault in self.faults:
                if re.match(fault.match, line):
                    number = sum(bool(re.match(fault.match, past)) for past in self.asked)
                    if fault.nth in (0, number):
                        return fault
            return None


class _Answer(NamedTuple):
    status: int
    headers: Sequence[tuple[str, str]]
    body: bytes


class Handler(Quiet):
    """Answers one connection as the proxy's script says."""

    proxy: Proxy
    upstream: Callable[[], http.client.HTTPConnection]

    def setup(self) -> None:
        super().setup()
        self._connection: http.client.HTTPConnection | None = None

    def finish(self) -> None:
        if self._connection is not None:
            self._connection.close()
        super().finish()

    def serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fault = self.proxy.fault(f"{self.command} {self.path}") or Fault("", kind="pass")
        if fault.then is not None:
            fault.then()
        getattr(self, f"_{fault.kind}")(fault, body)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = serve  # noqa: N815 - the base names them so

    def _status(self, fault: Fault, _body: bytes) -> None:
        said = fault.body if isinstance(fault.body, bytes) else json.dumps(fault.body).encode()
        self._say(_Answer(fault.status, list(fault.headers.items()), said))

    def _pass(self, fault: Fault, body: bytes) -> None:
        answer = self._forward(body)
        if fault.after is not None:
            fault.after()
        self._say(answer)

    def _lost(self, _fault: Fault, body: bytes) -> None:
        self._forward(body)
        self.reset()

    def _eof(self, _fault: Fault, body: bytes) -> None:
        self._say(self._forward(body), missing=1)
        self.close_connection = True

    def _reset(self, _fault: Fault, _body: bytes) -> None:
        self.reset()

    def _forward(self, body: bytes) -> _Answer:
        if self._connection is None:
            self._connection = self.upstream()
        headers = {
            name: value for name, value in self.headers.items() if name.lower() not in _NOT_PASSED
        }
        self._connection.request(self.command, self.path, body or None, headers)
        response = self._connection.getresponse()
        passed = [item for item in response.getheaders() if item[0].lower() not in _NOT_PASSED]
        return _Answer(response.status, passed, response.read())

    def _say(self, answer: _Answer, missing: int = 0) -> None:
        self.send_response_only(answer.status)
        for name, value in (*answer.headers, ("Content-Length", str(len(answer.body)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body[: len(answer.body) - missing])
        self.wfile.flush()


@contextmanager
def proxied(
    kubeconfig: bytes, *faults: Fault, proxy: Proxy | None = None, handler: type | None = None
) -> Iterator[Proxy]:
    """A proxy in front of the API server that a kubeconfig of one cluster names.

    Args:
        kubeconfig: Of the server.
        faults: What breaks.
        proxy: Decides what breaks, in place of one that follows the faults.
        handler: Answers each connection, as `Handler` does.
    """
    config = yaml.read(kubeconfig).documents[0].value
    cluster = config["clusters"][0]["cluster"]
    proxy = proxy or Proxy(faults)
    upstream = staticmethod(_upstream(cluster))
    made = type("Made", (handler or Handler,), {"proxy": proxy, "upstream": upstream})
    server = Loopback(("127.0.0.1", 0), made)
    proxy.url = f"http://127.0.0.1:{server.server_address[1]}"
    there = [{"name": config["clusters"][0]["name"], "cluster": {"server": proxy.url}}]
    proxy.kubeconfig = json.dumps(config | {"clusters": there}).encode()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        server.end()
        thread.join()


def _upstream(cluster: Mapping[str, Any]) -> Callable[[], http.client.HTTPConnection]:
    url = urlsplit(cluster["server"])
    host, port = url.hostname or "", url.port
    if url.scheme == "http":
        return lambda: http.client.HTTPConnection(host, port, timeout=60)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    inline = cluster.get("certificate-authority-data")
    if inline:
        context.load_verify_locations(cadata=b64decode(inline).decode())
    else:
        context.load_verify_locations(cluster["certificate-authority"])
    return lambda: http.client.HTTPSConnection(host, port, timeout=60, context=context)
