"""`ipam status --bars`, and `ipam status` of some pools, on a real repository."""

from pathlib import Path

import pytest

from reconciler.model.instant import DAY
from tests.cli.running import given_out, ipam
from tests.world import CLOCK, SMALL, commit, pool, tenant, write

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def repo(tmp_path: Path, capsys: Capture) -> Path:
    """A tenant on the first day, and one on the fiftieth."""
    more = {"pools/more.yaml": pool("more", "10.50.0.0/24")}
    folder = given_out(tmp_path / "repo", {**SMALL, **more})
    write(folder, {"tenants/two.yaml": tenant("two")})
    commit(folder, "two", CLOCK + 50 * DAY)
    assert ipam(capsys, "reconcile", "--repo", folder).code == 0
    return folder


def test_each_pool_is_a_bar_with_its_past(repo: Path, capsys: Capture) -> None:
    for _ in range(2):  # the second time from the cache
        ran = ipam(capsys, "status", "--bars", "--repo", repo)
        assert (ran.code, ran.err) == (0, "")
        assert ran.out.splitlines()[0] == f"edge{' ' * 61}6.3% of 256  ok"
        assert "  16 allocated   0 held   240 free   90 days ·······" in ran.out
        assert "3.1% → 6.3%\n" in ran.out
        assert "\n\nmore  " in ran.out


def test_bars_are_for_people(repo: Path, capsys: Capture) -> None:
    ran = ipam(capsys, "status", "--bars", "-o", "json", "--repo", repo)
    assert (ran.code, "forecast -o json" in ran.err, ran.out) == (64, True, "")
