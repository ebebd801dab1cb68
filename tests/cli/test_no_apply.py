"""`reconcile --no-apply` queries named clusters before it frees addresses."""

import socket
from pathlib import Path

import pytest

from tests.cli.running import Capture, ipam
from tests.families.test_growth import BASE, PLACE, demand
from tests.kube.kubeconfigs import data, kubeconfig
from tests.world import CLOCK, SMALL, commit, git, reconciled, repository, write

RECORD = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"
LATER = CLOCK + 25 * 3_600


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A record that was released, and whose retention is over."""
    files = reconciled(SMALL)
    files = reconciled({path: text for path, text in files.items() if "tenants/" not in path})
    folder = repository(tmp_path / "repo", files)
    write(folder, {"note.md": "later"})
    commit(folder, clock=LATER)
    return folder


@pytest.fixture
def nobody(tmp_path: Path) -> Path:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{probe.getsockname()[1]}"
    path = tmp_path / "management.kubeconfig"
    path.write_bytes(data(kubeconfig(url)))
    return path


def test_in_a_pod_without_an_account_no_cluster_is_named(
    repo: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "1")
    monkeypatch.setattr("reconciler.kube.kubeconfig.SERVICE_ACCOUNT", tmp_path / "no-account")
    ran = ipam(capsys, "reconcile", "--repo", repo)
    assert (ran.code, "Committed " in ran.out) == (0, True)
    assert RECORD not in git(repo, "ls-tree", "-r", "--name-only", "HEAD")
    assert ran.err == "Not applied: no cluster configured.\n"


def test_a_demand_without_its_tenant_is_removed_without_clusters(
    tmp_path: Path, capsys: Capture
) -> None:
    folder = repository(tmp_path / "repo", {**reconciled(BASE), PLACE: demand()})
    assert "Committed " not in ipam(capsys, "reconcile", "--repo", folder).out
    git(folder, "rm", "-q", "tenants/one.yaml")
    commit(folder, clock=CLOCK + 60)
    assert ipam(capsys, "reconcile", "--allow-release", "1", "--repo", folder).code == 0
    assert PLACE not in git(folder, "ls-tree", "-r", "--name-only", "HEAD")
    ran = ipam(capsys, "verify", "--repo", folder)
    assert (ran.code, "Nothing to commit" in ipam(capsys, "reconcile", "--repo", folder).out) == (
        0,
        True,
    ), ran.out


def test_to_watch_clusters_that_are_not_applied_to_is_wrong_usage(
    repo: Path, nobody: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("reconcile", "--repo", repo, "--no-apply", "--watch")
    ran = ipam(capsys, *words, "--kubeconfig", nobody)
    assert ran.code == 64
    assert "--watch with --no-apply cannot watch" in ran.err
    assert "--interval in place of --watch" in ran.err
    monkeypatch.setenv("KUBECONFIG", str(nobody))
    assert ipam(capsys, *words).code == 64


def test_a_named_cluster_that_cannot_be_asked_holds_the_record(
    repo: Path, nobody: Path, capsys: Capture
) -> None:
    words = ("reconcile", "--repo", repo, "--no-apply", "--kubeconfig", nobody, "--timeout", "1s")
    ran = ipam(capsys, *words)
    assert ran.code == 5
    assert "warning expiry-held: retention has ended," in ran.err
    assert RECORD in git(repo, "ls-tree", "-r", "--name-only", "HEAD")
    ran = ipam(capsys, *words, "--confirm-withdrawn", "team-a/one")
    assert ran.code == 0
    assert RECORD not in git(repo, "ls-tree", "-r", "--name-only", "HEAD")
