"""A record that cannot be read is still there: a comparison with the base must not call it gone."""

from pathlib import Path

from reconciler.gitio.opening import open_repository
from reconciler.review.checks import review
from tests.world import ENVIRONMENT, SMALL, commit, reconciled, repository, write


def test_a_damaged_record_is_unreadable_and_not_removed(tmp_path: Path) -> None:
    files = reconciled(SMALL)
    path = next(name for name in files if name.startswith("allocations/"))
    repository(tmp_path, files)
    write(tmp_path, {path: "phase: Allocatd\n"})
    commit(tmp_path, "damage")
    git = open_repository(tmp_path, ENVIRONMENT)
    findings = review(git.source("HEAD"), git, "HEAD^1").evaluation.findings
    codes = [found.code for found in findings if found.location.path == path]
    assert codes == ["record-unreadable"]


def test_a_record_that_is_gone_is_removed(tmp_path: Path) -> None:
    files = reconciled(SMALL)
    path = next(name for name in files if name.startswith("allocations/"))
    repository(tmp_path, files)
    (tmp_path / path).unlink()
    commit(tmp_path, "remove")
    git = open_repository(tmp_path, ENVIRONMENT)
    findings = review(git.source("HEAD"), git, "HEAD^1").evaluation.findings
    codes = [found.code for found in findings if found.location.path == path]
    assert codes == ["record-removed"]
