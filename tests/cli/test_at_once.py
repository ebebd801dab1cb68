"""`retention: 0s`: one run makes both commits, and its result stays one document."""

import json
from pathlib import Path

import pytest

from tests.cli.running import Ran, ipam
from tests.reconcile.test_rounds import settings
from tests.world import SMALL, commit, git, reconciled, repository, tenant

Capture = pytest.CaptureFixture[str]
RECORD = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """Two tenants, of whom one has gone."""
    files = {**SMALL, "ipam.yaml": settings("0s"), "tenants/two.yaml": tenant("two")}
    folder = repository(tmp_path / "repo", reconciled(files))
    (folder / "tenants/one.yaml").unlink()
    commit(folder)
    return folder


def subjects(repo: Path) -> list[str]:
    return git(repo, "log", "--format=%s", "-2").splitlines()


def test_the_document_has_the_first_plan_and_the_last_commit(repo: Path, capsys: Capture) -> None:
    base = git(repo, "rev-parse", "HEAD")
    planned = json.loads(ipam(capsys, "plan", "--repo", repo, "-o", "json").out)
    ran = ipam(capsys, "reconcile", "--repo", repo, "-o", "json")
    assert ran.code == 0, ran
    assert subjects(repo) == ["ipam: expire 1", "ipam: release 1"]
    assert RECORD not in git(repo, "ls-tree", "-r", "--name-only", "HEAD")
    document = json.loads(ran.out)
    assert (document["base"], document["commit"]) == (base, git(repo, "rev-parse", "HEAD"))
    assert document["plan"] == planned
    assert (document["attempts"], document["apply"], document["exitCode"]) == (1, None, 0)
    assert json.loads(ipam(capsys, "plan", "--repo", repo, "-o", "json").out)["changed"] is False


def test_the_document_says_which_gates_hold(repo: Path, capsys: Capture) -> None:
    brakes = "brakes: {minRecords: 2, maxReleasePercent: 30}"
    (repo / "ipam.yaml").write_text(settings(f"0s, {brakes}"))
    commit(repo)
    ran = ipam(capsys, "reconcile", "--repo", repo, "-o", "json")
    document = json.loads(ran.out)
    assert (ran.code, document["exitCode"], document["commit"]) == (3, 3, None)
    gates = [it for it in document["plan"]["findings"] if it["severity"] == "gate"]
    assert [it["code"] for it in gates] == ["brake"]
    assert "--allow-release" in gates[0]["hint"] + gates[0]["message"]


def failing(repo: Path, capsys: Capture, *words: str) -> Ran:
    """A reconcile whose second push the remote declines."""
    remote = repo.parent / "remote.git"
    git(repo.parent, "clone", "-q", "--bare", str(repo), str(remote))
    git(repo, "remote", "add", "origin", str(remote))
    hook = remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\nif [ -e "$0.once" ]; then exit 1; fi\ntouch "$0.once"\n')
    hook.chmod(0o755)
    return ipam(capsys, "reconcile", "--repo", repo, *words)


def test_what_the_first_commit_did_is_told_although_the_second_fails(
    repo: Path, capsys: Capture
) -> None:
    ran = failing(repo, capsys, "-o", "json")
    assert ran.code == 4
    assert "the remote refuses the push" in ran.err
    document = json.loads(ran.out)
    assert document["commit"] == git(repo, "rev-parse", "HEAD")
    assert (document["pushed"], document["exitCode"]) == (True, 4)
    assert subjects(repo)[0] == "ipam: release 1"
