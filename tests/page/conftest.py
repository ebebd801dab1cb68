"""A browser for the tests of a folder, and pages that are made once."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.page.repositories import Pages
from tests.page.tools import needed

_FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium without a window."""
    program = needed("chromium")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=[*_FLAGS])
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def pages(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Pages:
    """Pages of repositories that tests share."""
    del browser  # without one no repository is made
    return Pages(tmp_path_factory.mktemp("pages"))


@pytest.fixture
def lived(pages: Pages) -> Path:
    """The page of a repository in which things happened for some months."""
    return pages.of("lived")
