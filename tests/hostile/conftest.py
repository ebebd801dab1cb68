"""Who attacks, and what is attacked: the real command, and a checkout."""

from pathlib import Path

import pytest

from tests.adapters.git.command import Command
from tests.world import SMALL, repository


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """The real `ipam`."""
    return Command(tmp_path)


@pytest.fixture
def author(tmp_path: Path) -> Path:
    """A checkout."""
    return repository(tmp_path / "author", SMALL)
