"""Requests to API servers. Retries are here, because the library knows no deadline."""

import binascii
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from threading import Lock
from typing import Any, NamedTuple

from reconciler.kube.deadline import Deadline, Timeouts
from reconciler.kube.interface import RequestCounts
from reconciler.kube.responses import Failure, Retry, connection_failure, failure_of, parse_json
from reconciler.kube.session import Credentials, Session
from reconciler.model.errors import ClusterError, UnreachableError

_MIB = 1024 * 1024
MAX_BODY = 8 * _MIB
"""Bytes of a response."""
MAX_LINE = 4 * _MIB
"""Bytes of one change of a watch. A server stores objects of at most half this size."""
MAX_RETRIES = 4
FIRST_PAUSE = 0.5
MAX_PAUSE = 8.0
MAX_RETRY_AFTER = 60.0
"""Seconds that a server can make a client wait."""
MIN_SECRET = 8
"""Characters. A shorter value is not redacted, because it would match ordinary words."""
_CHUNK = 64 * 1024


class TooLargeError(ClusterError):
    """A response is too large. A smaller page might fit."""


class KubeRequest(NamedTuple):
    """An HTTP request. An `is_verbatim` response keeps credentials, which Secrets contain."""

    method: str
    path: str
    what: str
    body: bytes = b""
    content_type: str = "application/json"
    is_repeatable: bool = True
    is_review: bool = False
    is_verbatim: bool = False
    accept: str = "application/json"


class Transport:
    """The connection to one API server. Threads can share it; a watch needs one of its own."""

    def __init__(
        self, open_session: Callable[[], Session], timeouts: Timeouts, *, renewable: bool
    ) -> None:
        self.deadline = Deadline(timeouts)
        self.now = 0
        self._timeouts = timeouts
        self._is_renewable = renewable
        self._credentials = Credentials(open_session)
        self._secrets: frozenset[bytes] = frozenset()
        self._counts = {"GET": 0, "PATCH": 0, "DELETE": 0}
        self._stream: Any = None
        self._is_closed = False
        self._lock = Lock()

    def requests(self) -> RequestCounts:
        """Return the number of requests that were sent."""
        with self._lock:
            return RequestCounts(*self._counts.values())

    def send(self, request: KubeRequest) -> bytes:
        """Send a request, with retries. Raise a `ClusterError` if the server refuses or is away."""
        with self.deadline.running():
            body: bytes = self._send(request, self._timeouts.read_seconds, MAX_RETRIES, self._read)
        return body if request.is_verbatim else self._redact(body)

    def json(self, request: KubeRequest) -> dict[str, Any]:
        """Send a request, and return the JSON object of the response."""
        try:
            return parse_json(self.send(request))
        except ValueError as error:
            raise ClusterError(f"{request.what}: the response is {error}") from None

    def stream(self, request: KubeRequest, silence_seconds: float) -> Iterator[bytes]:
        """Yield the lines of a watch, at most `silence_seconds` apart, without a deadline."""
        self.deadline.limit(None)
        try:
            with self.deadline.running():
                response = self._send(request, silence_seconds, 0, self._register)
                for line in _lines(self._chunks(request.what, response), request.what):
                    yield self._redact(line)
        finally:
            self._stream = None

    def close(self) -> None:
        """Close all connections; a watch that is being read ends."""
        with self._lock:
            self._is_closed = True
            stream, self._stream = self._stream, None
        if stream is not None:
            with suppress(OSError, ValueError):
                stream.shutdown()
        self._credentials.close()

    def pause(self, seconds: float) -> None:
        """Wait. Raise an `UnreachableError` if the deadline ends before."""
        with self.deadline.running():
            if seconds >= self.deadline.left():
                raise self._deadline_error("wait")
            self._timeouts.clocks.sleep(seconds)

    def _send(
        self,
        request: KubeRequest,
        silence_seconds: float,
        retries: int,
        receive: Callable[[Any, str], Any],
    ) -> Any:
        tries, is_renewed = 0, False
        while True:
            session = self._credentials.current
            result = self._attempt(session, request, silence_seconds, receive)
            if not isinstance(result, Failure):
                return result
            if result.retry is Retry.RENEWED and self._is_renewable and not is_renewed:
                is_renewed = True
                self._credentials.renew(session)
                continue
            pause = _pause_before(result, tries, self._timeouts.clocks.jitter())
            may_repeat = result.retry is Retry.ALWAYS or (
                result.retry is Retry.IF_REPEATABLE and request.is_repeatable
            )
            if not may_repeat or tries == retries or pause >= self.deadline.left():
                raise result.error
            self._timeouts.clocks.sleep(pause)
            tries += 1

    def _attempt(
        self,
        session: Session,
        request: KubeRequest,
        silence_seconds: float,
        receive: Callable[[Any, str], Any],
    ) -> Any:
        if self.deadline.left() <= 0:
            return Failure(self._deadline_error(request.what))
        authorization = session.authorization()
        self._secrets |= _secrets_of(authorization)
        try:
            raw = self._urlopen(session, request, authorization, silence_seconds)
            self.now = _server_clock(raw.headers) or self.now
            if raw.status < 300:
                return receive(raw, request.what)
            body = self._redact(self._read(raw, request.what))
        except _connection_errors() as error:
            if self.deadline.left() <= 0:
                return Failure(self._deadline_error(request.what))
            return connection_failure(request.what, error, self._timeouts)
        failure = failure_of(request.what, raw.status, body)
        return failure._replace(after_seconds=_retry_after(raw.headers))

    def _redact(self, body: bytes) -> bytes:
        """Return a response without any credential that was sent."""
        for secret in sorted(self._secrets, key=len, reverse=True):
            body = body.replace(secret, b"***")
        return body

    def _register(self, stream: Any, what: str) -> Any:
        with self._lock:
            if self._is_closed:
                stream.close()
                raise UnreachableError(f"{what}: the watch was ended")
            self._stream = stream
        return stream

    def _chunks(self, what: str, response: Any) -> Iterator[bytes]:
        try:
            while chunk := response.read1(_CHUNK, decode_content=False):
                yield chunk
        except _connection_errors() as error:
            raise connection_failure(what, error, self._timeouts).error from None
        finally:
            response.close()

    def _urlopen(
        self, session: Session, request: KubeRequest, authorization: str, silence_seconds: float
    ) -> Any:
        from urllib3 import Timeout

        left = max(self.deadline.left(), 0.001)
        kind = "PATCH" if request.method == "POST" else request.method
        with self._lock:
            self._counts["GET" if request.is_review else kind] += 1
        headers = {"Accept": request.accept, "User-Agent": "gitops-ipam"}
        if request.body:
            headers["Content-Type"] = request.content_type
        if authorization:
            headers["Authorization"] = authorization
        return session.pool.urlopen(
            request.method,
            session.server + request.path,
            body=request.body or None,
            headers=headers,
            timeout=Timeout(
                connect=min(self._timeouts.connect_seconds, left), read=min(silence_seconds, left)
            ),
            redirect=False,
            retries=False,
            preload_content=False,
            decode_content=False,
        )

    def _read(self, raw: Any, what: str) -> bytes:
        body = bytearray()
        try:
            while chunk := raw.read1(_CHUNK, decode_content=False):
                body += chunk
                if self.deadline.left() <= 0:
                    raise TimeoutError
                if len(body) > MAX_BODY:
                    raise TooLargeError(
                        f"{what}: the response is larger than {MAX_BODY // _MIB} MiB"
                    )
            raw.release_conn()
        finally:
            raw.close()  # has no effect on a connection that was returned
        return bytes(body)

    def _deadline_error(self, what: str) -> UnreachableError:
        seconds = f"{self.deadline.seconds:g}"
        hint = "raise --timeout"
        return UnreachableError(f"{what}: the cluster took more than {seconds} seconds", hint)


def _pause_before(failure: Failure, tries: int, jitter: float) -> float:
    longest: float = min(FIRST_PAUSE * 2**tries, MAX_PAUSE)
    pause = longest * (0.5 + jitter / 2)
    if failure.after_seconds > pause:
        return failure.after_seconds + longest * (1 - jitter) / 2
    return pause


def _lines(chunks: Iterator[bytes], what: str) -> Iterator[bytes]:
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        yield from (line for line in lines if line.strip())
        if len(rest) > MAX_LINE:
            raise TooLargeError(f"{what}: a line is larger than {MAX_LINE // _MIB} MiB")


def _secrets_of(authorization: str) -> frozenset[bytes]:
    scheme, _, value = authorization.rpartition(" ")
    found = {value}
    if scheme.lower() == "basic":
        with suppress(binascii.Error, ValueError):
            pair = b64decode(value).decode()
            found |= {pair, pair.partition(":")[2]}
    return frozenset(secret.encode() for secret in found if len(secret) >= MIN_SECRET)


def _server_clock(headers: Mapping[str, str]) -> int:
    try:
        return int(parsedate_to_datetime(headers.get("date", "")).timestamp())
    except (ValueError, TypeError, OverflowError, IndexError):
        return 0


def _retry_after(headers: Mapping[str, str]) -> float:
    text = headers.get("retry-after", "").strip()
    is_number = text.isascii() and text.isdigit() and len(text) < 10
    return min(float(text), MAX_RETRY_AFTER) if is_number else 0.0


def _connection_errors() -> tuple[type[Exception], ...]:
    from urllib3.exceptions import HTTPError

    return (HTTPError, HTTPException, OSError, ValueError)
