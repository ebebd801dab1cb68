"""After a reconcile a checkout is as after `git push`: the next `--base origin/main` is right."""

from pathlib import Path

from reconciler.cli import run
from tests.world import SMALL, commit, git, repository, tenant, write


def test_the_remote_tracking_branch_follows(tmp_path: Path) -> None:
    first = repository(tmp_path / "first", SMALL)
    git(tmp_path, "clone", "-q", "--bare", str(first), "remote.git")
    git(tmp_path, "clone", "-q", str(tmp_path / "remote.git"), "clone")
    clone = tmp_path / "clone"
    assert run(["reconcile", "--repo", str(clone)]) == 0
    assert git(clone, "rev-parse", "origin/main") == git(clone, "rev-parse", "main")
    git(clone, "switch", "-qc", "change")
    write(clone, {"tenants/two.yaml": tenant("two")})
    commit(clone)
    assert run(["check", "--repo", str(clone), "--base", "origin/main"]) == 0
