"""A proxy in front of an API server, with scripted failures.

It serves plain HTTP on the loopback interface and forwards requests with their tokens, so it works
for all users with tokens. `Proxy.kubeconfig` is the kubeconfig of the server with another address.
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
    """A failure, and the requests that fail.

    Attributes:
        match: A regular expression for the beginning of `METHOD /path?query`.
        nth: Number of the matching request, from 1. 0 means all of them.
        kind: `status`: the proxy answers. `reset`: the connection is reset, and the request is not
            forwarded. `lost`: it is forwarded, then the connection is reset. `eof`: it is forwarded,
            and the answer is cut off. `pass`: no failure, only `then` and `after`.
        body: Body for `status`. A mapping is sent as JSON.
        then: Called first, for changes by other clients. If it raises a ConnectionError, the
            request is not forwarded.
        after: For `pass`: called after the request is forwarded, before the answer.
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
    """A proxy, its faults, and its requests.

    Attributes:
        faults: The first one that matches a request applies. Can be changed at any time.
        asked: `METHOD /path?query` of every request, in order.
        kubeconfig: Kubeconfig of the API server with the address of the proxy.
    """

    faults: Sequence[Fault]
    asked: list[str] = field(default_factory=list)
    kubeconfig: bytes = b""
    url: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, match: str) -> int:
        """Return the number of matching requests."""
        with self._lock:
            return sum(bool(re.match(match, line)) for line in self.asked)

    def fault(self, line: str) -> Fault | None:
        """Record a request, and return its fault, if any."""
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
    """Answers the requests of one connection."""

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
    """Run a proxy in front of the API server of a kubeconfig.

    Args:
        kubeconfig: Kubeconfig of the server.
        faults: Initial faults.
        proxy: A proxy with other failures, instead of one with `faults`.
        handler: A subclass of `Handler` for connections.
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
