"""`ipam map` on a real repository."""

import json
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
    assert ran.out == ipam(capsys, "status", "--map", "edge", "--repo", repo).out


def test_without_a_pool_all_are_drawn_in_short(repo: Path, capsys: Capture) -> None:
    said = ipam(capsys, "map", "--repo", repo).out
    assert [line.split()[0] for line in said.splitlines() if " used, " in line] == [
        "edge", "more", "main",
    ]  # fmt: skip
    assert len(said.splitlines()) < 20


def test_it_is_drawn_as_it_was(repo: Path, capsys: Capture) -> None:
    for asked in (("--at", "20d"), ("--rev", "HEAD~2")):
        said = ipam(capsys, "map", "edge", *asked, "--repo", repo).out
        assert "  A  team-a/one: 8\n" in said
        assert "team-a/two" not in said
    both = ipam(capsys, "map", "--at", "20d", "--worktree", "--repo", repo)
    assert (both.code, "exclude each other" in both.err) == (64, True)


def test_an_unknown_pool_is_told_with_the_nearest(repo: Path, capsys: Capture) -> None:
    ran = ipam(capsys, "map", "edgy", "--repo", repo)
    assert ran.code == 64
    assert "no pool 'edgy'\n  hint: did you mean edge? there are: edge, main, more\n" in ran.err


def test_its_figures_are_those_of_status(repo: Path, capsys: Capture) -> None:
    drawn = json.loads(ipam(capsys, "map", "--repo", repo, "-o", "json").out)["items"]
    listed = json.loads(ipam(capsys, "status", "--repo", repo, "-o", "json").out)["items"]
    assert len(drawn) == len(listed)
    for item in drawn:
        (usage,) = (it for it in listed if it["pool"] == item["pool"])
        counts = {"allocated": 0, "held": 0, "free": 0}
        for part in item["parts"]:
            counts[part["state"]] = counts.get(part["state"], 0) + part["count"]
        found = counts["allocated"], counts["held"], counts["free"]
        assert found == (usage["allocated"], usage["held"], usage["available"])


@pytest.mark.parametrize("columns", ["40", "80"])
def test_colours_are_asked_for_and_nothing_wraps(
    repo: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[32mA\x1b[0m" in ipam(capsys, "map", "edge", "--repo", repo).out
    monkeypatch.setenv("NO_COLOR", "1")
    for asked in ((), ("edge",), ("main",), ("more",)):
        said = ipam(capsys, "map", *asked, "--repo", repo).out
        assert "\x1b" not in said
        assert max(map(len, said.splitlines())) <= int(columns)


def test_it_is_drawn_as_a_picture(repo: Path, capsys: Capture) -> None:
    first, second = (
        ipam(capsys, "map", *asked, "--repo", repo).out for asked in (["--svg"], ["-o", "svg"])
    )
    assert first == second
    assert first.startswith("<svg ")
    assert ">  B  team-a/two: 8</text>" in first
