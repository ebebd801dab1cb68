"""`ipam forecast` on a real repository."""

import json
from pathlib import Path

import pytest

from reconciler.model.instant import DAY
from tests.cli.running import given_out, ipam
from tests.world import CLOCK, SMALL, commit, pool, tenant, write

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def repo(tmp_path: Path, capsys: Capture) -> Path:
    """A tenant on the first day, one on the fiftieth, and one on the hundredth."""
    folder = given_out(
        tmp_path / "repo", {**SMALL, "pools/more.yaml": pool("more", "10.50.0.0/24")}
    )
    for days in (50, 100):
        write(folder, {f"tenants/t{days}.yaml": tenant(f"t{days}")})
        commit(folder, "more", CLOCK + days * DAY)
        assert ipam(capsys, "reconcile", "--repo", folder).code == 0
    return folder


def test_weeks_are_told_of_both_spans(repo: Path, capsys: Capture) -> None:
    ran = ipam(capsys, "forecast", "edge", "--repo", repo, "-o", "json")
    (item,) = json.loads(ran.out)["items"]
    assert [rate["change"] for rate in item["rates"]] == [8, 16]
    assert item["medianShape"] == [8]
    for _ in range(2):  # the second time from the cache
        text = ipam(capsys, "forecast", "--repo", repo)
        assert (text.code, text.err) == (0, "")
        assert "edge: 29 more tenants of the median shape (8) fit\n" in text.out
        assert "more: has no tenants to tell a shape from\n" in text.out


def test_as_of_an_earlier_day_there_was_less_history(repo: Path, capsys: Capture) -> None:
    ran = ipam(capsys, "forecast", "--at", "20d", "--repo", repo, "-o", "json")
    told = json.loads(ran.out)
    assert told["historyDays"] == 50
    assert [rate["change"] for rate in told["items"][0]["rates"]] == [8, None]


def test_a_pool_that_is_not_there_is_wrong_usage(repo: Path, capsys: Capture) -> None:
    ran = ipam(capsys, "forecast", "nobody", "--repo", repo)
    assert (ran.code, "no pool 'nobody'" in ran.err) == (64, True)
