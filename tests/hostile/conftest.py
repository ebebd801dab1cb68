"""Who attacks, and what is attacked: the real command, a checkout, and one with records."""

from pathlib import Path

import pytest

from reconciler.cli import run
from tests.adapters.git.command import Command
from tests.hostile.tenants import TENANTS
from tests.world import SMALL, repository


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """The real `ipam`."""
    return Command(tmp_path)


@pytest.fixture
def author(tmp_path: Path) -> Path:
    """A checkout."""
    return repository(tmp_path / "author", SMALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository of twelve tenants that reconcile went over once."""
    made = repository(tmp_path / "repo", {**SMALL, **TENANTS})
    assert run(["reconcile", "--repo", str(made)]) == 0
    return made
