"""`retention: 0s`: one run makes both commits, and its result stays one document."""

import json
from pathlib import Path

import pytest

from tests.cli.running import Capture, Ran, ipam
from tests.world import SMALL, commit, git, reconciled, repository, settings, tenant


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """Two tenants, of whom one has gone."""
    files = {**SMALL, "ipam.yaml": settings("{retention: 0s}"), "tenants/two.yaml": tenant("two")}
    folder = repository(tmp_path / "repo", reconciled(files))
    (folder / "tenants/one.yaml").unlink()
    commit(folder)
    return folder


def failing(repo: Path, capsys: Capture, *words: str) -> Ran:
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
    assert git(repo, "log", "--format=%s", "-1") == "ipam: release 1"
