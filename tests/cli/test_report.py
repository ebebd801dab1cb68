"""`ipam report` shows the figures of other commands, and depends only on the revision."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from reconciler.addresses import parse_address
from reconciler.model.instant import DAY
from tests.cli.running import Capture, given_out, ipam
from tests.examples import scaled
from tests.families.novaedge import pool as vip_pool
from tests.families.novaedge import vip
from tests.page.repositories import document_of
from tests.report.page.unpacking import Lived, lives_of
from tests.world import CLOCK, SMALL, commit, git, pool, request, tenant, write

RANDOM = scaled(3)
Page = dict[str, Any]
_OF_STATUS = (
    *("total", "allocated", "held", "available", "allocationCount", "fragmentationPercent"),
    *("largestFreeBlock", "utilizationPercent", "tier"),
)
_OF_FORECAST = {"fits": "tenantsThatFit", "moreFit": "moreFit", "shape": "medianShape"}


@pytest.fixture
def paged(tmp_path: Path, capsys: Capture) -> Callable[..., Page]:
    def made(repo: Path, *options: str | Path) -> Page:
        out = tmp_path / "report.html"
        ran = ipam(capsys, "report", "--repo", repo, "--out", out, *options)
        assert ran.code == 0, ran.err
        return document_of(out)

    return made


def numbered(value: Any) -> Any:
    return int(value) if isinstance(value, str) and value.isdigit() else value


def live(page: Page) -> Iterator[Lived]:
    return (it for it in lives_of(page) if it.ends is None)


def agrees(page: Page, repo: Path, capsys: Capture) -> None:
    """Require the figures of `status`, `get allocations`, and `forecast` in a page."""

    def told(*verb: str) -> list[Any]:
        ran = ipam(capsys, *verb, "--repo", repo, "-o", "json")
        return sorted(json.loads(ran.out)["items"], key=lambda it: str(it.get("pool")))

    pools = page["pools"]
    for mine, theirs, outlook in zip(pools, told("status"), told("forecast"), strict=True):
        assert mine["key"] == theirs["pool"] == outlook["pool"]
        for name in _OF_STATUS:
            assert numbered(mine[name]) == theirs[name]
        for name, other in _OF_FORECAST.items():
            assert mine[name] == outlook[other]
        assert [numbered(it["used"]) for it in mine["trend"]] == [
            it["used"] for it in outlook["trend"]
        ]
        assert [it["weeks"] for it in mine["rates"]] == [it["weeks"] for it in outlook["rates"]]
        assert sum(size(*run) for run in mine["free"]) == theirs["available"]
    records = [it for it in told("get", "allocations", "-A") if "startAddress" in it["status"]]
    ends = [[it["status"][f"{end}Address"] for end in ("start", "end")] for it in records]
    claims = [it["metadata"]["annotations"]["gitops-ipam.dev/claim"] for it in records]
    listed = [
        (*(parse_address(it)[1] for it in at), of) for at, of in zip(ends, claims, strict=True)
    ]
    assert sorted((it.first, it.last, it.claim) for it in live(page)) == sorted(listed)


def size(first: str, last: str) -> int:
    return parse_address(last)[1] - parse_address(first)[1] + 1


def grown(folder: Path, chance: Random, capsys: Capture) -> Path:
    more = {"pools/more.yaml": pool("more", f"10.50.0.0/{chance.randint(20, 26)}")}
    repo = given_out(folder, {**SMALL, **more, "pools/v.yaml": vip_pool(cidrs="[2001:db8::/64]")})
    clock, names = CLOCK, list[str]()
    for number in range(chance.randint(2, 6)):
        clock += chance.randint(1, 40) * DAY
        name = f"t{number}"
        size = 1 << chance.randint(0, 4)
        made = {f"tenants/{name}.yaml": tenant(name, networking=f"{{lbPoolSize: {size}}}")}
        if chance.random() < 0.3:
            made[f"tenants/v{number}.yaml"] = vip(f"v{number}", addressFamily="ipv6")
        if chance.random() < 0.3:
            made[f"tenants/r{number}.yaml"] = request(f"r{number}", count=chance.randint(1, 9))
        write(repo, made)
        names.append(name)
        if len(names) > 1 and chance.random() < 0.5:
            (repo / f"tenants/{names.pop(0)}.yaml").unlink()
        commit(repo, f"change {number} (#{number})", clock)
        ipam(capsys, "reconcile", "--repo", repo)
    return repo


@pytest.mark.parametrize("seed", range(RANDOM))
def test_the_figures_of_any_repository_are(
    seed: int, tmp_path: Path, paged: Callable[..., Page], capsys: Capture
) -> None:
    repo = grown(tmp_path / "repo", Random(seed), capsys)
    page = paged(repo)
    agrees(page, repo, capsys)
    # After a return to a commit, the page is the same again.
    earlier = page["commits"]["count"] // 2
    then = paged(repo, "--rev", f"HEAD~{page['commits']['count'] - 1 - earlier}")
    assert then["commits"]["id"][-1] == page["commits"]["id"][earlier]
    there = [place(it) for it in lives_of(page) if is_there(it, earlier)]
    assert sorted(map(place, live(then))) == sorted(there)


def place(it: Lived) -> tuple[str, int, int, str, str]:
    return it.pool, it.first, it.last, it.claim, it.state


def is_there(it: Lived, at: int) -> bool:
    return (it.begins is None or it.begins <= at) and (it.ends is None or it.ends > at)


def test_one_revision_is_one_page(tmp_path: Path, capsys: Capture) -> None:
    repo = grown(tmp_path / "repo", Random(7), capsys)
    outs = [tmp_path / name for name in ("a.html", "b.html")]
    for out in outs:
        assert ipam(capsys, "report", "--repo", repo, "--out", out).code == 0
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(repo), str(clone))
    outs.append(tmp_path / "c.html")
    assert ipam(capsys, "report", "--repo", clone, "--out", outs[2]).code == 0
    assert len({out.read_bytes() for out in outs}) == 1


def test_with_a_base_it_tells_what_merging_does(
    tmp_path: Path, paged: Callable[..., Page], capsys: Capture
) -> None:
    repo = given_out(tmp_path / "repo", SMALL)
    git(repo, "switch", "-qc", "change")
    write(repo, {"tenants/two.yaml": tenant("two")})
    commit(repo, "two", CLOCK + DAY)
    page = paged(repo, "--base", "main")
    plan = json.loads(ipam(capsys, "plan", "--repo", repo, "--base", "main", "-o", "json").out)
    change = page["change"]
    assert page["base"] == change["base"] == git(repo, "rev-parse", "main").strip()
    assert (change["digest"], change["summary"]) == (plan["digest"], plan["summary"])
    (action,) = change["actions"]
    assert (action["action"], action["path"]) == ("allocate", "tenants/two.yaml")
    (pool_change,) = change["pools"].values()
    assert (pool_change["before"]["allocated"], pool_change["after"]["allocated"]) == (8, 16)
    # The current state in the page is the state of the base.
    assert [it.owner for it in live(page)] == ["team-a/one"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--out", "report"), "is not an HTML file"),
        (("--out", "nowhere/report.html"), "cannot be written"),
        (("--out", "x.html", "--rev", "nope"), "nope"),
        (("--out", "x.html", "--results", "nope"), "--results nope cannot be read"),
    ],
)
def test_what_cannot_be_is_wrong_usage(
    options: tuple[str, ...], said: str, tmp_path: Path, capsys: Capture
) -> None:
    repo = given_out(tmp_path / "repo", SMALL)
    given = [str(tmp_path / it) if "html" in it else it for it in options]
    ran = ipam(capsys, "report", "--repo", repo, *given)
    assert (ran.code != 0, said in ran.err) == (True, True)
    assert not list(tmp_path.glob("*.html"))
