"""The page of the newest revision: one at a time, made when asked, kept for that revision."""

from threading import Event, Thread

import pytest

from reconciler.daemon import http as pages
from reconciler.daemon.http import CachedPage, Page
from reconciler.model.errors import GitError


class Maker:
    """Generates pages. A test can block it."""

    def __init__(self) -> None:
        self.revision = "a" * 40
        self.made: list[str] = []
        self.begun, self.go = Event(), Event()
        self.go.set()
        self.failure: Exception | None = None
        self.page = CachedPage(lambda: self.revision, self.make)

    def make(self, revision: str) -> Page:
        self.made.append(revision)
        self.begun.set()
        assert self.go.wait(60)
        if self.failure is not None:
            raise self.failure
        return Page(f"<p>{revision}</p>".encode(), "default-src 'none'")


@pytest.fixture
def maker() -> Maker:
    return Maker()


def html(found: Page | str) -> bytes:
    assert isinstance(found, Page)
    return found.html


def test_it_is_made_once_for_a_revision(maker: Maker) -> None:
    assert [html(maker.page()) for _ in range(3)] == [f"<p>{maker.revision}</p>".encode()] * 3
    maker.revision = "b" * 40
    assert html(maker.page()) == f"<p>{maker.revision}</p>".encode()
    assert maker.made == ["a" * 40, "b" * 40]


def test_one_is_made_at_a_time_also_when_the_branch_moves_on(
    maker: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "WAIT_SECONDS", 0)
    maker.go.clear()
    first = Thread(target=maker.page, daemon=True)
    first.start()
    assert maker.begun.wait(60)
    maker.revision = "b" * 40
    assert maker.page() == "the page of bbbbbbbbbbbb is not ready; try again"
    maker.go.set()
    first.join(60)
    assert html(maker.page()) == f"<p>{'b' * 40}</p>".encode()
    assert maker.made == ["a" * 40, "b" * 40]


def test_what_failed_is_said_and_tried_again(maker: Maker) -> None:
    maker.failure = GitError("an object is missing")
    assert maker.page() == "the page of aaaaaaaaaaaa cannot be rendered: an object is missing"
    maker.failure = None
    assert html(maker.page()) == f"<p>{'a' * 40}</p>".encode()
