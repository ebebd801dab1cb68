"""What `render` writes, and what asks for growth."""

from pathlib import Path

import pytest
import yaml

from reconciler.apply.policies import policies
from reconciler.families.demand import DemandEntry, demand_document
from reconciler.kube.clusters import KubeClusters
from reconciler.planning.documents import path_of
from tests.cli.running import Capture, given_out, ipam
from tests.planning.test_guard import settings
from tests.reconcile.looking.country import Country, elastic
from tests.world import SMALL, provider, reconciled, repository, tenant

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
