"""A root moved without its records fails `check`, so no address is allocated twice."""

from pathlib import Path
from typing import Any

import pytest

from reconciler.cli import run
from tests.cli.running import Capture, Ran, ipam
from tests.cli.test_root import SETTINGS, below
from tests.world import SMALL, commit, git, repository, write

FOLDERS = ("pools", "providers", "tenants")
MOVES = [("net/old", "net/new"), ("", "net"), ("net", "")]


@pytest.fixture(params=MOVES, ids=["a folder", "the top", "into the top"])
def move(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def repo(tmp_path: Path, move: tuple[str, str]) -> Path:
    """A reconciled root that branch `change` moves without its records."""
    old, new = move
    files = below(SMALL, old) if old else dict(SMALL)
    made = repository(tmp_path / "repo", {**files, "README.md": "words\n"})
    assert said("reconcile", made, old) == 0
    git(made, "switch", "-q", "-c", "change")
    (made / new).mkdir(parents=True, exist_ok=True)
    for folder in FOLDERS:
        git(made, "mv", str(Path(old, folder)), str(Path(new, folder)))
    commit(made, "move")
    return made


def said(verb: str, folder: Path, root: str) -> int:
    return run([verb, "--repo", str(folder), "--root", root or "."])


def reconciled_change(capsys: Capture, repo: Path, move: tuple[str, str], *more: str) -> Ran:
    words = ("--repo", repo, "--root", move[1] or ".", "--branch", "change", "--any-branch")
    return ipam(capsys, "reconcile", *words, *more)


def places(move: tuple[str, str]) -> tuple[str, str]:
    old, new = (str(Path(root, "allocations")) for root in move)
    return old, new


@pytest.mark.parametrize("more", [(), ("--base", "main")])
def test_check_stops_it_and_names_what_moves_the_records_along(
    repo: Path, move: tuple[str, str], more: tuple[str, ...], capsys: Capture
) -> None:
    root = move[1] or "."
    ran = ipam(capsys, "check", "--repo", repo, "--root", root, *more)
    old, new = places(move)
    assert ran.code == 1
    assert "error records-left: 1 claim would get new addresses" in ran.out
    assert f"git mv {old} {new} in the same commit" in ran.out


def test_reconcile_stops_until_a_person_begins_anew(
    repo: Path, move: tuple[str, str], capsys: Capture
) -> None:
    head = git(repo, "rev-parse", "HEAD")
    ran = reconciled_change(capsys, repo, move)
    assert (ran.code, git(repo, "rev-parse", "HEAD")) == (3, head)
    assert "git mv" in ran.err
    ran = reconciled_change(capsys, repo, move, "--allow-release", "0")
    assert (ran.code, "Committed" in ran.out) == (1, True), (
        "the records left behind are not reported any more"
    )
    assert ipam(capsys, "check", "--repo", repo, "--root", move[1] or ".").code == 0


def test_a_new_root_beside_one_that_lives_is_none_that_was_moved(
    tmp_path: Path, capsys: Capture
) -> None:
    made = repository(tmp_path / "repo", below(SMALL, "one"))
    assert said("reconcile", made, "one") == 0
    write(made, below(SMALL, "two"))
    commit(made, "another")
    assert ipam(capsys, "check", "--repo", made, "--root", "two").code == 0
    assert said("reconcile", made, "two") == 0


@pytest.mark.parametrize("is_squashed", [True, False])
def test_reconcile_stops_too_where_the_records_are_only_in_the_history(
    repo: Path, move: tuple[str, str], is_squashed: bool, capsys: Capture
) -> None:
    old, new = places(move)
    if is_squashed:
        git(repo, "rm", "-rq", old)
    else:
        git(repo, "mv", old, new)
        commit(repo, "and the records")
        git(repo, "rm", "-rq", new)
    commit(repo, "without records")
    head = git(repo, "rev-parse", "HEAD")
    ran = reconciled_change(capsys, repo, move)
    assert (ran.code, git(repo, "rev-parse", "HEAD")) == (3, head)
    assert f"had a record in {old}/ at the top of the repository" in ran.err
    assert f"git checkout {git(repo, 'rev-parse', 'main')[:12]} -- {old}" in ran.err


def test_a_root_that_goes_into_one_that_lives_takes_its_records_along(
    tmp_path: Path, capsys: Capture
) -> None:
    small = {it.replace("one", "two"): text.replace("one", "two") for it, text in SMALL.items()}
    made = repository(tmp_path / "repo", {**below(SMALL, "old"), **below(small, "new")})
    assert [said("reconcile", made, root) for root in ("old", "new")] == [0, 0]
    git(made, "switch", "-q", "-c", "change")
    git(made, "mv", "old/tenants/one.yaml", "new/tenants/one.yaml")
    git(made, "rm", "-rq", "old/pools", "old/providers")
    commit(made, "one root")
    words = ("check", "--repo", made, "--root", "new", "--base", "main")
    assert "error records-left: " in ipam(capsys, *words).out
    git(made, "rm", "-rq", "old/allocations")
    commit(made, "without the records")
    assert "error records-left: " in ipam(capsys, *words).out


def test_settings_alone_are_no_root_that_lives(tmp_path: Path, capsys: Capture) -> None:
    made = repository(tmp_path / "repo", {**below(SMALL, "old"), "old/ipam.yaml": SETTINGS})
    assert said("reconcile", made, "old") == 0
    for folder in FOLDERS:
        (made / "new").mkdir(exist_ok=True)
        git(made, "mv", f"old/{folder}", f"new/{folder}")
    commit(made, "all but the Settings")
    ran = ipam(capsys, "check", "--repo", made, "--root", "new")
    assert "error records-left: 1 claim would get new addresses" in ran.out
