"""`ipam history` on a real repository."""

import json
from pathlib import Path

import pytest

from tests.cli.running import given_out, ipam
from tests.hostile.test_overrides import override
from tests.world import CLOCK, SMALL, commit, tenant, write

Capture = pytest.CaptureFixture[str]
HOUR = 3_600


@pytest.fixture
def repo(tmp_path: Path, capsys: Capture) -> Path:
    """Two came, and went after an hour; three came after another."""
    folder = given_out(tmp_path / "repo", {**SMALL, "tenants/two.yaml": tenant("two")})
    (folder / "tenants/two.yaml").unlink()
    commit(folder, "remove two", CLOCK + HOUR)
    assert ipam(capsys, "reconcile", "--repo", folder, "--allow-release", "1").code == 0
    write(folder, {"tenants/three.yaml": tenant("three")})
    commit(folder, "three (#34)", CLOCK + 2 * HOUR)
    assert ipam(capsys, "reconcile", "--repo", folder).code == 0
    return folder


def words(text: str) -> list[list[str]]:
    return [line.split()[2:5] for line in text.splitlines()]


def test_what_happened_is_told_newest_first(repo: Path, capsys: Capture) -> None:
    ran = ipam(capsys, "history", "--repo", repo)
    assert (ran.code, ran.err) == (0, "")
    assert words(ran.out) == [
        ["allocated", "10.40.0.16-10.40.0.23", "team-a/three"],
        ["released", "10.40.0.8-10.40.0.15", "team-a/two"],
        ["allocated", "10.40.0.0-10.40.0.7", "team-a/one"],
        ["allocated", "10.40.0.8-10.40.0.15", "team-a/two"],
    ]
    first = ran.out.splitlines()[0]
    assert first.endswith("by A Person <person@example.com> #34 tenants/three.yaml:3")


@pytest.mark.parametrize("asked", ["two", "team-a/two", "10.40.0.9", "10.40.0.8/29"])
def test_of_one_it_is_told_alone(repo: Path, capsys: Capture, asked: str) -> None:
    ran = ipam(capsys, "history", asked, "--repo", repo)
    assert [word for word, *_ in words(ran.out)] == ["released", "allocated"]


def test_of_many_the_newest_are_told_and_that_there_are_more(repo: Path, capsys: Capture) -> None:
    for _ in range(2):  # what was read in part goes on from the cache
        ran = ipam(capsys, "history", "-n", "2", "--repo", repo)
        assert len(ran.out.splitlines()) == 2
        assert ran.err == "there is more than these 2; -n 0 tells all\n"
    for form in ("text", "csv"):
        every = ipam(capsys, "history", "-n", "0", "--repo", repo, "-o", form)
        assert (len(every.out.splitlines()), every.err) == (4 + (form == "csv"), "")
    told = json.loads(ipam(capsys, "history", "edge", "-n", "3", "--repo", repo, "-o", "json").out)
    assert [item["what"] for item in told["items"]] == ["allocated", "released", "allocated"]


def test_one_is_that_nothing_ever_happened_to_it(repo: Path, capsys: Capture) -> None:
    ran = ipam(capsys, "history", "nobody", "--repo", repo)
    assert (ran.code, ran.out, ran.err) == (1, "", "nothing ever happened to 'nobody'\n")


LEAVE = "overrides/2026-02-15-leave.yaml"


def test_the_override_that_let_a_release_go_is_named_with_its_commit(
    tmp_path: Path, capsys: Capture
) -> None:
    folder = given_out(tmp_path / "repo", {**SMALL, "tenants/two.yaml": tenant("two")})
    for name in ("one", "two"):
        (folder / f"tenants/{name}.yaml").unlink()
    commit(folder, "they leave", CLOCK + HOUR)
    assert ipam(capsys, "reconcile", "--repo", folder).code == 3
    write(folder, {LEAVE: override(LEAVE, kind="brake", releases=2)})
    allowed = commit(folder, "let them go", CLOCK + 2 * HOUR)
    assert ipam(capsys, "reconcile", "--repo", folder).code == 0
    told = ipam(capsys, "history", "two", "--repo", folder).out.splitlines()
    last = f", Override {LEAVE} ({allowed[:12]} of A Person <person@example.com>)"
    assert "released" in told[0]
    assert told[0].endswith(f"tenants/two.yaml:3{last}")
    assert "Override" not in told[1]
    ran = ipam(capsys, "history", "two", "--repo", folder, "-o", "json")
    cause = json.loads(ran.out)["items"][0]["cause"]
    assert (cause["override"]["path"], cause["override"]["commit"]["id"]) == (LEAVE, allowed)
    assert (
        f"{LEAVE}, {allowed[:12]} of A Person" in ipam(capsys, "who", "two", "--repo", folder).out
    )
    past = ipam(capsys, "who", "two", "--history", "--repo", folder).out
    assert past.count(last) == 1
