"""How a request is sent: counted, given up in time, and its answer read to the end.

The retries of the client and of its connection pool are off: they know neither the deadline nor
which errors are for good. A request that may have been carried out is sent again only when twice
does no harm.
"""

from collections.abc import Callable
from functools import partial
from http.client import HTTPException
from threading import Lock
from typing import Any, NamedTuple

from reconciler.adapters.kube.answers import Again, Answer, Trouble, judge
from reconciler.adapters.kube.crowd import Place
from reconciler.adapters.kube.deadline import Deadline, Timeouts
from reconciler.adapters.kube.failures import judge_failure
from reconciler.adapters.kube.headers import clock_of, wish_of
from reconciler.adapters.kube.limits import BODY, REFUSAL, Budget, Limits, TooLargeError
from reconciler.adapters.kube.parsing import parsed
from reconciler.adapters.kube.renewal import Sessions
from reconciler.adapters.kube.retries import may_repeat, pause_before
from reconciler.adapters.kube.scrubbing import Scrubber
from reconciler.adapters.kube.session import Session
from reconciler.ports import ClusterError, Requests, UnauthorizedError, UnreachableError

_CHUNK = 64 * 1024


class Ask(NamedTuple):
    """A request.

    Attributes:
        what: What it is for, as messages name it.
        is_repeatable: Whether carrying it out twice does no harm.
        is_review: It is created to be answered: nothing is written.
        is_verbatim: Nothing is taken out of the answer: it is a Secret, of which nothing is shown,
            and may hold a credential that is ours, too.
        accept: The form of the answer.
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
    """The way to one API server. Several threads may use it.

    Attributes:
        deadline: What is left of the time that the cluster may take.
        budget: What is left of what it may say.
    """

    def __init__(
        self,
        enter: Callable[[Deadline], Session],
        timeouts: Timeouts,
        limits: Limits,
        *,
        renewable: bool,
    ) -> None:
        self.deadline = Deadline(timeouts)
        self.budget = Budget(limits)
        self._place = Place(
            timeouts.crowd, limits.at_once, timeouts.clocks.monotonic, timeouts.clocks.sleep
        )
        self._scrubber = Scrubber()
        self._timeouts = timeouts
        self._is_renewable = renewable
        self._sessions = Sessions(partial(enter, self.deadline))
        self._counts = {"GET": 0, "PATCH": 0, "DELETE": 0}
        self._now = 0
        self._lock = Lock()

    def requests(self) -> Requests:
        """How many requests were sent."""
        with self._lock:
            return Requests(*self._counts.values())

    def jitter(self) -> float:
        """A number in [0, 1)."""
        return self._timeouts.clocks.jitter()

    def now(self) -> int:
        """The server's clock when it last answered."""
        return self._now

    def send(self, ask: Ask) -> Answer:
        """Ask, again if need be.

        Raises:
            ClusterError: The answer is a refusal, or there is none.
        """
        with self.deadline.running():
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
                if not may_repeat(found, tries, is_repeatable=ask.is_repeatable):
                    raise found.error
                self._wait(tries, found)
                tries += 1

    def ask(self, ask: Ask) -> tuple[dict[str, Any], int]:
        """The mapping that a server answers with, and what it weighs. To read it takes its time, too.

        Raises:
            ClusterError: The answer is a refusal, none, too heavy, or no mapping.
        """
        with self.deadline.running():
            answer = self.send(ask)
            try:
                return parsed(answer.body, cuts=self.budget.limits.cuts), answer.weight
            except ValueError as why:
                raise ClusterError(f"{ask.what}: the answer is {why}") from None

    def close(self) -> None:
        """Let go of all connections."""
        self._place.leave()
        self._sessions.close()

    def pause(self, seconds: float) -> None:
        """Wait.

        Raises:
            UnreachableError: The deadline comes first.
        """
        with self.deadline.running():
            if seconds >= self.deadline.left():
                raise self._late("wait")
            self._timeouts.clocks.sleep(seconds)

    def _may_renew(self, found: Trouble) -> bool:
        is_unknown = isinstance(found.error, UnauthorizedError) and found.again is Again.ALWAYS
        return is_unknown and self._is_renewable

    def _wait(self, tries: int, found: Trouble) -> None:
        pause = pause_before(found, tries, self._timeouts.clocks.jitter())
        if pause >= self.deadline.left():
            raise found.error
        self._timeouts.clocks.sleep(pause)

    def _once(self, session: Session, ask: Ask) -> Answer | Trouble:
        if self.deadline.left() <= 0:
            return Trouble(self._late(ask.what))
        authorization = session.authorization()
        self._count(ask)
        try:
            answer = self._exchange(session, ask, authorization)
        except failures() as failure:
            if self.deadline.left() <= 0:
                return Trouble(self._late(ask.what))
            return judge_failure(ask.what, failure, self._timeouts)
        self._now = clock_of(answer.headers) or self._now
        trouble = judge(ask.what, answer)
        if trouble is None:
            return answer
        return trouble._replace(after_seconds=wish_of(answer.headers))

    def _count(self, ask: Ask) -> None:
        kind = "PATCH" if ask.method == "POST" else ask.method
        kind = "GET" if ask.is_review else kind
        with self._lock:
            self._counts[kind] += 1

    def _exchange(self, session: Session, ask: Ask, authorization: str) -> Answer:
        """One request and its whole answer, weighed before anything reads it."""
        self._place.heard()
        response = self._request(session, ask, authorization)
        body = whole_body(response, self._turn)
        if body is None:
            limit = f"the answer is larger than {BODY // 1024 // 1024} MiB"
            raise TooLargeError(f"{ask.what}: {limit}")
        headers = lowered(response)
        if response.status >= 300 and len(body) > REFUSAL:
            body = b""
        heavy = self.budget.read(ask.what, body)
        if response.status >= 300 or not ask.is_verbatim:
            body = self._scrubber.clean(body, authorization)
        return Answer(response.status, headers, body, heavy)

    def _request(self, session: Session, ask: Ask, authorization: str) -> Any:
        """One request, of whose answer the head was read."""
        from urllib3 import Timeout

        left = max(self.deadline.left(), 0.001)
        return session.pool.urlopen(
            ask.method,
            session.server + ask.path,
            body=ask.body or None,
            headers=_headers(ask, authorization),
            timeout=Timeout(
                connect=min(self._timeouts.connect_seconds, left),
                read=min(self.deadline.silence_seconds, left),
            ),
            redirect=False,
            retries=False,
            preload_content=False,
            decode_content=False,
        )

    def _turn(self, size: int) -> None:
        """Wait until this cluster may say so many bytes more."""
        self._place.take_turn(size, lambda: self.deadline.left() > 0)

    def _late(self, what: str) -> UnreachableError:
        seconds = f"{self.deadline.seconds:g}"
        return UnreachableError(f"{what}: the cluster's {seconds} seconds are over", "--timeout")


def whole_body(response: Any, turn: Callable[[int], None]) -> bytes | None:
    """The body, and the connection back to its pool; a body that is too large closes it."""
    body = bytearray()
    try:
        while chunk := response.read(_CHUNK, decode_content=False):
            body += chunk
            turn(len(chunk))
            if len(body) > BODY:
                return None
        response.release_conn()
        return bytes(body)
    finally:
        # Nothing is left to close of a connection that was given back.
        response.close()


def lowered(response: Any) -> dict[str, str]:
    """The headers of an answer, by names in small letters."""
    return {str(name).lower(): str(value) for name, value in response.headers.items()}


def failures() -> tuple[type[Exception], ...]:
    """How a connection fails."""
    from urllib3.exceptions import HTTPError

    return (HTTPError, HTTPException, OSError, ValueError)


def _headers(ask: Ask, authorization: str) -> dict[str, str]:
    headers = {"Accept": ask.accept, "User-Agent": "gitops-ipam"}
    if ask.body:
        headers["Content-Type"] = ask.content_type
    if authorization:
        headers["Authorization"] = authorization
    return headers
