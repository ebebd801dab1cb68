"""`-o` and `--output-file`: one run for all that a CI service reads."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from reconciler.cli.review import FORMATS
from reconciler.report.markdown import MARKER
from tests.cli.running import Capture, ipam
from tests.test_output_schemas import validated
from tests.world import SMALL, commit, git, pool, reconciled, repository, write

WRONG = {"pools/wrong.yaml": pool("wrong", "10.9.0.1/24")}


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = repository(tmp_path / "repo", reconciled(SMALL))
    write(folder, WRONG)
    commit(folder)
    return folder


def outs(folder: Path) -> list[str]:
    return [word for form in FORMATS for word in ("--output-file", f"{form}={folder / form}")]


def test_several_files_are_written_in_one_run_beside_the_text(
    repo: Path, tmp_path: Path, capsys: Capture
) -> None:
    plain = ipam(capsys, "check", "--repo", repo)
    ran = ipam(capsys, "check", "--repo", repo, "--color", "always", *outs(tmp_path))
    assert ran.code == 1
    assert "\x1b[" in ran.out
    texts = {form: (tmp_path / form).read_text(encoding="utf-8") for form in FORMATS}
    assert texts["text"] == plain.out
    assert texts["markdown"].startswith(MARKER)
    assert texts["github"].startswith("::error file=pools/wrong.yaml,line=5")
    assert json.loads(texts["gitlab"])[0]["check_name"] == "cidr-invalid"
    assert json.loads(texts["sarif"])["runs"][0]["results"][0]["ruleId"] == "cidr-invalid"
    assert json.loads(texts["json"]) == yaml.safe_load(texts["yaml"])
    assert ElementTree.fromstring(texts["junit"]).get("failures") == "1"
    assert texts["dotenv"].splitlines()[0] == "IPAM_RESULT_EXIT_CODE=1"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--output-file", "html=x"], "'html' is not a format; use one of text, json,"),
        (["--output-file", "junit"], "'junit' names no file. Name a file, as in junit=result"),
        (["--output-file", "junit=-"], "-o sets the format of stdout"),
        (["-o", "html"], "'html' is not one of 'text', 'json'"),
    ],
)
def test_a_form_or_file_that_cannot_be_is_wrong_usage(
    repo: Path, capsys: Capture, arguments: list[str], said: str
) -> None:
    ran = ipam(capsys, "check", "--repo", repo, *arguments)
    assert (ran.code, ran.out) == (64, "")
    assert said in ran.err


def test_a_file_that_cannot_be_written_is_wrong_usage_and_the_others_are_written(
    repo: Path, tmp_path: Path, capsys: Capture
) -> None:
    missing, good = tmp_path / "no" / "x", tmp_path / "good"
    ran = ipam(
        capsys, "check", "--repo", repo,
        "--output-file", f"junit={missing}", "--output-file", f"sarif={tmp_path}", "--output-file", f"gitlab={good}",
    )  # fmt: skip
    assert ran.code == 64
    assert "error cidr-invalid" in ran.out
    assert ran.err == (
        f"ipam: --output-file cannot be written: {missing}: No such file or directory,"
        f" {tmp_path}: Is a directory\n"
        "  hint: pass writable files in existing folders\n"
    )
    assert json.loads(good.read_text())


def test_files_of_reconcile_hold_what_stdout_would_and_people_read_text(
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


def test_a_file_of_reconcile_that_cannot_be_written_is_told_when_all_is_done(
    tmp_path: Path, capsys: Capture
) -> None:
    repo = repository(tmp_path / "repo", SMALL)
    before = git(repo, "rev-parse", "HEAD")
    words = ("--output-file", f"json={tmp_path / 'no' / 'x'}")
    ran = ipam(capsys, "reconcile", "--repo", repo, *words)
    assert ran.code == 64
    assert git(repo, "rev-parse", "HEAD~1") == before, "the records are not committed"
    assert "--output-file cannot be written" in ran.err
