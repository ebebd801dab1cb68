"""A change is planned as merged into the current base, without any writes."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from reconciler.cli import run
from tests.cli.running import Capture, given_out, ipam
from tests.world import SMALL, commit, git, tenant, write


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """Branch `change` asks for something, and main has given the next addresses to another one."""
    folder = given_out(tmp_path / "repo", SMALL)
    git(folder, "switch", "-q", "-c", "change")
    write(folder, {"tenants/mine.yaml": tenant("mine")})
    commit(folder)
    git(folder, "switch", "-q", "main")
    write(folder, {"tenants/other.yaml": tenant("other")})
    commit(folder)
    assert run(["reconcile", "--repo", str(folder)]) == 0
    return folder


def test_the_plan_of_a_change_is_what_reconcile_makes_of_its_merge(
    repo: Path, capsys: Capture
) -> None:
    asked = ("plan", "--repo", repo, "-o", "json", "--rev", "change")
    shown = json.loads(ipam(capsys, *asked, "--base", "main").out)
    alone = json.loads(ipam(capsys, *asked).out)
    assert (
        shown["digest"] != alone["digest"]
    )  # without the merge, it would get a range that main has allocated
    assert shown["revision"] == git(repo, "rev-parse", "change")
    git(repo, "merge", "-q", "--no-ff", "-m", "merge", "change")
    assert run(["reconcile", "--repo", str(repo)]) == 0
    assert f"Ipam-Plan: {shown['digest']}" in git(repo, "log", "-1", "--format=%B")


@pytest.mark.parametrize("verb", ["check", "plan"])
def test_nobody_is_told_to_merge_first_and_nothing_is_left_behind(
    verb: str, repo: Path, tmp_path: Path
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    before = git(repo, "count-objects", "-v"), git(repo, "status", "--porcelain")
    asked = [verb, "--repo", str(repo), "--base", "main", "--rev", "change"]
    ran = subprocess.run(
        [sys.executable, "-m", "reconciler", *asked],
        env=os.environ | {"TMPDIR": str(scratch)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, "base-ahead" in ran.stdout + ran.stderr) == (0, False)
    assert before == (git(repo, "count-objects", "-v"), git(repo, "status", "--porcelain"))
    assert list(scratch.iterdir()) == []


def test_a_repository_that_cannot_be_written_is_merged_as_well(repo: Path, capsys: Capture) -> None:
    objects = repo / ".git" / "objects"
    objects.chmod(stat.S_IREAD | stat.S_IEXEC)
    ran = ipam(capsys, "check", "--repo", repo, "--base", "main", "--rev", "change")
    objects.chmod(stat.S_IRWXU)
    assert ran.code == 0


def test_what_conflicts_is_an_error_of_each_file(repo: Path, capsys: Capture) -> None:
    write(repo, {"tenants/mine.yaml": tenant("mine", replicas=5), "README.md": "main\n"})
    commit(repo)
    git(repo, "switch", "-q", "change")
    write(repo, {"README.md": "change\n"})
    commit(repo)
    ran = ipam(capsys, "check", "--repo", repo, "--base", "main", "-o", "json")
    found = json.loads(ran.out)["findings"]
    told = {(item["code"], item["path"]) for item in found if item["code"] == "merge-conflict"}
    assert (ran.code, told) == (
        1, {("merge-conflict", "README.md"), ("merge-conflict", "tenants/mine.yaml")},
    )  # fmt: skip
    (behind,) = (item for item in found if item["code"] == "base-ahead")
    assert behind["message"].endswith(", and they could not be merged: they conflict")


def test_no_merge_driver_of_the_configuration_is_run(repo: Path, capsys: Capture) -> None:
    write(repo, {"tenants/mine.yaml": tenant("mine", replicas=5)})
    commit(repo)
    git(repo, "config", "merge.theirs.driver", "touch RAN; true")
    (repo / ".git" / "info").mkdir(exist_ok=True)
    (repo / ".git" / "info" / "attributes").write_text("*.yaml merge=theirs\n")
    ran = ipam(capsys, "check", "--repo", repo, "--base", "main", "--rev", "change")
    assert (ran.code, "merge-conflict" in ran.out) == (1, True)
    assert not list(repo.rglob("RAN"))


def test_a_clone_without_what_both_come_from_says_so(
    repo: Path, tmp_path: Path, capsys: Capture
) -> None:
    git(tmp_path, "clone", "-q", "--depth", "1", "--no-single-branch", f"file://{repo}", "shallow")
    words = ("--repo", tmp_path / "shallow", "--base", "main", "--rev", "origin/change")
    ran = ipam(capsys, "check", *words)
    assert (ran.code, "the clone is too shallow" in ran.err) == (4, True)
