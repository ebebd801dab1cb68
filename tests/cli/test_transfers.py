"""A record that changes hands on a real repository: plan, commit, history."""

from pathlib import Path
from typing import Any

from reconciler.planning.digest import digest
from tests.cli.running import Capture, given_out, ipam
from tests.hostile.test_announced import extra
from tests.test_output_schemas import validated
from tests.world import CLOCK, SMALL, commit, git, tenant, write

MORE = "tenants/more.yaml"
COUNT = "  count: 4\n"


def test_the_plan_of_the_merge_has_the_digest_that_the_commit_names(
    tmp_path: Path, capsys: Capture
) -> None:
    files = {**SMALL, "tenants/two.yaml": tenant("two"), MORE: extra(spec=COUNT)}
    folder = given_out(tmp_path / "repo", files)
    write(folder, {MORE: extra(owner="two", spec=COUNT)})
    commit(folder, "hand over", CLOCK + 3_600)

    def describe(verb: str, *more: str) -> Any:
        text = ipam(capsys, verb, *more, "--repo", folder, "-o", "json").out
        return validated(f"{verb}.json", text)

    plan = describe("plan")
    assert [it["action"] for it in plan["actions"]] == ["transfer"]
    assert plan["digest"] != digest([])
    assert plan["summary"]["transferred"] == 1
    assert describe("check", "--base", "HEAD~1")["plan"]["digest"] == plan["digest"]
    ran = ipam(capsys, "plan", "--detailed-exitcode", "--repo", folder)
    assert (ran.code, "No changes" in ran.out) == (2, False)
    assert ipam(capsys, "reconcile", "--repo", folder).code == 0
    message = git(folder, "show", "-s", "--format=%B")
    assert message.startswith(f"ipam: transfer 1\n\nIpam-Plan: {plan['digest']}\n")
    (item,) = describe("history", "-n", "1")["items"]
    moved = (item["what"], item["holder"], item["formerHolder"])
    assert moved == ("transferred", "team-a/two", "team-a/one")
    after = describe("plan")
    assert (after["digest"], after["changed"]) == (digest([]), False)
