"""Certificates: the server's, ours, and those that have expired."""

import shutil
import ssl
import subprocess
import tempfile
from pathlib import Path

import pytest

from reconciler.kube.clusters import KubeCluster, KubeClusters
from reconciler.kube.kubeconfig import check_kubeconfig
from reconciler.kube.session import certificate_expiry
from reconciler.model.errors import (
    ClusterError,
    KubeconfigError,
    UnauthorizedError,
    UnreachableError,
)
from reconciler.model.objects import NODE, Ref
from tests.kube.certificates import Certificate, encoded, make
from tests.kube.kubeconfigs import TOKEN, cluster_of, data, kubeconfig
from tests.kube.server import OBJECT, Reply, serving

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")

ONE = Ref(NODE, "", "one")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("certificates")


@pytest.fixture(scope="module")
def server_certificate(folder: Path) -> Certificate:
    return make(folder, "server")


@pytest.fixture(scope="module")
def client_certificate(folder: Path) -> Certificate:
    return make(folder, "client", days=10_000)


def _trusting(certificate: Certificate) -> dict[str, str]:
    return {"certificate-authority-data": encoded(certificate.certificate)}


def test_a_server_is_trusted_by_its_certificate(server_certificate: Certificate) -> None:
    with serving(Reply(), tls=server_certificate.server()) as server:
        cluster = cluster_of(server, cluster=_trusting(server_certificate))
        assert cluster.get(ONE) == OBJECT
        assert cluster.get(ONE) == OBJECT
        assert server.connections == 1


def test_a_server_that_is_not_trusted_is_not_asked(
    server_certificate: Certificate, client_certificate: Certificate
) -> None:
    with serving(Reply(), tls=server_certificate.server()) as server:
        for trusted in ({}, _trusting(client_certificate)):
            with pytest.raises(UnreachableError, match="certificate is not trusted"):
                cluster_of(server, cluster=trusted).get(ONE)
        assert server.asked == []
        assert server.time.slept == []


def test_a_server_of_another_name_is_not_asked(folder: Path) -> None:
    certificate = make(folder, "named", alternative="DNS:kubernetes.default.svc")
    with serving(Reply(), tls=certificate.server()) as server:
        with pytest.raises(UnreachableError, match="certificate is not trusted"):
            cluster_of(server, cluster=_trusting(certificate)).get(ONE)
        assert server.asked == []
        named = _trusting(certificate) | {"tls-server-name": "kubernetes.default.svc"}
        assert cluster_of(server, cluster=named).get(ONE) == OBJECT


def test_old_tls_is_not_spoken(server_certificate: Certificate) -> None:
    context = server_certificate.server()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    with serving(Reply(), tls=context) as server:
        assert cluster_of(server, cluster=_trusting(server_certificate)).get(ONE) == OBJECT
    context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
    with pytest.warns(DeprecationWarning, match="TLSv1_1 is deprecated"):
        context.maximum_version = ssl.TLSVersion.TLSv1_1
    context.set_ciphers("ALL:@SECLEVEL=0")
    with serving(Reply(), tls=context) as server, pytest.raises(UnreachableError, match="TLS"):
        cluster_of(server, cluster=_trusting(server_certificate)).get(ONE)


def test_no_certificate_and_no_key_is_left_on_the_disk(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    server_certificate: Certificate,
    client_certificate: Certificate,
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    user = client_certificate.inline("client")
    config = kubeconfig(user=user, cluster=_trusting(server_certificate))
    KubeClusters().connect("team/one", data(config), is_named=True)
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(ClusterError, match="cannot create a temporary file: No such file"):
        KubeClusters().connect("team/one", data(config), is_named=True)


def test_a_certificate_that_the_server_refuses_is_a_matter_of_credentials(
    server_certificate: Certificate, client_certificate: Certificate
) -> None:
    context = server_certificate.server(server_certificate)
    # Later versions send it after the handshake, and the connection can end before it is read.
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    with serving(Reply(), tls=context) as server:
        user = client_certificate.inline("client")
        cluster = cluster_of(server, user=user, cluster=_trusting(server_certificate))
        with pytest.raises(UnauthorizedError, match="the server refuses the client certificate"):
            cluster.get(ONE)
        assert server.time.slept == []


def test_a_certificate_that_has_expired_is_told_before_it_is_sent(
    client_certificate: Certificate,
) -> None:
    until = certificate_expiry(client_certificate.certificate.read_bytes())
    assert until is not None
    access = check_kubeconfig("team/one", kubeconfig(user=client_certificate.inline("client")))
    with serving(Reply()) as server:
        KubeCluster(access, server.time.timeouts(today=until - 1))
        with pytest.raises(KubeconfigError, match="client-certificate-data: the certificate has"):
            KubeCluster(access, server.time.timeouts(today=until + 1))


def test_a_key_that_asks_for_a_password_is_refused(
    folder: Path, client_certificate: Certificate
) -> None:
    locked = folder / "locked.key"
    command = ["openssl", "ec", "-aes256", "-passout", "pass:x", "-in", str(client_certificate.key)]
    subprocess.run([*command, "-out", str(locked)], check=True, capture_output=True)
    user = client_certificate.inline("client") | {"client-key-data": encoded(locked)}
    with pytest.raises(KubeconfigError, match="it does not match client-key-data"):
        KubeClusters().connect("team/one", data(kubeconfig(user=user)), is_named=True)


def test_a_client_certificate_says_who_asks_and_files_may_be_named_where_that_is_allowed(
    server_certificate: Certificate, client_certificate: Certificate
) -> None:
    ours, theirs = client_certificate, server_certificate
    files = {"client-certificate": str(ours.certificate), "client-key": str(ours.key)}
    authority = {"certificate-authority": str(theirs.certificate)}
    with serving(Reply(), tls=theirs.server(ours)) as server:
        cluster = cluster_of(server, user=ours.inline("client"), cluster=_trusting(theirs))
        assert cluster.get(ONE) == OBJECT
        cluster = cluster_of(server, user=files, cluster=authority, allow_exec=True)
        assert cluster.get(ONE) == OBJECT
        assert "authorization" not in {**server.asked[0].headers, **server.asked[1].headers}


def test_plain_text_from_a_server_that_should_speak_tls_is_no_answer() -> None:
    with serving(Reply()) as server:
        server.url = server.url.replace("http:", "https:")
        with pytest.raises(UnreachableError, match="TLS failed"):
            cluster_of(server, user=TOKEN).get(ONE)
    assert server.asked == []


def test_the_end_of_a_certificate_is_read_and_of_a_damaged_one_it_is_not_known(
    folder: Path,
) -> None:
    near, far = (make(folder, f"of-{days}", days) for days in (1, 200_000))
    soon, late = (certificate_expiry(it.certificate.read_bytes()) or 0 for it in (near, far))
    assert abs(late - soon - 199_999 * 86_400) < 3600
    der = ssl.PEM_cert_to_DER_cert(near.certificate.read_text())
    third, sixth = bytes.fromhex("a003020102"), bytes.fromhex("a003020105")
    assert der.count(third) == 1
    for damaged in (*(der[:size] for size in range(len(der))), der.replace(third, sixth)):
        assert certificate_expiry(ssl.DER_cert_to_PEM_cert(damaged).encode()) is None
