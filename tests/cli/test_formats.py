"""`-o` and `--output-file`: one run for all that a CI service reads."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from reconciler.cli.review import FORMATS
from reconciler.report.markdown import MARKER
from tests.cli.running import ipam
from tests.world import SMALL, commit, git, pool, reconciled, repository, tenant, write

Capture = pytest.CaptureFixture[str]
WRONG = {"pools/wrong.yaml": pool("wrong", "10.9.0.1/24")}


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """Reconciled; then a pool that is wrong."""
    folder = repository(tmp_path / "repo", reconciled(SMALL))
    write(folder, WRONG)
    commit(folder)
    return folder


def outs(folder: Path) -> list[str]:
    """`--output-file` with every form."""
    return [word for form in FORMATS for word in ("--output-file", f"{form}={folder / form}")]


@pytest.mark.parametrize("form", FORMATS)
def test_a_file_holds_what_stdout_would(
    repo: Path, tmp_path: Path, capsys: Capture, form: str
) -> None:
    out = tmp_path / "out"
    printed = ipam(capsys, "check", "--repo", repo, "-o", form)
    silent = ipam(capsys, "check", "--repo", repo, "--output-file", f"{form}={out}", "-o", "json")
    assert (printed.code, printed.err, silent.code) == (1, "", 1)
    assert out.read_text(encoding="utf-8") == printed.out
    json.loads(silent.out)


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


def test_variables_name_form_and_files(
    repo: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IPAM_OUTPUT", "yaml")
    assert ipam(capsys, "check", "--repo", repo).out.startswith("apiVersion: ")
    monkeypatch.setenv("IPAM_OUTPUT", "github")
    monkeypatch.setenv("IPAM_OUTPUT_FILE", f"junit={tmp_path / 'a'} markdown={tmp_path / 'b'}")
    assert ipam(capsys, "check", "--repo", repo).out.startswith("::error ")
    assert (tmp_path / "a").read_text().startswith("<?xml")
    assert (tmp_path / "b").read_text().startswith(MARKER)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--output-file", "html=x"], "'html' is no format; use one of text, json,"),
        (["--output-file", "x.xml"], "'x.xml' is no format; use one of text, json,"),
        (
            ["--output-file", "junit"],
            "'junit' names no file. Name a file, as in junit=result.junit;",
        ),
        (["--output-file", "junit="], "-o chooses what goes to stdout"),
        (["--output-file", "junit=-"], "-o chooses what goes to stdout"),
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
        "  hint: name files that you may write to, in folders that are there\n"
    )
    assert json.loads(good.read_text())


def test_a_plan_can_be_a_comment(repo: Path, capsys: Capture) -> None:
    write(repo, {"tenants/two.yaml": tenant("two")})
    commit(repo)
    ran = ipam(capsys, "plan", "--repo", repo, "-o", "markdown", "--base", "main")
    assert (ran.code, ran.err) == (0, "")  # what is wrong stood on main before
    assert "| 🟢 allocate | `team-a/two` loadbalancer |" in ran.out
    assert "team-a/one" not in ran.out
    assert f"again: `ipam plan --base main --rev {git(repo, 'rev-parse', 'HEAD')[:12]}`" in ran.out
    ran = ipam(capsys, "plan", "--repo", repo, "-o", "markdown", "--all")
    assert "| ▫️ keep | `team-a/one` loadbalancer |" in ran.out
