"""A repository that was reconciled once."""

from pathlib import Path

import pytest

from tests.ownership_of_records.play import Play


@pytest.fixture
def fresh(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Play:
    """Never reconciled."""
    return Play(tmp_path, capsys)


@pytest.fixture
def play(fresh: Play) -> Play:
    """Reconciled once."""
    assert fresh.reconcile() == 0
    return fresh
