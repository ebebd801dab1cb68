"""The net on a real repository: a planner with a bug, planted by hand, gets nowhere."""

from pathlib import Path

import pytest

from reconciler.addresses import IPRange
from reconciler.cli import run
from reconciler.model.pool import Pool
from reconciler.planning.space import Space
from tests.gitio.command import served
from tests.world import SMALL, commit, git, repository, tenant, write


def careless(_: Space, room: Pool, size: int, __: int | None, *, take: bool) -> IPRange:
    first = room.windows[0].first
    return IPRange(4, first, first + size - 1)


@pytest.mark.parametrize("has_remote", [False, True])
def test_addresses_that_are_taken_are_not_published(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    has_remote: bool,
) -> None:
    folder = repository(tmp_path / "author", SMALL)
    truth = served(tmp_path, folder) if has_remote else folder
    assert run(["reconcile", "--repo", str(folder)]) == 0
    write(folder, {"tenants/two.yaml": tenant("two")})
    head = commit(folder, "Add two")
    if has_remote:
        git(folder, "push", "-q", "origin", "main")
    refs = git(truth, "for-each-ref")
    capsys.readouterr()
    with monkeypatch.context() as mutant:
        mutant.setattr(Space, "allocate", careless)
        assert run(["reconcile", "--repo", str(folder)]) == 70
    said = capsys.readouterr()
    records = "allocations/NetworkPool/butler-system.edge/team-a"
    assert said.err.splitlines() == [
        f"ipam: internal error: butler/TenantCluster/team-a/two/loadbalancer ({records}/two.loadbalancer.yaml: 10.40.0.0-10.40.0.7) would get addresses that butler/TenantCluster/team-a/one/loadbalancer ({records}/one.loadbalancer.yaml: 10.40.0.0-10.40.0.7) holds",
        f"  hint: report it with the output of ipam plan --all --rev {head[:12]}; nothing was pushed",
    ]
    assert said.out == ""
    assert git(truth, "for-each-ref") == refs
    assert git(folder, "rev-parse", "main") == head
    assert git(folder, "status", "--porcelain") == ""
    assert run(["reconcile", "--repo", str(folder)]) == 0
