"""`python -m tests.pictures`: takes the pictures of docs/pictures; those of pages with Chromium."""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.pictures.browser import Size, browser, measured, take
from tests.pictures.looking import taken
from tests.pictures.page import FOLDER, RECORDED, VIEWS, comment, page, source_hash
from tests.pictures.report import LOOKS, REPORT, report_hash, report_of
from tests.pictures.shots import drawn


def main() -> int:
    """Take every picture anew, and note what they were made of."""
    program = browser()
    if program is None:
        sys.stderr.write("there is no chromium; on Debian: apt install chromium\n")
        return 1
    FOLDER.mkdir(exist_ok=True)
    with TemporaryDirectory() as name:
        folder = Path(name)
        for view in VIEWS:
            made = page(comment(), view)
            size = Size(view.width, measured(program, folder, made).height)
            (FOLDER / view.file).write_bytes(take(program, folder, made, size))
    RECORDED.write_text(f"{source_hash()}\n", encoding="ascii")
    with TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
        for path, text in drawn(folder):
            path.write_text(text, encoding="utf-8")
        shown = report_of(folder)
        for file, picture in taken(program, shown, LOOKS):
            (FOLDER / file).write_bytes(picture)
        REPORT.write_text(f"{report_hash(shown)}\n", encoding="ascii")
    return 0


if __name__ == "__main__":
    sys.exit(main())
