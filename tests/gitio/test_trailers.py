"""Whose trailer counts on a line, and how much of messages is read."""

from pathlib import Path

import pytest

from reconciler.gitio.repository import open_repository
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
