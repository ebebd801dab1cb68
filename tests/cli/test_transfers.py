"""A record that changes hands on a real repository: plan, commit, history, who, verify."""

from pathlib import Path
from typing import Any

import pytest

from reconciler.planning.digest import digest
from tests.cli.running import given_out, ipam
from tests.hostile.test_announced import extra
from tests.test_output_schemas import validated
from tests.world import CLOCK, SMALL, commit, git, tenant, write

Capture = pytest.CaptureFixture[str]
HOUR = 3_600
MORE = "tenants/more.yaml"
COUNT = "  count: 4\n"
MERGE = "Merge pull request #7 from a/b"


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    files = {**SMALL, "tenants/two.yaml": tenant("two"), MORE: extra(spec=COUNT)}
    folder = given_out(tmp_path / "repo", files)
    write(folder, {MORE: extra(owner="two", spec=COUNT)})
    commit(folder, MERGE, CLOCK + HOUR)
    return folder


@pytest.fixture
def given(asked: Path, capsys: Capture) -> Path:
    assert ipam(capsys, "reconcile", "--repo", asked).code == 0
    return asked


def describe(capsys: Capture, folder: Path, *arguments: str) -> Any:
    schema = {"who": "holders"}.get(arguments[0], arguments[0])
    text = ipam(capsys, *arguments, "--repo", folder, "-o", "json").out
    return validated(f"{schema}.json", text)


def message(folder: Path) -> str:
    return git(folder, "show", "-s", "--format=%B")


def test_the_plan_of_the_merge_has_the_digest_that_the_commit_names(
    asked: Path, capsys: Capture
) -> None:
    plan = describe(capsys, asked, "plan")
    assert [it["action"] for it in plan["actions"]] == ["transfer"]
    assert plan["digest"] != digest([])
    assert plan["summary"]["transferred"] == 1
    checked = describe(capsys, asked, "check", "--base", "HEAD~1")
    assert checked["plan"]["digest"] == plan["digest"]
    ran = ipam(capsys, "plan", "--detailed-exitcode", "--repo", asked)
    assert (ran.code, "No changes" in ran.out) == (2, False)
    assert ipam(capsys, "reconcile", "--repo", asked).code == 0
    assert message(asked).startswith(f"ipam: transfer 1\n\nIpam-Plan: {plan['digest']}\n")
    after = describe(capsys, asked, "plan")
    assert (after["digest"], after["changed"]) == (digest([]), False)


def test_history_has_a_line_with_the_commit_the_person_and_the_pull_request(
    given: Path, capsys: Capture
) -> None:
    head = git(given, "rev-parse", "HEAD")
    (line,) = ipam(capsys, "history", "-n", "1", "--repo", given).out.splitlines()
    assert line == (
        f"2026-02-15T11:00:31Z  {head[:12]}  transferred  10.40.0.16-10.40.0.19   "
        "  butler-system/more (request) from team-a/one to team-a/two in edge"
        f"  by A Person <person@example.com> #7 {MORE}:3"
    )
    (item,) = describe(capsys, given, "history", "-n", "1")["items"]
    assert (item["what"], item["holder"], item["formerHolder"]) == (
        "transferred", "team-a/two", "team-a/one",
    )  # fmt: skip
    assert item["cause"]["commit"]["request"] == "#7"
    (_, row) = ipam(capsys, "history", "-n", "1", "--repo", given, "-o", "csv").out.splitlines()
    assert row.endswith(f",{MORE}:3,team-a/one")
