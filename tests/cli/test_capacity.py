"""`status --bars`, `map`, `forecast`, and `find` on a real repository."""

import json
from pathlib import Path

import pytest

from reconciler.model.instant import DAY
from tests.cli.running import Capture, given_out, ipam
from tests.world import CLOCK, SMALL, commit, pool, provider, tenant, write

POOLS = {
    **SMALL,
    "pools/small.yaml": pool("small", "10.50.0.0/29"),
    "providers/two.yaml": provider(
        "two", "[{name: small, priority: 1}, {name: edge, priority: 2}]"
    ),
    "providers/away.yaml": provider("away").replace("mode: ipam", "mode: cloud"),
}


def grow(folder: Path, name: str, days: int, capsys: Capture) -> None:
    write(folder, {f"tenants/{name}.yaml": tenant(name)})
    commit(folder, name, CLOCK + days * DAY)
    assert ipam(capsys, "reconcile", "--repo", folder).code == 0


@pytest.fixture
def repo(tmp_path: Path, capsys: Capture) -> Path:
    more = {"pools/more.yaml": pool("more", "10.50.0.0/24")}
    folder = given_out(tmp_path / "repo", {**SMALL, **more})
    grow(folder, "two", 50, capsys)
    return folder


def test_a_pool_is_drawn_as_it_is_and_as_it_was(repo: Path, capsys: Capture) -> None:
    ran = ipam(capsys, "map", "edge", "--repo", repo)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[1].split() == ["10.40.0.0", "AAAAAAAABBBBBBBB" + "." * 16]
    assert "  B  team-a/two: 8\n" in ran.out
    for asked in (("--at", "20d"), ("--rev", "HEAD~2")):
        said = ipam(capsys, "map", "edge", *asked, "--repo", repo).out
        assert "  A  team-a/one: 8\n" in said
        assert "team-a/two" not in said
    drawn = ipam(capsys, "map", "-o", "svg", "--repo", repo).out
    assert drawn.startswith("<svg ")
    assert ">  B  team-a/two: 8</text>" in drawn
    both = ipam(capsys, "map", "--at", "20d", "--worktree", "--repo", repo)
    assert (both.code, "exclude each other" in both.err) == (64, True)


def test_a_forecast_has_weeks_for_both_spans(repo: Path, capsys: Capture) -> None:
    grow(repo, "three", 100, capsys)
    ran = ipam(capsys, "forecast", "edge", "--repo", repo, "-o", "json")
    (item,) = json.loads(ran.out)["items"]
    assert [rate["change"] for rate in item["rates"]] == [8, 16]
    assert item["medianShape"] == [8]
    text = ipam(capsys, "forecast", "--repo", repo)
    assert (text.code, text.err) == (0, "")
    assert "edge: 29 more tenants of the median size (8) fit\n" in text.out
    assert "more: no tenants, so the median size is unknown\n" in text.out
    earlier = json.loads(ipam(capsys, "forecast", "--at", "20d", "--repo", repo, "-o", "json").out)
    assert earlier["historyDays"] == 50
    assert [rate["change"] for rate in earlier["items"][0]["rates"]] == [8, None]
    ran = ipam(capsys, "forecast", "nobody", "--repo", repo)
    assert (ran.code, "no pool 'nobody'" in ran.err) == (64, True)


def test_a_free_range_is_found_after_what_the_revision_asks_for(
    tmp_path: Path, capsys: Capture
) -> None:
    repo = given_out(tmp_path / "repo", POOLS)
    for words, said in ((("one",), "run ipam who one"), ((), "set either --count or --prefix")):
        ran = ipam(capsys, "find", *words, "--repo", repo)
        assert (ran.code, said in ran.err) == (64, True), ran.err
    ran = ipam(capsys, "find", "--count", "8", "--provider", "two", "--repo", repo)
    rows = ran.out.splitlines()[1:]
    assert [row.split()[0] for row in rows] == ["small", "edge"]
    assert ["comes next" in row for row in rows] == [True, False]
    only = ipam(capsys, "find", "--count", "9", "--provider", "two", "--repo", repo)
    assert only.out.splitlines()[1].endswith("comes next")
    assert "small: does not fit: 8 free" in only.out
    ran = ipam(capsys, "find", "--count", "9", "--pool", "small", "--repo", repo, "-o", "json")
    assert (ran.code, json.loads(ran.out)["fits"]) == (1, False)
    write(repo, {"tenants/two.yaml": tenant("two")})
    commit(repo, "two", CLOCK + 9)
    ran = ipam(capsys, "find", "--count", "8", "--repo", repo)
    assert ran.code == 0
    assert [line.split()[:2] for line in ran.out.splitlines()[1:]] == [
        ["edge", "10.40.0.16-10.40.0.23"],
        ["small", "10.50.0.0-10.50.0.7"],
    ]
