"""The pictures of README that are text show what the program prints now, byte for byte."""

from pathlib import Path

import pytest

from tests.pictures.shots import drawn

MOST_BYTES = 40_000


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, str]:
    return dict(drawn(tmp_path_factory.mktemp("pictures")))


def test_they_are_what_is_printed_now(made: dict[Path, str]) -> None:
    assert made
    for path, text in made.items():
        assert path.read_text(encoding="utf-8") == text, "run: make pictures"


def test_they_are_small(made: dict[Path, str]) -> None:
    for path, text in made.items():
        assert len(text.encode()) < MOST_BYTES, path.name
