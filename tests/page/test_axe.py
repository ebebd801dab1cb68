"""axe-core finds no serious accessibility problem in the page."""

from importlib.resources import files

import pytest
from playwright.sync_api import Browser

from tests.page.repositories import Pages
from tests.page.shown import shown
from tests.page.test_page import VIEWS

_AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
_GRAVE = ("serious", "critical")


@pytest.mark.parametrize(("name", "scheme"), [("lived", "light"), ("change", "dark")])
def test_nothing_serious(name: str, scheme: str, browser: Browser, pages: Pages) -> None:
    # The content security policy blocks injected scripts, including axe, so this test bypasses it.
    with shown(browser, pages.of(name), color_scheme=scheme, bypass_csp=True) as page:
        for view in VIEWS:
            page.go(view)
            page.page.evaluate(_AXE)
            found = page.page.evaluate("async () => (await axe.run()).violations")
            grave = [it for it in found if it["impact"] in _GRAVE]
            assert grave == [], view
