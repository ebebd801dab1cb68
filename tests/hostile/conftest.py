from pathlib import Path

import pytest

from tests.adapters.git.command import Command


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """The real `ipam`."""
    return Command(tmp_path)
