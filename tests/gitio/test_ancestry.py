"""Whether one revision contains another: yes, no, or unknown."""

from pathlib import Path

import pytest

from reconciler.gitio.repository import Repository, open_repository
from reconciler.model.errors import GitError
from tests.world import ENVIRONMENT, SMALL, commit, git, repository

UNKNOWN = "f" * 40


@pytest.fixture
def author(tmp_path: Path) -> Path:
    folder = repository(tmp_path / "repo", SMALL)
    commit(folder, "second")
    commit(folder, "third")
    return folder


def opened(folder: Path) -> Repository:
    return open_repository(folder, ENVIRONMENT)


def ids(author: Path) -> list[str]:
    """From the first commit to the last."""
    return git(author, "rev-list", "--reverse", "HEAD").splitlines()


def test_what_came_before_is_contained_and_what_came_after_is_not(author: Path) -> None:
    first, _, last = ids(author)
    assert opened(author).is_in(first, last)
    assert opened(author).is_in(last, last)
    assert not opened(author).is_in(last, first)


def test_what_is_not_here_is_not_contained_where_all_history_is(author: Path) -> None:
    assert not opened(author).is_in(UNKNOWN, ids(author)[-1])


def test_what_a_revision_that_is_not_here_contains_cannot_be_told(author: Path) -> None:
    with pytest.raises(GitError, match="git merge-base"):
        opened(author).is_in(ids(author)[0], UNKNOWN)


def test_a_shallow_clone_cannot_tell_what_lies_before_it(author: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--depth", "2", f"file://{author}", "shallow")
    first, second, last = ids(author)
    shallow = opened(tmp_path / "shallow")
    assert shallow.is_in(second, last)
    for asked in ((first, last), (UNKNOWN, last), (last, second)):
        with pytest.raises(GitError):
            shallow.is_in(*asked)


def test_a_clone_that_is_just_as_deep_as_the_history_lacks_nothing(
    author: Path, tmp_path: Path
) -> None:
    git(tmp_path, "clone", "-q", "--depth", "3", f"file://{author}", "shallow")
    first, second, last = ids(author)
    named = (tmp_path / "shallow/.git/shallow").read_text(encoding="ascii").split()
    shallow = opened(tmp_path / "shallow")
    assert named == [first]
    assert not shallow.is_shallow()
    assert shallow.is_whole(last)
    assert not shallow.is_in(UNKNOWN, last)
    assert not shallow.is_in(last, second)
    steps = list(shallow.source(first).past(["tenants"]))
    assert [(step.id, step.is_cut, len(step.changed)) for step in steps] == [(first, False, 1)]
