"""`ipam find` on a real repository."""

import json
from pathlib import Path

import pytest

from tests.cli.running import given_out, ipam
from tests.world import CLOCK, SMALL, commit, pool, provider, tenant, write

Capture = pytest.CaptureFixture[str]
POOLS = {
    **SMALL,
    "pools/small.yaml": pool("small", "10.50.0.0/29"),
    "providers/two.yaml": provider(
        "two", "[{name: small, priority: 1}, {name: edge, priority: 2}]"
    ),
    "providers/away.yaml": provider("away").replace("mode: ipam", "mode: cloud"),
}


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return given_out(tmp_path / "repo", POOLS)


def test_it_tells_each_pool_and_what_is_asked_for_already_counts_as_given(
    repo: Path, capsys: Capture
) -> None:
    write(repo, {"tenants/two.yaml": tenant("two")})
    commit(repo, "two", CLOCK + 9)
    ran = ipam(capsys, "find", "--count", "8", "--repo", repo)
    assert ran.code == 0
    assert [line.split()[:2] for line in ran.out.splitlines()[1:]] == [
        ["edge", "10.40.0.16-10.40.0.23"],
        ["small", "10.50.0.0-10.50.0.7"],
    ]


def test_of_a_provider_the_pools_are_asked_in_its_order_and_one_of_them_gives(
    repo: Path, capsys: Capture
) -> None:
    ran = ipam(capsys, "find", "--count", "8", "--provider", "two", "--repo", repo)
    rows = ran.out.splitlines()[1:]
    assert [row.split()[0] for row in rows] == ["small", "edge"]
    assert ["comes next" in row for row in rows] == [True, False]
    only = ipam(capsys, "find", "--count", "9", "--provider", "two", "--repo", repo)
    assert only.out.splitlines()[1].endswith("comes next")
    assert "small: does not fit: 8 free" in only.out


def test_one_is_what_fits_nowhere(repo: Path, capsys: Capture) -> None:
    ran = ipam(capsys, "find", "--count", "9", "--pool", "small", "--repo", repo, "-o", "json")
    assert (ran.code, json.loads(ran.out)["fits"]) == (1, False)
