"""The report page of the newest revision: rendered on request and cached."""

from collections.abc import Callable
from threading import Lock
from typing import NamedTuple

from reconciler.model.errors import ReconcilerError

WAIT_SECONDS = 5.0
UNREAD = "no revision was read yet"


class Page(NamedTuple):
    """An HTML page, and its Content-Security-Policy."""

    html: bytes
    policy: str


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
            return f"the page of {wanted[:12]} is being rendered: try again"
        try:
            if wanted != self._revision:
                self._page = self._render(wanted)
                self._revision = wanted
            return self._page
        except ReconcilerError as failed:
            return f"the page of {wanted[:12]} cannot be rendered: {failed}"
        finally:
            self._lock.release()
