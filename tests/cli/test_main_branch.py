"""`reconcile` works on the authoritative branch, and on others only with --any-branch."""

from pathlib import Path

import pytest

from tests.cli.running import Capture, given_out, ipam
from tests.planning.test_guard import settings
from tests.world import SMALL, commit, git, repository, tenant, write


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A checkout without a remote, that was reconciled on main, and shows another branch."""
    return on_lab(given_out(tmp_path / "repo", SMALL))


def on_lab(folder: Path) -> Path:
    git(folder, "switch", "-q", "-c", "lab")
    write(folder, {"tenants/two.yaml": tenant("two")})
    commit(folder, "two")
    return folder


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone that shows a branch which is not the default one of its remote."""
    author = given_out(tmp_path / "author", SMALL)
    git(tmp_path, "clone", "-q", "--bare", str(author), "remote.git")
    git(tmp_path, "clone", "-q", str(tmp_path / "remote.git"), "clone")
    folder = on_lab(tmp_path / "clone")
    git(folder, "push", "-q", "-u", "origin", "lab")
    return folder


@pytest.mark.parametrize(
    ("where", "why"),
    [("repo", "it was reconciled here earlier"), ("clone", "it is the remote's default branch")],
)
def test_a_branch_that_is_not_the_truth_is_refused_with_the_way_to_mend_it(
    where: str, why: str, request: pytest.FixtureRequest, capsys: Capture
) -> None:
    folder = request.getfixturevalue(where)
    before = git(folder, "rev-parse", "lab", "main")
    ran = ipam(capsys, "reconcile", "--repo", folder)
    assert ran.code == 64
    assert ran.err.startswith(
        f"ipam: refusing to reconcile branch lab: the authoritative branch is main, because {why}\n"
        "  hint: merge lab into main, then run ipam reconcile --branch main, or pass --branch lab"
        " --any-branch to reconcile lab anyway\n"
    )
    assert git(folder, "rev-parse", "lab", "main") == before


def test_a_branch_without_the_last_reconciled_commit_was_not_rewritten(
    repo: Path, capsys: Capture
) -> None:
    git(repo, "switch", "-q", "-c", "older", "main~1")
    ran = ipam(capsys, "reconcile", "--repo", repo)
    assert ran.code == 64
    assert "the authoritative branch is main" in ran.err


@pytest.mark.parametrize("where", ["repo", "clone"])
def test_a_person_may_reconcile_any_branch(
    where: str, request: pytest.FixtureRequest, capsys: Capture
) -> None:
    folder = request.getfixturevalue(where)
    ran = ipam(capsys, "reconcile", "--repo", folder, "--branch", "lab", "--any-branch")
    assert ran.code == 0
    assert "Committed" in ran.out
    git(folder, "switch", "-q", "main")
    assert ipam(capsys, "reconcile", "--repo", folder).code == 0


def test_any_branch_requires_the_name_of_the_branch(repo: Path, capsys: Capture) -> None:
    before = git(repo, "rev-parse", "lab", "main")
    ran = ipam(capsys, "reconcile", "--repo", repo, "--any-branch")
    assert (ran.code, ran.out) == (64, "")
    assert "--any-branch needs --branch NAME" in ran.err
    assert git(repo, "rev-parse", "lab", "main") == before


@pytest.mark.parametrize("how", [["--interval", "5m"], ["--watch"]])
def test_a_loop_does_not_even_begin_on_another_branch(
    how: list[str], clone: Path, capsys: Capture
) -> None:
    ran = ipam(capsys, "reconcile", "--repo", clone, *how)
    assert ran.code == 64
    assert "the authoritative branch is main, because" in ran.err


def test_settings_name_the_truth_before_any_default(clone: Path, capsys: Capture) -> None:
    write(clone, {"ipam.yaml": settings(branch="lab")})
    commit(clone, "name lab")
    git(clone, "push", "-q")
    assert ipam(capsys, "reconcile", "--repo", clone).code == 0
    git(clone, "switch", "-q", "main")
    git(clone, "merge", "-q", "lab")
    git(clone, "push", "-q")
    ran = ipam(capsys, "reconcile", "--repo", clone)
    assert ran.code == 64
    assert "is lab, because ipam.yaml names it (spec.branch)" in ran.err


def test_a_remote_that_is_named_is_asked_for_its_default_branch(
    clone: Path, capsys: Capture
) -> None:
    url = git(clone, "config", "remote.origin.url")
    assert ipam(capsys, "reconcile", "--remote", url).code == 0
    ran = ipam(capsys, "reconcile", "--remote", url, "--branch", "lab")
    assert (ran.code, "branch is main, because" in ran.err) == (64, True)


def test_of_a_remote_without_a_default_branch_the_only_one_is_the_truth(
    clone: Path, capsys: Capture
) -> None:
    url = git(clone, "config", "remote.origin.url")
    git(Path(url), "symbolic-ref", "HEAD", "refs/heads/gone")
    ran = ipam(capsys, "reconcile", "--repo", clone)
    assert ran.code == 64
    assert (
        "the authoritative branch is unknown: the remote has 2 branches, and no default branch"
        in ran.err
    )
    assert "spec: {branch: lab}" in ran.err
    git(Path(url), "branch", "-q", "-D", "main")
    assert ipam(capsys, "reconcile", "--repo", clone).code == 0


def test_a_bare_repository_is_the_remote_of_others(clone: Path, capsys: Capture) -> None:
    url = git(clone, "config", "remote.origin.url")
    assert ipam(capsys, "reconcile", "--repo", url).code == 0
    ran = ipam(capsys, "reconcile", "--repo", url, "--branch", "lab")
    why = "is main, because HEAD of this bare repository names it"
    assert (ran.code, why in ran.err) == (64, True)


def test_of_several_branches_that_nobody_named_none_is_guessed(
    tmp_path: Path, capsys: Capture
) -> None:
    folder = repository(tmp_path / "new", SMALL)
    git(folder, "branch", "other")
    ran = ipam(capsys, "reconcile", "--repo", folder)
    assert ran.code == 64
    assert "the authoritative branch is unknown: the clone has 2 branches, no remote" in ran.err
