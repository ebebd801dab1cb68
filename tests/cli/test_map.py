"""`ipam map` on a real repository."""

from pathlib import Path

import pytest

from reconciler.model.instant import DAY
from tests.cli.running import given_out, ipam
from tests.families.novaedge import pool as vip_pool
from tests.families.novaedge import vip
from tests.world import CLOCK, SMALL, commit, pool, tenant, write

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def repo(tmp_path: Path, capsys: Capture) -> Path:
    """A tenant on the first day, one on the fiftieth; pools of both versions."""
    more = {
        "pools/more.yaml": pool("more", "10.50.0.0/20", reserved="[{cidr: 10.50.0.0/28}]"),
        "pools/p.yaml": vip_pool(cidrs="[2001:db8::/64]"),
        "tenants/v.yaml": vip(addressFamily="ipv6"),
    }
    folder = given_out(tmp_path / "repo", {**SMALL, **more})
    write(folder, {"tenants/two.yaml": tenant("two")})
    commit(folder, "two", CLOCK + 50 * DAY)
    assert ipam(capsys, "reconcile", "--repo", folder).code == 0
    return folder


def test_a_pool_that_is_named_is_drawn_as_status_draws_it(repo: Path, capsys: Capture) -> None:
    ran = ipam(capsys, "map", "edge", "--repo", repo)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[1].split() == ["10.40.0.0", "AAAAAAAABBBBBBBB" + "." * 16]
    assert "  B  team-a/two: 8\n" in ran.out


def test_it_is_drawn_as_it_was(repo: Path, capsys: Capture) -> None:
    for asked in (("--at", "20d"), ("--rev", "HEAD~2")):
        said = ipam(capsys, "map", "edge", *asked, "--repo", repo).out
        assert "  A  team-a/one: 8\n" in said
        assert "team-a/two" not in said
    both = ipam(capsys, "map", "--at", "20d", "--worktree", "--repo", repo)
    assert (both.code, "exclude each other" in both.err) == (64, True)


def test_it_is_drawn_as_a_picture(repo: Path, capsys: Capture) -> None:
    drawn = ipam(capsys, "map", "-o", "svg", "--repo", repo).out
    assert drawn.startswith("<svg ")
    assert ">  B  team-a/two: 8</text>" in drawn
