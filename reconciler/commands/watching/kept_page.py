"""The page of the newest revision that was read whole: made when somebody asks, and kept.

One is made at a time, in a thread of its own. Whoever asks waits for it a little, and is told to
ask again where it takes longer: nobody holds a connection for it. Few wait at once: who is cut off
by the server meanwhile has a thread here until then.
"""

import logging
from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import BoundedSemaphore, Lock
from typing import NamedTuple

from reconciler.ports import ReconcilerError
from reconciler.ports.page import Page

WAIT_SECONDS = 5.0
MOST_WAITING = 8
UNREAD = "no revision was read yet"

_log = logging.getLogger(__name__)


class _Made(NamedTuple):
    """A page that is made, or was, and of which revision."""

    revision: str
    page: Future[Page]


class KeptPage:
    """The page, for any thread that asks."""

    def __init__(
        self,
        revision: Callable[[], str],
        make: Callable[[str], Page],
        spawn: Callable[[Callable[[], None], str], None],
        seconds: float = WAIT_SECONDS,
    ) -> None:
        """Nothing is made yet.

        Args:
            revision: Id of the newest that was read whole; empty before the first.
            make: Makes the page of a revision.
            spawn: Starts a thread that has a name.
            seconds: How long is waited for a page.
        """
        self._revision = revision
        self._make = make
        self._spawn = spawn
        self._seconds = seconds
        self._lock = Lock()
        self._places = BoundedSemaphore(MOST_WAITING)
        self._newest: _Made | None = None

    def __call__(self) -> Page | str:
        """The page, or in words why there is none now.

        What the making raises that is no `ReconcilerError` is raised here.
        """
        wanted = self._revision()
        if not wanted:
            return UNREAD
        made = self._asked(wanted)
        self._wait_for(made.page)
        if not made.page.done() or made.revision != wanted:
            return f"the page of {wanted[:12]} is being made: ask again"
        try:
            return made.page.result()
        except ReconcilerError as failed:
            return f"the page of {wanted[:12]} could not be made: {failed}"

    def _wait_for(self, page: Future[Page]) -> None:
        """Wait a little; who finds no place to wait goes on at once."""
        if page.done() or not self._places.acquire(blocking=False):
            return
        try:
            wait([page], self._seconds)
        finally:
            self._places.release()

    def _asked(self, wanted: str) -> _Made:
        """What is made already, or is begun now. What failed is tried again."""
        with self._lock:
            made = self._newest
            if made is not None:
                is_done = made.page.done()
                is_of_use = made.revision == wanted and is_done and made.page.exception() is None
                if is_of_use or not is_done:
                    return made
            made = self._newest = _Made(wanted, Future())
        try:
            self._spawn(lambda: self._work(made), "report")
        except RuntimeError as failed:  # as Python says that the system has no room for a thread
            _log.warning("the page of %s could not be begun: %s", made.revision[:12], failed)
            made.page.set_exception(ReconcilerError(str(failed)))
        return made

    def _work(self, made: _Made) -> None:
        try:
            made.page.set_result(self._make(made.revision))
        except Exception as failed:  # noqa: BLE001 - told to who asked
            _log.warning("the page of %s could not be made: %s", made.revision[:12], failed)
            made.page.set_exception(failed)
