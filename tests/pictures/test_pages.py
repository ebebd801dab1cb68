"""The pictures in the docs are of the comment and the report that the program writes now."""

import struct
from pathlib import Path

import pytest

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

PNG = b"\x89PNG\r\n\x1a\n"
MAX_BYTES = 200_000


def test_they_are_of_the_pages_that_are_written_now(tmp_path: Path) -> None:
    made = {COMMENT: comment_page(comment()), REPORT: report_page(tmp_path)}
    for recorded, page in made.items():
        assert recorded.read_text(encoding="ascii").strip() == hash_of(page), "run: make pictures"


@pytest.mark.parametrize("look", [*COMMENTS, *REPORTS], ids=lambda look: look.file)
def test_each_is_there_as_large_as_it_says(look: Look) -> None:
    data = (FOLDER / look.file).read_bytes()
    assert data.startswith(PNG)
    width, height = struct.unpack(">II", data[16:24])
    assert (width, height) == (look.size[0], look.size[1] or height)
    assert len(data) < MAX_BYTES
