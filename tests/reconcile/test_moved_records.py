"""A pull request that moves the records folder, with the files and without."""

from pathlib import Path

import pytest

from reconciler.gitio.repository import open_repository
from reconciler.review.checks import review
from tests.cli.running import given_out
from tests.world import ENVIRONMENT, SMALL, commit, git, write

OTHER = (
    "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\n"
    "spec: {records: elsewhere}\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = given_out(tmp_path / "repo", SMALL)
    git(made, "switch", "-qc", "change")
    write(made, {"ipam.yaml": OTHER})
    return made


def codes(folder: Path) -> list[tuple[str, str]]:
    opened = open_repository(folder, ENVIRONMENT)
    compared = review(opened.source("HEAD"), opened, "main")
    assert not compared.evaluation.moves
    return [(item.code, item.severity.value) for item in compared.evaluation.findings]


def test_records_left_behind_are_an_error(folder: Path) -> None:
    commit(folder)
    assert ("settings-changed", "error") in codes(folder)


def test_records_that_come_along_are_seen_where_they_are(folder: Path) -> None:
    git(folder, "mv", "allocations", "elsewhere")
    commit(folder)
    assert ("settings-changed", "error") not in codes(folder)
    opened = open_repository(folder, ENVIRONMENT)
    assert review(opened.source("HEAD"), opened, "main").evaluation.changes == ()
