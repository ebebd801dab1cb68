"""A run that is killed at any point leaves nothing that the next run does not put right."""

import shutil
from pathlib import Path

import pytest

from tests.gitio.command import Command
from tests.world import git


def _tree(remote: Path) -> str:
    return git(remote, "rev-parse", "main^{tree}")


@pytest.mark.parametrize("where", ["checkout", "mirror", "no remote"])
def test_a_run_after_a_kill_at_any_git_call_ends_as_if_there_had_been_none(
    where: str, tmp_path: Path, author: Path, command: Command
) -> None:
    remote = author
    if where != "no remote":
        remote = tmp_path / "remote.git"
        git(tmp_path, "clone", "-q", "--bare", str(author), str(remote))
        git(author, "remote", "add", "origin", str(remote))
    told = ["--remote", str(remote)] if where == "mirror" else ["--repo", str(author)]
    kept = tmp_path / "kept"
    for folder in (author, remote):
        shutil.copytree(folder, kept / folder.name, dirs_exist_ok=True)
    count = command.killing()
    chosen = count.with_suffix(".kill")

    def begin_anew() -> None:
        for folder in (author, remote):
            shutil.rmtree(folder)
            shutil.copytree(kept / folder.name, folder)
        shutil.rmtree(tmp_path / "cache", ignore_errors=True)
        count.unlink(missing_ok=True)

    assert command.run("reconcile", *told).code == 0
    calls = int(count.read_text())
    wanted = _tree(remote), git(remote, "rev-parse", "main")
    assert calls >= 7
    for at in range(1, calls + 1):
        for when in ("before", "after"):
            begin_anew()
            chosen.write_text(f"{when} {at}\n")
            assert command.run("reconcile", *told).code == -9, (when, at)
            chosen.write_text("")
            again = command.run("reconcile", *told)
            assert again.code == 0, (when, at, again)
            assert (_tree(remote), git(remote, "rev-parse", "main")) == wanted, (when, at)
            assert not git(author, "for-each-ref", "refs/ipam/work"), (when, at)
            if where != "mirror":
                assert git(author, "rev-parse", "HEAD") == wanted[1], (when, at)
                assert git(author, "status", "--porcelain") == "", (when, at)
