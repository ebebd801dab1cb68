"""Clones that lack something: a shallow one, and one whose filter left objects out."""

from pathlib import Path

import pytest

from tests.cli.running import Capture, given_out, ipam
from tests.world import SMALL, commit, git, pool, tenant, write

CHECK = ("check", "--base", "HEAD^1")


@pytest.fixture
def remote(tmp_path: Path) -> str:
    """A merge whose second parent edits one file and adds another, as a forge lays it out."""
    author = given_out(tmp_path / "author", SMALL)
    git(author, "switch", "-q", "-c", "change")
    write(
        author, {"pools/edge.yaml": pool("edge", "10.40.0.0/23"), "tenants/two.yaml": tenant("two")}
    )
    commit(author)
    git(author, "switch", "-q", "main")
    git(author, "merge", "-q", "--no-ff", "-m", "merge", "change")
    git(author, "config", "uploadpack.allowFilter", "true")
    return f"file://{author}"


def clone(tmp_path: Path, remote: str, *how: str) -> Path:
    git(tmp_path, "clone", "-q", *how, remote, "clone")
    return tmp_path / "clone"


def test_a_parent_that_was_not_fetched_is_not_called_absent(
    tmp_path: Path, remote: str, capsys: Capture
) -> None:
    folder = clone(tmp_path, remote, "--depth=1")
    for base in ("HEAD^1", "HEAD~1"):
        ran = ipam(capsys, "check", "--base", base, "--repo", folder)
        assert (ran.code, ran.out) == (4, "")
        assert f"the clone is too shallow: it does not contain '{base}'" in ran.err
        assert "fetch-depth: 2, or 0 for all" in ran.err
    ran = ipam(capsys, "check", "--base", "absent", "--repo", folder)
    assert "ipam: commit 'absent' does not exist in this repository" in ran.err


def test_a_clone_that_ends_before_the_newest_reconcile_commit_is_refused(
    tmp_path: Path, remote: str, capsys: Capture
) -> None:
    folder = clone(tmp_path, remote, "--depth=2")
    ran = ipam(capsys, "check", "--base", "HEAD^1", "--repo", folder)
    assert (ran.code, ran.out) == (4, "")
    assert "git fetch --unshallow --filter=blob:none" in ran.err


@pytest.mark.parametrize("how", [("--filter=blob:none",), ("--filter=tree:0", "--no-checkout")])
def test_what_a_filter_left_out_is_named_with_what_brings_it(
    tmp_path: Path, remote: str, how: tuple[str, ...], capsys: Capture
) -> None:
    folder = clone(tmp_path, remote, *how)
    ran = ipam(capsys, "check", "--base", "HEAD^1", "--repo", folder)
    assert (ran.code, ran.out) == (4, "")
    assert "ipam: the partial clone lacks objects that its filter excluded (" in ran.err
    assert "run git fetch --refetch --no-filter; in a CI job" in ran.err
    git(folder, "fetch", "-q", "--refetch", "--no-filter")
    assert ipam(capsys, "check", "--base", "HEAD^1", "--repo", folder).code == 0


@pytest.fixture
def filtered(tmp_path: Path, remote: str) -> Path:
    return clone(tmp_path, remote, "--filter=blob:none", "--no-checkout")


@pytest.mark.parametrize(
    "line",
    [
        "check --base HEAD^1 -o markdown --output-file junit={}",
        "plan --base HEAD^1 -o json",
        "plan",
    ],
)
def test_what_is_read_is_fetched(
    line: str, tmp_path: Path, remote: str, filtered: Path, capsys: Capture
) -> None:
    words = line.format(tmp_path / "junit.xml").split()
    assert ipam(capsys, *words, "--repo", filtered).code == 4
    ran = ipam(capsys, *words, "--fetch-missing", "--repo", filtered)
    assert ran.code == 0, ran.err
    whole = clone(tmp_path / "author", remote)
    assert ran[:2] == ipam(capsys, *words, "--repo", whole)[:2]


def test_what_cannot_be_fetched_is_told_and_nothing_is_judged(
    filtered: Path, capsys: Capture
) -> None:
    git(filtered, "config", "remote.origin.url", "https://127.0.0.1:9/none.git")
    ran = ipam(capsys, *CHECK, "--fetch-missing", "--repo", filtered)
    assert (ran.code, ran.out) == (4, "")
    assert "cannot fetch objects that a filter excluded" in ran.err
    ran = ipam(capsys, *CHECK, "--repo", filtered)
    assert (ran.code, ran.out) == (4, "")
    assert "for check and plan, pass --fetch-missing" in ran.err
