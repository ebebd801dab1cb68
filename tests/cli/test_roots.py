"""Two roots in one repository: neither sees, changes, proves or forgets anything of the other."""

import re
from pathlib import Path

import pytest

from tests.cli.running import Capture, ipam
from tests.cli.test_completing import completed
from tests.cli.test_move import TWO
from tests.cli.test_root import SETTINGS, below
from tests.world import SMALL, git, pool, repository, tenant

ONE, OTHER = "net/one", "net/other"
OF_OTHER = {
    "pools/edge.yaml": pool("edge", "10.80.0.0/24"),
    "providers/default.yaml": SMALL["providers/default.yaml"],
    "tenants/far.yaml": tenant("far", "team-z"),
}


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """Two roots, and a third one at the top, not reconciled."""
    edge = pool("edge", "10.90.0.0/24")
    top = {**SMALL, "tenants/one.yaml": tenant("top"), "pools/edge.yaml": edge}
    files = {**below({**SMALL, "ipam.yaml": SETTINGS}, ONE), **below(OF_OTHER, OTHER), **top}
    return repository(tmp_path / "repo", files)


def reconcile(capsys: Capture, folder: Path, root: str, *more: str) -> int:
    return ipam(capsys, "reconcile", "--no-apply", "--repo", folder, "--root", root, *more).code


def changed(folder: Path) -> list[str]:
    return git(folder, "show", "--format=", "--name-only").splitlines()


def test_each_reconciles_verifies_and_remembers_its_own(repo: Path, capsys: Capture) -> None:
    for root, folder in ((ONE, f"{ONE}/"), (OTHER, f"{OTHER}/"), (".", "")):
        assert reconcile(capsys, repo, root) == 0
        assert changed(repo)
        assert all(path.startswith(f"{folder}allocations/") for path in changed(repo))
    head = git(repo, "rev-parse", "HEAD")
    for root, tenant_of, foreign in (
        (ONE, "one", "far"),
        (OTHER, "far", "one"),
        (".", "top", "far"),
    ):
        assert reconcile(capsys, repo, root) == 0
        ran = ipam(capsys, "verify", "--repo", repo, "--root", root)
        assert ran.code == 0
        assert re.search(r"1 commit: 1 \w+", ran.out), ran.out
        told = ipam(capsys, "history", "--repo", repo, "--root", root).out
        assert tenant_of in told
        assert foreign not in told
        assert told.count("\n  allocated ") == 1
    assert git(repo, "rev-parse", "HEAD") == head
    assert ipam(capsys, "who", "10.80.0.1", "--repo", repo, "--root", OTHER).code == 0
    assert "outside" in ipam(capsys, "who", "10.80.0.1", "--repo", repo, "--root", ONE).out
    assert completed("explain", "--repo", str(repo), "--root", OTHER, "team-z") == ["team-z/far"]


def test_what_the_remote_remembers_of_one_says_nothing_of_the_other(
    repo: Path, tmp_path: Path, capsys: Capture
) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(repo), "remote.git")
    remote = tmp_path / "remote.git"
    git(tmp_path, "clone", "-q", str(remote), "clone")
    assert reconcile(capsys, tmp_path / "clone", ONE) == 0
    before = git(remote, "rev-parse", "main")
    assert reconcile(capsys, tmp_path / "clone", OTHER) == 0
    noted = git(remote, "for-each-ref", "--format=%(refname)", "refs/ipam/").splitlines()
    assert [re.sub(r"-\w{8}$", "", name) for name in noted] == [
        "refs/ipam/last-net-one",
        "refs/ipam/last-net-other",
    ]
    git(remote, "update-ref", "refs/heads/main", before)
    git(tmp_path, "clone", "-q", str(remote), "fresh")
    assert reconcile(capsys, tmp_path / "fresh", ONE) == 0
    ran = ipam(capsys, "reconcile", "--repo", tmp_path / "fresh", "--root", OTHER)
    assert ran.code == 6
    assert "which ipam reconcile made (recorded in refs/ipam/last-net-other-50f1f36c)" in ran.err


def test_a_bare_repository_and_a_remote_have_roots_too(
    repo: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(repo), "remote.git")
    remote = tmp_path / "remote.git"
    # The working folder has no effect on a remote: without --root, its top folder is reconciled.
    monkeypatch.chdir(repo / ONE)
    assert ipam(capsys, "reconcile", "--no-apply", "--remote", remote).code == 0
    assert all(path.startswith("allocations/") for path in changed(remote))
    assert ipam(capsys, "reconcile", "--no-apply", "--remote", remote, "--root", ONE).code == 0
    assert all(path.startswith(f"{ONE}/allocations/") for path in changed(remote))
    assert reconcile(capsys, remote, OTHER) == 0
    assert ipam(capsys, "plan", "--repo", remote, "--root", OTHER).code == 0
    ran = ipam(capsys, "reconcile", "--remote", remote, "--root", "net/none")
    assert "folder net/none does not exist" in ran.err


def test_verbs_that_write_files_write_them_into_the_root(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    big = repository(tmp_path / "big", {**below({**TWO, "ipam.yaml": SETTINGS}, ONE), "x": ""})
    assert reconcile(capsys, big, ONE) == 0
    monkeypatch.chdir(big / ONE / "tenants")
    assert ipam(capsys, "move", "team-a/one", "--to", "far", "--reason", "why").code == 0
    found = git(big, "status", "--porcelain", "-uall").split()
    assert f"{ONE}/tenants/one.yaml" in found
    overrides = [path.partition("20")[0] for path in found if "overrides" in path]
    assert overrides == [f"{ONE}/overrides/"]
    git(big, "add", "-A")
    git(big, "reset", "-q", "--hard")
    (tmp_path / "a.csv").write_text("address,cluster,pool\n10.61.1.10,team-a/web,lane\n")
    ran = ipam(capsys, "import", "csv", tmp_path / "a.csv", "--add-pool", "lane=10.61.1.0/24")
    assert ran.code == 0, ran.err
    found = git(big, "status", "--porcelain", "-uall").splitlines()
    assert found
    assert all(line[3:].startswith(f"{ONE}/") for line in found)
