"""What the verbs show of a tenant that grew: from its Demand in the repository, without a cluster."""

import json
from pathlib import Path

import pytest
import yaml

from reconciler.cli import run
from reconciler.cli.cluster_options import Reach
from reconciler.families.demand import DemandEntry, demand_document
from reconciler.planning.documents import path_of
from tests.cli.running import given_out
from tests.reconcile.looking.country import Country, elastic
from tests.world import SMALL, commit, provider, repository, tenant, write

PLACE = path_of("observed", ("gitops-ipam.dev", "Demand", "team-a", "one"))
COPY = path_of("observed", ("butler.butlerlabs.dev", "TenantCluster", "team-a", "two"))
FILES = {
    **SMALL,
    "providers/default.yaml": provider(loadBalancer="{allocationMode: elastic}"),
    PLACE: demand_document("team-a", "one", [DemandEntry(1, 1)]).decode(),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return given_out(tmp_path / "repo", FILES)


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    run(list(arguments))
    return capsys.readouterr().out


def test_allocations_and_tenants_list_growth(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repo = ("--repo", str(folder))
    (row,) = [it for it in said(capsys, "get", "allocations", *repo).splitlines() if "-lb-1" in it]
    assert row.split()[:7] == [
        "team-a-one-lb-1", "edge", "one", "loadbalancer", "Allocated", "10.40.0.2", "10.40.0.2"
    ]  # fmt: skip
    assert "10.40.0.0-10.40.0.1, 10.40.0.2" in said(capsys, "get", "tenants", *repo)
    items = json.loads(said(capsys, "get", "allocations", *repo, "-o", "json"))["items"]
    roles = [it["metadata"]["labels"]["butler.butlerlabs.dev/allocation-role"] for it in items]
    assert sorted(roles) == ["growth", "initial"]


def test_growth_is_explained_by_the_place_of_its_entry(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = said(capsys, "explain", "team-a/one/loadbalancer-1", "--repo", str(folder))
    assert f"source    {PLACE}:8" in text
    assert "asks for  1 address\n" in text
    write(folder, {PLACE: demand_document("team-a", "one", ())})
    commit(folder)
    text = said(capsys, "explain", "team-a/one/loadbalancer-1", "--repo", str(folder))
    assert "asks for  nothing: its entry is gone\n" in text


def test_render_writes_the_growth_into_the_pool_of_the_tenant(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    said(capsys, "render", "--repo", str(folder), "--out", str(out))
    (found,) = out.glob("team-a.one/IPAddressPool/*.yaml")
    pool = yaml.safe_load(found.read_text(encoding="utf-8"))
    assert pool["spec"]["addresses"] == ["10.40.0.0-10.40.0.2"]
    records = [yaml.safe_load(it.read_text()) for it in out.glob("management/IPAllocation/*.yaml")]
    assert len(records) == 2


def test_simulate_counts_what_growth_takes(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = said(capsys, "simulate", "--tenants", "1", "--repo", str(folder))
    assert text.splitlines()[1].split()[:5] == ["0", "edge", "3", "0", "256"]


def test_a_plan_says_that_an_observed_copy_goes(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, {COPY: tenant("two"), "tenants/two.yaml": tenant("two")})
    commit(folder)
    text = said(capsys, "plan", "--repo", str(folder))
    assert text.endswith("Plan: 1 to allocate, 1 observed to remove, 2 kept, 0 moved.\n")


def test_an_observed_tenant_is_never_applied_as_ours(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head = "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\n"
    settings = f"{head}spec: {{apply: {{documents: all}}}}\n"
    folder = given_out(tmp_path / "repo", {**FILES, COPY: tenant("two"), "ipam.yaml": settings})
    said(capsys, "render", "--repo", str(folder), "--out", str(tmp_path / "out"))
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
    assert "created metallb.io/IPAddressPool" in said(capsys, *words)
    for name in ("a", "b", "c"):
        here.ask(name, loadBalancerClass="edge/lb")
        here.serve()
    assert "team-a-one-lb-1" not in said(capsys, *words)
    assert "team-a-one-lb-1" in said(capsys, *words, "--lb-class", "edge/lb")
