"""The pictures of the report are of the page that is written now, and small."""

import struct
from pathlib import Path

import pytest

from tests.pictures.page import FOLDER
from tests.pictures.report import LOOKS, REPORT, Look, report_hash, report_of

PNG = b"\x89PNG\r\n\x1a\n"
MAX_BYTES = 200_000


def test_they_are_of_the_page_that_is_written_now(tmp_path: Path) -> None:
    told = REPORT.read_text(encoding="ascii").strip()
    assert told == report_hash(report_of(tmp_path)), "run: make pictures"


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: look.file)
def test_each_is_there_as_large_as_it_says(look: Look) -> None:
    data = (FOLDER / look.file).read_bytes()
    assert data.startswith(PNG)
    assert struct.unpack(">II", data[16:24]) == look.size
    assert len(data) < MAX_BYTES


def test_they_are_of_both_views_in_both_schemes_wide_and_narrow() -> None:
    assert {(it.name, it.size[0], it.colours) for it in LOOKS} == {
        (name, width, colours)
        for name in ("first", "pool")
        for width in (1440, 800, 400)
        for colours in ("light", "dark")
    }
