"""Repositories whose ids are SHA-256: all that works with the usual ones works there."""

import json
from pathlib import Path

import pytest

from tests.git_server import serving
from tests.gitio.command import Command, served
from tests.world import SMALL, commit, git, tenant, write


@pytest.fixture
def author(tmp_path: Path) -> Path:
    """A checkout with a bare remote, both with long ids."""
    folder = tmp_path / "author"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main", "--object-format=sha256")
    write(folder, SMALL)
    commit(folder, "first")
    served(tmp_path, folder)
    return folder


def heads(author: Path) -> set[str]:
    remote = author.parent / "served" / "remote.git"
    return {git(author, "rev-parse", "main"), git(remote, "rev-parse", "main")}


def test_a_checkout_is_planned_checked_and_reconciled_and_pushed(
    author: Path, command: Command
) -> None:
    repo = ("--repo", str(author))
    plan = json.loads(command.run("plan", *repo, "-o", "json").out)
    assert len(plan["revision"]) == 64
    for round_ in range(2):
        before = git(author, "rev-parse", "main")
        write(author, {f"tenants/t{round_}.yaml": tenant(f"t{round_}")})
        head = commit(author)
        git(author, "push", "-q")
        assert command.run("check", *repo, "--base", before).code == 0
        assert command.run("doctor", *repo).code == 0
        assert command.run("reconcile", *repo).code == 0
        (made,) = heads(author)
        assert git(author, "rev-parse", "main~1") == head
        assert f"Ipam-Base: {head}" in git(author, "log", "-1", "--format=%B")
        assert len(made) == 64
        assert command.run("check", *repo, "--base", head).code == 0
        assert command.run("check", *repo, "--worktree", "--base", head).code == 0
        assert command.run("reconcile", *repo).code == 0
        assert heads(author) == {made}
    assert not git(author, "for-each-ref", "refs/ipam/work")


@pytest.mark.parametrize("how", ["folder", "server"])
def test_a_remote_is_reconciled_by_a_mirror(author: Path, command: Command, how: str) -> None:
    with serving(author.parent / "served") as server:
        urls = {"folder": f"file://{author.parent}/served", "server": server.url}
        for _ in range(2):
            done = command.run("reconcile", "--remote", f"{urls[how]}/remote.git")
            assert done.code == 0, done
    remote = author.parent / "served" / "remote.git"
    assert git(remote, "log", "-1", "--format=%an", "main") == "gitops-ipam"
