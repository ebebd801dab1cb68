"""The daemon on real API servers answers and reports edits. No test sleeps."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.daemon import Daemon, Document, applied_to, changed, clusters, daemon
from tests.e2e.site import POOL_NAME, Site, _kubeconfig
from tests.e2e.test_meddling import edit
from tests.envtest.servers import ApiServer
from tests.world import git, pool, provider, tenant

ONE, TWO = "team-a/one", "team-a/two"
FIRST, SECOND = ["10.40.0.0-10.40.0.7"], ["10.40.0.8-10.40.0.15"]
EDGE = "butler.butlerlabs.dev/NetworkPool/butler-system/edge"
LEASE = "/apis/coordination.k8s.io/v1/namespaces/butler-system/leases/gitops-ipam"
FILES = {
    "pools/edge.yaml": pool(tenantAllocation="{defaults: {lbPoolPerTenant: 8}}"),
    "providers/default.yaml": provider(),
    "tenants/one.yaml": tenant("one"),
}


@pytest.fixture
def site(tmp_path: Path, management: ApiServer, tenants: tuple[ApiServer, ...]) -> Site:
    """One tenant that is described, and a second cluster that waits to be one."""
    made = Site(tmp_path, management, FILES)
    for name, server in zip((ONE, TWO), tenants, strict=False):
        made.put_as_secret(name, server)
    return made


def words(site: Site, *more: str) -> tuple[str, ...]:
    return ("--kubeconfig", str(_kubeconfig(site.management)), "--interval", "1s", *more)


def written(found: Document) -> set[str]:
    return {name for name, item in clusters(found).items() if item["objects"]}


@pytest.fixture
def running(site: Site) -> Iterator[Daemon]:
    with daemon(site.clone, site.folder / "cache", *words(site)) as made:
        made.round(applied_to(ONE))
        yield made


@pytest.mark.parametrize(
    ("cluster", "words", "name", "patch"),
    [
        (ONE, ("ipaddresspool", "default-pool", "metallb-system"), POOL_NAME,
         '{"spec": {"addresses": ["10.40.0.0/24"], "autoAssign": false}}'),
        ("management", ("networkpool", "edge", "butler-system"), EDGE,
         '{"spec": {"tenantAllocation": {"defaults": {"lbPoolPerTenant": 3}}}}'),
    ],
)  # fmt: skip
def test_what_a_person_edits_is_restored_and_the_editor_is_named(
    site: Site, running: Daemon, cluster: str, words: tuple[str, str, str], name: str, patch: str
) -> None:
    server = site.tenants.get(cluster, site.management)
    edit(server, *words, patch)
    found = running.round(changed(name, cluster))
    (told,) = (it for it in clusters(found)[cluster]["objects"] if it["object"] == name)
    assert told["drift"]["manager"] == "kubectl-edit"
    assert site.pool(ONE) == FIRST
    assert written(found) == {cluster}
    assert found["commit"] is None
    assert running.end() == 0


def test_a_tenant_that_is_pushed_is_served_and_nobody_else_is_touched(
    site: Site, running: Daemon
) -> None:
    git(site.clone, "pull", "-q", "--ff-only")
    site.commit({"tenants/two.yaml": tenant("two")}, "a second tenant")
    found = running.round(applied_to(TWO))
    assert site.pool(TWO) == SECOND
    assert ONE not in written(found)
    site.require_disjoint()
    assert running.end() == 0
    assert "Traceback" not in running.errors()


def test_who_leads_works_and_gives_the_lease_back_at_the_end(site: Site) -> None:
    first = daemon(site.clone, site.folder / "cache", *words(site, "--leader-elect"))
    with first as leader:
        leader.round(applied_to(ONE))
        held = site.management.get(LEASE)["spec"]
        assert held["leaseDurationSeconds"] == 15
        other = daemon(site.clone, site.folder / "other", *words(site, "--leader-elect"))
        with other as standby:
            assert leader.end() == 0
            standby.says("round starts: start")  # after the Lease is given back
            standby.round(applied_to(ONE))
            assert site.management.get(LEASE)["spec"]["holderIdentity"] != held["holderIdentity"]
            assert standby.end() == 0
    assert site.management.get(LEASE)["spec"]["holderIdentity"] == ""
    assert json.dumps(held).count("gitops") == 0
