"""Time in commands: a branch without commits, a later day, and the result of `verify`."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Capture, ipam
from tests.page.repositories import document_of
from tests.world import CLOCK, SMALL, commit, git, reconciled, repository, settings, tenant

DAY = 86_400


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Path:
    """One of two tenants was released a minute after the beginning."""
    made = repository(tmp_path / "repo", {**SMALL, "tenants/two.yaml": tenant("two")})
    at(monkeypatch, CLOCK)
    assert ipam(capsys, "reconcile", "--repo", made).code == 0
    git(made, "rm", "-q", "tenants/one.yaml")
    commit(made, clock=CLOCK + 60)
    at(monkeypatch, CLOCK + 60)
    assert ipam(capsys, "reconcile", "--repo", made).code == 0
    return made


def at(monkeypatch: pytest.MonkeyPatch, now: int) -> None:
    monkeypatch.setattr("reconciler.cli.options.now", lambda: now)


def test_a_machine_whose_clock_is_behind_is_told_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    at(monkeypatch, CLOCK - DAY)
    ran = ipam(capsys, "reconcile", "--repo", folder)
    assert "warning clock-behind: this machine's clock shows 2026-02-14T10:00:30Z," in ran.err
    assert ran.code == 0


@pytest.mark.parametrize("verb", ["check", "plan"])
def test_a_later_day_is_shown_and_an_earlier_one_is_wrong_usage(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, verb: str
) -> None:
    def expires(*more: str) -> int:
        document = json.loads(ipam(capsys, verb, "--repo", folder, "-o", "json", *more).out)
        plan = document["plan"] if verb == "check" else document
        return int(plan["summary"]["expire"])

    at(monkeypatch, CLOCK + 3 * DAY)
    assert expires() == 0
    assert expires("--plan-time", "now") == 1
    assert expires("--plan-time", "2026-02-16T10:01:29Z") == 0
    assert expires("--plan-time", "2026-02-16T10:01:30Z") == 1
    for wrong in ("2026-02-15T10:01:00Z", "tomorrow", "2026-02-16"):
        ran = ipam(capsys, verb, "--repo", folder, "--plan-time", wrong)
        assert (ran.code, ran.out) == (64, "")
        assert f"--plan-time {wrong}" in ran.err.replace("'", "")


def test_all_verbs_agree_on_a_record_whose_retention_has_ended_while_no_run_removed_it(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def told(verb: str, *more: str) -> Any:
        return json.loads(ipam(capsys, verb, *more, "--repo", folder, "-o", "json").out)["items"]

    def held() -> list[list[Any]]:
        parts = [*(it for one in told("map") for it in one["parts"]), *told("who", "one")]
        page = tmp_path / "page.html"
        page.unlink(missing_ok=True)
        assert ipam(capsys, "report", "--repo", folder, "--out", page).code == 0
        drawn: dict[str, Any] = document_of(page)["pools"][0]
        (listed,) = told("get", "pools")
        available = [it["available"] for it in (*told("status"), drawn)]
        available.append(listed["status"]["availableIPs"])
        counts = [it["held"] for it in (*told("status"), drawn)]
        ends = [f"{it['start']}-{it['end']}" for it in parts if it["state"] == "held"]
        return [available, counts, ends]

    early = held()
    assert early[1] == [8, 8]
    assert len(set(early[2])) == 1
    commit(folder, clock=CLOCK + 3 * DAY)
    assert held() == early
    text = ipam(capsys, "who", "one", "--repo", folder).out
    assert "held, retention ended 2026-02-16T10:01:30Z" in text
    at(monkeypatch, CLOCK + 3 * DAY)
    assert ipam(capsys, "reconcile", "--repo", folder).code == 0
    assert held()[1:] == [[0, 0], []]


def test_what_the_first_commit_did_is_told_although_the_second_fails(
    tmp_path: Path, capsys: Capture
) -> None:
    files = {**SMALL, "ipam.yaml": settings("{retention: 0s}"), "tenants/two.yaml": tenant("two")}
    repo, remote = repository(tmp_path / "repo", reconciled(files)), tmp_path / "remote.git"
    (repo / "tenants/one.yaml").unlink()
    commit(repo)
    git(tmp_path, "clone", "-q", "--bare", str(repo), str(remote))
    git(repo, "remote", "add", "origin", str(remote))
    hook = remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\nif [ -e "$0.once" ]; then exit 1; fi\ntouch "$0.once"\n')
    hook.chmod(0o755)
    ran = ipam(capsys, "reconcile", "--repo", repo, "-o", "json")
    assert (ran.code, "the remote refuses the push" in ran.err) == (4, True)
    document = json.loads(ran.out)
    assert document["commit"] == git(repo, "rev-parse", "HEAD")
    assert (document["pushed"], document["exitCode"]) == (True, 4)
    assert git(repo, "log", "--format=%s", "-1") == "ipam: release 1"
