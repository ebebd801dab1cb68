"""`who` and `history` on a real repository."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.running import Capture, given_out, ipam
from tests.hostile.test_overrides import override
from tests.world import CLOCK, SMALL, commit, git, tenant, write

HOUR = 3_600


@pytest.fixture
def repo(tmp_path: Path, capsys: Capture) -> Path:
    folder = given_out(tmp_path / "repo", {**SMALL, "tenants/two.yaml": tenant("two")})
    (folder / "tenants/two.yaml").unlink()
    commit(folder, "Merge pull request #12 from a/b", CLOCK + HOUR)
    assert ipam(capsys, "reconcile", "--repo", folder, "--allow-release", "1").code == 0
    return folder


@pytest.fixture
def grown(repo: Path, capsys: Capture) -> Path:
    write(repo, {"tenants/three.yaml": tenant("three")})
    commit(repo, "three (#34)", CLOCK + 2 * HOUR)
    assert ipam(capsys, "reconcile", "--repo", repo).code == 0
    return repo


@pytest.mark.parametrize(
    ("at", "state"),
    [
        ("2026-02-15T10:30Z", "allocated"),
        ("30m", "allocated"),
        ("HEAD~1", "allocated"),
        ("2026-02-15", "held"),
        ("2026-02-15T10:00:30Z", "free"),
    ],
)
def test_at_another_time_it_was_something_else(
    repo: Path, capsys: Capture, at: str, state: str
) -> None:
    ran = ipam(capsys, "who", "10.40.0.9", "--at", at, "--repo", repo, "-o", "json")
    assert [item["state"] for item in json.loads(ran.out)["items"]] == [state]


def test_the_history_of_a_name_that_is_gone_is_found(repo: Path, capsys: Capture) -> None:
    for _ in range(2):  # without a cache, and with one
        ran = ipam(capsys, "who", "two", "--history", "--repo", repo, "-o", "json")
        told = json.loads(ran.out)["history"]
        assert [item["what"] for item in told] == ["released", "allocated"]
        assert told[0]["cause"]["commit"]["request"] == "#12"
    text = ipam(capsys, "who", "10.40.0.0/24", "--history", "--repo", repo).out
    assert [word in text for word in ("  released  ", "  allocated  ")] == [True, True]
    rows = ipam(capsys, "who", "two", "--history", "--repo", repo, "-o", "csv").out.splitlines()
    assert [row.split(",")[1] for row in rows] == ["what", "released", "allocated"]


def test_one_is_what_nobody_knows(repo: Path, capsys: Capture) -> None:
    ran = ipam(capsys, "who", "192.0.2.1", "--repo", repo)
    assert (ran.code, ran.out) == (1, "192.0.2.1  outside\n")
    assert ran.err == "192.0.2.1 is not in any pool of this repository\n"
    ran = ipam(capsys, "who", "twos", "--repo", repo)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        "no tenant, team, record, or pool is named 'twos'; did you mean two?; to list earlier holders"
        ", add --history\n"
    )
    for form in ("text", "csv", "json"):
        ran = ipam(capsys, "who", "zzz", "--history", "--repo", repo, "-o", form)
        assert ran.code == 1
        assert ran.err.endswith("run ipam get allocations\n")


def test_a_team_is_asked_for_by_its_name(repo: Path, capsys: Capture) -> None:
    files = {"tenants/payments.yaml": tenant("shop", "payments")}
    write(repo, files)
    commit(repo, clock=CLOCK + 2 * HOUR)
    assert ipam(capsys, "reconcile", "--repo", repo).code == 0
    ran = ipam(capsys, "who", "payments", "--repo", repo, "-o", "json")
    assert ran.code == 0
    assert [it["holder"] for it in json.loads(ran.out)["items"]] == ["payments/shop"]
    ((_, _, told),) = words(ipam(capsys, "history", "payments", "--repo", repo).out)
    assert told == "payments/shop"
    assert "did you mean payments?" in ipam(capsys, "who", "payment", "--repo", repo).err
    (repo / "tenants/payments.yaml").unlink()
    commit(repo, clock=CLOCK + 3 * HOUR)
    assert ipam(capsys, "reconcile", "--repo", repo, "--allow-release", "9").code == 0
    past = ipam(capsys, "who", "payments", "--history", "--repo", repo).out
    assert "released" in past
    assert "allocated" in past


@pytest.mark.parametrize("verb", ["who", "history", "explain"])
@pytest.mark.parametrize("form", ["text", "json"])
def test_what_is_meant_as_addresses_and_is_none_is_wrong_usage(
    verb: str, form: str, repo: Path, capsys: Capture
) -> None:
    for asked, said in (
        ("10.60.1", "'10.60.1' is not a canonical IPv4 address"),
        ("10.60.1.0/33", "'33' is not a prefix length"),
        ("10.60.1.5/24", "has host bits set"),
        ("10.60.1.9-10.60.1.1", "does not end after it starts"),
        ("2001:db8:::1", "is not a canonical IPv6 address"),
    ):
        ran = ipam(capsys, verb, asked, "--repo", repo, "-o", form)
        assert (ran.code, ran.out, said in ran.err) == (64, "", True), ran
    ran = ipam(capsys, "who", "edge", "--at", "soon", "--repo", repo)
    assert (ran.code, ran.out) == (64, "")
    assert "--at 'soon' is neither a time nor a revision" in ran.err


@pytest.mark.parametrize(
    ("words", "at"),
    [
        (("who", "edge"), "30d"),
        (("map",), "30d"),
        (("map", "edge"), "2020-01-01"),
        (("forecast",), "2020-01-01"),
    ],
)
def test_one_is_a_time_before_the_first_commit(
    repo: Path, tmp_path: Path, capsys: Capture, words: tuple[str, ...], at: str
) -> None:
    ran = ipam(capsys, *words, "--at", at, "--repo", repo)
    assert (ran.code, ran.out) == (1, "")
    assert "no commit of HEAD is as old as 20" in ran.err
    shallow = tmp_path / "shallow"
    git(repo, "clone", "-q", "--depth=1", repo.as_uri(), str(shallow))
    ran = ipam(capsys, *words, "--at", at, "--repo", shallow)
    assert (ran.code, "hint: run git fetch --unshallow" in ran.err) == (4, True), "it may be older"


def words(text: str) -> list[list[str]]:
    """Return event, addresses, and claim of each event."""
    return [line.split()[:3] for line in text.splitlines() if re.match(r"  \S", line)]


def test_what_happened_is_told_newest_first(grown: Path, capsys: Capture) -> None:
    ran = ipam(capsys, "history", "--repo", grown)
    assert (ran.code, ran.err) == (0, "")
    assert words(ran.out) == [
        ["allocated", "10.40.0.16-10.40.0.23", "team-a/three"],
        ["released", "10.40.0.8-10.40.0.15", "team-a/two"],
        ["allocated", "10.40.0.0-10.40.0.7", "team-a/one"],
        ["allocated", "10.40.0.8-10.40.0.15", "team-a/two"],
    ]
    heading, _, document = ran.out.splitlines()[:3]
    assert heading.endswith("by A Person <person@example.com> #34")
    assert document.endswith("in edge, tenants/three.yaml:3")


@pytest.mark.parametrize("asked", ["two", "team-a/two", "10.40.0.9", "10.40.0.8/29"])
def test_of_one_it_is_told_alone(grown: Path, capsys: Capture, asked: str) -> None:
    ran = ipam(capsys, "history", asked, "--repo", grown)
    assert [word for word, *_ in words(ran.out)] == ["released", "allocated"]


def test_of_many_the_newest_are_told_and_that_there_are_more(grown: Path, capsys: Capture) -> None:
    for _ in range(2):  # the second run continues a partly read history from the cache
        ran = ipam(capsys, "history", "-n", "2", "--repo", grown)
        assert len(words(ran.out)) == 2
        assert ran.err == "Older events are not shown: -n 0 lists all\n"
    for form in ("text", "csv"):
        every = ipam(capsys, "history", "-n", "0", "--repo", grown, "-o", form)
        count = len(words(every.out)) if form == "text" else len(every.out.splitlines()) - 1
        assert (count, every.err) == (4, "")
    told = json.loads(ipam(capsys, "history", "edge", "-n", "3", "--repo", grown, "-o", "json").out)
    assert [item["what"] for item in told["items"]] == ["allocated", "released", "allocated"]


def test_one_is_that_nothing_ever_happened_to_it(grown: Path, capsys: Capture) -> None:
    ran = ipam(capsys, "history", "absent", "--repo", grown)
    assert (ran.code, ran.out, ran.err) == (1, "", "no events of 'absent'\n")


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
    allowed = commit(folder, "permit both releases", CLOCK + 2 * HOUR)
    assert ipam(capsys, "reconcile", "--repo", folder).code == 0
    told = ipam(capsys, "history", "two", "--repo", folder).out.splitlines()
    last = f"  Override {LEAVE} ({allowed[:12]} of A Person <person@example.com>)"
    assert "released" in told[1]
    assert told[2].endswith("in edge, tenants/two.yaml:3")
    assert told[3].endswith(last)
    assert "Override" not in "".join(told[4:])
    ran = ipam(capsys, "history", "two", "--repo", folder, "-o", "json")
    cause = json.loads(ran.out)["items"][0]["cause"]
    assert (cause["override"]["path"], cause["override"]["commit"]["id"]) == (LEAVE, allowed)
    who = ipam(capsys, "who", "two", "--repo", folder).out
    assert f"{LEAVE}, {allowed[:12]} of A Person" in who
    past = ipam(capsys, "who", "two", "--history", "--repo", folder).out
    assert past.count(last) == 1
