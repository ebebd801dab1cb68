"""The report page of the newest revision: rendered on request and cached."""

import logging
from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock

from reconciler.daemon.metrics import Page
from reconciler.model.errors import ReconcilerError

WAIT_SECONDS = 5.0
UNREAD = "no revision was read yet"

_log = logging.getLogger(__name__)


class CachedPage:
    """The page. Any thread may ask; one page is rendered at a time."""

    def __init__(
        self,
        revision: Callable[[], str],
        render: Callable[[str], Page],
        spawn: Callable[[Callable[[], None], str], None],
        seconds: float = WAIT_SECONDS,
    ) -> None:
        """Build it.

        `revision` returns the newest revision, or an empty text before the first. `spawn` runs a
        function in a named thread. A request waits for some seconds.
        """
        self._newest = revision
        self._render = render
        self._spawn = spawn
        self._seconds = seconds
        self._lock = Lock()
        self._revision = ""
        self._page: Future[Page] = Future()

    def __call__(self) -> Page | str:
        """Return the page, or the reason why there is none now."""
        wanted = self._newest()
        if not wanted:
            return UNREAD
        revision, page = self._requested(wanted)
        if revision != wanted:
            return f"the page of {wanted[:12]} is being rendered: try again"
        try:
            return page.result(self._seconds)
        except TimeoutError:
            return f"the page of {wanted[:12]} is being rendered: try again"
        except ReconcilerError as failed:
            return f"the page of {wanted[:12]} cannot be rendered: {failed}"

    def _requested(self, wanted: str) -> tuple[str, Future[Page]]:
        """Return the cached page, or begin to render another one."""
        with self._lock:
            is_busy = bool(self._revision) and not self._page.done()
            is_fresh = self._revision == wanted and self._page.done()
            if is_busy or (is_fresh and self._page.exception() is None):
                return self._revision, self._page
            page = self._page = Future()
            self._revision = wanted
        try:
            self._spawn(lambda: self._work(wanted, page), "report")
        except RuntimeError as failed:  # the system has no more threads
            page.set_exception(ReconcilerError(str(failed)))
        return wanted, page

    def _work(self, revision: str, page: Future[Page]) -> None:
        try:
            page.set_result(self._render(revision))
        except Exception as failed:  # noqa: BLE001 - raised to the client
            _log.warning("the page of %s cannot be rendered: %s", revision[:12], failed)
            page.set_exception(failed)
