"""`python -m tests.pictures`: generate docs/pictures. Pictures of pages need Chromium."""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser

from tests.page import tools
from tests.page.shown import launched, shown
from tests.pictures.pages import (
    COMMENT,
    COMMENTS,
    FOLDER,
    REPORT,
    REPORTS,
    Look,
    comment,
    comment_page,
    hash_of,
    report_page,
)
from tests.pictures.stage import drawn


def _take(browser: Browser, at: Path, page: str, *looks: Look) -> None:
    at.write_text(page, encoding="utf-8")
    for look in looks:
        width, height = look.size
        size = {"width": width, "height": height or 600}
        with shown(
            browser, at, viewport=size, color_scheme=look.scheme, reduced_motion="reduce"
        ) as it:
            it.go(look.fragment)
            it.page.screenshot(path=FOLDER / look.file, full_page=not height)


def main() -> int:
    tools.find()
    FOLDER.mkdir(exist_ok=True)
    with TemporaryDirectory() as name, launched() as browser:
        folder = Path(name)
        page = folder / "page.html"
        for look in COMMENTS:
            _take(browser, page, comment_page(comment(), look.scheme), look)
        COMMENT.write_text(f"{hash_of(comment_page(comment()))}\n", encoding="ascii")
        os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
        for path, text in drawn(folder):
            path.write_text(text, encoding="utf-8")
        report = report_page(folder)
        _take(browser, page, report, *REPORTS)
        REPORT.write_text(f"{hash_of(report)}\n", encoding="ascii")
    return 0


if __name__ == "__main__":
    sys.exit(main())
