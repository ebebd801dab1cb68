"""Locks that a git which was killed has left: in a mirror they are ours to remove, else a person's."""

import os
from pathlib import Path

import pytest

from reconciler.gitio.repository import OLD, alone
from tests.gitio.command import Command
from tests.world import commit, git, request, write

LEFT = (
    "HEAD.lock",
    "config.lock",
    "packed-refs.lock",
    "shallow.lock",
    "refs/ipam/remote/main.lock",
    "refs/ipam/seen/main.lock",
    "objects/info/commit-graphs/commit-graph-chain.lock",
    "objects/pack/multi-pack-index.lock",
)


def leave(git_dir: Path, at: float, *names: str) -> list[Path]:
    """Locks as a git leaves them that is killed at a time."""
    made = [git_dir / name for name in names or LEFT]
    for lock in made:
        lock.parent.mkdir(parents=True, exist_ok=True)
        lock.touch()
        os.utime(lock, (at, at))
    return made


@pytest.mark.parametrize(
    ("age", "is_left"), [(OLD, False), (OLD - 1, True), (0, True), (-OLD, False), (1e6, False)]
)
def test_a_lock_is_removed_when_it_is_old(tmp_path: Path, age: float, is_left: bool) -> None:
    locks = leave(tmp_path, 1_000_000, *LEFT)
    with alone(tmp_path, lambda: 1_000_000 + age):
        assert [lock.exists() for lock in locks] == [is_left] * len(LEFT)


def test_a_run_on_a_mirror_in_which_a_git_was_killed_goes_on(
    tmp_path: Path, author: Path, remote: Path, command: Command
) -> None:
    told = ("reconcile", "--remote", str(remote))
    assert command.run(*told).code == 0
    git(author, "pull", "-q")
    write(author, {"tenants/more.yaml": request("more", count=1)})
    commit(author)
    git(author, "push", "-q")
    (mirror,) = (tmp_path / "cache").rglob("HEAD")
    leave(mirror.parent, 0)
    done = command.run(*told)
    assert done.code == 0, done
    assert "more" in git(remote, "ls-tree", "-r", "--name-only", "main", "allocations")
    assert [path for path in mirror.parent.rglob("*.lock") if path.name != "ipam.lock"] == []


def test_a_lock_in_a_checkout_is_told_and_left_to_a_person(author: Path, command: Command) -> None:
    (lock,) = leave(author / ".git", 0, "refs/heads/main.lock")
    done = command.run("reconcile", "--repo", str(author))
    assert done.code == 4, done
    assert "remove that .lock file" in done.err
    assert lock.exists()
