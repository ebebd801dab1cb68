"""`check --also`: a change and other open changes. It blocks nothing."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reconciler.cli import opening
from reconciler.gitio.process import Result, failure
from reconciler.review.result import Together
from tests.cli.running import Capture, given_out, ipam
from tests.test_output_schemas import validated
from tests.world import SMALL, commit, git, pool, tenant, write

SHORT = ("check", "--base", "main", "--rev", "mine", "--also-timeout", "1s")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """Branches `mine` and `theirs` ask for a range each, of the same pool."""
    files = {**SMALL, "pools/edge.yaml": pool("edge", "10.40.0.0/26")}
    folder = given_out(tmp_path / "repo", files)
    for name in ("mine", "theirs"):
        branch(folder, name, {f"tenants/{name}.yaml": tenant(name)})
    return folder


def branch(folder: Path, name: str, files: dict[str, str | bytes]) -> None:
    git(folder, "switch", "-q", "-c", name, "main")
    write(folder, files)
    commit(folder, name)
    git(folder, "switch", "-q", "main")


def checked(capsys: Capture, repo: Path, *also: str, form: str = "text") -> str:
    words = [word for name in also for word in ("--also", name)]
    ran = ipam(capsys, *SHORT[:5], "--repo", repo, "-o", form, *words)
    assert ran.code == 0, ran
    return ran.out


def describe(capsys: Capture, repo: Path, *also: str) -> list[dict[str, Any]]:
    text = checked(capsys, repo, *also, form="json")
    found: list[dict[str, Any]] = validated("check.json", text)["beside"]
    return found


def test_two_that_would_take_the_same_are_told_with_what_the_second_gets(
    repo: Path, capsys: Capture
) -> None:
    (item,) = describe(capsys, repo, "theirs")
    assert item["revision"] == git(repo, "rev-parse", "theirs")
    (both,) = item["both"]
    assert both["pool"].endswith("/edge")
    (here,), (there,) = item["secondHere"], item["secondThere"]
    assert here["alone"] == there["alone"] == both["addresses"]
    assert here["then"] == there["then"] != both["addresses"]
    text = checked(capsys, repo, "theirs")
    assert (
        f"With theirs ({item['revision'][:12]}):\n  both changes would get {both['addresses']}"
        in text
    )
    assert (
        f"if this change is merged second, team-a/mine (loadbalancer) gets {here['then']}" in text
    )
    assert "✓ OK: no findings; 1 to allocate" in text


def test_who_gets_nothing_as_the_second_and_a_pool_that_fills_up_are_told(
    repo: Path, capsys: Capture
) -> None:
    branch(repo, "large", {"tenants/large.yaml": tenant("large", networking="{lbPoolSize: 50}")})
    (item,) = describe(capsys, repo, "large")
    (second,) = item["secondThere"]
    assert (second["then"], second["reason"]) == (None, "pool-exhausted")
    text = checked(capsys, repo, "large")
    assert "if the other change is merged second, team-a/large (loadbalancer) is refused" in text
    branch(repo, "more", {"tenants/more.yaml": tenant("more", networking="{lbPoolSize: 30}")})
    (item,) = describe(capsys, repo, "more")
    assert [(it["percent"], it["percentTogether"]) for it in item["pools"]] == [(25.0, 71.9)]
    text = checked(capsys, repo, "more")
    assert "pool edge is 71.9% full with both (warning), with only this one 25.0% (ok)" in text


def test_one_tenant_in_a_file_of_each_is_told(repo: Path, capsys: Capture) -> None:
    branch(repo, "twin", {"tenants/twin.yaml": tenant("mine")})
    (item,) = describe(capsys, repo, "twin")
    assert [it["code"] for it in item["wrong"]] == ["document-duplicate"] * 2
    assert "  only if both are merged: document-duplicate: " in checked(capsys, repo, "twin")


@pytest.mark.parametrize(
    ("name", "why"),
    [("absent", "commit 'absent'"), ("mine", "this is the change"), ("-x", "'-x' is not")],
)
def test_what_cannot_be_looked_at_says_why_and_stops_nothing(
    repo: Path, capsys: Capture, name: str, why: str
) -> None:
    first, second = describe(capsys, repo, name, "theirs")
    assert first["notLookedAt"].startswith(why)
    assert second["both"]
    assert "not compared: " in checked(capsys, repo, name)


def test_nothing_of_it_is_left_behind(repo: Path, capsys: Capture) -> None:
    def everything() -> list[str]:
        return sorted(str(it) for it in (repo / ".git").rglob("*") if it.is_file())

    before = (everything(), git(repo, "for-each-ref"))
    describe(capsys, repo, "theirs")
    assert (everything(), git(repo, "for-each-ref")) == before


def test_it_needs_a_base_and_commits(repo: Path, capsys: Capture) -> None:
    for words in (("--also", "theirs"), ("--also", "theirs", "--base", "main", "--worktree")):
        ran = ipam(capsys, "check", "--repo", repo, *words)
        assert (ran.code, "--also needs --base, and cannot be" in ran.err) == (64, True)


def test_the_others_take_their_time_in_all_and_the_verdict_is_written_before(
    repo: Path, capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, early = tmp_path / "check.json", list[dict[str, Any]]()

    def endless(*_: object) -> Iterator[Together]:
        early.append(validated("check.json", place.read_text()))
        yield Together("theirs")
        threading.Event().wait()

    monkeypatch.setattr(opening, "compare_with_others", endless)
    also = ["--also", "theirs", "--also", "main", "--also", "HEAD"]
    ran = ipam(capsys, *SHORT, "--repo", repo, *also, "--output-file", f"json={place}")
    assert ran.code == 0, ran
    assert (
        "With main:\n  not compared: the comparison took too long\nWith HEAD:\n  not compared"
        in ran.out
    )
    assert (early[0]["exitCode"], early[0]["beside"]) == (0, [])
    late = validated("check.json", place.read_text())["beside"]
    assert [it["name"] for it in late] == ["theirs", "main", "HEAD"]


def test_a_git_that_is_stopped_by_the_time_limit_is_ended(
    repo: Path, capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)

    def endless(simulation: Any, *_: object) -> Iterator[Together]:
        simulation.repository.git.run("hash-object", str(fifo))
        yield Together("theirs")

    monkeypatch.setattr(opening, "compare_with_others", endless)
    ran = ipam(capsys, *SHORT, "--repo", repo, "--also", "theirs")
    assert (ran.code, "not compared: the comparison took too long" in ran.out) == (0, True), ran
    with pytest.raises(OSError, match="No such device"):  # no longer read
        os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)


def test_a_git_that_crashed_is_told_without_the_text_of_its_own_code() -> None:
    said = "git: merge-ort.c:2: process: Assertion `entry' failed."
    assert str(failure("merge-tree", Result(-6, b"", said))) == "git merge-tree: ended by SIGABRT"
