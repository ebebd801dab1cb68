"""How a watch is asked for, and its answer read: as long as the server goes on, or until it is closed.

The answer has no deadline. A server that says nothing for longer than it was told to is given up,
and one that says much waits for the clusters beside it.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

from reconciler.adapters.kube.answers import Answer, judge
from reconciler.adapters.kube.crowd import Place
from reconciler.adapters.kube.failures import judge_failure
from reconciler.adapters.kube.headers import clock_of
from reconciler.adapters.kube.limits import REFUSAL
from reconciler.adapters.kube.streaming import lines, pieces_of
from reconciler.adapters.kube.transport import Ask, Transport, failures, lowered, whole_body
from reconciler.ports import UnreachableError


class WatchTransport(Transport):
    """The way to one API server, that may be watched. While it is, one thread uses it."""

    _is_closed = False
    _stream: Any = None

    def close(self) -> None:
        """Let go of all connections; a stream that is read ends."""
        with self._lock:
            self._is_closed = True
            stream, self._stream = self._stream, None
        if stream is not None:
            with suppress(OSError, ValueError):
                stream.shutdown()
        super().close()

    def stream(self, ask: Ask, silence_seconds: float) -> Iterator[bytes]:
        """Lines as the server says them, until it ends.

        Args:
            ask: What is asked for.
            silence_seconds: How long it may say nothing.

        Raises:
            ClusterError: The answer is a refusal, or it breaks off.
        """
        before = self.deadline.silence_seconds
        self.deadline.limit(None)
        self.deadline.silence_seconds = silence_seconds
        place = Place(
            self._timeouts.crowd,
            self.budget.limits.at_once,
            self._timeouts.clocks.monotonic,
            self._timeouts.clocks.sleep,
        )
        try:
            with self.deadline.running():
                authorization, response = self._begun(ask)
                turn = partial(place.take_turn, has_time=lambda: not self._is_closed)
                for line in lines(self._told(ask.what, response, turn), ask.what):
                    self.budget.weigh(ask.what, line)
                    yield self._scrubber.clean(line, authorization)
        finally:
            place.leave()
            self._stream = None
            self.deadline.silence_seconds = before

    def _begun(self, ask: Ask) -> tuple[str, Any]:
        """The answer to a watch, of which nothing is read yet; with new credentials if need be."""
        is_renewed = False
        while True:
            session = self._sessions.current
            authorization = session.authorization()
            self._count(ask)
            try:
                response = self._request(session, ask, authorization)
                headers = lowered(response)
                self._now = clock_of(headers) or self._now
                if response.status < 300:
                    return authorization, self._kept(response, ask.what)
                body = whole_body(response, lambda _size: None) or b""
                body = self._scrubber.clean(body[:REFUSAL], authorization)
            except failures() as failure:
                raise judge_failure(ask.what, failure, self._timeouts).error from None
            found = judge(ask.what, Answer(response.status, headers, body, 0))
            if found is None or is_renewed or not self._may_renew(found):
                raise found.error if found else UnreachableError(f"{ask.what}: no answer")
            is_renewed = True
            self._sessions.renew(session)

    def _kept(self, response: Any, what: str) -> Any:
        """An answer that `close` may end."""
        with self._lock:
            if self._is_closed:
                response.close()
                raise UnreachableError(f"{what}: it was ended")
            self._stream = response
        return response

    def _told(self, what: str, response: Any, turn: Callable[[int], None]) -> Iterator[bytes]:
        try:
            yield from pieces_of(response, turn)
        except failures() as failure:
            raise judge_failure(what, failure, self._timeouts).error from None
