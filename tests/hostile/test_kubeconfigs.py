"""A tenant's kubeconfig out of its Secret: nothing of it runs, is read, or is sent in the clear."""

from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from reconciler.kube.clusters import KubeClusters
from reconciler.model.errors import KubeconfigError
from reconciler.model.objects import SECRET, Ref
from tests.kube.kubeconfigs import data, kubeconfig
from tests.kube.server import Reply, serving

TENANT = "team-a/web"
SERVER = "https://192.0.2.1"
EXEC = {"apiVersion": "client.authentication.k8s.io/v1", "command": "touch", "args": ["{ran}"]}
GCP = {"name": "gcp", "config": {"cmd-path": "touch", "cmd-args": "{ran}"}}


@pytest.mark.parametrize(
    ("key", "user", "cluster"),
    [
        ("exec", {"exec": EXEC}, {}),
        ("auth-provider", {"auth-provider": GCP}, {}),
        ("tokenFile", {"tokenFile": "{host}"}, {}),
        ("client-certificate", {"client-certificate": "{host}"}, {}),
        ("client-key", {"client-key": "{host}"}, {}),
        ("certificate-authority", {}, {"certificate-authority": "{host}"}),
        ("proxy-url", {}, {"proxy-url": SERVER}),
        ("server", {}, {"server": "http://127.0.0.1:9"}),  # a service that trusts the loopback
    ],
)
def test_what_a_secret_names_is_neither_run_nor_read_nor_gone_through(
    tmp_path: Path, key: str, user: dict[str, Any], cluster: dict[str, Any]
) -> None:
    (tmp_path / "host").write_text("canary-of-the-host")
    text = data(kubeconfig(SERVER, user, cluster)).decode()
    text = text.replace("{ran}", str(tmp_path / "ran")).replace("{host}", str(tmp_path / "host"))
    with pytest.raises(KubeconfigError, match=f"kubeconfig of {TENANT}: key {key} is not ") as no:
        KubeClusters(allow_exec=True).connect(TENANT, text.encode())
    assert no.value.hint == "put all data into the kubeconfig of the Secret"
    assert not (tmp_path / "ran").exists()


def test_a_secret_that_holds_our_own_token_is_read_as_it_is() -> None:
    """A token for several clusters is removed from messages, but not from Secrets."""
    value = b64encode(b"one-token-for-all-of-them").decode()
    named = {"name": "web-kubeconfig", "namespace": "team-a", "uid": "u", "resourceVersion": "1"}
    body = {"apiVersion": "v1", "kind": "Secret", "metadata": named, "data": {"value": value}}
    with serving(Reply(body=body)) as server:
        config = data(kubeconfig(server.url, {"token": "one-token-for-all-of-them"}))
        cluster = KubeClusters().connect("management", config, is_named=True)
        found = cluster.get(Ref(SECRET, "team-a", "web-kubeconfig"))
    assert found is not None
    assert found["data"] == {"value": value}
