"""Fixtures with real API servers. Without the binaries, their tests are skipped."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.envtest.assets import find, lacking
from tests.envtest.servers import ApiServer, Fleet

CRDS = Path(__file__).parents[2] / "schemas" / "crds"
_COUNT = count()
NAMES = ("management", "one", "two", "three")


@pytest.fixture(scope="session")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """A running management cluster and three tenants."""
    assets = find()
    if isinstance(assets, str):
        lacking(assets)
    fleet = Fleet(assets, tmp_path_factory.mktemp("fleet"))
    try:
        fleet.start(NAMES)
        yield fleet
    finally:
        fleet.stop()


@pytest.fixture
def management(fleet: Fleet) -> Iterator[ApiServer]:
    """The management cluster, reset, with our CRDs, which another user installed."""
    server = fleet.servers["management"]
    server.wipe()
    server.install_crds(CRDS)
    server.writes()  # skip the writes until now
    yield server
    server.stop_controllers()


@pytest.fixture
def bare(fleet: Fleet) -> Iterator[ApiServer]:
    """A new API server without CRDs. It takes some seconds."""
    name = f"bare-{next(_COUNT)}"
    fleet.start([name])
    server = fleet.servers.pop(name)
    yield server
    server.stop()


@pytest.fixture
def tenants(fleet: Fleet) -> Iterator[tuple[ApiServer, ...]]:
    """Three tenant clusters, reset, with MetalLB's CRDs and namespace."""
    servers = tuple(fleet.servers[name] for name in NAMES[1:])
    for server in servers:
        server.wipe()
        server.install_crds(fleet.assets.crds["metallb"])
        server.namespace("metallb-system")
        server.writes()  # skip the writes until now
    yield servers
    for server in servers:
        server.stop_controllers()
