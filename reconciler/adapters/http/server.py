"""The server: a short time and a small request for each call, whoever calls.

The parser is the standard library's. Around it stands what that leaves open: how long a call may
take from its first byte to its last, how large it may be, and how many there are at once
(`listener.py`).
"""

import logging
import socket
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from io import BytesIO
from threading import Thread
from typing import Any, cast

from reconciler.adapters.http.files import Certificate
from reconciler.adapters.http.listener import Limits, Listener, Served
from reconciler.adapters.http.pages import Doors, Reply, Request, answer, said
from reconciler.ports import UsageError

_log = logging.getLogger(__name__)

HEAD_BYTES = 16 * 1024
BODY_BYTES = 64 * 1024
_DRAINED_BYTES = 4 * BODY_BYTES
_PIECE = 16 * 1024
_END = b"\r\n\r\n"
_POLL_SECONDS = 0.1


class Server:
    """Serves until it is closed, in threads of its own."""

    def __init__(
        self,
        address: tuple[str, int],
        doors: Doors,
        certificate: Certificate | None = None,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Listen; whoever connects is answered from now on.

        Args:
            address: Host and port; port 0 is any that is free.
            doors: What is asked.
            certificate: With it only TLS is spoken.
            limits: What callers may take.
            clock: Seconds that only grow.

        Raises:
            UsageError: The address cannot be listened on, or the certificate cannot be read.
        """
        if certificate is not None:
            certificate.context()
        served = Served(doors, certificate, limits or Limits(), clock)
        try:
            self._listener = Listener(address, _Handler, served)
        except (OSError, OverflowError) as failed:
            why = getattr(failed, "strerror", None) or failed
            message = f"--listen {address[0]}:{address[1]}: {why}"
            raise UsageError(message, "choose another port: --listen 127.0.0.1:8081") from failed
        self._thread = Thread(
            target=self._listener.serve_forever, args=(_POLL_SECONDS,), name="http", daemon=True
        )
        self._thread.start()

    @property
    def port(self) -> int:
        """The port that is listened on."""
        return int(self._listener.server_address[1])

    def close(self) -> None:
        """Listen no more, and cut off who is still connected."""
        self._listener.shutdown()
        self._listener.cut_off()
        self._listener.server_close()
        self._thread.join()


class _EndedError(Exception):
    """There is nobody to answer any more, or no time."""


class _Handler(BaseHTTPRequestHandler):
    """One call: it is read whole, answered, and ended."""

    protocol_version = "HTTP/1.1"
    default_request_version = "HTTP/1.1"
    server: Listener

    def setup(self) -> None:
        """Begin the time of the call."""
        self._served = self.server.served
        self._end = self._served.clock() + self._served.limits.seconds
        self.connection = self.request
        self.wfile = cast("Any", _Out(self))
        self.rfile = BytesIO()
        # The base asks for these when it answers, whatever it has read.
        self.command, self.requestline, self.request_version = "", "", self.protocol_version

    def finish(self) -> None:
        """End the connection; of TLS, whose object nobody else knows."""
        if self.connection is not self.request:
            self.connection.close()

    def handle(self) -> None:
        """Read, answer, end."""
        try:
            if (certificate := self._served.certificate) is not None:
                self._secure(certificate)
            self._call()
        except (OSError, _EndedError) as failed:  # a timeout, and TLS's own, are OSErrors
            _log.debug("a call was not answered: %s", type(failed).__name__)

    def send(self, data: bytes) -> None:
        """Send within the time that is left."""
        self._in_time()
        self.connection.sendall(data)

    def version_string(self) -> str:
        """Which version of what this is, is of use to nobody who means well."""
        return "ipam"

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the parser says of what it cannot read, which may stand in its words."""
        del message, explain
        self._refuse(code, "no HTTP that is understood here")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base names it so
        """Nothing: what somebody asks for may hold what nobody shall read."""

    def _secure(self, certificate: Certificate) -> None:
        context = certificate.context()
        self.connection = context.wrap_socket(
            self.request, server_side=True, do_handshake_on_connect=False
        )
        self.server.secured(self.request, self.connection)
        self._in_time()
        self.connection.do_handshake()

    def _in_time(self) -> None:
        left = self._end - self._served.clock()
        if left <= 0:
            raise _EndedError
        self.connection.settimeout(left)

    def _receive(self) -> bytes:
        self._in_time()
        data: bytes = self.connection.recv(_PIECE)
        if not data:
            raise _EndedError
        return data

    def _call(self) -> None:
        self.close_connection = True
        data = b""
        while _END not in data and len(data) <= HEAD_BYTES:
            data += self._receive()
        head, _, rest = data.partition(_END)
        if len(head) > HEAD_BYTES:
            self._refuse(431, "too many headers, or too long ones")
            return
        self.rfile = BytesIO(head + _END)
        self.raw_requestline = self.rfile.readline()
        if self.parse_request():  # else it has said what is wrong
            self._answer(rest)

    def _answer(self, body: bytes) -> None:
        length = self._length()
        if length is None:
            return
        while len(body) < length:
            body += self._receive()
        headers = {name.lower(): value for name, value in self.headers.items()}
        path = self.path.partition("?")[0]
        request = Request(self.command, path, headers, body[:length])
        self._reply(answer(request, self._served.doors))

    def _length(self) -> int | None:
        """How long the body is; None when nothing is read of it, which has been said."""
        told = self.headers.get_all("Content-Length") or []
        if self.headers.get_all("Transfer-Encoding"):
            self._refuse(411, "say how long the body is")
        elif len(told) > 1 or any(not (it.isascii() and it.isdigit()) for it in told):
            self._refuse(400, "one Content-Length, a number")
        elif told and (len(told[0]) > len(str(BODY_BYTES)) or int(told[0]) > BODY_BYTES):
            self._refuse(413, f"a body of {BODY_BYTES} bytes at most")
        else:
            return int(told[0]) if told else 0
        return None

    def _refuse(self, status: int, why: str) -> None:
        """Say no to what was not read. What still comes is taken, or the answer would be lost."""
        self.command, self.request_version = "", self.protocol_version
        self._reply(said(status, why))
        if self.connection is self.request:
            self.connection.shutdown(socket.SHUT_WR)
        taken = 0
        while taken < _DRAINED_BYTES:
            taken += len(self._receive())

    def _reply(self, reply: Reply) -> None:
        self.send_response(reply.status)
        if reply.allow:
            self.send_header("Allow", reply.allow)
        if reply.policy:
            self.send_header("Content-Security-Policy", reply.policy)
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Content-Length", str(len(reply.body)))
        self.send_header("Connection", "close")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        if self.command != "HEAD":
            self.send(reply.body)


class _Out:
    """What the parser writes to."""

    def __init__(self, handler: _Handler) -> None:
        self._handler = handler

    def write(self, data: bytes) -> None:
        """Send."""
        self._handler.send(data)

    def flush(self) -> None:
        """All is sent already."""
