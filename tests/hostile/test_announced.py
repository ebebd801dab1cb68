"""No change takes addresses from a cluster that stays behind a check that says "fine"."""

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from reconciler.apply.fleet import apply_fleet
from reconciler.apply.target import ApplyOptions
from reconciler.gitio.opening import open_repository
from reconciler.planning.read import evaluate_source
from tests.cli.running import Said, given_out
from tests.fake_clusters import FakeClusters
from tests.hostile.tenants import TENANTS
from tests.hostile.test_overrides import override
from tests.planning.test_renaming import formerly
from tests.world import CLOCK, ENVIRONMENT, SMALL, commit, git, pool, provider, tenant, write

CLOUD = provider("cloud", "[]").replace("mode: ipam", "mode: cloud")
MANUAL = "{loadBalancerPool: {start: 10.70.0.0, end: 10.70.0.19}}"


def extra(
    name: str = "more", owner: str = "one", kind: str = "loadbalancer", spec: str = ""
) -> str:
    return (
        "apiVersion: butler.butlerlabs.dev/v1alpha1\nkind: IPAllocation\n"
        f"metadata: {{name: {name}, namespace: butler-system}}\nspec:\n"
        f"  poolRef: {{name: edge}}\n  type: {kind}\n"
        f"  tenantClusterRef: {{name: {owner}, namespace: team-a}}\n{spec}"
    )


BASE: dict[str, str | bytes] = {
    **SMALL,
    **TENANTS,
    "providers/own.yaml": provider("own"),
    "tenants/three.yaml": tenant("three", providerConfigRef="{name: own}"),
    "tenants/two.yaml": tenant("two"),
    "tenants/old.yaml": tenant("old", providerConfigRef="{name: cloud}", networking=MANUAL),
    "providers/cloud.yaml": CLOUD,
    "tenants/more.yaml": extra(spec="  count: 4\n"),
}
MORE = "10.40.0.0/30"


class Case(NamedTuple):
    """A change, and what is told of it: code, cluster that loses, how many addresses."""

    files: dict[str, str | None]
    code: str
    cluster: str
    many: int


CASES = {
    "to another tenant": Case(
        {"tenants/more.yaml": extra(owner="two", spec="  count: 4\n")},
        "announcement-moved", "team-a/one", 4,
    ),
    "to a type that nobody announces": Case(
        {"tenants/more.yaml": extra(kind="nodes", spec="  count: 4\n")},
        "announcement-lost", "team-a/one", 4,
    ),
    "to another tenant, of one that goes": Case(
        {"tenants/more.yaml": extra(owner="two", spec="  count: 4\n"), "tenants/one.yaml": None},
        "announcement-moved", "team-a/one", 4,
    ),
    "a range set by hand of one that is renamed": Case(
        {
            "tenants/old.yaml": None,
            "tenants/new.yaml": formerly(
                tenant("new", providerConfigRef="{name: cloud}"), "team-a/old"
            ),
        },
        "announcement-lost", "team-a/new", 20,
    ),
    "a request beside what was set by hand": Case(
        {"tenants/beside.yaml": extra("beside", "old", spec="  count: 2\n")},
        "announcement-lost", "team-a/old", 20,
    ),
    "a request that goes": Case({"tenants/more.yaml": None}, "announcement-lost", "team-a/one", 4),
    "a provider that gives no more": Case(
        {"providers/own.yaml": provider("own").replace("mode: ipam", "mode: cloud")},
        "announcement-lost", "team-a/three", 8,
    ),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three tenants, one of which has a request beside its own claim; one has a range set by hand."""
    return given_out(tmp_path / "repo", BASE)


def change(folder: Path, files: dict[str, str | None], clock: int = CLOCK + 90) -> None:
    git(folder, "checkout", "-q", "-B", "change", "main")
    write(folder, {path: text for path, text in files.items() if text is not None})
    gone = [path for path, text in files.items() if text is None]
    if gone:
        git(folder, "rm", "-q", *gone)
    commit(folder, "change", clock)


@pytest.mark.parametrize("name", CASES)
def test_what_a_living_cluster_loses_is_told(folder: Path, said: Said, name: str) -> None:
    case = CASES[name]
    change(folder, case.files)
    code, text = said("check", "--base", "main")
    assert case.code in text
    assert f"cluster {case.cluster} " in text
    assert f"({case.many} addresses)" in text
    assert "fine" not in text
    assert code == (3 if case.code == "announcement-moved" else 0)
    found = json.loads(said("check", "--base", "main", "-o", "json")[1])
    told = [it["code"] for it in (*found["findings"], *found["gates"])]
    assert case.code in told
    cached = said("plan", "--base", "main"), said("plan", "--base", "main")
    assert cached[0] == cached[1]
    assert case.code in cached[0][1]


def test_an_override_for_the_claim_lets_addresses_go_to_another_cluster(
    folder: Path, said: Said
) -> None:
    scope = "butler/IPAllocation/butler-system/more/request"
    path = "overrides/2026-02-15-hand-over.yaml"
    write(folder, {path: override(path, kind="move", scope=scope)})
    commit(folder, "let it go", CLOCK + 30)
    change(folder, CASES["to another tenant"].files)
    code, text = said("check", "--base", "main")
    assert (code, "warning announcement-moved" in text) == (0, True)
    assert "override-unused" not in text


QUIET: dict[str, dict[str, str | None]] = {
    "a tenant that goes with its request": {
        "tenants/one.yaml": None,
        "tenants/more.yaml": None,
    },
    "a tenant that comes": {"tenants/new.yaml": tenant("new")},
    "a tenant that grows": {"tenants/one.yaml": tenant("one", networking="{lbPoolSize: 16}")},
    "a pool beside": {"pools/far.yaml": pool("far", "10.50.0.0/24")},
}


@pytest.mark.parametrize("name", QUIET)
def test_what_takes_nothing_from_who_stays_is_not_told(folder: Path, said: Said, name: str) -> None:
    change(folder, QUIET[name])
    assert "announcement-" not in said("check", "--base", "main")[1]


def test_what_the_base_does_already_is_nothing_of_the_change(folder: Path, said: Said) -> None:
    write(folder, {"tenants/more.yaml": extra(owner="two", spec="  count: 4\n")})
    commit(folder, "merged", CLOCK + 60)
    change(folder, {"tenants/new.yaml": tenant("new")})
    code, text = said("check", "--base", "main")
    assert "announcement-" not in text.partition("In main already")[0]
    assert code == 0


def test_requests_of_many_tenants_that_go_are_no_way_to_take_all_that_they_announce(
    tmp_path: Path, said: Said
) -> None:
    served = {f"tenants/r{at}.yaml": extra(f"r{at}", f"c{at}") for at in range(12)}
    gone = {
        f"tenants/c{at}.yaml": tenant(f"c{at}", providerConfigRef="{name: cloud}")
        for at in range(12)
    }
    folder = given_out(tmp_path / "repo", {**BASE, **served, **gone})
    taken = {f"tenants/r{at}.yaml": extra(f"r{at}", "two") for at in range(12)}
    change(folder, {**taken, **dict.fromkeys(gone)})
    code, text = said("check", "--base", "main")
    assert (code, text.count("refused announcement-moved: cluster team-a/c")) == (3, 12)
    assert "formerly" not in text


def test_what_only_a_merge_commit_itself_does_is_told(folder: Path, said: Said) -> None:
    git(folder, "checkout", "-q", "-b", "side")
    write(folder, {"tenants/new.yaml": tenant("new")})
    commit(folder, "a tenant", CLOCK + 60)
    git(folder, "checkout", "-q", "-B", "change", "main")
    git(folder, "merge", "-q", "--no-ff", "--no-commit", "side")
    write(folder, {"tenants/more.yaml": extra(owner="two", spec="  count: 4\n")})
    commit(folder, "merge", CLOCK + 90)
    assert len(git(folder, "rev-list", "--parents", "-1", "HEAD").split()) == 3
    code, text = said("check", "--base", "main")
    assert (code, "refused announcement-moved: cluster team-a/one stays" in text) == (3, True)


def test_what_a_brake_holds_back_is_announced_on(folder: Path, said: Said) -> None:
    change(folder, {"providers/default.yaml": provider().replace("mode: ipam", "mode: cloud")})
    code, text = said("check", "--base", "main")
    assert (code, "brake-held" in text) == (3, True)
    assert "announcement-" not in text


def test_a_cluster_announces_on_what_a_brake_holds_back_of_a_request(
    folder: Path, said: Said
) -> None:
    clusters = FakeClusters()

    def announced() -> list[str] | None:
        opened = open_repository(folder, ENVIRONMENT)
        evaluation = evaluate_source(opened.source("HEAD"))
        apply_fleet(evaluation, clusters, ApplyOptions(), opened.is_in)
        return clusters.announced("team-a/one")

    before = announced()
    assert "10.40.0.112-10.40.0.115" in (before or [])
    gone = ["tenants/more.yaml", *(f"tenants/t{at}.yaml" for at in range(6))]
    change(folder, dict.fromkeys(gone))
    git(folder, "checkout", "-q", "main")
    git(folder, "merge", "-q", "--ff-only", "change")
    assert announced() == before
    assert said("reconcile", "--no-apply")[0] == 3
    assert announced() == before
    assert said("render", "--out", str(folder.parent / "out"))[0] == 0
    files = (folder.parent / "out/team-a.one/IPAddressPool").glob("*")
    assert "10.40.0.112-10.40.0.115" in "".join(it.read_text(encoding="utf-8") for it in files)


@pytest.mark.parametrize("is_allowed", [False, True], ids=["nobody", "an Override"])
def test_what_was_pushed_without_a_check_is_told_by_each_verb_and_its_override_is_used(
    folder: Path, said: Said, *, is_allowed: bool
) -> None:
    if is_allowed:
        path = "overrides/2026-02-15-hand-over.yaml"
        scope = "butler/IPAllocation/butler-system/more/request"
        write(folder, {path: override(path, kind="move", scope=scope)})
        commit(folder, "let it go", CLOCK + 30)
    change(folder, CASES["to another tenant"].files)
    git(folder, "checkout", "-q", "main")
    git(folder, "merge", "-q", "--ff-only", "change")
    for verb in (["check"], ["plan"], ["reconcile", "--no-apply"]):
        text = said(*verb)[1]
        assert "warning announcement-moved: 10.40.0.112-10.40.0.115 of edge goes from" in text
        assert ("to team-a/two; an Override lets it go" in text) is is_allowed
        assert "override-unused" not in text
