"""A record is one by either spelling of its name, and the next reconcile gives it its own."""

from pathlib import Path

import pytest

from reconciler.cli import run
from reconciler.gitio.opening import open_repository
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


def stated(folder: Path, path: str) -> list[str]:
    lines = (folder / path).read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if "Address:" in line]


def test_a_record_of_the_other_spelling_holds_and_is_moved_to_its_place(folder: Path) -> None:
    before = stated(folder, RECORD)
    git(folder, "mv", RECORD, SHORT)
    write(folder, {"tenants/a.yaml": tenant("a")})
    commit(folder)
    assert run(["reconcile", "--repo", str(folder), "--branch", "change", "--any-branch"]) == 0
    git(folder, "reset", "-q", "--hard")
    assert not (folder / SHORT).exists()
    assert stated(folder, RECORD) == before
    assert stated(folder, RECORD.replace("one.", "a.")) != before


def test_a_record_of_the_other_spelling_is_reported_beside_the_base(folder: Path) -> None:
    more = (folder / RECORD).read_text(encoding="utf-8").replace("one", "two")
    write(folder, {"allocations/import/legacy.yml": more})
    commit(folder)
    opened = open_repository(folder, ENVIRONMENT)
    found = review(opened.source("HEAD"), opened, "main").evaluation.findings
    told = {item.code for item in found if item.location.path == "allocations/import/legacy.yml"}
    assert {"record-edited", "record-overlap"} <= told


def test_doctor_takes_a_record_of_the_other_spelling_for_one(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(folder, "mv", RECORD, SHORT)
    commit(folder)
    git(folder, "branch", "-f", "main", "change")
    run(["doctor", "--repo", str(folder)])
    assert "not records" not in capsys.readouterr().out
