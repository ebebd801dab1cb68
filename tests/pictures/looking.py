"""Pictures of the page of `report` as a person sees it: what a window shows, without its motion."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.pictures.report import Look

_FLAGS = ("--no-sandbox", "--disable-gpu", "--hide-scrollbars")
_SETTLED = "() => new Promise((it) => requestAnimationFrame(() => requestAnimationFrame(it)))"


def taken(program: str, page: Path, looks: Sequence[Look]) -> Iterator[tuple[str, bytes]]:
    """The name and the PNG of each look.

    Args:
        program: Chromium.
        page: The file of the page.
        looks: In order.
    """
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=[*_FLAGS])
        for look in looks:
            width, height = look.size
            context = browser.new_context(
                viewport={"width": width, "height": height},
                color_scheme="dark" if look.colours == "dark" else "light",
                reduced_motion="reduce",
            )
            opened = context.new_page()
            opened.goto(f"{page.as_uri()}{look.fragment}")
            opened.evaluate(_SETTLED)
            yield look.file, opened.screenshot()
            context.close()
        browser.close()
