"""Fixtures with real API servers. Without the binaries their tests are skipped, in one line."""

import os
from collections.abc import Iterator

import pytest

from tests.envtest.assets import find
from tests.envtest.servers import ApiServer, Fleet

NAMES = ("management", "one", "two", "three")
# Read before a test clears the environment. `.ci/run` sets it: there nothing may be skipped.
_REQUIRED = bool(os.environ.get("ENVTEST_REQUIRED"))


@pytest.fixture(scope="session")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """One management cluster and three tenants, running."""
    assets = find()
    if isinstance(assets, str):
        if _REQUIRED:
            pytest.fail(assets)
        pytest.skip(assets)
    fleet = Fleet(assets, tmp_path_factory.mktemp("fleet"))
    try:
        fleet.start(NAMES)
        yield fleet
    finally:
        fleet.stop()


@pytest.fixture
def management(fleet: Fleet) -> Iterator[ApiServer]:
    """The management cluster, as new."""
    server = fleet.servers["management"]
    yield server
    server.wipe()


@pytest.fixture
def tenants(fleet: Fleet) -> Iterator[tuple[ApiServer, ...]]:
    """Three tenant clusters with MetalLB's CRDs and namespace, otherwise as new."""
    servers = tuple(fleet.servers[name] for name in NAMES[1:])
    for server in servers:
        server.install_crds(fleet.assets.crds["metallb"])
        server.namespace("metallb-system")
    yield servers
    for server in servers:
        server.wipe()
