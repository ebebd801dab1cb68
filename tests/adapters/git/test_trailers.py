"""Whose trailer counts on a line, and how much of messages is read."""

from pathlib import Path

import pytest

from reconciler.adapters.git import saying
from reconciler.adapters.git.opening import open_repository
from reconciler.ports import LimitError
from tests.cli.running import given_out
from tests.world import CLOCK, ENVIRONMENT, SMALL, commit, git, write

TRAILER = f"x\n\nIpam-Plan: sha256:{'0' * 64}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return given_out(tmp_path / "repo", SMALL)


def line(folder: Path) -> list[tuple[str, bool]]:
    source = open_repository(folder, ENVIRONMENT).source("HEAD")
    return [(step.id, step.is_reconcile) for step in source.past(["allocations", "pools", "notes"])]


def test_an_empty_commit_with_trailers_leads_no_line(folder: Path) -> None:
    """Nor makes its branch the one that has the newest reconcile commit."""
    git(folder, "switch", "-q", "-c", "change", "HEAD~1")
    write(folder, {"notes/a.txt": "a\n"})
    commit(folder, "a", CLOCK + 60)
    commit(folder, TRAILER, CLOCK + 70)
    git(folder, "switch", "-q", "main")
    made = git(folder, "rev-parse", "main")
    git(folder, "merge", "-q", "--no-ff", "-m", "merge", "change", clock=CLOCK + 90)
    merged = git(folder, "rev-parse", "HEAD")
    assert line(folder)[:2] == [(merged, False), (made, True)]


def test_a_merge_with_trailers_is_none_of_reconciles(folder: Path) -> None:
    git(folder, "switch", "-q", "-c", "change")
    write(folder, {"notes/a.txt": "a\n"})
    commit(folder, "a", CLOCK + 60)
    git(folder, "switch", "-q", "main")
    git(folder, "merge", "-q", "--no-ff", "-m", TRAILER, "change", clock=CLOCK + 90)
    assert line(folder)[0] == (git(folder, "rev-parse", "HEAD"), False)


def test_large_messages_are_bounded_in_sum_and_the_commit_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saying, "MAX_OTHER_BYTES", 50_000)
    found = open_repository(folder, ENVIRONMENT)
    ids = [commit(folder, "x" * 20_000, CLOCK + at) for at in (60, 70)]
    assert found.is_whole(ids[-1])
    ids.append(commit(folder, "x" * 20_000, CLOCK + 80))
    with pytest.raises(LimitError, match=rf"commit {ids[0]} and other large ones have \d+ bytes"):
        found.is_whole(ids[-1])
    assert found.is_whole(ids[-1], ids[1])
