"""No change takes addresses from a cluster that stays behind a check that says "fine"."""

import json
from pathlib import Path

import pytest

from reconciler.apply.fleet import apply_fleet
from reconciler.apply.targets import ApplyOptions
from reconciler.gitio.repository import open_repository
from reconciler.planning.read import evaluate_source
from tests.cli.running import Said, given_out
from tests.fake_clusters import FakeClusters
from tests.hostile.conftest import TENANTS
from tests.hostile.test_overrides import override
from tests.world import CLOCK, ENVIRONMENT, SMALL, commit, git, provider, tenant, write

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


MOVED: dict[str, str | None] = {"tenants/more.yaml": extra(owner="two", spec="  count: 4\n")}
NODES = {"tenants/more.yaml": extra(kind="nodes", spec="  count: 4\n")}
NONE = {"providers/own.yaml": provider("own").replace("mode: ipam", "mode: cloud")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three tenants: one with an additional request, and one with a manual range."""
    return given_out(tmp_path / "repo", BASE)


def change(folder: Path, files: dict[str, str | None], clock: int = CLOCK + 90) -> None:
    git(folder, "checkout", "-q", "-B", "change", "main")
    write(folder, {path: text for path, text in files.items() if text is not None})
    gone = [path for path, text in files.items() if text is None]
    if gone:
        git(folder, "rm", "-q", *gone)
    commit(folder, "change", clock)


@pytest.mark.parametrize(
    ("files", "code", "cluster", "many"),
    [
        (MOVED, "announcement-moved", "team-a/one", 4),
        (NODES, "announcement-lost", "team-a/one", 4),
        (NONE, "announcement-lost", "team-a/three", 8),
    ],
    ids=["to another tenant", "to a type that nobody announces", "a provider that gives no more"],
)
def test_what_a_living_cluster_loses_is_told(
    folder: Path, said: Said, files: dict[str, str | None], code: str, cluster: str, many: int
) -> None:
    change(folder, files)
    ended, text = said("check", "--base", "main")
    assert code in text
    assert f"cluster {cluster} " in text
    assert f"({many} addresses)" in text
    assert "fine" not in text
    assert ended == (3 if code == "announcement-moved" else 0)
    found = json.loads(said("check", "--base", "main", "-o", "json")[1])
    told = [it["code"] for it in (*found["findings"], *found["gates"])]
    assert code in told


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
        commit(folder, "release it", CLOCK + 30)
    change(folder, MOVED)
    git(folder, "checkout", "-q", "main")
    git(folder, "merge", "-q", "--ff-only", "change")
    for verb in (["check"], ["plan"], ["reconcile", "--no-apply"]):
        text = said(*verb)[1]
        assert "warning announcement-moved: 10.40.0.112-10.40.0.115 (pool edge) moves from" in text
        assert ("to team-a/two; an Override permits this" in text) is is_allowed
        assert "override-unused" not in text
