"""Requests to one API server: sent, counted, retried, and given up in time.

The retries of the client and of its connection pool are off: they know neither the deadline nor
which errors are for good. A request that may have been carried out is sent again only when twice
does no harm.
"""

import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from email.utils import parsedate_to_datetime
from functools import partial
from http.client import HTTPException
from threading import Lock
from typing import Any, NamedTuple

from reconciler.adapters.kube.answers import Again, Answer, Trouble, judge
from reconciler.adapters.kube.pace import Budget, Pace
from reconciler.adapters.kube.renewal import Sessions
from reconciler.adapters.kube.session import Session
from reconciler.ports import ClusterError, Requests, UnauthorizedError, UnreachableError

MAX_BODY = 64 * 1024 * 1024
RETRIES = 4
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 8.0
SECRET = 8  # characters; less is none, and would be found in any word
LONGEST_WISH = 60.0  # of a server that says when to come back

_CHUNK = 256 * 1024


class Ask(NamedTuple):
    """A request.

    Attributes:
        what: What it is for, as messages name it.
        is_repeatable: Whether carrying it out twice does no harm.
        is_review: It is created to be answered: nothing is written.
    """

    method: str
    path: str
    what: str
    body: bytes = b""
    content_type: str = "application/json"
    is_repeatable: bool = True
    is_review: bool = False


class Transport:
    """The way to one API server. Several threads may use it.

    Attributes:
        budget: What is left of the time that the cluster may take.
    """

    def __init__(self, enter: Callable[[Budget], Session], pace: Pace, *, renewable: bool) -> None:
        self.budget = Budget(pace)
        self._pace = pace
        self._is_renewable = renewable
        self._sessions = Sessions(partial(enter, self.budget))
        self._counts = {"GET": 0, "PATCH": 0, "DELETE": 0}
        self._now = 0
        self._lock = Lock()

    def requests(self) -> Requests:
        """How many requests were sent."""
        with self._lock:
            return Requests(*self._counts.values())

    def now(self) -> int:
        """The server's clock when it last answered."""
        return self._now

    def send(self, ask: Ask) -> Answer:
        """Ask, again if need be.

        Raises:
            ClusterError: The answer is a refusal, or there is none.
        """
        with self.budget.spending():
            tries, is_renewed = 0, False
            while True:
                session = self._sessions.current
                found = self._once(session, ask)
                if isinstance(found, Answer):
                    return found
                if self._may_renew(found) and not is_renewed:
                    is_renewed = True
                    self._sessions.renew(session)
                    continue
                if tries == RETRIES or not _may_repeat(ask, found):
                    raise found.error
                self._wait(tries, found)
                tries += 1

    def close(self) -> None:
        """Let go of all connections."""
        self._sessions.close()

    def pause(self, seconds: float, what: str = "wait") -> None:
        """Wait.

        Raises:
            UnreachableError: The deadline comes first.
        """
        with self.budget.spending():
            if seconds >= self.budget.left():
                raise self._late(what)
            self._pace.sleep(seconds)

    def _may_renew(self, found: Trouble) -> bool:
        is_unknown = isinstance(found.error, UnauthorizedError) and found.again is Again.ALWAYS
        return is_unknown and self._is_renewable

    def _wait(self, tries: int, found: Trouble) -> None:
        longest, jitter = min(FIRST_PAUSE * 2**tries, LONGEST_PAUSE), self._pace.jitter()
        pause = longest * (0.5 + jitter / 2)
        if found.after_seconds > pause:  # never before the server wishes it, nor all at once
            pause = found.after_seconds + longest * (1 - jitter) / 2
        if pause >= self.budget.left():
            raise found.error
        self._pace.sleep(pause)

    def _once(self, session: Session, ask: Ask) -> Answer | Trouble:
        from urllib3.exceptions import HTTPError

        if self.budget.left() <= 0:
            return Trouble(self._late(ask.what))
        authorization = session.authorization()
        self._count(ask)
        try:
            answer = self._exchange(session, ask, authorization)
        except (HTTPError, HTTPException, OSError, ValueError) as failure:
            if self.budget.left() <= 0:
                return Trouble(self._late(ask.what))
            return _broken(ask.what, failure, self._pace)
        if answer is None:
            limit = f"the answer is larger than {MAX_BODY // 1024 // 1024} MiB"
            return Trouble(ClusterError(f"{ask.what}: {limit}"))
        self._now = _date(answer.headers.get("date", "")) or self._now
        trouble = judge(ask.what, answer)
        if trouble is None:
            return answer
        return trouble._replace(after_seconds=_wish(answer.headers))

    def _count(self, ask: Ask) -> None:
        kind = "PATCH" if ask.method == "POST" else ask.method
        kind = "GET" if ask.is_review else kind
        with self._lock:
            self._counts[kind] += 1

    def _exchange(self, session: Session, ask: Ask, authorization: str) -> Answer | None:
        """One request and its whole answer; None when it is too large."""
        from urllib3 import Timeout

        left = max(self.budget.left(), 0.001)
        response = session.pool.urlopen(
            ask.method,
            session.server + ask.path,
            body=ask.body or None,
            headers=_headers(ask, authorization),
            timeout=Timeout(
                connect=min(self._pace.connect_seconds, left),
                read=min(self._pace.read_seconds, left),
            ),
            redirect=False,
            retries=False,
            preload_content=False,
            decode_content=False,
        )
        body = _whole(response)
        if body is None:
            return None
        headers = {str(name).lower(): str(value) for name, value in response.headers.items()}
        said = body if response.status < 300 else _scrubbed(body, authorization)
        return Answer(response.status, headers, said)

    def _late(self, what: str) -> UnreachableError:
        seconds = f"{self._pace.deadline_seconds:g}"
        return UnreachableError(f"{what}: the cluster's {seconds} seconds are over", "--timeout")


def _whole(response: Any) -> bytes | None:
    """The body, and the connection back to its pool; a body that is too large closes it."""
    body = bytearray()
    try:
        while chunk := response.read(_CHUNK, decode_content=False):
            body += chunk
            if len(body) > MAX_BODY:
                return None
        response.release_conn()
        return bytes(body)
    finally:
        # Nothing is left to close of a connection that was given back.
        response.close()


def _headers(ask: Ask, authorization: str) -> dict[str, str]:
    headers = {"Accept": "application/json", "User-Agent": "gitops-ipam"}
    if ask.body:
        headers["Content-Type"] = ask.content_type
    if authorization:
        headers["Authorization"] = authorization
    return headers


def _scrubbed(body: bytes, authorization: str) -> bytes:
    """A refusal without our own secret, in case the server repeats it."""
    secret = authorization.rpartition(" ")[2].encode()
    return body.replace(secret, b"***") if len(secret) >= SECRET else body


def _may_repeat(ask: Ask, found: Trouble) -> bool:
    if isinstance(found.error, UnauthorizedError):
        return False
    return found.again is Again.ALWAYS or (found.again is Again.IF_REPEATABLE and ask.is_repeatable)


def _broken(what: str, failure: Exception, pace: Pace) -> Trouble:
    """What a connection that did not hold means. Text of the libraries is not passed on."""
    causes = list(_causes(failure))
    tls = next((cause for cause in causes if isinstance(cause, ssl.SSLError)), None)
    if tls is not None:
        return _tls(what, tls)
    unconnected = _unconnected(failure, causes, pace)
    if unconnected:
        return Trouble(UnreachableError(f"{what}: {unconnected}"), Again.ALWAYS)
    why = f"the connection ended before the answer did: {_strerror(causes)}"
    if any(isinstance(cause, TimeoutError) for cause in causes) or _is_slow(failure):
        why = f"no answer within {pace.read_seconds:g} seconds"
    return Trouble(UnreachableError(f"{what}: {why}"), Again.IF_REPEATABLE)


def _unconnected(failure: Exception, causes: list[BaseException], pace: Pace) -> str:
    """Why nothing was sent, or nothing when something may have been."""
    from urllib3 import exceptions as of

    if any(isinstance(cause, of.NameResolutionError | socket.gaierror) for cause in causes):
        return "the server's name is not known"
    if isinstance(failure, of.ProxyError):
        return "the proxy does not let us through"
    if isinstance(failure, of.NewConnectionError):
        return f"no connection: {_strerror(causes)}"
    if isinstance(failure, of.ConnectTimeoutError):
        return f"no connection within {pace.connect_seconds:g} seconds"
    return ""


def _is_slow(failure: Exception) -> bool:
    from urllib3.exceptions import ReadTimeoutError

    return isinstance(failure, ReadTimeoutError)


def _tls(what: str, failure: ssl.SSLError) -> Trouble:
    reason = (failure.reason or "").replace("_", " ").lower()
    if isinstance(failure, ssl.SSLCertVerificationError):
        why = f"the server's certificate is not trusted: {failure.verify_message}"
        return Trouble(UnreachableError(f"{what}: {why}", "certificate-authority-data"))
    if "alert" in reason and ("certif" in reason or "unknown ca" in reason):
        return Trouble(UnauthorizedError(f"{what}: the server refuses our certificate: {reason}"))
    return Trouble(UnreachableError(f"{what}: TLS failed: {reason}"), Again.IF_REPEATABLE)


def _strerror(causes: list[BaseException]) -> str:
    told = (cause.strerror for cause in causes if isinstance(cause, OSError) and cause.strerror)
    return next(told, "it was closed").lower()


def _causes(failure: BaseException) -> Iterator[BaseException]:
    """An exception and what it came from, as urllib3 tells it in three ways."""
    seen: set[int] = set()
    waiting: list[object] = [failure]
    while waiting:
        item = waiting.pop(0)
        if isinstance(item, BaseException) and id(item) not in seen:
            seen.add(id(item))
            yield item
            waiting += [getattr(item, "reason", None), item.__cause__, item.__context__]
            waiting += item.args


def _wish(headers: Mapping[str, str]) -> float:
    """How long the server asks us to wait, in seconds; 0 when it says nothing sensible."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit() and len(text) < 10:
        return min(float(text), LONGEST_WISH)
    until, now = _date(text), _date(headers.get("date", ""))
    return min(max(until - now, 0.0), LONGEST_WISH) if until and now else 0.0


def _date(text: str) -> int:
    """An HTTP date in seconds since 1970; 0 for anything else."""
    try:
        return int(parsedate_to_datetime(text).timestamp())
    except (ValueError, TypeError, OverflowError, IndexError):
        return 0
