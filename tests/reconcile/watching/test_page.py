"""The page of the newest revision: one at a time, made when asked, kept for that revision."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

import pytest

from reconciler.daemon.metrics import Page
from reconciler.daemon.page import CachedPage
from reconciler.model.errors import GitError

_SECONDS = 60.0


class Maker:
    """Makes pages; held back while somebody wants that."""

    def __init__(self) -> None:
        self.revision = ""
        self.made: list[str] = []
        self.begun, self.go = Event(), Event()
        self.go.set()
        self.failure: Exception | None = None
        self.threads: list[Thread] = []

    def make(self, revision: str) -> Page:
        self.made.append(revision)
        self.begun.set()
        assert self.go.wait(_SECONDS)
        if self.failure is not None:
            raise self.failure
        return Page(f"<p>{revision}</p>".encode(), "default-src 'none'")

    def spawn(self, work: Callable[[], None], name: str) -> None:
        assert name == "report"
        self.threads.append(Thread(target=work, daemon=True))
        self.threads[-1].start()

    def page(self, seconds: float = _SECONDS) -> CachedPage:
        return CachedPage(lambda: self.revision, self.make, self.spawn, seconds)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Nothing is ready within."""
        self.begun.clear()
        self.go.clear()
        yield
        self.go.set()
        for thread in self.threads:
            thread.join(_SECONDS)


@pytest.fixture
def maker() -> Maker:
    return Maker()


def html(found: Page | str) -> bytes:
    assert isinstance(found, Page)
    return found.html


def test_it_is_made_once_for_a_revision(maker: Maker) -> None:
    page = maker.page()
    maker.revision = "a" * 40
    assert [html(page()) for _ in range(3)] == [f"<p>{maker.revision}</p>".encode()] * 3
    maker.revision = "b" * 40
    assert html(page()) == f"<p>{maker.revision}</p>".encode()
    assert maker.made == ["a" * 40, "b" * 40]


def test_one_is_made_at_a_time_also_when_the_branch_moves_on(maker: Maker) -> None:
    page, maker.revision = maker.page(seconds=0), "a" * 40
    with maker.held():
        page()
        assert maker.begun.wait(_SECONDS)
        maker.revision = "b" * 40
        assert page() == "the page of bbbbbbbbbbbb is being rendered: try again"
    assert maker.made == ["a" * 40]
    with maker.held():
        page()
    assert maker.made == ["a" * 40, "b" * 40]
    assert html(page()) == f"<p>{'b' * 40}</p>".encode()


def test_what_failed_is_said_and_tried_again(maker: Maker) -> None:
    page, maker.revision = maker.page(), "a" * 40
    maker.failure = GitError("an object is missing")
    assert page() == "the page of aaaaaaaaaaaa cannot be rendered: an object is missing"
    maker.failure = None
    assert html(page()) == f"<p>{'a' * 40}</p>".encode()
