"""What the verbs show of a tenant that grew: from its Demand in the repository, without a cluster."""

from pathlib import Path

import pytest

from reconciler.cli.cluster_options import Reach
from reconciler.families.demand import DemandEntry, demand_document
from reconciler.planning.documents import path_of
from tests.cli.running import given_out, ipam
from tests.planning.test_guard import settings
from tests.reconcile.looking.country import Country, elastic
from tests.world import SMALL, provider, repository, tenant

PLACE = path_of("observed", ("gitops-ipam.dev", "Demand", "team-a", "one"))
COPY = path_of("observed", ("butler.butlerlabs.dev", "TenantCluster", "team-a", "two"))
FILES = {
    **SMALL,
    "providers/default.yaml": provider(loadBalancer="{allocationMode: elastic}"),
    PLACE: demand_document("team-a", "one", [DemandEntry(1, 1)]).decode(),
}


def test_an_observed_tenant_is_never_applied_as_ours(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    every = {"ipam.yaml": settings(apply="{documents: all}")}
    folder = given_out(tmp_path / "repo", {**FILES, COPY: tenant("two"), **every})
    ipam(capsys, "render", "--repo", folder, "--out", tmp_path / "out")
    found = (tmp_path / "out" / "management" / "TenantCluster").glob("*.yaml")
    assert [path.name for path in found] == ["team-a.one.yaml"]


def test_services_of_the_class_that_is_named_ask_for_growth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here = Country(elastic())
    monkeypatch.setattr(Reach, "open", lambda _reach: here.clusters)
    here.clusters.clock = here.now
    repo = str(repository(tmp_path / "repo", here.files))
    words = ("reconcile", "--repo", repo, "--kubeconfig", str(tmp_path))
    assert "created metallb.io/IPAddressPool" in ipam(capsys, *words).out
    for name in ("a", "b", "c"):
        here.ask(name, loadBalancerClass="edge/lb")
        here.serve()
    assert "team-a-one-lb-1" not in ipam(capsys, *words).out
    assert "team-a-one-lb-1" in ipam(capsys, *words, "--lb-class", "edge/lb").out
