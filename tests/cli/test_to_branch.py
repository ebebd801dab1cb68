"""`reconcile --to-branch`: the result waits on a separate branch for a merge."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.running import Capture, ipam
from tests.world import CLOCK, SMALL, commit, git, repository, tenant, write

TO = "ipam/records"
RECORD = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"
TWO = {"tenants/two.yaml": tenant("two")}
WORDS = ("reconcile", "--no-apply", "--to-branch", TO, "--repo")


@pytest.fixture(params=["clone", "alone"])
def repo(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    author = repository(tmp_path / "author", SMALL)
    if request.param == "alone":
        return author
    git(tmp_path, "clone", "-q", "--bare", str(author), "remote.git")
    git(tmp_path, "clone", "-q", str(tmp_path / "remote.git"), "clone")
    return tmp_path / "clone"


def truth(repo: Path) -> Path:
    remote = repo.parent / "remote.git"
    return remote if remote.is_dir() else repo


def head(repo: Path, branch: str = TO) -> str:
    found = git(truth(repo), "for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}")
    return found.strip()


def test_the_branch_stays_and_another_one_holds_the_records(repo: Path, capsys: Capture) -> None:
    base = head(repo, "main")
    ran = ipam(capsys, *WORDS, repo)
    assert ran.code == 0, ran
    assert head(repo, "main") == base == git(repo, "rev-parse", "HEAD")
    assert f"branch {TO}. Merge it into main, so that it takes effect." in ran.out
    assert git(truth(repo), "rev-parse", f"{TO}~1") == base
    assert RECORD in git(truth(repo), "ls-tree", "-r", "--name-only", TO)


def test_it_is_made_anew_on_a_branch_that_went_on(repo: Path, capsys: Capture) -> None:
    ipam(capsys, *WORDS, repo)
    first = head(repo)
    _advance(repo, TWO)
    assert ipam(capsys, *WORDS, repo).code == 0
    assert head(repo) != first
    assert git(truth(repo), "rev-parse", f"{TO}~1") == head(repo, "main")


def test_it_goes_when_nothing_is_left_to_be_done(repo: Path, capsys: Capture) -> None:
    ipam(capsys, *WORDS, repo)
    _advance(repo, {"tenants/one.yaml": None})
    ran = ipam(capsys, *WORDS, repo)
    assert (ran.code, head(repo)) == (0, "")
    assert f"Deleted branch {TO}, because " in ran.out
    assert f"No changes to propose on branch {TO}." in ipam(capsys, *WORDS, repo).out


def test_what_people_committed_there_is_never_replaced(repo: Path, capsys: Capture) -> None:
    ipam(capsys, *WORDS, repo)
    git(repo.parent, "clone", "-q", "-b", TO, str(truth(repo)), "own")
    write(repo.parent / "own", {"notes.md": "mine\n"})
    theirs = commit(repo.parent / "own")
    git(repo.parent / "own", "push", "-q", "origin", TO)
    _advance(repo, TWO)
    ran = ipam(capsys, *WORDS, repo)
    assert (ran.code, head(repo)) == (64, theirs)
    assert f"branch {TO} has commit {theirs[:12]}, which ipam reconcile did not make" in ran.err
    assert "--to-branch" in ran.err


def test_the_document_names_the_branch(repo: Path, capsys: Capture) -> None:
    for state in ("pushed", "unchanged"):
        told = json.loads(ipam(capsys, *WORDS, repo, "-o", "json").out)
        assert told["proposed"] == {"branch": TO, "state": state}
        assert (told["pushed"], told["commit"]) == (False, head(repo))


def test_a_branch_that_cannot_be_it_is_wrong_usage(repo: Path, capsys: Capture) -> None:
    words = ("reconcile", "--no-apply", "--repo", repo, "--to-branch")
    for name, why in (
        ("main", "--to-branch main is the branch"),
        ("-x", "'-x' is not a valid branch name"),
    ):
        ran = ipam(capsys, *words[:-1], f"--to-branch={name}")
        assert (ran.code, why in ran.err) == (64, True)
    ran = ipam(capsys, *words, TO, "--watch")
    assert (ran.code, "--to-branch and --watch exclude each other" in ran.err) == (64, True)


def test_a_branch_that_a_work_tree_shows_is_not_moved_below_it(
    tmp_path: Path, capsys: Capture
) -> None:
    alone = repository(tmp_path / "alone", SMALL)
    git(alone, "switch", "-q", "-c", TO)
    ran = ipam(capsys, *WORDS, alone, "--branch", "main")
    assert (ran.code, f"branch {TO} is checked out here" in ran.err) == (64, True)
    git(alone, "switch", "-q", "main")
    git(alone, "worktree", "add", "-q", str(tmp_path / "other"), TO)
    ran = ipam(capsys, *WORDS, alone)
    assert (ran.code, "is checked out in another work tree" in ran.err) == (64, True)


def _advance(repo: Path, files: Mapping[str, str | bytes | None], clock: int = CLOCK) -> None:
    if truth(repo) != repo:
        git(repo, "pull", "-q", "--ff-only")
    for path in [path for path, text in files.items() if text is None]:
        (repo / path).unlink(missing_ok=True)
    write(repo, {path: text for path, text in files.items() if text is not None})
    commit(repo, clock=clock)
    if truth(repo) != repo:
        git(repo, "push", "-q", "origin", "main")
