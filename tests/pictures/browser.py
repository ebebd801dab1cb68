"""Chromium without a window: what a page measures there, and a picture of it."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

_MEASURE = """<script>addEventListener("load", () => {
  const said = document.createElement("output");
  said.textContent = `measured ${document.body.scrollWidth} ${document.documentElement.offsetHeight} `;
  document.body.append(said);
});</script>"""
_MEASURED = re.compile(r"measured (\d+) (\d+) ")
_FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")
_SECONDS = 120


class Size(NamedTuple):
    """Of a page with all that it holds, in pixels."""

    width: int
    height: int


def browser() -> str | None:
    """Where Chromium is; None where there is none."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


def measured(program: str, folder: Path, page: str) -> Size:
    """How large a page is. Args: `folder` takes its file."""
    at = folder / "measured.html"
    at.write_text(page + _MEASURE, encoding="utf-8")
    found = _MEASURED.search(_run(program, folder, "--dump-dom", at.as_uri()))
    assert found is not None
    return Size(int(found[1]), int(found[2]))


def take(program: str, folder: Path, page: str, size: Size) -> bytes:
    """A picture of a page, as PNG."""
    at, picture = folder / "page.html", folder / "page.png"
    at.write_text(page, encoding="utf-8")
    _run(
        program,
        folder,
        f"--window-size={size.width},{size.height}",
        f"--screenshot={picture}",
        at.as_uri(),
    )
    return picture.read_bytes()


def _run(program: str, folder: Path, *words: str) -> str:
    ran = subprocess.run(
        [program, *_FLAGS, f"--user-data-dir={folder / 'profile'}", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
        timeout=_SECONDS,
    )
    return ran.stdout
