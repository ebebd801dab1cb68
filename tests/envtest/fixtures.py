"""Fixtures with real API servers. Without the binaries their tests are skipped, in one line."""

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
    """One management cluster and three tenants, running."""
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
    """The management cluster with our CRDs, which somebody else installed; otherwise as new."""
    server = fleet.servers["management"]
    server.wipe()
    server.install_crds(CRDS)
    server.writes()  # what was written until now is nobody's concern
    yield server
    server.stop_controllers()


@pytest.fixture
def bare(fleet: Fleet) -> Iterator[ApiServer]:
    """An API server that is really new, without any CRD. It takes some seconds."""
    name = f"bare-{next(_COUNT)}"
    fleet.start([name])
    server = fleet.servers.pop(name)
    yield server
    server.stop()


@pytest.fixture
def tenants(fleet: Fleet) -> Iterator[tuple[ApiServer, ...]]:
    """Three tenant clusters with MetalLB's CRDs and namespace, otherwise as new."""
    servers = tuple(fleet.servers[name] for name in NAMES[1:])
    for server in servers:
        server.wipe()
        server.install_crds(fleet.assets.crds["metallb"])
        server.namespace("metallb-system")
        server.writes()  # what was written until now is nobody's concern
    yield servers
    for server in servers:
        server.stop_controllers()
