from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contracts.homes import FakeHome, GitHome, Home
from tests.git_server import serving

KINDS = ("fake", "bare", "checkout", "checkout-file", "mirror-file", "mirror-http")


@pytest.fixture(params=KINDS)
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Home]:
    """A repository of each kind, with one commit."""
    if request.param == "fake":
        yield FakeHome()
    elif request.param == "mirror-http":
        (tmp_path / "served").mkdir()
        with serving(tmp_path / "served") as server:
            yield GitHome("mirror-http", tmp_path, server.url)
    else:
        yield GitHome(request.param, tmp_path)
