"""A record that changes hands on a real repository: plan, commit, history, who, verify."""

from pathlib import Path
from typing import Any

import pytest

from reconciler.planning.digest import digest
from tests.cli.running import Capture, given_out, ipam
from tests.hostile.test_announced import extra
from tests.test_output_schemas import validated
from tests.world import CLOCK, SMALL, commit, git, tenant, write

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
