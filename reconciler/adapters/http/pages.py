"""What is answered to whom: five paths, and no other."""

import logging
from collections.abc import Callable, Mapping
from typing import NamedTuple

from msgspec import Struct

from reconciler.adapters.http.hook import is_signed
from reconciler.ports import ReconcilerError
from reconciler.ports.health import Health
from reconciler.ports.page import Page
from reconciler.report.escape import escape

TEXT = "text/plain; charset=utf-8"
HTML = "text/html; charset=utf-8"
METRICS = "text/plain; version=0.0.4; charset=utf-8"
_READ = ("GET", "HEAD")

_log = logging.getLogger(__name__)


class Request(NamedTuple):
    """What was asked.

    Attributes:
        path: Without what follows a question mark.
        headers: By their names in lower case.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes = b""


class Reply(NamedTuple):
    """What is answered.

    Attributes:
        allow: The methods that there are, for whom another one was tried.
        policy: What a browser lets a page do.
    """

    status: int
    body: bytes
    content_type: str = TEXT
    allow: str = ""
    policy: str = ""


class Doors(Struct, frozen=True):
    """What is asked for each path.

    Attributes:
        metrics: The figures, as Prometheus reads them; None where there are none.
        healthy: Whether the loop turns.
        ready: Whether the work can be done.
        moved: Told that something moved in Git; None where nobody may ring.
        secret: What those who ring must know. It raises a `ReconcilerError` when it cannot be read.
        report: The page for people, or in words why there is none now; None where none is given.
    """

    metrics: Callable[[], bytes] | None
    healthy: Callable[[], Health]
    ready: Callable[[], Health]
    moved: Callable[[], None] | None = None
    secret: Callable[[], bytes] | None = None
    report: Callable[[], Page | str] | None = None


def answer(request: Request, doors: Doors) -> Reply:
    """The answer to a request. It raises nothing."""
    try:
        return _answer(request, doors)
    except Exception:  # noqa: BLE001 - a page that fails must not end the server
        _log.warning("a bug met while a page was made", exc_info=True)
        return said(500, "a bug; the log tells more")


def said(status: int, text: str, allow: str = "") -> Reply:
    """A text as answer."""
    return Reply(status, f"{text}\n".encode(), TEXT, allow)


def _answer(request: Request, doors: Doors) -> Reply:
    if request.path == "/hook" and doors.moved is not None and doors.secret is not None:
        if request.method != "POST":
            return said(405, "call it by POST", "POST")
        return _rung(request, doors.moved, doors.secret)
    if request.path not in ("/healthz", "/readyz", "/metrics", "/report"):
        return said(404, "no such page")
    if request.method not in _READ:
        return said(405, "call it by GET", "GET, HEAD")
    return _told(request.path, doors)


def _told(path: str, doors: Doors) -> Reply:
    """What is read on a path that there is."""
    if path == "/healthz":
        return _health(doors.healthy(), "ok")
    if path == "/readyz":
        return _health(doors.ready(), "ready")
    if path == "/report":
        return _report(doors.report)
    if doors.metrics is None:
        return said(404, "no such page")
    return Reply(200, doors.metrics(), METRICS)


def _health(health: Health, well: str) -> Reply:
    head = well if health.is_well else f"not {well}"
    lines = [head, *(escape(line) for line in health.lines)]
    return said(200 if health.is_well else 503, "\n".join(lines))


def _report(report: Callable[[], Page | str] | None) -> Reply:
    if report is None:
        return said(404, "no such page")
    found = report()
    if isinstance(found, str):
        return said(503, escape(found))
    return Reply(200, found.html, HTML, policy=found.policy)


def _rung(request: Request, moved: Callable[[], None], secret: Callable[[], bytes]) -> Reply:
    """Have somebody look at Git, when the caller knows the secret; whatever else it tells."""
    try:
        known = secret()
    except ReconcilerError as failed:
        _log.warning("%s", failed)
        return said(503, "the secret of the hook cannot be read")
    if not is_signed(known, request.headers, request.body):
        return said(403, "no signature, or a wrong one")
    moved()
    return said(202, "looking")
