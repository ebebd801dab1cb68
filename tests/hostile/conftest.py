from pathlib import Path

import pytest

from reconciler.cli import run
from tests.hostile.tenants import TENANTS
from tests.world import SMALL, repository


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository of twelve tenants that reconcile went over once."""
    made = repository(tmp_path / "repo", {**SMALL, **TENANTS})
    assert run(["reconcile", "--repo", str(made)]) == 0
    return made
