"""`retention: 0s`: one run makes both commits, and its result stays one document."""

import json
from pathlib import Path

from tests.cli.running import Capture, ipam
from tests.world import SMALL, commit, git, reconciled, repository, settings, tenant


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
