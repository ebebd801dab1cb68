"""Several work trees of one repository: none is left behind by a branch that moves under it."""

from pathlib import Path

import pytest

from reconciler.cli import run
from tests.cli.running import given_out
from tests.world import CLOCK, SMALL, commit, git, tenant, write


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = given_out(tmp_path / "repo", SMALL)
    write(made, {"tenants/new.yaml": tenant("new")})
    commit(made, "new", CLOCK + 60)
    return made


def linked(folder: Path, *options: str) -> Path:
    made = folder.parent / "linked"
    git(folder, "worktree", "add", "-q", str(made), *options)
    return made


def refused(capsys: pytest.CaptureFixture[str], repo: Path, where: Path, *options: str) -> bool:
    """Reconcile moves nothing, and says where to go instead."""
    before = git(repo, "rev-parse", "main")
    capsys.readouterr()
    code = run(["reconcile", "--repo", str(repo), *options])
    said = capsys.readouterr().err
    assert (code, git(repo, "rev-parse", "main")) == (64, before), said
    return f"--repo {where};" in said


def test_a_branch_that_another_work_tree_shows_is_not_moved_under_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = linked(folder, "-b", "feature")
    assert refused(capsys, other, folder, "--branch", "main")
    assert git(folder, "status", "--short") == ""
    assert run(["reconcile", "--repo", str(folder)]) == 0
    assert git(folder, "status", "--short") == ""
    git(folder, "switch", "-q", "--detach")
    write(other, {"tenants/late.yaml": tenant("late")})
    head = commit(other, "late", CLOCK + 90)
    git(folder, "branch", "-f", "later", head)
    assert run(["reconcile", "--repo", str(other), "--branch", "later", "--any-branch"]) == 0


@pytest.mark.parametrize("of", ["its own folder", "a bare repository"])
def test_nor_is_one_that_a_linked_work_tree_shows(
    folder: Path, capsys: pytest.CaptureFixture[str], of: str
) -> None:
    if of == "a bare repository":
        bare = folder.parent / "bare.git"
        git(folder, "clone", "-q", "--bare", str(folder), str(bare))
        git(bare, "remote", "remove", "origin")
        folder = bare
    else:
        git(folder, "switch", "-q", "-c", "feature")
    other = linked(folder, "main")
    assert refused(capsys, folder, other, "--branch", "main")
    assert run(["reconcile", "--repo", str(other)]) == 0
    assert git(other, "status", "--short") == ""


def test_nor_one_that_both_show(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = linked(folder, "--force", "main")
    assert refused(capsys, folder, other)


def test_a_branch_of_the_remote_moves_at_the_remote_alone(folder: Path) -> None:
    bare = folder.parent / "bare.git"
    git(folder, "clone", "-q", "--bare", str(folder), str(bare))
    git(folder, "remote", "add", "origin", str(bare))
    other, before = linked(folder, "-b", "feature"), git(folder, "rev-parse", "main")
    assert run(["reconcile", "--repo", str(other), "--branch", "main"]) == 0
    assert git(folder, "rev-parse", "main") == before != git(bare, "rev-parse", "main")
