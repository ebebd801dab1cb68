"""A page in Chromium, and its forbidden actions, such as requests and errors."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Page, Request, sync_playwright

from tests.page.tools import needed

_FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
_LISTEN = """
window.broken = [];
document.addEventListener("securitypolicyviolation", (it) => window.broken.push(it.violatedDirective));
"""
_GO = """(it) => new Promise((done) => {
  const before = location.hash;
  addEventListener("hashchange", () => done(), { once: true });
  location.hash = it;
  if (location.hash === before) done();
})"""


@dataclass
class Shown:
    """An open page, with its console lines, its errors, and its requests."""

    page: Page
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def go(self, fragment: str) -> None:
        """Follow a deep link within the page."""
        self.page.evaluate(_GO, fragment)
        self.settle()

    def settle(self) -> None:
        self.page.evaluate(
            "() => new Promise((it) => requestAnimationFrame(() => requestAnimationFrame(it)))"
        )

    def text(self) -> str:
        return self.page.inner_text("body")

    def assert_well(self) -> None:
        """Nothing was written, thrown, asked for or stopped by the policy."""
        assert self.said == []
        assert self.asked == []
        assert self.page.evaluate("window.broken") == []


@contextmanager
def launched() -> Iterator[Browser]:
    program = needed("chromium")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=[*_FLAGS])
        yield opened
        opened.close()


@contextmanager
def shown(browser: Browser, file: Path, **context: Any) -> Iterator[Shown]:
    """Open a page of a file."""
    made = browser.new_context(**context)
    made.add_init_script(_LISTEN)
    found = Shown(made.new_page())

    def heard(message: ConsoleMessage) -> None:
        found.said.append(f"{message.type}: {message.text}")

    def asked(request: Request) -> None:
        if request.url != file.as_uri() and not request.url.startswith(f"{file.as_uri()}#"):
            found.asked.append(request.url)

    found.page.on("console", heard)
    found.page.on("pageerror", lambda error: found.said.append(str(error)))
    found.page.on("request", asked)
    found.page.goto(file.as_uri())
    found.settle()
    yield found
    made.close()
