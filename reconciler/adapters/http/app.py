"""HTTP endpoints: `/metrics`, `/healthz`, `/readyz`, `/report`, and the webhook `/hook`."""

import hmac
import logging
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from reconciler.ports import ReconcilerError, UsageError
from reconciler.ports.health import Health
from reconciler.ports.page import Page
from reconciler.report.escape import escape

TEXT = "text/plain; charset=utf-8"
HTML = "text/html; charset=utf-8"
METRICS = "text/plain; version=0.0.4; charset=utf-8"
MIN_SECRET = 16
MAX_SECRET = 4096

_log = logging.getLogger(__name__)


class Request(NamedTuple):
    """An HTTP request. Header names are lower-case; the path has no query."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes = b""


class Response(NamedTuple):
    """An HTTP response."""

    status: int
    body: bytes
    content_type: str = TEXT
    headers: Mapping[str, str] = {}


class Endpoints(Struct, frozen=True):
    """Sources of the responses.

    Attributes:
        metrics: Returns the metrics in Prometheus's text format; None disables `/metrics`.
        healthy: Returns the answer of `/healthz`.
        ready: Returns the answer of `/readyz`.
        moved: Called when a webhook reports a push; None disables `/hook`.
        secret: Returns the webhook's secret, or raises `ReconcilerError`.
        report: Returns the report page, or why there is none; None disables `/report`.
    """

    metrics: Callable[[], bytes] | None
    healthy: Callable[[], Health]
    ready: Callable[[], Health]
    moved: Callable[[], None] | None = None
    secret: Callable[[], bytes] | None = None
    report: Callable[[], Page | str] | None = None

    def respond(self, request: Request) -> Response:
        """Return the response to a request. Raises no exception."""
        try:
            return self._respond(request)
        except Exception:  # noqa: BLE001 - a failing endpoint must not end the server
            _log.warning("%s failed", request.path, exc_info=True)
            return text(500, "internal error, see the log")

    def _respond(self, request: Request) -> Response:
        endpoints: dict[str, Callable[[], Response]] = {
            "/healthz": lambda: _health(self.healthy(), "ok"),
            "/readyz": lambda: _health(self.ready(), "ready"),
        }
        if (metrics := self.metrics) is not None:
            endpoints["/metrics"] = lambda: Response(200, metrics(), METRICS)
        if (report := self.report) is not None:
            endpoints["/report"] = lambda: _report(report())
        method, allow = ("GET", "HEAD"), "GET, HEAD"
        if self.moved is not None and self.secret is not None:
            endpoints["/hook"] = lambda: self._hook(request)
            if request.path == "/hook":
                method, allow = ("POST", "POST"), "POST"
        if request.path not in endpoints:
            return text(404, "not found")
        if request.method not in method:
            return text(405, f"use {allow}", {"Allow": allow})
        return endpoints[request.path]()

    def _hook(self, request: Request) -> Response:
        """Trigger a look at Git if the caller knows the secret. The body is not used otherwise."""
        if self.secret is None or self.moved is None:
            return text(404, "not found")
        try:
            secret = self.secret()
        except ReconcilerError as failure:
            _log.warning("%s", failure)
            return text(503, "the secret of the webhook cannot be read")
        if not is_signed(secret, request.headers, request.body):
            return text(403, "the signature is missing or wrong")
        self.moved()
        return text(202, "accepted")


def text(status: int, body: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return a response of one or more lines of text."""
    return Response(status, f"{body}\n".encode(), TEXT, headers or {})


def _health(health: Health, well: str) -> Response:
    head = well if health.is_well else f"not {well}"
    lines = [head, *(escape(line) for line in health.lines)]
    return text(200 if health.is_well else 503, "\n".join(lines))


def _report(page: Page | str) -> Response:
    if isinstance(page, str):
        return text(503, escape(page))
    return Response(200, page.html, HTML, {"Content-Security-Policy": page.policy})


def is_signed(secret: bytes, headers: Mapping[str, str], body: bytes) -> bool:
    """Return whether the sender of a webhook knows the secret.

    Accepts the signatures of GitHub, Bitbucket, Gitea, and Forgejo, and GitLab's token.
    """
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
    """Return the secret in a file, without surrounding white space.

    Raises:
        UsageError: The file cannot be read, or its content is too short or too long.
    """
    try:
        with path.open("rb") as file:
            secret = file.read(MAX_SECRET + 1).strip()
    except OSError as failure:
        raise UsageError(f"--hook-secret-file {path}: {failure.strerror}") from failure
    if not MIN_SECRET <= len(secret) <= MAX_SECRET:
        message = f"--hook-secret-file {path} has {len(secret)} characters, must have"
        raise UsageError(
            f"{message} {MIN_SECRET} to {MAX_SECRET}", "create a secret: openssl rand -hex 32"
        )
    return secret
