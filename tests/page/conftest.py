"""A browser for the tests of a folder, and pages that are made once."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.page.repositories import Pages
from tests.page.shown import launched


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with launched() as opened:
        yield opened


@pytest.fixture(scope="session")
def pages(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Pages:
    del browser  # without one no repository is made
    return Pages(tmp_path_factory.mktemp("pages"))


@pytest.fixture
def lived(pages: Pages) -> Path:
    return pages.of("lived")
