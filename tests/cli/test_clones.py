"""Clones that lack something: a shallow one, and one whose filter left objects out."""

from pathlib import Path

import pytest

from tests.cli.running import given_out, ipam
from tests.world import SMALL, commit, git, pool, tenant, write

Capture = pytest.CaptureFixture[str]


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
        assert f"the clone is too shallow: it ends before '{base}'" in ran.err
        assert "fetch-depth: 2, or 0 for all" in ran.err
    ran = ipam(capsys, "check", "--base", "nobody", "--repo", folder)
    assert "no commit 'nobody' in the repository" in ran.err


def test_a_depth_of_two_is_enough_for_the_plan(
    tmp_path: Path, remote: str, capsys: Capture
) -> None:
    folder = clone(tmp_path, remote, "--depth=2")
    ran = ipam(capsys, "check", "--base", "HEAD^1", "--repo", folder)
    assert ran.code == 0
    assert "history-cut" in ran.err + ran.out
    assert "1 to allocate, 1 kept" in ran.out


@pytest.mark.parametrize("how", [("--filter=blob:none",), ("--filter=tree:0", "--no-checkout")])
def test_what_a_filter_left_out_is_named_with_what_brings_it(
    tmp_path: Path, remote: str, how: tuple[str, ...], capsys: Capture
) -> None:
    folder = clone(tmp_path, remote, *how)
    ran = ipam(capsys, "check", "--base", "HEAD^1", "--repo", folder)
    assert (ran.code, ran.out) == (4, "")
    assert "ipam: the partial clone lacks objects that its filter left out (git " in ran.err
    assert (
        "git fetch --refetch --no-filter brings them; in a CI job: a checkout without filter"
        in ran.err
    )
    git(folder, "fetch", "-q", "--refetch", "--no-filter")
    assert ipam(capsys, "check", "--base", "HEAD^1", "--repo", folder).code == 0
