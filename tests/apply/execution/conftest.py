"""A site of a management cluster and three tenants, as new."""

import pytest

from tests.apply.execution.site import FIRST, SECOND, THIRD, Site
from tests.envtest.servers import ApiServer


@pytest.fixture
def site(management: ApiServer, tenants: tuple[ApiServer, ...]) -> Site:
    return Site(management, dict(zip((FIRST, SECOND, THIRD), tenants, strict=True)))
