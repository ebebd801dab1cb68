"""What attempts have in common: the real `ipam`; a certificate, and a fleet of two tenants."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.adapters.git.command import Command
from tests.adapters.kube.certificates import Certificate, make
from tests.applying.site import FIRST, SECOND
from tests.hostile.api import Fleet, fleet


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """The real `ipam`."""
    return Command(tmp_path)


@pytest.fixture(scope="package")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """The certificate of all API servers."""
    return make(tmp_path_factory.mktemp("tls"), "server")


@pytest.fixture
def site(tmp_path: Path, certificate: Certificate) -> Iterator[Fleet]:
    """A management cluster and two tenants; tests make the first one lie."""
    with fleet(tmp_path, certificate, FIRST, SECOND) as found:
        yield found
