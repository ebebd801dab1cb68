"""Who is connected: few at once, and the oldest gives way to one more."""

import logging
import socket
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from threading import Lock
from typing import Any, NamedTuple

from reconciler.adapters.http.files import Certificate
from reconciler.adapters.http.pages import Doors

_log = logging.getLogger(__name__)


class Limits(NamedTuple):
    """What callers may take of us.

    Attributes:
        connections: At once. One more, and the oldest is cut off: whoever means well is done by then.
        seconds: For a whole call, the handshake and the answer among it.
    """

    connections: int = 32
    seconds: float = 10.0


class Served(NamedTuple):
    """What is served, and how."""

    doors: Doors
    certificate: Certificate | None
    limits: Limits
    clock: Callable[[], float]


class Listener(ThreadingHTTPServer):
    """Listens, and keeps who is connected, the oldest first."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(
        self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler], served: Served
    ) -> None:
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self.served = served
        self._open: dict[int, socket.socket] = {}
        self._guard = Lock()
        super().__init__(address, handler)

    def server_bind(self) -> None:
        """Bind, without the name of this host: asking for it may take long."""
        TCPServer.server_bind(self)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Begin a call; the oldest gives way when there are too many."""
        oldest = None
        with self._guard:
            self._open[id(request)] = request
            if len(self._open) > self.served.limits.connections:
                oldest = self._open.pop(next(iter(self._open)))
        if oldest is not None:
            _cut(oldest)
        super().process_request(request, client_address)

    def secured(self, request: socket.socket, secure: socket.socket) -> None:
        """A connection speaks TLS from now on: another object, of the same connection."""
        with self._guard:
            if id(request) in self._open:
                self._open[id(request)] = secure
                return
        _cut(secure)  # it gave way meanwhile

    def shutdown_request(self, request: Any) -> None:
        """End a call."""
        with self._guard:
            self._open.pop(id(request), None)
        super().shutdown_request(request)

    def cut_off(self) -> None:
        """End all calls."""
        with self._guard:
            held = list(self._open.values())
        for each in held:
            _cut(each)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """What befalls one connection is of no concern to others."""
        del request, client_address
        _log.debug("a connection broke off", exc_info=True)


def _cut(connection: socket.socket) -> None:
    """End a connection from outside: whoever waits for it goes on at once, and finds its end."""
    with suppress(OSError):
        # Not TLS's own, which would change what another thread works with.
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
