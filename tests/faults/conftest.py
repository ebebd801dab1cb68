"""A site with proxies in front of its clusters."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.apply.execution.site import FIRST, SECOND, THIRD
from tests.envtest.servers import ApiServer
from tests.faults.site import Faulty, faulty


@pytest.fixture
def site(management: ApiServer, tenants: tuple[ApiServer, ...], tmp_path: Path) -> Iterator[Faulty]:
    named = dict(zip((FIRST, SECOND, THIRD), tenants, strict=True))
    with faulty(management, named, tmp_path) as site:
        yield site
