"""The pictures in the docs are of the comment that the program writes now, and fit a narrow page."""

import re
import struct
from pathlib import Path

import pytest

from tests.pictures.browser import browser, measured
from tests.pictures.page import FOLDER, RECORDED, VIEWS, View, comment, page, source_hash

PNG = b"\x89PNG\r\n\x1a\n"
MAX_BYTES = 200_000
_SIGNS = re.compile("[\u2600-\u27bf\u2b00-\u2bff\ufe0f\U0001f000-\U0001faff]")


def test_they_are_of_the_comment_that_is_written_now() -> None:
    assert RECORDED.read_text(encoding="ascii").strip() == source_hash(), "run: make pictures"


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.file)
def test_each_is_there_as_wide_as_it_says(view: View) -> None:
    data = (FOLDER / view.file).read_bytes()
    assert data.startswith(PNG)
    assert struct.unpack(">I", data[16:20]) == (view.width,)
    assert len(data) < MAX_BYTES


def test_they_are_of_a_whole_comment() -> None:
    text = comment()
    assert text.startswith("<!-- ipam -->\n### ")
    assert "ipam check --base" in text
    rendered = page(text)
    assert "<table>" in rendered
    assert "| :---" not in rendered
    assert not _SIGNS.search(rendered), "draw it: tests/pictures/page.py"


@pytest.mark.skipif(browser() is None, reason="there is no Chromium")
@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.file)
def test_nothing_of_it_is_wider_than_the_page(view: View, tmp_path: Path) -> None:
    program = browser()
    assert program is not None
    assert measured(program, tmp_path, page(comment(), view)).width <= view.width
