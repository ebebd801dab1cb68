from pathlib import Path

import pytest

from tests.gitio.command import Command, served
from tests.world import SMALL, repository


@pytest.fixture
def author(tmp_path: Path) -> Path:
    return repository(tmp_path / "author", SMALL)


@pytest.fixture
def remote(tmp_path: Path, author: Path) -> Path:
    return served(tmp_path, author)


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path)
