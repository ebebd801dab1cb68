"""Where a branch is, locally and on a remote."""

from functools import partial
from pathlib import Path

import pytest

from reconciler.cli.opening import open_branch
from reconciler.gitio.remotes import branch_head
from reconciler.model.errors import GitError
from tests.world import SMALL, commit, git, repository, write


def test_a_local_branch_is_read_again_each_time(tmp_path: Path) -> None:
    folder = repository(tmp_path / "repo", SMALL)
    head = partial(branch_head, open_branch(folder, None, None))
    first = git(folder, "rev-parse", "HEAD")
    assert [head(), head()] == [first] * 2
    write(folder, {"more.txt": "x"})
    commit(folder, "more")
    assert head() == git(folder, "rev-parse", "HEAD") != first
    git(folder, "pack-refs", "--all")
    assert head() == git(folder, "rev-parse", "HEAD")


def test_a_remote_is_asked_each_time(tmp_path: Path) -> None:
    remote = repository(tmp_path / "remote", SMALL)
    head = partial(branch_head, open_branch(Path(), f"file://{remote}", "main"))
    first = head()
    write(remote, {"more.txt": "x"})
    commit(remote, "more")
    assert head() == git(remote, "rev-parse", "HEAD") != first


def test_a_branch_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    folder = repository(tmp_path / "repo", SMALL)
    with pytest.raises(GitError):
        partial(branch_head, open_branch(folder, None, "other"))()
