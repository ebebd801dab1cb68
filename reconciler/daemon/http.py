"""HTTP server, and the report page of the newest revision: rendered on request and cached."""

import hmac
import logging
import socket
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import TCPServer
from threading import Lock, Thread
from typing import Any, NamedTuple

from msgspec import Struct

from reconciler.daemon.observer import HealthAnswer
from reconciler.documents.text import escape
from reconciler.kube.session import certificate_expiry
from reconciler.model.errors import ReconcilerError, UsageError

TEXT = "text/plain; charset=utf-8"
HTML = "text/html; charset=utf-8"
METRICS = "text/plain; version=0.0.4; charset=utf-8"
MIN_SECRET = 16
MAX_SECRET = 4096
WAIT_SECONDS = 5.0
UNREAD = "no revision was read yet"

_log = logging.getLogger(__name__)


class HttpRequest(NamedTuple):
    """An HTTP request. Header names are lower-case; the path has no query."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes = b""


class HttpResponse(NamedTuple):
    """An HTTP response."""

    status: int
    body: bytes
    content_type: str = TEXT
    headers: Mapping[str, str] = {}


class Page(NamedTuple):
    """An HTML page, and its Content-Security-Policy."""

    html: bytes
    policy: str


class Endpoints(Struct, frozen=True):
    """Sources of responses, None for no endpoint. `secret` may raise `ReconcilerError`."""

    metrics: Callable[[], bytes] | None
    healthy: Callable[[], HealthAnswer]
    ready: Callable[[], HealthAnswer]
    moved: Callable[[], None] | None = None
    secret: Callable[[], bytes] | None = None
    report: Callable[[], Page | str] | None = None

    def respond(self, request: HttpRequest) -> HttpResponse:
        """Return the response to a request. Raises no exception."""
        try:
            return self._respond(request)
        except Exception:  # noqa: BLE001 - a failing endpoint must not end the server
            _log.warning("%s failed", request.path, exc_info=True)
            return text(500, "internal error, see the log")

    def _respond(self, request: HttpRequest) -> HttpResponse:
        endpoints: dict[str, Callable[[], HttpResponse]] = {
            "/healthz": lambda: _health(self.healthy(), "ok"),
            "/readyz": lambda: _health(self.ready(), "ready"),
        }
        if (metrics := self.metrics) is not None:
            endpoints["/metrics"] = lambda: HttpResponse(200, metrics(), METRICS)
        if (report := self.report) is not None:
            endpoints["/report"] = lambda: _report(report())
        if (moved := self.moved) is not None and (secret := self.secret) is not None:
            endpoints["/hook"] = lambda: _hook(request, secret, moved)
        if request.path not in endpoints:
            return text(404, "not found")
        methods = ("POST",) if request.path == "/hook" else ("GET", "HEAD")
        if request.method not in methods:
            allow = ", ".join(methods)
            return text(405, f"use {allow}", {"Allow": allow})
        return endpoints[request.path]()


def _hook(
    request: HttpRequest, read: Callable[[], bytes], moved: Callable[[], None]
) -> HttpResponse:
    """Start a round if the caller knows the secret. The body is not used otherwise."""
    try:
        secret = read()
    except ReconcilerError as failure:
        _log.warning("%s", failure)
        return text(503, "the secret of the webhook cannot be read")
    if not is_signed(secret, request.headers, request.body):
        return text(403, "the signature is missing or wrong")
    moved()
    return text(202, "accepted")


def text(status: int, body: str, headers: Mapping[str, str] | None = None) -> HttpResponse:
    """Return a response of one or more lines of text."""
    return HttpResponse(status, f"{body}\n".encode(), TEXT, headers or {})


def _health(health: HealthAnswer, well: str) -> HttpResponse:
    head = well if health.is_well else f"not {well}"
    lines = [head, *(escape(line) for line in health.lines)]
    return text(200 if health.is_well else 503, "\n".join(lines))


def _report(page: Page | str) -> HttpResponse:
    if isinstance(page, str):
        return text(503, escape(page))
    return HttpResponse(200, page.html, HTML, {"Content-Security-Policy": page.policy})


def is_signed(secret: bytes, headers: Mapping[str, str], body: bytes) -> bool:
    """Return whether a webhook has the signature of its forge, or GitLab's token."""
    signature = hmac.new(secret, body, sha256).hexdigest()
    expected = {
        "x-hub-signature-256": f"sha256={signature}",
        "x-hub-signature": f"sha256={signature}",
        "x-gitea-signature": signature,
        "x-forgejo-signature": signature,
        "x-signature-256": signature,
        "x-gitlab-token": secret.decode("latin-1"),
    }
    matches = [
        hmac.compare_digest(headers[name].encode(), value.encode())
        for name, value in expected.items()
        if name in headers
    ]
    return bool(secret) and any(matches)


def read_secret(path: Path) -> bytes:
    """Return the stripped content of a file. Raises UsageError if unreadable, short, or long."""
    try:
        with path.open("rb") as file:
            secret = file.read(MAX_SECRET + 1).strip()
    except OSError as failure:
        raise UsageError(f"--hook-secret-file {path}: {failure.strerror}") from failure
    if not MIN_SECRET <= len(secret) <= MAX_SECRET:
        message = f"--hook-secret-file {path} has {len(secret)} characters, must have"
        hint = "run openssl rand -hex 32 to create a secret"
        raise UsageError(f"{message} {MIN_SECRET} to {MAX_SECRET}", hint)
    return secret


MAX_BODY = 64 * 1024
MAX_CONNECTIONS = 32
TIMEOUT_SECONDS = 10.0


class Certificate:
    """Certificate and key, read per connection. The last valid pair stays if files are invalid."""

    def __init__(self, certificate: Path, key: Path) -> None:
        self._paths = (certificate, key)
        self._context: ssl.SSLContext | None = None
        self._expires: int | None = None
        self._lock = Lock()
        self.problem = ""

    def context(self) -> ssl.SSLContext:
        """Return the TLS context. Raises UsageError if the files were never valid."""
        with self._lock:
            try:
                self._read()
                self.problem = ""
            except (OSError, ValueError) as failure:  # SSLError is an OSError
                why = getattr(failure, "reason", None) or getattr(failure, "strerror", None)
                problem = f"{self._paths[0]}, {self._paths[1]}: {why or failure}"
                if problem != self.problem and self._context is not None:
                    _log.warning("the previous certificate stays in use: %s", problem)
                self.problem = problem
            if self._context is None:
                hint = "pass PEM files: the certificate with its chain, and its key"
                raise UsageError(f"--tls-cert, --tls-key: {self.problem}", hint)
            return self._context

    def expires(self) -> int | None:
        """Return when the certificate expires, in seconds since 1970, or None."""
        self.context()
        return self._expires

    def _read(self) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        # Without a password, OpenSSL would prompt for one.
        context.load_cert_chain(*self._paths, password="")  # nosec B106
        self._expires = certificate_expiry(self._paths[0].read_bytes())
        self._context = context


class Server:
    """A running server, until it is closed."""

    def __init__(
        self, address: tuple[str, int], endpoints: Endpoints, certificate: Certificate | None = None
    ) -> None:
        """Port 0 is any free one. Raises UsageError for an unusable address or certificate."""
        if certificate is not None:
            certificate.context()
        try:
            self._listener = _Listener(address, endpoints, certificate)
        except (OSError, OverflowError) as failure:
            why = getattr(failure, "strerror", None) or failure
            message = f"--listen {address[0]}:{address[1]}: {why}"
            raise UsageError(message, "choose another port: --listen 127.0.0.1:8081") from failure
        self._thread = Thread(
            target=self._listener.serve_forever, args=(0.1,), name="http", daemon=True
        )
        self._thread.start()

    @property
    def port(self) -> int:
        """Return the port that the server listens on."""
        return int(self._listener.server_address[1])

    def close(self) -> None:
        """Stop listening and close all connections."""
        self._listener.shutdown()
        for connection in self._listener.connections:
            _disconnect(connection)
        self._listener.server_close()
        self._thread.join()


class _Listener(ThreadingHTTPServer):
    block_on_close = False
    connections: list[socket.socket] = []  # noqa: RUF012 - replaced, never changed

    def __init__(
        self, address: tuple[str, int], endpoints: Endpoints, certificate: Certificate | None
    ) -> None:
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self.endpoints = endpoints
        self._certificate = certificate
        super().__init__(address, _Handler)

    def server_bind(self) -> None:
        """Bind without the DNS query of the base class."""
        TCPServer.server_bind(self)

    def get_request(self) -> tuple[socket.socket, Any]:
        """Accept a connection. The TLS handshake happens at the first read, in its thread."""
        connection, address = super().get_request()
        connection.settimeout(TIMEOUT_SECONDS)
        if self._certificate is not None:
            connection = self._certificate.context().wrap_socket(
                connection, server_side=True, do_handshake_on_connect=False
            )
        return connection, address

    def process_request(self, request: Any, client_address: Any) -> None:
        """Close the oldest connection above the limit, so idle callers cannot block probes."""
        alive = [it for it in self.connections if it.fileno() >= 0]
        if len(alive) >= MAX_CONNECTIONS:
            _disconnect(alive.pop(0))
        self.connections = [*alive, request]
        super().process_request(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        del request, client_address
        _log.debug("a connection was interrupted", exc_info=True)


def _disconnect(connection: socket.socket) -> None:
    with suppress(OSError):
        # Not SSLSocket.shutdown, which changes the state that the connection's thread uses.
        socket.socket.shutdown(connection, socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = default_request_version = "HTTP/1.1"
    server: _Listener

    def version_string(self) -> str:
        return "ipam"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - named by the base class
        """Log nothing: requests can contain secrets."""

    def do_GET(self) -> None:
        self.close_connection = True
        length = self.headers.get("Content-Length", "0")
        if not (length.isascii() and length.isdigit()):
            self._send(text(400, "Content-Length is not a number"))
        elif len(length) > 9 or int(length) > MAX_BODY:
            self._send(text(413, f"the body is larger than {MAX_BODY} bytes"))
        else:
            headers = {name.lower(): value for name, value in self.headers.items()}
            path, body = self.path.partition("?")[0], self.rfile.read(int(length))
            request = HttpRequest(self.command, path, headers, body)
            self._send(self.server.endpoints.respond(request))

    do_HEAD = do_POST = do_PUT = do_DELETE = do_GET  # noqa: N815 - named by the base class

    def _send(self, response: HttpResponse) -> None:
        self.send_response(response.status)
        headers = {
            "Content-Type": response.content_type,
            "Content-Length": str(len(response.body)),
            "Connection": "close",
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "no-store",
        }
        for name, value in {**headers, **response.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(response.body)


class CachedPage:
    """The page. Any thread may ask; one page is rendered at a time."""

    def __init__(self, revision: Callable[[], str], render: Callable[[str], Page]) -> None:
        """`revision` returns the newest revision; empty before the first."""
        self._newest, self._render = revision, render
        self._lock = Lock()
        self._revision = ""
        self._page: Page | str = UNREAD

    def __call__(self) -> Page | str:
        """Return the page, or the reason why there is none now."""
        wanted = self._newest()
        if not self._lock.acquire(timeout=WAIT_SECONDS):
            return f"the page of {wanted[:12]} is not ready; try again"
        try:
            if wanted != self._revision:
                self._page = self._render(wanted)
                self._revision = wanted
            return self._page
        except ReconcilerError as failed:
            return f"the page of {wanted[:12]} cannot be rendered: {failed}"
        finally:
            self._lock.release()
