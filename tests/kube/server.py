"""An API server on the loopback interface, with scripted answers."""

import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from socketserver import BaseRequestHandler, ThreadingTCPServer
from typing import Any, NamedTuple

from reconciler.kube.deadline import Clocks, Timeouts

DATE = "Sun, 15 Feb 2026 10:00:30 GMT"
NOW = 1771149630
OBJECT: Mapping[str, Any] = {"metadata": {"name": "one"}}


class Reply(NamedTuple):
    """An answer.

    Attributes:
        body: Bytes, or a value to send as JSON.
        fault: `reset` and `silent` (before an answer), `eof` (in the middle of the body),
            `chunked` (like large answers), `chunked-eof` (without the end), `drip` (a byte
            each time the client reads its clock), or empty.
    """

    status: int = 200
    body: Any = OBJECT
    headers: Mapping[str, str] = {}
    fault: str = ""

    def bytes(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


class Asked(NamedTuple):
    """A request of a client."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


def status(code: int, message: str = "", reason: str = "", **details: Any) -> Reply:
    """Return the body of a refusal, as API servers send it."""
    body = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code}
    return Reply(code, body | {"message": message, "reason": reason, "details": details})


@dataclass
class Time:
    """A clock that advances when code sleeps, and by `tick` with each reading."""

    now: float = 0.0
    tick: float = 0.0
    chance: float = 1.0
    slept: list[float] = field(default_factory=list)
    looked: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def clock(self) -> float:
        self.now += self.tick
        self.looked.release()
        return self.now

    def timeouts(self, deadline_seconds: float = 300.0, *, today: float = NOW) -> Timeouts:
        """Return timeouts with this clock. `today` is for certificates."""
        clocks = Clocks(self.sleep, self.clock, lambda: self.chance, lambda: today)
        return Timeouts(deadline_seconds, clocks=clocks)


@dataclass
class Server:
    """Scripted answers, and the requests. The last answer is repeated.

    Attributes:
        closed: Released by each connection at its end.
    """

    replies: Sequence[Reply | Callable[[Asked], Reply]] = ()
    asked: list[Asked] = field(default_factory=list)
    time: Time = field(default_factory=Time)
    url: str = ""
    connections: int = 0
    closed: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def next(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        reply = self.replies[min(len(self.asked), len(self.replies)) - 1]
        return reply if isinstance(reply, Reply) else reply(asked)


_PATIENCE = 5.0


class Loopback(ThreadingTCPServer):
    """A server with a thread per connection. An HTTPServer would look up its own name.

    Connections that a client keeps open end with the server, as do their threads, because later
    tests might check threads.
    """

    request_queue_size = 64

    def __init__(self, address: tuple[str, int], handler: type[BaseRequestHandler]) -> None:
        super().__init__(address, handler)
        self._begun: list[tuple[socket.socket, threading.Thread]] = []

    def process_request(self, request: Any, client_address: Any) -> None:
        asked = (request, client_address)
        thread = threading.Thread(target=self.process_request_thread, args=asked, daemon=True)
        self._begun.append((request, thread))
        thread.start()

    def end(self) -> None:
        """Close all connections, and join their threads, except one that never answers."""
        self.shutdown()
        self.socket.close()
        for request, _ in self._begun:
            with suppress(OSError):
                request.shutdown(socket.SHUT_RDWR)
        for _, thread in self._begun:
            thread.join(_PATIENCE)


class Quiet(BaseHTTPRequestHandler):
    """Answers the requests of a connection. The client can disconnect at any time."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one packet per answer, because the kernel delays a second one

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base names it so
        del format, args

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except (ConnectionError, ssl.SSLError):
            self.close_connection = True

    def reset(self) -> None:
        """Reset the connection."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()


class _Handler(Quiet):
    script: Server

    def setup(self) -> None:
        self.script.connections += 1
        super().setup()

    def finish(self) -> None:
        super().finish()
        self.script.closed.release()

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = self.script.next(Asked(self.command, self.path, headers, body))
        getattr(self, f"_{reply.fault.replace('-', '_') or 'whole'}")(reply)

    do_GET = do_POST = do_PATCH = do_DELETE = do_CONNECT = answer  # noqa: N815 - the base names them so

    def _whole(self, reply: Reply) -> None:
        self._head(reply)
        self.wfile.write(reply.bytes())
        self.wfile.flush()

    def _head(self, reply: Reply) -> None:
        self.send_response_only(reply.status)
        headers = {"Date": DATE, "Content-Length": str(len(reply.bytes()))} | dict(reply.headers)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _silent(self, _reply: Reply) -> None:
        self.close_connection = True

    def _reset(self, _reply: Reply) -> None:
        self.reset()

    def _eof(self, reply: Reply) -> None:
        self._head(reply)
        self.wfile.write(reply.bytes()[:-1])
        self.wfile.flush()
        self.close_connection = True

    def _chunked(self, reply: Reply) -> None:
        self._chunked_eof(reply)
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()
        self.close_connection = False

    def _chunked_eof(self, reply: Reply) -> None:
        self.send_response_only(reply.status)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for byte in reply.bytes():
            self.wfile.write(b"1\r\n%c\r\n" % byte)
        self.wfile.flush()
        self.close_connection = True

    def _drip(self, reply: Reply) -> None:
        self._head(reply)
        self.close_connection = True
        for byte in reply.bytes():
            if not self.script.time.looked.acquire(timeout=60):
                return
            self.wfile.write(bytes([byte]))
            self.wfile.flush()


@contextmanager
def serving(
    *replies: Reply | Callable[[Asked], Reply], tls: ssl.SSLContext | None = None
) -> Iterator[Server]:
    """Run a server with scripted answers until the end of the block."""
    script = Server(replies)
    handler = type("Handler", (_Handler,), {"script": script})
    server = Loopback(("127.0.0.1", 0), handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    script.url = f"{'https' if tls else 'http'}://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield script
    finally:
        server.end()
        thread.join()
