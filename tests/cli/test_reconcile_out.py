"""`reconcile --output-file`: the result as a file, beside what it says."""

import json
from pathlib import Path

import pytest
import yaml

from tests.cli.running import ipam
from tests.test_output_schemas import validated
from tests.world import SMALL, git, repository

Capture = pytest.CaptureFixture[str]


def test_the_files_hold_what_stdout_would_and_people_read_text(
    tmp_path: Path, capsys: Capture
) -> None:
    repo = repository(tmp_path / "repo", SMALL)
    places = {form: tmp_path / f"result.{form}" for form in ("json", "yaml")}
    outs = [word for form, path in places.items() for word in ("--output-file", f"{form}={path}")]
    ran = ipam(capsys, "reconcile", "--repo", repo, *outs)
    assert ran.code == 0
    assert ran.out.startswith("Plan for ")
    document = validated("reconcile-result.json", places["json"].read_text(encoding="utf-8"))
    assert document["commit"] == git(repo, "rev-parse", "HEAD")
    assert yaml.safe_load(places["yaml"].read_text(encoding="utf-8")) == document
    ran = ipam(capsys, "reconcile", "--repo", repo, "-o", "json", *outs)
    assert places["json"].read_text(encoding="utf-8") == ran.out
    assert json.loads(ran.out)["commit"] is None


def test_a_file_that_cannot_be_written_is_told_when_all_is_done(
    tmp_path: Path, capsys: Capture
) -> None:
    repo = repository(tmp_path / "repo", SMALL)
    before = git(repo, "rev-parse", "HEAD")
    words = ("--output-file", f"json={tmp_path / 'no' / 'x'}")
    ran = ipam(capsys, "reconcile", "--repo", repo, *words)
    assert ran.code == 64
    assert git(repo, "rev-parse", "HEAD~1") == before, "the records are committed all the same"
    assert "--output-file cannot be written" in ran.err
