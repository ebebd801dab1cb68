from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contracts.homes import FOLDER, FakeHome, GitHome, Home
from tests.git_server import serving

KINDS = ("fake", "bare", "checkout", "checkout-file", "mirror-file", "mirror-http")
IN_FOLDER = ("checkout", "checkout-file", "mirror-file")


@pytest.fixture(params=[*KINDS, *(f"{kind} in a folder" for kind in IN_FOLDER)])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Home]:
    if request.param == "fake":
        yield FakeHome()
    elif request.param == "mirror-http":
        (tmp_path / "served").mkdir()
        with serving(tmp_path / "served") as server:
            yield GitHome("mirror-http", tmp_path, server.url)
    else:
        kind, in_folder, _ = request.param.partition(" in a folder")
        yield GitHome(kind, tmp_path, folder=FOLDER if in_folder else "")
