"""HTTP requests to an API server: deadline, size limits, retries, redaction, and watches.

The retries of the client library are off, because they know neither the deadline nor which errors
are permanent.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from http.client import HTTPException
from threading import Lock
from typing import Any, NamedTuple

from reconciler.kube.deadline import Deadline, Timeouts
from reconciler.kube.interface import RequestCounts
from reconciler.kube.responses import (
    Failure,
    KubeResponse,
    Redactor,
    Retry,
    connection_failure,
    failure_of,
    parse_json,
    retry_after,
    server_clock,
)
from reconciler.kube.session import Credentials, Session
from reconciler.model.errors import ClusterError, UnauthorizedError, UnreachableError

_MIB = 1024 * 1024
MAX_BODY = 8 * _MIB
"""Bytes of a response."""
MAX_LINE = 4 * _MIB
"""Bytes of one change of a watch. A server stores objects of at most half this size."""
MAX_RETRIES = 4
FIRST_PAUSE = 0.5
MAX_PAUSE = 8.0
_CHUNK = 64 * 1024


class TooLargeError(ClusterError):
    """A response is too large. A smaller page might fit."""


TENANT_LIST = 128 * _MIB
"""Bytes of a list of a tenant cluster. Clusters with 5,000 nodes and 20,000 Services stay below."""
MANAGEMENT_LIST = sys.maxsize
"""The management cluster holds one object per record, and is as trusted as the repository."""


class KubeRequest(NamedTuple):
    """An HTTP request.

    Attributes:
        what: The purpose, as messages show it.
        is_repeatable: Whether carrying it out twice is harmless.
        is_review: The request creates a review, which is not stored.
        is_verbatim: Nothing is redacted. A Secret can hold the credential that reads it.
        accept: The media type of the response.
    """

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
        self._redactor = Redactor()
        self._timeouts = timeouts
        self._is_renewable = renewable
        self._credentials = Credentials(open_session)
        self._counts = {"GET": 0, "PATCH": 0, "DELETE": 0}
        self.now = 0
        self._stream: Any = None
        self._is_closed = False
        self._lock = Lock()

    def requests(self) -> RequestCounts:
        """Return the number of requests that were sent."""
        with self._lock:
            return RequestCounts(*self._counts.values())

    def send(self, request: KubeRequest) -> KubeResponse:
        """Send a request, with retries.

        Raises:
            ClusterError: The server refuses, or does not respond.
        """
        with self.deadline.running():
            tries, is_renewed = 0, False
            while True:
                session = self._credentials.current
                result = self._send_once(session, request)
                if isinstance(result, KubeResponse):
                    return result
                if self._may_renew(result) and not is_renewed:
                    is_renewed = True
                    self._credentials.renew(session)
                    continue
                if not _may_repeat(result, tries, is_repeatable=request.is_repeatable):
                    raise result.error
                pause = _pause_before(result, tries, self._timeouts.clocks.jitter())
                if pause >= self.deadline.left():
                    raise result.error
                self._timeouts.clocks.sleep(pause)
                tries += 1

    def json(self, request: KubeRequest) -> tuple[dict[str, Any], int]:
        """Return the JSON object of the response, and its size in bytes.

        Raises:
            ClusterError: The server refuses or does not respond, or the response is not an object.
        """
        with self.deadline.running():
            body = self.send(request).body
            try:
                return parse_json(body), len(body)
            except ValueError as error:
                raise ClusterError(f"{request.what}: the answer is {error}") from None

    def stream(self, request: KubeRequest, silence_seconds: float) -> Iterator[bytes]:
        """Yield the lines of a watch as they arrive, without a deadline.

        Args:
            request: The watch.
            silence_seconds: How long the server may send nothing.

        Raises:
            ClusterError: The server refuses, or the connection breaks.
        """
        self.deadline.limit(None)
        try:
            with self.deadline.running():
                authorization, response = self._open_stream(request, silence_seconds)
                for line in _lines(self._chunks(request.what, response), request.what):
                    yield self._redactor.redact(line, authorization)
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
        """Wait.

        Raises:
            UnreachableError: The deadline ends before.
        """
        with self.deadline.running():
            if seconds >= self.deadline.left():
                raise self._deadline_error("wait")
            self._timeouts.clocks.sleep(seconds)

    def _may_renew(self, failure: Failure) -> bool:
        is_refused = isinstance(failure.error, UnauthorizedError) and failure.retry is Retry.ALWAYS
        return is_refused and self._is_renewable

    def _send_once(self, session: Session, request: KubeRequest) -> KubeResponse | Failure:
        if self.deadline.left() <= 0:
            return Failure(self._deadline_error(request.what))
        authorization = session.authorization()
        try:
            raw = self._urlopen(session, request, authorization, self._timeouts.read_seconds)
            response = self._read(raw, request.what)
        except _connection_errors() as error:
            if self.deadline.left() <= 0:
                return Failure(self._deadline_error(request.what))
            return connection_failure(request.what, error, self._timeouts)
        if response.status >= 300 or not request.is_verbatim:
            response = self._redacted(response, authorization)
        failure = failure_of(request.what, response)
        if failure is None:
            return response
        return failure._replace(after_seconds=retry_after(response.headers))

    def _redacted(self, response: KubeResponse, authorization: str) -> KubeResponse:
        return response._replace(body=self._redactor.redact(response.body, authorization))

    def _open_stream(self, request: KubeRequest, silence_seconds: float) -> tuple[str, Any]:
        is_renewed = False
        while True:
            session = self._credentials.current
            authorization = session.authorization()
            try:
                raw = self._urlopen(session, request, authorization, silence_seconds)
                if raw.status < 300:
                    self.now = server_clock(_headers(raw)) or self.now
                    return authorization, self._register(raw, request.what)
                response = self._read(raw, request.what)
            except _connection_errors() as error:
                raise connection_failure(request.what, error, self._timeouts).error from None
            failure = failure_of(request.what, self._redacted(response, authorization))
            if failure is None or is_renewed or not self._may_renew(failure):
                raise failure.error if failure else UnreachableError(f"{request.what}: no answer")
            is_renewed = True
            self._credentials.renew(session)

    def _register(self, stream: Any, what: str) -> Any:
        """Let `close` end this stream."""
        with self._lock:
            if self._is_closed:
                stream.close()
                raise UnreachableError(f"{what}: it was ended")
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

    def _read(self, raw: Any, what: str) -> KubeResponse:
        body = bytearray()
        try:
            while chunk := raw.read1(_CHUNK, decode_content=False):
                body += chunk
                if self.deadline.left() <= 0:
                    raise TimeoutError
                if len(body) > MAX_BODY:
                    raise TooLargeError(f"{what}: the answer is larger than {MAX_BODY // _MIB} MiB")
            raw.release_conn()
        finally:
            raw.close()  # has no effect on a connection that was returned
        headers = _headers(raw)
        self.now = server_clock(headers) or self.now
        return KubeResponse(raw.status, headers, bytes(body))

    def _deadline_error(self, what: str) -> UnreachableError:
        seconds = f"{self.deadline.seconds:g}"
        return UnreachableError(f"{what}: the cluster's {seconds} seconds are over", "--timeout")


def _may_repeat(failure: Failure, tries: int, *, is_repeatable: bool) -> bool:
    if tries == MAX_RETRIES or isinstance(failure.error, UnauthorizedError):
        return False
    return failure.retry is Retry.ALWAYS or (failure.retry is Retry.IF_REPEATABLE and is_repeatable)


def _pause_before(failure: Failure, tries: int, jitter: float) -> float:
    longest: float = min(FIRST_PAUSE * 2**tries, MAX_PAUSE)
    pause = longest * (0.5 + jitter / 2)
    if failure.after_seconds > pause:
        return failure.after_seconds + longest * (1 - jitter) / 2
    return pause


def _lines(chunks: Iterator[bytes], what: str) -> Iterator[bytes]:
    """Yield each complete line of a stream."""
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        yield from (line for line in lines if line.strip())
        if len(rest) > MAX_LINE:
            raise TooLargeError(f"{what}: a line is larger than {MAX_LINE // _MIB} MiB")


def _headers(raw: Any) -> Mapping[str, str]:
    return {str(name).lower(): str(value) for name, value in raw.headers.items()}


def _connection_errors() -> tuple[type[Exception], ...]:
    from urllib3.exceptions import HTTPError

    return (HTTPError, HTTPException, OSError, ValueError)
