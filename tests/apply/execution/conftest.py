"""Clusters as new: in memory, and a site of a management cluster and three tenants."""

import pytest

from tests.apply.execution.site import FIRST, SECOND, THIRD, Site
from tests.envtest.servers import ApiServer
from tests.fake_clusters import FakeClusters


@pytest.fixture
def site(management: ApiServer, tenants: tuple[ApiServer, ...]) -> Site:
    return Site(management, dict(zip((FIRST, SECOND, THIRD), tenants, strict=True)))


@pytest.fixture
def clusters() -> FakeClusters:
    return FakeClusters()
