"""`python -m tests.pictures`: takes the pictures of docs/pictures; those of pages with Chromium."""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.pictures.pages import (
    COMMENT,
    COMMENTS,
    FOLDER,
    REPORT,
    REPORTS,
    Look,
    browser,
    comment,
    comment_page,
    hash_of,
    opened,
    report_page,
)
from tests.pictures.stage import drawn


def _take(folder: Path, page: str, *looks: Look) -> None:
    at = folder / "page.html"
    at.write_text(page, encoding="utf-8")
    with opened(at, looks) as pages:
        for look, shown in pages:
            shown.screenshot(path=FOLDER / look.file, full_page=not look.size[1])


def main() -> int:
    """Take every picture anew, and note what they were made of."""
    if browser() is None:
        sys.stderr.write("there is no chromium; on Debian: apt install chromium\n")
        return 1
    FOLDER.mkdir(exist_ok=True)
    with TemporaryDirectory() as name:
        folder = Path(name)
        for look in COMMENTS:
            _take(folder, comment_page(comment(), look.scheme), look)
        COMMENT.write_text(f"{hash_of(comment_page(comment()))}\n", encoding="ascii")
        os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
        for path, text in drawn(folder):
            path.write_text(text, encoding="utf-8")
        report = report_page(folder)
        _take(folder, report, *REPORTS)
        REPORT.write_text(f"{hash_of(report)}\n", encoding="ascii")
    return 0


if __name__ == "__main__":
    sys.exit(main())
