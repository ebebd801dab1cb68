"""A record that changes hands on a real repository: plan, commit, history, who, verify."""

from pathlib import Path
from typing import Any

import pytest

from reconciler.planning.digest import digest
from tests.cli.running import given_out, ipam
from tests.hostile.test_announced import extra
from tests.hostile.test_overrides import override
from tests.test_output_schemas import validated
from tests.world import CLOCK, SMALL, commit, git, tenant, write

Capture = pytest.CaptureFixture[str]
HOUR = 3_600
MORE = "tenants/more.yaml"
COUNT = "  count: 4\n"
KEY = "butler/IPAllocation/butler-system/more/request"
MERGE = "Merge pull request #7 from a/b"


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    """A request of tenant one is of tenant two since a pull request an hour later."""
    files = {**SMALL, "tenants/two.yaml": tenant("two"), MORE: extra(spec=COUNT)}
    folder = given_out(tmp_path / "repo", files)
    write(folder, {MORE: extra(owner="two", spec=COUNT)})
    commit(folder, MERGE, CLOCK + HOUR)
    return folder


@pytest.fixture
def given(asked: Path, capsys: Capture) -> Path:
    """The same once it is reconciled."""
    assert ipam(capsys, "reconcile", "--repo", asked).code == 0
    return asked


def describe(capsys: Capture, folder: Path, *arguments: str) -> Any:
    schema = {"who": "holders"}.get(arguments[0], arguments[0])
    text = ipam(capsys, *arguments, "--repo", folder, "-o", "json").out
    return validated(f"{schema}.json", text)


def message(folder: Path) -> str:
    return git(folder, "show", "-s", "--format=%B")


def amend(folder: Path, text: str) -> None:
    git(folder, "commit", "-q", "-a", "--amend", "-m", text, clock=CLOCK + HOUR + 1)


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


@pytest.mark.parametrize("name", ["one", "team-a/one", "two", "10.40.0.17", KEY])
def test_it_is_of_the_past_of_who_gave_and_of_who_got(
    given: Path, capsys: Capture, name: str
) -> None:
    for verb in (["history", name], ["who", name, "--history"]):
        found = describe(capsys, given, *verb)
        items = found["items"] if found["kind"] == "History" else found["history"]
        assert items[0]["what"] == "transferred"


def test_who_names_the_holder_and_of_whom_it_was(given: Path, capsys: Capture) -> None:
    ran = ipam(capsys, "who", "10.40.0.17", "--repo", given)
    lines = dict(line.split(maxsplit=1) for line in ran.out.splitlines()[1:])
    assert (lines["tenant"], lines["from"]) == ("team-a/two, team team-a", "team-a/one")
    assert lines["commit"].endswith("2026-02-15T11:00:31Z, ipam: transfer 1")
    assert lines["cause"].endswith(f"11:00:30Z, {MERGE}")
    (item,) = describe(capsys, given, "who", "10.40.0.17")["items"]
    assert (item["holder"], item["formerHolder"]) == ("team-a/two", "team-a/one")
    assert item["brought"]["what"] == "transferred"


@pytest.mark.parametrize("at", ["HEAD~2", "2026-02-15T10:30Z"])
def test_who_names_the_earlier_holder_of_an_earlier_time(
    given: Path, capsys: Capture, at: str
) -> None:
    (item,) = describe(capsys, given, "who", "10.40.0.17", "--at", at)["items"]
    assert (item["holder"], item["formerHolder"]) == ("team-a/one", None)


def test_between_the_merge_and_the_commit_who_names_both(given: Path, capsys: Capture) -> None:
    ran = ipam(capsys, "who", "10.40.0.17", "--at", "HEAD~1", "--repo", given)
    assert "  from      team-a/one, as the record says until reconcile writes it\n" in ran.out
    for name in ("one", "team-a/one", "two"):
        items = describe(capsys, given, "who", name, "--at", "HEAD~1")["items"]
        (item,) = (it for it in items if it["claim"] == KEY)
        assert (item["holder"], item["formerHolder"]) == ("team-a/two", "team-a/one")


def test_the_override_that_let_it_pass_is_named(asked: Path, capsys: Capture) -> None:
    path = "overrides/2026-02-15-hand-over.yaml"
    write(asked, {path: override(path, kind="move", scope=KEY)})
    commit(asked, "let it go", CLOCK + HOUR + 30)
    assert ipam(capsys, "reconcile", "--repo", asked).code == 0
    (item,) = describe(capsys, asked, "history", "-n", "1")["items"]
    assert item["cause"]["override"]["path"] == path


def test_a_commit_of_before_transfers_were_counted_is_verified_as_ever(
    given: Path, capsys: Capture
) -> None:
    earlier = message(given).replace("transfer 1", "rewrite 1")
    plan = next(line for line in earlier.splitlines() if line.startswith("Ipam-Plan: "))
    earlier = earlier.replace(plan, f"Ipam-Plan: {digest([])}")
    for version in ("0.1.0", "0.0.9"):
        text = earlier.replace("Ipam-Version: 0.1.0", f"Ipam-Version: {version}")
        amend(given, text)
        ran = ipam(capsys, "verify", "--repo", given)
        assert (ran.code, ran.out.splitlines()[-1]) == (0, "2 commits: 2 same.")
