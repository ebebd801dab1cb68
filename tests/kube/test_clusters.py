"""Which kubeconfig is whose: flags, the environment, the account of a pod."""

import subprocess
import sys
from pathlib import Path

import pytest

from reconciler.kube.clusters import KubeClusters
from reconciler.kube.deadline import Timeouts
from reconciler.kube.interface import Clusters
from reconciler.model.errors import KubeconfigError
from reconciler.model.objects import NODE, Ref
from tests.kube.kubeconfigs import CANARY, data, kubeconfig
from tests.kube.server import Reply, Server, serving

ONE = Ref(NODE, "", "one")


def _file(path: Path, server: Server) -> Path:
    path.write_bytes(data(kubeconfig(server.url)))
    return path


def _is_asked(clusters: Clusters, server: Server) -> bool:
    cluster = clusters.management()
    assert cluster is not None
    cluster.get(ONE)
    return len(server.asked) == 1


def test_nobody_named_a_management_cluster() -> None:
    assert KubeClusters(environment={"HOME": "/root"}).management() is None


def test_a_flag_goes_before_the_environment(tmp_path: Path) -> None:
    with serving(Reply()) as named, serving(Reply()) as ambient:
        flag, other = _file(tmp_path / "flag", named), _file(tmp_path / "other", ambient)
        clusters = KubeClusters(flag, environment={"KUBECONFIG": str(other)})
        assert _is_asked(clusters, named)
        assert ambient.asked == []


def test_the_environment_may_name_several_files(tmp_path: Path) -> None:
    with serving(Reply()) as server:
        path = _file(tmp_path / "one", server)
        clusters = KubeClusters(environment={"KUBECONFIG": f"{tmp_path / 'gone'}::{path}"})
        assert _is_asked(clusters, server)


def test_a_flag_that_names_no_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(
        KubeconfigError, match=r"kubeconfig of management: the file .* does not exist"
    ):
        KubeClusters(tmp_path / "gone").management()
    with pytest.raises(KubeconfigError, match="cannot be read: Is a directory"):
        KubeClusters(tmp_path).management()
    with pytest.raises(
        KubeconfigError, match=r"kubeconfig of team/one: the file .* does not exist"
    ):
        KubeClusters(clusters={"team/one": tmp_path / "gone"}).named("team/one")


def test_a_person_names_kubeconfigs_by_flag_or_by_folder(tmp_path: Path) -> None:
    (tmp_path / "flag").write_bytes(b"1")
    (tmp_path / "team.two.kubeconfig").write_bytes(b"2")
    (tmp_path / "edge.kubeconfig").write_bytes(b"3")
    (tmp_path / "team.one.kubeconfig").write_bytes(b"4")
    clusters = KubeClusters(clusters={"team/one": tmp_path / "flag"}, folder=tmp_path)
    assert clusters.named("team/one") == b"1"
    assert clusters.named("team/two") == b"2"
    assert clusters.named("edge") == b"3"
    assert clusters.named("team/three") is None
    assert KubeClusters().named("team/one") is None


def test_a_folder_that_was_named_must_be_there_and_be_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    for folder in (tmp_path / "gone", tmp_path / "file"):
        with pytest.raises(KubeconfigError, match="is not a folder"):
            KubeClusters(folder=folder).named("team/one")


def test_a_name_cannot_leave_the_folder(tmp_path: Path) -> None:
    (tmp_path / "secret.kubeconfig").write_bytes(b"1")
    (tmp_path / "folder").mkdir()
    assert KubeClusters(folder=tmp_path / "folder").named("../secret") is None


def test_a_pod_without_an_account_names_no_cluster_and_one_of_a_broken_account_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": "1"}
    monkeypatch.setattr("reconciler.kube.kubeconfig.SERVICE_ACCOUNT", tmp_path)
    clusters = KubeClusters(environment=environment)
    (tmp_path / "ca.crt").write_text("nothing\n")
    assert clusters.management() is None
    for token, told in ((CANARY, "certificate-authority-data"), ("", "credentials cannot be read")):
        (tmp_path / "token").write_text(token)
        with pytest.raises(KubeconfigError, match=told):
            clusters.management()


# Unsupported requests


def test_the_client_is_not_loaded_until_a_cluster_is_wanted() -> None:
    code = (
        "import sys; import reconciler.kube.clusters as kube; import reconciler.cli; "
        "kube.KubeClusters().management(); kube.KubeClusters().named('a/b'); "
        "sys.exit(any(name in sys.modules for name in ('kubernetes', 'urllib3', 'cryptography')))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_plugin_is_not_run_and_a_file_is_not_read_unless_it_is_allowed(tmp_path: Path) -> None:
    sentinel = tmp_path / "ran"
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": "touch",
        "args": [str(sentinel)],
    }
    config = data(kubeconfig(user={"exec": plugin}))
    with pytest.raises(KubeconfigError, match="key exec"):
        KubeClusters().connect("team/one", config, is_named=True)
    assert not sentinel.exists()
    with pytest.raises(KubeconfigError, match="the plugin returned no credentials"):
        KubeClusters(allow_exec=True).connect("team/one", config, is_named=True)
    assert sentinel.exists()


def test_a_proxy_of_the_environment_is_not_used_on_the_loopback() -> None:
    with serving(Reply()) as server:
        timeouts = Timeouts(deadline_seconds=30)
        environment = {"http_proxy": "http://192.0.2.1:1", "HTTPS_PROXY": "http://192.0.2.1:1"}
        clusters = KubeClusters(environment=environment, timeouts=timeouts)
        clusters.connect("team/one", data(kubeconfig(server.url)), is_named=True).get(ONE)
        assert len(server.asked) == 1
