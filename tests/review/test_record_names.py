"""A file is a record if its name ends with `.yaml` or `.yml`."""

from pathlib import Path

import pytest

from reconciler.cli import run
from reconciler.gitio.repository import open_repository
from reconciler.review.checks import review
from tests.cli.running import given_out
from tests.world import ENVIRONMENT, SMALL, commit, git, tenant, write

RECORD = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"
SHORT = RECORD.removesuffix(".yaml") + ".yml"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = given_out(tmp_path / "repo", SMALL)
    git(made, "switch", "-qc", "change")
    return made


def test_a_record_that_a_person_spells_otherwise_stops(folder: Path) -> None:
    git(folder, "mv", RECORD, SHORT)
    write(folder, {"tenants/a.yaml": tenant("a")})
    head = commit(folder)
    assert run(["check", "--repo", str(folder), "--base", "main"]) == 1
    assert run(["reconcile", "--repo", str(folder), "--branch", "change", "--any-branch"]) == 3
    assert git(folder, "rev-parse", "change") == head


def test_a_record_of_the_other_spelling_is_reported_beside_the_base(folder: Path) -> None:
    more = (folder / RECORD).read_text(encoding="utf-8").replace("one", "two")
    write(folder, {"allocations/import/legacy.yml": more})
    commit(folder)
    opened = open_repository(folder, ENVIRONMENT)
    found = review(opened.source("HEAD"), opened, "main").evaluation.findings
    told = {item.code for item in found if item.location.path == "allocations/import/legacy.yml"}
    assert {"records-changed", "record-overlap"} <= told
