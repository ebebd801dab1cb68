"""Clusters that a person edits, replaces, or stops."""

import pytest

from tests.e2e.site import Site, require_quiet
from tests.envtest.fixtures import CRDS, NAMES
from tests.envtest.servers import ApiServer, Fleet
from tests.world import pool, provider, tenant

ONE, TWO, THREE = "team-a/one", "team-a/two", "team-a/three"
HELD = {
    ONE: ["10.40.0.0-10.40.0.7"],
    THREE: ["10.40.0.8-10.40.0.15"],
    TWO: ["10.40.0.16-10.40.0.23"],
}
FILES = {
    "pools/edge.yaml": pool(),
    "providers/default.yaml": provider(),
    "tenants/one.yaml": tenant("one"),
    "tenants/three.yaml": tenant("three"),
    "tenants/two.yaml": tenant("two"),
}


@pytest.fixture(scope="module")
def applied(fleet: Fleet, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Three tenants with eight addresses each. Each test restores them."""
    management, *tenants = (fleet.servers[name] for name in NAMES)
    management.wipe()
    management.install_crds(CRDS)
    site = Site(tmp_path_factory.mktemp("site"), management, FILES)
    for name, server in zip((ONE, TWO, THREE), tenants, strict=True):
        server.wipe()
        server.install_crds(fleet.assets.crds["metallb"])
        server.namespace("metallb-system")
        site.name(name, server)
    site.reconcile()
    assert {name: site.pool(name) for name in HELD} == HELD
    return site


def test_a_network_that_grew_by_hand_alone_is_reported_until_git_says_so_too(applied: Site) -> None:
    patch = '{"spec": {"cidr": "10.40.0.0/23"}}'
    edit(applied.management, "networkpool", "edge", "butler-system", patch)
    ran = applied.reconcile(code=5)
    assert "may grow, but must keep every address that it had" in ran.errors()
    assert {item["failed"] for item in ran.clusters.values()} == {0, 1}
    applied.commit({"pools/edge.yaml": pool(cidr="10.40.0.0/23")}, "grow the network")
    applied.reconcile()
    require_quiet(applied)


def test_without_its_inventories_nothing_is_lost(applied: Site) -> None:
    words = ("delete", "configmap", "gitops-ipam-inventory", "-n")
    assert applied.management.kubectl(*words, "butler-system").returncode == 0
    for server in applied.tenants.values():
        assert server.kubectl(*words, "metallb-system").returncode == 0
    ran = applied.reconcile()
    assert {ran.clusters[name]["deleted"] for name in ran.states} == {0}
    assert {name: applied.pool(name) for name in HELD} == HELD
    require_quiet(applied)


def edit(server: ApiServer, kind: str, name: str, namespace: str, patch: str) -> None:
    words = (kind, name, "-n", namespace, "--type=merge", "--field-manager=kubectl-edit")
    done = server.kubectl("patch", *words, "-p", patch)
    assert done.returncode == 0, done.stderr
