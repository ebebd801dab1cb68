"""`ipam status --bars`, and `ipam status` of some pools, on a real repository."""

import json
from pathlib import Path

import pytest

from reconciler.commands.annals import History
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


def test_its_past_is_that_of_forecast(repo: Path, capsys: Capture) -> None:
    told = ipam(capsys, "forecast", "edge", "--repo", repo).out
    (line,) = (it for it in told.splitlines() if it.startswith("edge: last 90 days "))
    past = line.removeprefix("edge: last ")
    assert past in ipam(capsys, "status", "--bars", "edge", "--repo", repo).out


def test_pools_that_are_named_are_told_alone(repo: Path, capsys: Capture) -> None:
    bars, table = (
        ipam(capsys, "status", *words, "--repo", repo).out
        for words in (["--bars", "more"], ["more"])
    )
    assert (bars.startswith("more  "), "edge" in bars) == (True, False)
    assert [line.split()[0] for line in table.splitlines()] == ["NAME", "more"]
    items = json.loads(ipam(capsys, "status", "more", "more", "-o", "json", "--repo", repo).out)
    assert [it["pool"].split("/")[-1] for it in items["items"]] == ["more"]
    none = ipam(capsys, "status", "--bars", "edgy", "--repo", repo)
    assert (none.code, "did you mean edge?" in none.err) == (64, True)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--bars", "--map"], "exclude each other"),
        (["edge", "--map", "edge"], "draws one pool, or all"),
        (["--bars", "-o", "json"], "forecast -o json"),
    ],
)
def test_what_does_not_go_together_is_wrong_usage(
    repo: Path, capsys: Capture, words: list[str], why: str
) -> None:
    ran = ipam(capsys, "status", *words, "--repo", repo)
    assert (ran.code, why in ran.err, ran.out) == (64, True, "")


def test_what_waits_is_told_and_the_work_tree_has_a_past(repo: Path, capsys: Capture) -> None:
    write(repo, {"tenants/three.yaml": tenant("three")})
    ran = ipam(capsys, "status", "--bars", "--worktree", "--repo", repo)
    assert "pending: 1 to allocate, 2 kept; ipam plan shows it\n" in ran.err
    assert "3.1% → 6.3%\n" in ran.out


@pytest.mark.parametrize("columns", ["60", "80", "120"])
def test_it_is_as_wide_as_the_terminal_and_colours_are_asked_for(
    repo: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[32m▓" in ipam(capsys, "status", "--bars", "--repo", repo).out
    monkeypatch.setenv("NO_COLOR", "1")
    said = ipam(capsys, "status", "--bars", "--repo", repo).out
    assert "\x1b" not in said
    assert max(map(len, said.splitlines())) == int(columns)


def test_the_past_is_read_with_bars_only(
    repo: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("the past was read")

    monkeypatch.setattr(History, "told", never)
    for words in ([], ["edge"], ["--map"]):
        assert ipam(capsys, "status", *words, "--repo", repo).code == 0
    assert ipam(capsys, "status", "--bars", "--repo", repo).code == 70
