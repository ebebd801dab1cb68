"""When a certificate expires: told, or not known."""

import shutil
import ssl
from pathlib import Path

import pytest

from reconciler.kube.session import certificate_expiry
from tests.kube.certificates import make

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not here")

DAY = 86_400
EMPTY = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("certificates")


@pytest.fixture(scope="module")
def near(folder: Path) -> bytes:
    """A certificate of one day."""
    return make(folder, "near", days=1).certificate.read_bytes()


def test_the_end_of_a_certificate_is_read(folder: Path) -> None:
    near, far = make(folder, "near", days=1), make(folder, "far", days=200_000)
    soon, late = (certificate_expiry(item.certificate.read_bytes()) for item in (near, far))
    assert soon is not None
    assert late is not None
    assert abs(late - soon - 199_999 * DAY) < 3600


def test_the_end_of_a_certificate_that_is_cut_off_or_of_no_version_is_not_known(
    near: bytes,
) -> None:
    der = ssl.PEM_cert_to_DER_cert(near.decode())
    third, sixth = bytes.fromhex("a003020102"), bytes.fromhex("a003020105")
    assert der.count(third) == 1
    for damaged in (*(der[:size] for size in range(len(der))), der.replace(third, sixth)):
        assert certificate_expiry(ssl.DER_cert_to_PEM_cert(damaged).encode()) is None
