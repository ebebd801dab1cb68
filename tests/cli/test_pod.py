"""`reconcile` in a Pod that has no account: nobody named a cluster, so none is applied to."""

from pathlib import Path

import pytest

from tests.cli.running import ipam
from tests.world import SMALL, git, repository

Capture = pytest.CaptureFixture[str]
SAID = "Nothing was applied to clusters: none is named."


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return repository(tmp_path / "repo", SMALL)


@pytest.fixture(autouse=True)
def _pod(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The variables of a Pod, without the folder of its account."""
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "1")
    monkeypatch.setattr("reconciler.kube.kubeconfig.SERVICE_ACCOUNT", tmp_path / "no-account")


def test_it_commits_and_says_in_one_line_that_nothing_was_applied(
    repo: Path, capsys: Capture
) -> None:
    ran = ipam(capsys, "reconcile", "--repo", repo)
    assert (ran.code, ran.err) == (0, f"{SAID}\n")
    assert "Committed " in ran.out
    assert "allocations/" in git(repo, "ls-tree", "--name-only", "HEAD", "allocations/")


def test_apply_and_doctor_say_that_none_is_named(repo: Path, capsys: Capture) -> None:
    assert ipam(capsys, "reconcile", "--repo", repo).code == 0
    ran = ipam(capsys, "apply", "--repo", repo)
    assert (ran.code, ran.out) == (64, "")
    assert "no management cluster is named" in ran.err
    assert "none is named: reconcile commits" in ipam(capsys, "doctor", "--repo", repo).out
