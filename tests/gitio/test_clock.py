"""The clock of a revision whose committer date cannot be true yet."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from reconciler.gitio.repository import Repository, open_repository, open_worktree
from tests.world import AHEAD, CLOCK, SMALL, commit, git, repository

HOUR = 3_600
ENVIRONMENT = {"PATH": os.environ["PATH"]}


def opened(folder: Path, now: float = CLOCK) -> Repository:
    return replace(open_repository(folder, ENVIRONMENT), now=lambda: now)


def clock(folder: Path, now: float = CLOCK) -> tuple[int, int | None]:
    source = opened(folder, now).source("HEAD")
    return source.clock(), source.clock_ahead()


@pytest.mark.parametrize(("ahead", "is_told"), [(0, False), (HOUR, False), (HOUR + 1, True)])
def test_a_date_is_ahead_when_it_is_over_an_hour_later(
    tmp_path: Path, ahead: int, *, is_told: bool
) -> None:
    folder = repository(tmp_path / "repo", SMALL, CLOCK - 60)
    commit(folder, clock=CLOCK + ahead)
    told = (CLOCK - 60, CLOCK + ahead) if is_told else (CLOCK + ahead, None)
    assert clock(folder) == told
    assert clock(folder, CLOCK + ahead) == (CLOCK + ahead, None)


def test_dates_of_merged_branches_do_not_count(tmp_path: Path) -> None:
    folder = repository(tmp_path / "repo", SMALL, CLOCK - 60)
    git(folder, "checkout", "-q", "-b", "side")
    commit(folder, clock=CLOCK)
    git(folder, "checkout", "-q", "main")
    git(folder, "merge", "-q", "--no-ff", "-m", "merge", "side", clock=AHEAD)
    assert clock(folder) == (CLOCK - 60, AHEAD)


def test_where_all_dates_are_ahead_the_oldest_counts(tmp_path: Path) -> None:
    folder = repository(tmp_path / "repo", SMALL, AHEAD)
    commit(folder, clock=AHEAD + 60)
    assert clock(folder) == (AHEAD, AHEAD + 60)


def test_a_work_tree_has_the_clock_of_its_head(tmp_path: Path) -> None:
    folder = repository(tmp_path / "repo", SMALL, CLOCK)
    commit(folder, clock=AHEAD)
    source = open_worktree(opened(folder), folder)
    assert (source.clock(), source.clock_ahead()) == (CLOCK, AHEAD)
