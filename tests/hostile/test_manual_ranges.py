"""A pull request that sets a range by hand takes no router, no neighbour's address and no more."""

import json
from pathlib import Path

import pytest

from reconciler.apply.fleet import apply_fleet
from reconciler.apply.targets import ApplyOptions
from reconciler.cli import run
from reconciler.gitio.repository import open_repository
from reconciler.planning.read import evaluate_source
from tests.cli.running import ipam
from tests.fake_clusters import FakeClusters
from tests.world import CLOCK, ENVIRONMENT, commit, git, pool, provider, repository, tenant, write

Files = dict[str, str]
OLD = "{loadBalancerPool: {start: 10.70.0.0, end: 10.70.0.7}}"
Capsys = pytest.CaptureFixture[str]

RESERVED = "[{cidr: 10.40.0.0/29, description: routers and the API VIP}]"
BASE: Files = {
    "ipam.yaml": "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\n",
    "pools/edge.yaml": pool(reserved=RESERVED),
    "pools/other.yaml": pool("other", "10.50.0.0/24"),
    "providers/edge.yaml": provider(gateway="10.40.0.9", quotaPerTenant="{maxLoadBalancerIPs: 32}"),
    "providers/other.yaml": provider("other", "[{name: other}]", gateway="10.50.0.1"),
    "providers/cloud.yaml": provider("cloud", "[]", gateway="10.60.0.1").replace(
        "mode: ipam", "mode: cloud"
    ),
    "tenants/victim.yaml": tenant("victim"),
    "tenants/legacy.yaml": tenant(
        "legacy", networking="{loadBalancerPool: {start: 10.40.0.200, end: 10.40.0.207}}"
    ),
}


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    made = repository(tmp_path / "repo", BASE)
    assert run(["reconcile", "--no-apply", "--repo", str(made)]) == 0
    git(made, "checkout", "-q", "-b", "change")
    return made


def thief(start: str, end: str, provider_name: str = "default", **spec: str) -> Files:
    own = f"{{loadBalancerPool: {{start: '{start}', end: '{end}'}}}}"
    named = {"providerConfigRef": f"{{name: {provider_name}}}", **spec}
    return {"tenants/thief.yaml": tenant("thief", "team-t", networking=own, **named)}


def change(repo: Path, files: Files, message: str = "change") -> None:
    write(repo, files)
    commit(repo, message, CLOCK + 60)


def checked(capsys: Capsys, repo: Path, *options: str) -> tuple[int, list[str]]:
    ran = ipam(capsys, "check", "--repo", repo, "-o", "json", *options)
    codes = [item["code"] for item in json.loads(ran.out)["findings"]]
    return ran.code, [code for code in codes if code != "gateway-in-pool"]  # as in the base


HOSTILE = [
    ("the gateway", "10.40.0.9", "10.40.0.9", "default"),
    ("the world's name servers, without pools", "8.8.8.0", "8.8.8.255", "cloud"),
    ("a neighbour's record", "10.40.0.208", "10.40.0.215", "default"),
    ("a router of another network, without pools", "10.50.0.1", "10.50.0.1", "cloud"),
    ("a router without a pool", "10.60.0.1", "10.60.0.1", "cloud"),
    ("link-local, where clouds give out credentials", "169.254.169.254", "169.254.169.254", "cloud"),
    ("IPv6 link-local", "fe80::1", "fe80::1", "cloud"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("start", "end", "provider_name"), [row[1:] for row in HOSTILE], ids=[row[0] for row in HOSTILE]
)
def test_a_range_by_hand_that_is_not_its_tenants_to_use_is_an_error(
    capsys: Capsys, repo: Path, start: str, end: str, provider_name: str
) -> None:
    change(repo, thief(start, end, provider_name))
    code, codes = checked(capsys, repo, "--base", "main")
    assert code == 1
    assert "manual-range" in codes
    assert "manual-range-added" in codes
    assert checked(capsys, repo, "--worktree", "--base", "main") == (code, codes)


@pytest.mark.parametrize(
    ("start", "end", "provider_name"),
    [
        ("10.70.0.0", "10.70.0.7", "cloud"),
        ("8.8.8.0", "8.8.8.255", "cloud"),
        ("10.40.0.1", "10.40.0.1", "default"),
    ],
    ids=["a neighbour's", "the world's", "a router"],
)
def test_a_wrong_range_that_is_merged_gets_into_no_cluster_and_takes_none_from_the_neighbour(
    repo: Path, start: str, end: str, provider_name: str
) -> None:
    clusters = FakeClusters()

    def applied(name: str) -> list[str] | None:
        opened = open_repository(repo, ENVIRONMENT)
        evaluation = evaluate_source(opened.source("HEAD"))
        apply_fleet(evaluation, clusters, ApplyOptions(), opened.is_in)
        return clusters.announced(name) if name in clusters.objects else None

    old = tenant("old", providerConfigRef="{name: cloud}", networking=OLD)
    change(repo, {"tenants/old.yaml": old})
    assert applied("team-a/old") == ["10.70.0.0-10.70.0.7"]
    change(repo, thief(start, end, provider_name))
    assert applied("team-a/old") == ["10.70.0.0-10.70.0.7"]
    assert applied("team-t/thief") is None
