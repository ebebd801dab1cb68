from pathlib import Path

import pytest

from tests.gitio.command import Command, served
from tests.world import SMALL, repository


@pytest.fixture
def author(tmp_path: Path) -> Path:
    """A checkout of the small repository."""
    return repository(tmp_path / "author", SMALL)


@pytest.fixture
def remote(tmp_path: Path, author: Path) -> Path:
    """The bare repository that the checkout follows."""
    return served(tmp_path, author)


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """The real `ipam`."""
    return Command(tmp_path)
