"""A change that removes a document while another file is unreadable has an error."""

from pathlib import Path

import pytest

from reconciler.cli import run
from tests.cli.running import Capture, Ran, ipam
from tests.world import SMALL, commit, git, repository, tenant, write

BROKEN = "kind: TenantCluster\n  spec: [\n"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A tenant with addresses, and the unreadable file of another one."""
    made = repository(tmp_path / "repo", {**SMALL, "tenants/two.yaml": tenant("two")})
    assert run(["reconcile", "--repo", str(made)]) == 0
    write(made, {"tenants/two.yaml": BROKEN})
    commit(made, "break a file")
    git(made, "switch", "-q", "-c", "change")
    return made


def checked(capsys: Capture, repo: Path, base: str = "main") -> Ran:
    return ipam(capsys, "check", "--repo", repo, "--base", base)


def test_a_pool_is_an_error_of_the_change_that_removes_it(repo: Path, capsys: Capture) -> None:
    git(repo, "rm", "-q", "pools/edge.yaml")
    commit(repo, "remove the pool")
    ran = checked(capsys, repo)
    assert ran.code == 1
    assert (
        "error pool-removed: NetworkPool butler-system/edge does not exist in this repository"
        in ran.out
    )
    assert "(because tenants/two.yaml cannot be read)" in ran.out
    assert (
        "last-good: file cannot be read, so ipam uses the last readable version of TenantCluster team-a/two and NetworkPool"
        in ran.out
    )


def test_who_mends_the_file_is_not_told_of_it_as_his_own(repo: Path, capsys: Capture) -> None:
    git(repo, "rm", "-q", "pools/edge.yaml")
    commit(repo, "remove the pool")
    git(repo, "switch", "-q", "-c", "mend")
    write(repo, {"tenants/two.yaml": tenant("two")})
    commit(repo, "fix the file")
    ran = checked(capsys, repo, "change")
    assert "pool-removed" in ran.out.partition("Already in change:")[2]
    assert ran.code == 0


def test_what_may_have_moved_into_the_broken_file_is_not_called_removed(
    repo: Path, capsys: Capture
) -> None:
    git(repo, "rm", "-q", "pools/edge.yaml")
    write(repo, {"tenants/two.yaml": "{ kind: NetworkPool, metadata: {name: edge"})
    commit(repo, "move the pool")
    ran = checked(capsys, repo)
    assert "pool-removed" not in ran.out
    assert ran.code == 1


def test_mending_one_of_two_broken_files_removes_nothing_of_the_other(
    repo: Path, capsys: Capture
) -> None:
    git(repo, "switch", "-q", "main")
    write(repo, {"pools/edge.yaml": "kind: NetworkPool\n  spec: [\n"})
    commit(repo, "break the pool")
    git(repo, "switch", "-q", "-C", "change")
    write(repo, {"tenants/two.yaml": tenant("two")})
    commit(repo, "fix the tenant")
    ran = checked(capsys, repo)
    assert "only until" not in ran.out
    assert ran.code == 0
