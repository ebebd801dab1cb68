"""A change that damages or removes a record is red."""

from pathlib import Path

from reconciler.gitio.repository import open_repository
from reconciler.review.checks import review
from tests.world import ENVIRONMENT, SMALL, commit, reconciled, repository, write


def test_a_damaged_record_is_changed_and_unreadable(tmp_path: Path) -> None:
    files = reconciled(SMALL)
    path = next(name for name in files if name.startswith("allocations/"))
    repository(tmp_path, files)
    write(tmp_path, {path: "phase: Allocatd\n"})
    commit(tmp_path, "damage")
    git = open_repository(tmp_path, ENVIRONMENT)
    findings = review(git.source("HEAD"), git, "HEAD^1").evaluation.findings
    codes = [found.code for found in findings if found.location.path == path]
    assert codes == ["records-changed", "record-unreadable"]


def test_a_removed_record_is_a_change(tmp_path: Path) -> None:
    files = reconciled(SMALL)
    path = next(name for name in files if name.startswith("allocations/"))
    repository(tmp_path, files)
    (tmp_path / path).unlink()
    commit(tmp_path, "remove")
    git = open_repository(tmp_path, ENVIRONMENT)
    findings = review(git.source("HEAD"), git, "HEAD^1").evaluation.findings
    codes = [found.code for found in findings if found.location.path == path]
    assert codes == ["records-changed"]
