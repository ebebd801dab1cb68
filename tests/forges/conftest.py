"""A forge with a repository, for tests of the comment action."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.forges.forge import Forge, forging
from tests.world import SMALL, git, repository


@pytest.fixture
def forge() -> Iterator[Forge]:
    with forging() as found:
        yield found


@pytest.fixture
def bare(tmp_path: Path, forge: Forge) -> Path:
    """The repository on the forge, with only main."""
    first = repository(tmp_path / "first", SMALL)
    place = tmp_path / forge.name
    git(tmp_path, "clone", "-q", "--bare", str(first), str(place))
    return place
