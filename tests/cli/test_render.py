"""Files of `render`, and requests for growth."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from reconciler.apply.policies import policies
from reconciler.families.demand import DemandEntry, demand_document
from reconciler.kube.clusters import KubeClusters
from reconciler.loadbalancers.ranges import ranges_of
from reconciler.planning.documents import path_of
from tests.cli.conftest import Moves
from tests.cli.running import Capture, given_out, ipam
from tests.families.plain.examples import cluster as target
from tests.families.plain.examples import entry, files, pool
from tests.planning.test_guard import settings
from tests.reconcile.looking.country import Country, elastic
from tests.world import SMALL, git, provider, reconciled, repository, tenant

PLACE = path_of("observed", ("gitops-ipam.dev", "Demand", "team-a", "one"))
COPY = path_of("observed", ("butler.butlerlabs.dev", "TenantCluster", "team-a", "two"))
FILES = {
    **SMALL,
    "providers/default.yaml": provider(loadBalancer="{allocationMode: elastic}"),
    PLACE: demand_document("team-a", "one", [DemandEntry(1, 1)]).decode(),
}


def test_an_observed_tenant_is_never_applied_as_ours(tmp_path: Path, capsys: Capture) -> None:
    every = {"ipam.yaml": settings(apply="{documents: all}")}
    folder = given_out(tmp_path / "repo", {**FILES, COPY: tenant("two"), **every})
    ipam(capsys, "render", "--repo", folder, "--out", tmp_path / "out")
    found = (tmp_path / "out" / "management" / "TenantCluster").glob("*.yaml")
    assert [path.name for path in found] == ["team-a.one.yaml"]


def test_services_of_the_class_that_is_named_ask_for_growth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    here = Country(elastic())
    for name in ("management", "named", "connect"):
        monkeypatch.setattr(KubeClusters, name, getattr(here.clusters, name))
    here.clusters.clock = here.now
    repo = str(repository(tmp_path / "repo", here.files))
    words = ("reconcile", "--repo", repo, "--kubeconfig", str(tmp_path))
    assert "created metallb.io/IPAddressPool" in ipam(capsys, *words).out
    for name in ("a", "b", "c"):
        here.ask(name, loadBalancerClass="edge/lb")
        here.serve()
    assert "team-a-one-lb-1" not in ipam(capsys, *words).out
    assert "team-a-one-lb-1" in ipam(capsys, *words, "--lb-class", "edge/lb").out


POLICIES = [
    f"{kind}/{name}.yaml"
    for kind in ("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")
    for name in ("gitops-ipam-owned", "gitops-ipam-pools")
]


def test_policies_are_rendered_for_every_cluster_and_read_back_as_they_are(
    capsys: Capture, tmp_path: Path
) -> None:
    repo, out = repository(tmp_path / "repo", reconciled(SMALL)), tmp_path / "out"
    words = ("--policies", "--reconciler", "system:flux", "--break-glass", 'a"b', "--out", out)
    assert ipam(capsys, "render", "--repo", repo, *words).code == 0
    for cluster in ("management", "team-a.one"):
        listed = yaml.safe_load((out / cluster / "kustomization.yaml").read_text())
        assert [name for name in listed["resources"] if name in POLICIES] == POLICIES
        assert listed["labels"] == [{"pairs": {"gitops-ipam.dev/managed-by": "gitops-ipam"}}]
        found = [yaml.safe_load((out / cluster / name).read_text()) for name in POLICIES]
        for manifest in policies("system:flux", ['a"b']):
            assert manifest in found
    assert ipam(capsys, "render", "--repo", repo, "--out", out).code == 0
    assert not any((out / "management" / name).exists() for name in POLICIES)
    assert "labels" not in (out / "management" / "kustomization.yaml").read_text()


INNER = entry(count=4)
DMZ = entry("dmz", count=4, services="{namespaces: [edge]}", advertisement="{type: L2}")
DMZ_FILES = [
    "prod-1/IPAddressPool/metallb-system.dmz.yaml",
    "prod-1/L2Advertisement/metallb-system.dmz.yaml",
]


@pytest.mark.parametrize("removed", [target(INNER), None], ids=["an entry", "its ClusterTarget"])
def test_the_pool_of_a_removed_entry_leaves_the_files_with_a_note(
    moves: Callable[..., Moves], removed: str | None
) -> None:
    world = moves(files(target(INNER, DMZ)))
    out = world.folder.parent / "out"
    assert world("render", "--out", str(out)).code == 0
    assert all((out / it).exists() for it in DMZ_FILES)
    if removed is None:
        git(world.folder, "rm", "-q", "clusters/prod-1.yaml")
    world.commit({"clusters/prod-1.yaml": removed} if removed else {})
    checked = world("check", "--base", "HEAD~1")
    lost = (
        "warning announcement-lost: pool dmz of cluster prod-1 is removed with 10.22.0.1-10.22.0.4"
    )
    assert lost in checked.out
    for reconciles in (False, True):  # before reconcile, the record is still live
        if reconciles:
            assert world.reconcile("--no-apply", "--allow-release", "2").code == 0
        ran = world("render", "--out", str(out))
        assert "10.22.0.1-10.22.0.4 is removed from prod-1; not checked" in ran.err
        assert not any((out / it).exists() for it in DMZ_FILES)
        assert (out / "prod-1").exists() == (removed is not None)
        assert (f"{out}/prod-1: removed\n" in ran.out) == (removed is None and not reconciles)


def test_a_pool_without_a_pinned_range_is_not_written(moves: Callable[..., Moves]) -> None:
    first, later = "10.22.0.32-10.22.0.39", "10.22.0.0-10.22.0.15"
    world = moves(files(target(entry("p", addresses=f"[{first}]"))))
    world.commit({"clusters/prod-1.yaml": target(entry("p", addresses=f"[{first}, {later}]"))})
    assert world.reconcile("--no-apply").code == 3
    out = world.folder.parent / "out"
    ran = world("render", "--out", str(out))
    assert (ran.code, out.exists()) == (1, False)
    assert "error pin-reserved: pool p of prod-1 would be incomplete: " in ran.err
    assert "hint: set spec.useAllAddresses: true in pool internal" in ran.err
    world.commit({"pools/pools.yaml": pool(useAllAddresses="true")})
    assert world.reconcile("--no-apply").code == 0
    assert world("render", "--out", str(out)).code == 0
    found = yaml.safe_load((out / "prod-1/IPAddressPool/metallb-system.p.yaml").read_text())
    assert found["spec"]["addresses"] == ["10.22.0.0-10.22.0.15", "10.22.0.32-10.22.0.39"]


PINNED, LATER = "10.22.0.32-10.22.0.39", "10.22.0.0-10.22.0.15"
WRONG = {
    "a refused pin": target(entry("p", addresses=f"[{PINNED}, {LATER}]")),
    "one object of two entries": target(
        entry("p", addresses=f"[{PINNED}]"), entry("q", count=1, objectName="p")
    ),
    "a file that cannot be read": "kind: ClusterTarget\n",
}


@pytest.mark.parametrize("wrong", WRONG)
def test_an_error_of_one_cluster_does_not_stop_the_files_of_others(
    moves: Callable[..., Moves], wrong: str
) -> None:
    other = {"clusters/prod-2.yaml": target(INNER, name="prod-2")}
    world = moves({**files(target(entry("p", addresses=f"[{PINNED}]"))), **other})
    out, fresh = (world.folder.parent / it for it in ("out", "fresh"))
    assert world("render", "--out", str(out)).code == 0
    before = (out / "prod-1/IPAddressPool/metallb-system.p.yaml").read_bytes()
    more = target(entry(count=8), name="prod-2")
    world.commit({"clusters/prod-1.yaml": WRONG[wrong], "clusters/prod-2.yaml": more})
    world.reconcile("--no-apply")
    ran = world("render", "--out", str(out))
    is_unread = "read" in wrong
    assert (ran.code, "The files of prod-1 were not written" in ran.err) == (1, not is_unread)
    assert (out / "prod-1/IPAddressPool/metallb-system.p.yaml").read_bytes() == before
    assert "metallb-system.p.yaml" in (out / "prod-1/kustomization.yaml").read_text()
    found = yaml.safe_load((out / "prod-2/IPAddressPool/metallb-system.internal.yaml").read_text())
    assert sum(it.size for it in ranges_of(found["spec"]["addresses"])) == 8
    # An empty folder has no earlier files, and Flux would delete the objects of prod-1.
    assert world("render", "--out", str(fresh)).code == 1
    assert fresh.exists() == is_unread


def test_earlier_files_of_a_cluster_with_an_error_do_not_share_addresses(
    moves: Callable[..., Moves],
) -> None:
    world = moves(files(target(INNER, entry("p", addresses=f"[{PINNED}]"))))
    out = world.folder.parent / "out"
    assert world("render", "--out", str(out)).code == 0
    world.commit({"clusters/prod-1.yaml": target(entry("p", addresses=f"[{PINNED}]"))})
    world.reconcile("--no-apply")
    world.reconcile("--no-apply", "--confirm-withdrawn", "prod-1", later=3600)
    taker = {"clusters/prod-2.yaml": target(INNER, name="prod-2")}
    world.time += 8 * 86400
    world.commit({"clusters/prod-1.yaml": WRONG["a refused pin"], **taker})
    world.reconcile("--no-apply")
    held = (world.folder / "allocations").rglob("*.yaml")
    assert any("10.22.0.1\n" in it.read_text() and "prod-2" in it.read_text() for it in held)
    before = sorted(out.rglob("*"))
    ran = world("render", "--out", str(out))
    assert (ran.code, "Nothing was written to" in ran.err) == (1, True)
    assert sorted(out.rglob("*")) == before
