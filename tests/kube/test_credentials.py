"""Credentials that change: tokens in files, plugins, the account of a pod."""

import json
import logging
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from reconciler.kube.clusters import KubeClusters
from reconciler.model.errors import KubeconfigError, UnauthorizedError
from reconciler.model.objects import NODE, Ref
from tests.kube.certificates import encoded, make
from tests.kube.kubeconfigs import CANARY, cluster_of
from tests.kube.server import OBJECT, Asked, Reply, serving, status

ONE = Ref(NODE, "", "one")
REFUSED = status(401, "Unauthorized")


def _fresh(token: str) -> Any:
    """A server that knows one token only."""
    return lambda asked: Reply() if asked.headers.get("authorization") == token else REFUSED


def _plugin(folder: Path, answers: list[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a credential plugin with one answer per call. The last one is repeated."""
    version = "client.authentication.k8s.io/v1"
    said = [
        json.dumps({"apiVersion": version, "kind": "ExecCredential", "status": answer})
        for answer in answers
    ]
    script = folder / "plugin.py"
    script.write_text(
        "import pathlib\n"
        f"said, count = {said!r}, pathlib.Path({str(folder / 'count')!r})\n"
        "number = int(count.read_text()) if count.exists() else 0\n"
        "count.write_text(str(number + 1))\n"
        "print(said[min(number, len(said) - 1)])\n"
    )
    return {"exec": {"apiVersion": version, "command": sys.executable, "args": [str(script)]}}


def test_a_token_in_a_file_is_read_again_when_it_is_refused(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("old\n")

    def rotate(_asked: Asked) -> Reply:
        token.write_text(f"{CANARY}\n")
        return REFUSED

    with serving(rotate, _fresh(f"Bearer {CANARY}")) as server:
        cluster = cluster_of(server, user={"tokenFile": str(token)}, allow_exec=True)
        assert cluster.get(ONE) == OBJECT
        assert [asked.headers["authorization"] for asked in server.asked] == [
            "Bearer old",
            f"Bearer {CANARY}",
        ]
        assert server.time.slept == []


def test_a_plugin_is_asked_again_when_its_token_is_refused(tmp_path: Path) -> None:
    user = _plugin(tmp_path, [{"token": "old"}, {"token": CANARY}])
    with serving(_fresh(f"Bearer {CANARY}")) as server:
        cluster = cluster_of(server, user=user, allow_exec=True)
        assert cluster.get(ONE) == OBJECT
        assert cluster.get(ONE) == OBJECT
        assert len(server.asked) == 3
    assert (tmp_path / "count").read_text() == "2"


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")
def test_a_plugin_may_give_a_certificate(tmp_path: Path) -> None:
    ours, theirs = make(tmp_path, "client"), make(tmp_path, "server")
    given = {
        "clientCertificateData": ours.certificate.read_text(),
        "clientKeyData": ours.key.read_text(),
    }
    trusted = {"certificate-authority-data": encoded(theirs.certificate)}
    with serving(Reply(), tls=theirs.server(ours)) as server:
        user = _plugin(tmp_path, [given])
        cluster = cluster_of(server, user=user, cluster=trusted, allow_exec=True)
        assert cluster.get(ONE) == OBJECT


def test_a_user_and_a_password_are_sent_as_such_and_of_nobody_nothing() -> None:
    with serving(_fresh("Basic bWU6Y2FuYXJ5LWMwZmZlZQ=="), Reply()) as server:
        for user in ({"username": "me", "password": CANARY}, {}):
            assert cluster_of(server, user=user).get(ONE) == OBJECT
        assert "authorization" not in server.asked[1].headers


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")
def test_a_pod_asks_in_the_name_of_its_account(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reconciler.kube.kubeconfig.SERVICE_ACCOUNT", tmp_path)
    certificate = make(tmp_path, "server")
    (tmp_path / "ca.crt").write_bytes(certificate.certificate.read_bytes())
    (tmp_path / "token").write_text("old\n")

    def rotate(_asked: Asked) -> Reply:
        (tmp_path / "token").write_text(f"{CANARY}\n")
        return REFUSED

    with serving(rotate, _fresh(f"bearer {CANARY}"), tls=certificate.server()) as server:
        environment = {
            "KUBERNETES_SERVICE_HOST": "127.0.0.1",
            "KUBERNETES_SERVICE_PORT": server.url.rpartition(":")[2],
        }
        clusters = KubeClusters(environment=environment, timeouts=server.time.timeouts())
        cluster = clusters.management()
        assert cluster is not None
        assert cluster.get(ONE) == OBJECT
        assert len(server.asked) == 2


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")
def test_a_token_that_no_header_takes_is_not_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reconciler.kube.kubeconfig.SERVICE_ACCOUNT", tmp_path)
    certificate = make(tmp_path, "server")
    (tmp_path / "ca.crt").write_bytes(certificate.certificate.read_bytes())
    (tmp_path / "token").write_text(f"{CANARY}\r\nX-Other: 1\n")
    environment = {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": "1"}
    cluster = KubeClusters(environment=environment).management()
    assert cluster is not None
    with pytest.raises(
        KubeconfigError, match="characters that HTTP headers do not permit"
    ) as caught:
        cluster.get(ONE)
    assert CANARY not in str(caught.value)


def test_no_token_gets_into_a_log(caplog: pytest.LogCaptureFixture) -> None:
    with serving(REFUSED) as server:
        cluster = cluster_of(server)
        for name in ("", "urllib3", "client"):  # the client sets levels of its own
            caplog.set_level(logging.DEBUG, name)
        with pytest.raises(UnauthorizedError):
            cluster.get(ONE)
    assert caplog.text
    assert CANARY not in caplog.text
    assert CANARY not in repr(cluster) + repr(vars(cluster))
