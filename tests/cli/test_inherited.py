"""Somebody else's trouble turns no change red; what a change makes worse is its own."""

from pathlib import Path

from reconciler.cli import run
from tests.cli.running import Capture, Ran, ipam
from tests.world import SMALL, commit, git, pool, repository, tenant, write


def checked(folder: Path, capsys: Capture, *words: str) -> Ran:
    commit(folder)
    return ipam(capsys, "check", "--repo", folder, "--base", "main", *words)


def test_a_pool_that_is_too_full_may_not_be_filled_further(tmp_path: Path, capsys: Capture) -> None:
    files = {**SMALL, "pools/edge.yaml": pool("edge", "10.40.0.0/27")}
    made = repository(tmp_path / "repo", files)
    assert run(["reconcile", "--repo", str(made)]) == 0
    write(made, {"tenants/full.yaml": tenant("full", networking="{lbPoolSize: 23}")})
    commit(made)
    git(made, "switch", "-q", "-c", "change")
    write(made, {"pools/other.yaml": pool("other", "10.9.0.0/24")})
    ran = checked(made, capsys)
    assert (ran.code, "capacity: edge goes from" in ran.out) == (0, True)
    write(made, {"tenants/two.yaml": tenant("two", networking="{lbPoolSize: 1}")})
    ran = checked(made, capsys)
    assert (ran.code, "refused capacity" in ran.out) == (3, True)
