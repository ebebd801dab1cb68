"""Read-only commands run no programs, write no files, and open no connections."""

from pathlib import Path

import pytest

from reconciler.cli import run
from tests.bad_input.harness import snapshot
from tests.world import SMALL, commit, git, repository

HOOKS = (
    *("pre-commit", "post-checkout", "reference-transaction"),
    *("fsmonitor-watchman", "post-index-change", "pre-push"),
)
LOOKING = (
    *("check", "check --base HEAD^1", "check --worktree"),
    *("plan", "plan --base HEAD^1 -o json", "plan --worktree", "simulate --tenants 3", "status"),
    *("get allocations", "explain team-a/one", "find --count 3", "who 10.40.0.3 --history"),
    *("history", "forecast", "map"),
)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A repository whose hooks, filters, monitors and remotes leave a mark when they are run."""
    folder = repository(tmp_path / "repository", SMALL)
    (folder / ".gitattributes").write_text("* filter=mark diff=mark\n", encoding="utf-8")
    commit(folder, "second")
    mark = tmp_path / "mark"
    touch = f"touch {mark}"
    for name in HOOKS:
        hook = folder / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\n{touch}\n", encoding="utf-8")
        hook.chmod(0o755)
    for key, value in {
        "core.fsmonitor": touch,
        "core.sshCommand": touch,
        "core.pager": touch,
        "core.gitProxy": touch,
        "filter.mark.smudge": touch,
        "filter.mark.clean": touch,
        "diff.mark.textconv": touch,
        "credential.helper": f"!{touch}",
        "remote.origin.url": f"ext::{touch}",
        "remote.origin.receivepack": touch,
        "remote.origin.uploadpack": touch,
        "branch.main.remote": "origin",
    }.items():
        git(folder, "config", key, value)
    return folder


@pytest.mark.parametrize("line", LOOKING)
@pytest.mark.usefixtures("socket_disabled")
def test_a_verb_that_looks_runs_nothing_writes_nothing_and_opens_no_socket(
    line: str, hostile: Path
) -> None:
    before = snapshot(hostile)
    assert run([*line.split(), "--repo", str(hostile)]) == 0
    assert snapshot(hostile) == before
    assert not (hostile.parent / "mark").exists()


@pytest.mark.parametrize(("url", "code"), [("", 4), ("../remote.git", 0)])
def test_doctor_runs_nothing_and_writes_nothing_either(hostile: Path, url: str, code: int) -> None:
    if url:
        bare = str(hostile.parent / "remote.git")
        # As a person's clone, which touches nothing of the repository itself.
        git(hostile.parent, "clone", "-q", "--bare", str(hostile), bare)
        git(hostile, "config", "remote.origin.url", url)
    before = snapshot(hostile)
    assert run(["doctor", "--repo", str(hostile)]) == code
    assert snapshot(hostile) == before
    assert not (hostile.parent / "mark").exists()


def test_the_marks_are_left_by_a_git_that_is_not_guarded(hostile: Path) -> None:
    git(hostile, "status")
    assert (hostile.parent / "mark").exists()
