"""`reconcile --to-branch`: what was made waits on a branch of its own until somebody merges it."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.running import ipam
from tests.world import CLOCK, SMALL, commit, git, repository, tenant, write

Capture = pytest.CaptureFixture[str]
TO = "ipam/records"
RECORD = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"
TWO = {"tenants/two.yaml": tenant("two")}
WORDS = ("reconcile", "--no-apply", "--to-branch", TO, "--repo")


@pytest.fixture(params=["clone", "alone"])
def repo(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A clone with its remote beside it; or a checkout that has none."""
    author = repository(tmp_path / "author", SMALL)
    if request.param == "alone":
        return author
    git(tmp_path, "clone", "-q", "--bare", str(author), "remote.git")
    git(tmp_path, "clone", "-q", str(tmp_path / "remote.git"), "clone")
    return tmp_path / "clone"


def truth(repo: Path) -> Path:
    """The repository that has the branches which count."""
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
    assert f"branch {TO}. It counts once it is merged into main." in ran.out
    assert git(truth(repo), "rev-parse", f"{TO}~1") == base
    assert RECORD in git(truth(repo), "ls-tree", "-r", "--name-only", TO)


def test_the_same_is_not_brought_again(repo: Path, capsys: Capture) -> None:
    ipam(capsys, *WORDS, repo)
    first = head(repo)
    ran = ipam(capsys, *WORDS, repo)
    assert (ran.code, head(repo)) == (0, first)
    assert f"Branch {TO} holds this already." in ran.out


def test_who_updates_it_by_a_merge_of_the_branch_bothers_nobody(
    repo: Path, capsys: Capture
) -> None:
    """Forges offer that by a button."""
    ipam(capsys, *WORDS, repo)
    _advance(repo, {"README.md": "words\n"})
    merged = _merged(repo, TO, "main")
    ran = ipam(capsys, *WORDS, repo)
    assert (ran.code, head(repo)) == (0, merged)
    assert "holds this already" in ran.out
    _advance(repo, TWO)
    assert ipam(capsys, *WORDS, repo).code == 0
    assert git(truth(repo), "rev-parse", f"{TO}~1") == head(repo, "main")


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
    assert f"Removed branch {TO}: nothing of what it held is left to be done" in ran.out
    assert f"Branch {TO} is not needed." in ipam(capsys, *WORDS, repo).out


def test_a_merge_makes_it_count_and_reconcile_finds_its_own_commit(
    repo: Path, capsys: Capture
) -> None:
    ipam(capsys, *WORDS, repo)
    made = head(repo)
    _merged(repo, "main", TO)
    ran = ipam(capsys, *WORDS, repo)
    assert (ran.code, head(repo)) == (0, made), "the forge removes what it merged"
    assert f"Branch {TO} is not needed." in ran.out
    assert "commit-unproven" not in ran.err
    verified = ipam(capsys, "verify", "--repo", truth(repo))
    assert (verified.code, "1 same" in verified.out) == (0, True)


def test_the_check_of_the_pull_request_finds_nothing(repo: Path, capsys: Capture) -> None:
    ipam(capsys, *WORDS, repo)
    words = ("check", "--base", "main", "--rev", TO, "--repo", truth(repo))
    ran = ipam(capsys, *words)
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "✓ fine: no findings; 1 kept")


def test_what_people_committed_there_is_never_replaced(repo: Path, capsys: Capture) -> None:
    ipam(capsys, *WORDS, repo)
    theirs = _merged(repo, TO, "", {"notes.md": "mine\n"})
    _advance(repo, TWO)
    ran = ipam(capsys, *WORDS, repo)
    assert (ran.code, head(repo)) == (64, theirs)
    assert f"branch {TO} has commit {theirs[:12]}, which reconcile did not make" in ran.err
    assert "--to-branch" in ran.err


def test_all_that_a_run_makes_waits_there_together(
    repo: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """What fell due gets a commit of its own, on top of that of the revision as it stands."""
    for files in (TWO, {"tenants/one.yaml": None}):
        _advance(repo, files, clock=CLOCK + 60)
        ipam(capsys, *WORDS, repo)
        _merged(repo, "main", TO)
    _advance(repo, {"tenants/new.yaml": tenant("new")}, clock=CLOCK + 120)
    monkeypatch.setattr("reconciler.cli.options.now", lambda: CLOCK + 3 * 86_400)
    assert ipam(capsys, *WORDS, repo).code == 0
    log = git(truth(repo), "log", "--format=%s", "-2", TO)
    assert log.splitlines() == ["ipam: expire 1", "ipam: allocate 1"]
    there = ("--repo", truth(repo))
    # As the branch stands, and as a forge merges it: the check of that change is green.
    proposed = f"--proposed={head(repo)}"
    assert ipam(capsys, "check", "--base=main", f"--rev={TO}", proposed, *there).code == 0
    base = head(repo, "main")
    _merged(repo, "main", TO)
    ran = ipam(capsys, "check", f"--base={base}", "--rev=main", proposed, *there)
    assert (ran.code, "no findings" in ran.out) == (0, True), ran.out
    assert f"Branch {TO} is not needed." in ipam(capsys, *WORDS, repo).out
    assert "4 same" in ipam(capsys, "verify", "--repo", truth(repo)).out


def test_wrong_settings_leave_it_as_it_is(repo: Path, capsys: Capture) -> None:
    ipam(capsys, *WORDS, repo)
    first = head(repo)
    _advance(repo, {"ipam.yaml": "metadata: {name: ipam\n"})
    assert (ipam(capsys, *WORDS, repo).code, head(repo)) == (1, first)


def test_the_document_names_the_branch(repo: Path, capsys: Capture) -> None:
    for state in ("brought", "stands"):
        told = json.loads(ipam(capsys, *WORDS, repo, "-o", "json").out)
        assert told["proposed"] == {"branch": TO, "state": state}
        assert (told["pushed"], told["commit"]) == (False, head(repo))


def test_a_branch_that_cannot_be_it_is_wrong_usage(repo: Path, capsys: Capture) -> None:
    words = ("reconcile", "--no-apply", "--repo", repo, "--to-branch")
    for name, why in (
        ("main", "--to-branch main is the branch that is reconciled itself"),
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
    """A commit on main, as its remote has it."""
    if truth(repo) != repo:
        git(repo, "pull", "-q", "--ff-only")
    for path in [path for path, text in files.items() if text is None]:
        (repo / path).unlink(missing_ok=True)
    write(repo, {path: text for path, text in files.items() if text is not None})
    commit(repo, clock=clock)
    if truth(repo) != repo:
        git(repo, "push", "-q", "origin", "main")


def _merged(
    repo: Path, branch: str, other: str, files: dict[str, str | bytes] | None = None
) -> str:
    """What people do to a branch with a clone of their own; its new head."""
    own = repo.parent / f"own-{sum(it.name.startswith('own') for it in repo.parent.iterdir())}"
    git(repo.parent, "clone", "-q", str(truth(repo)), own.name)
    git(own, "switch", "-q", branch)
    if other:
        git(own, "merge", "-q", "--no-ff", "-m", "merge", f"origin/{other}", clock=CLOCK + 60)
    if files:
        write(own, files)
        commit(own)
    if truth(repo) == repo and branch == "main":  # a checkout that shows it
        git(repo, "pull", "-q", "--ff-only", str(own), branch)
    else:
        git(own, "push", "-q", "origin", branch)
    return head(repo, branch)


@pytest.mark.parametrize("how", ["squash", "rebase"])
def test_a_squash_or_a_rebase_of_the_first_proposal_loses_nothing(
    repo: Path, how: str, capsys: Capture
) -> None:
    ipam(capsys, *WORDS, repo)
    merger = repo.parent / "merger"
    git(repo.parent, "clone", "-q", str(truth(repo)), str(merger))
    made = git(merger, "show", f"origin/{TO}:{RECORD}")
    if how == "rebase":  # as a forge does it: the commit anew, with another committer and date
        git(merger, "cherry-pick", "--no-commit", f"origin/{TO}", clock=CLOCK + 60)
        git(merger, "commit", "-q", "-C", f"origin/{TO}", clock=CLOCK + 60)
    else:
        git(merger, "merge", "-q", "--squash", f"origin/{TO}", clock=CLOCK + 60)
        git(merger, "commit", "-q", "-m", "Addresses (#7)", clock=CLOCK + 60)
    git(merger, "push", "-q", "origin", "HEAD:refs/heads/merged")
    git(truth(repo), "update-ref", "refs/heads/main", "refs/heads/merged")
    git(truth(repo), "update-ref", "-d", "refs/heads/merged")
    ran = ipam(capsys, "plan", "--repo", truth(repo), "--rev", "main")
    assert ran.out.endswith("No changes. 1 allocations kept, 0 moved.\n")
    assert git(truth(repo), "show", f"main:{RECORD}") == made
    verified = ipam(capsys, "verify", "main", "--repo", truth(repo))
    # The message of a squash is a person's; a rebase keeps the message of reconcile.
    verdict = "same" if how == "rebase" else "foreign"
    assert (verified.code, f"1 commits: 1 {verdict}." in verified.out) == (0, True), verified
    checked = ipam(capsys, "check", "--repo", truth(repo), "--rev", "main")
    assert checked.code == 0, checked
