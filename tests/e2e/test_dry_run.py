"""`ipam apply --dry-run` tells just what the next `ipam apply` does, all through a story."""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.site import MERGE, POOL, USER, Ran, Site, use
from tests.envtest.servers import ApiServer
from tests.world import CLOCK, pool, provider, tenant

ONE, TWO, NEW = "team-a/one", "team-a/two", "team-a/new"
SETTINGS = (
    "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\n"
    "spec: {retention: 0s, gate: never}\n"
)
FILES = {
    "ipam.yaml": SETTINGS,
    "pools/edge.yaml": pool(tenantAllocation="{start: 10.40.0.64, end: 10.40.0.79}"),
    "providers/default.yaml": provider(),
    "tenants/one.yaml": tenant("one"),
    "tenants/two.yaml": tenant("two"),
}
_CHANGING = ("requests", "revision")


@pytest.fixture
def site(tmp_path: Path, management: ApiServer, tenants: tuple[ApiServer, ...]) -> Site:
    site = Site(tmp_path, management, FILES)
    for name, server in zip((ONE, TWO, NEW), tenants, strict=True):
        site.name(name, server)
    return site


def told(ran: Ran) -> dict[str, dict[str, Any]]:
    """What is told of each cluster, but for what was asked of it, and its revision."""
    return {
        name: {key: item[key] for key in item if key not in _CHANGING}
        for name, item in ran.clusters.items()
    }


def applied(site: Site, *words: str, code: int = 0) -> Ran:
    """Commit what is to be committed, foresee the apply, and apply."""
    reach = [word for group in dict.fromkeys(site.words.values()) for word in group]
    reach += ["--kubeconfig", str(site.management.kubeconfig_for(USER))]
    site.ipam("reconcile", "--no-apply", *reach)
    servers = [site.management, *site.tenants.values()]
    for server in servers:
        server.writes(USER)
    foreseen = site.ipam("apply", "--dry-run", *reach, *words)
    assert [server.writes(USER) for server in servers] == [[]] * len(servers)
    done = site.ipam("apply", *reach, *words)
    assert told(foreseen) == told(done)
    assert (foreseen.code, done.code) == (code, code)
    return done


def test_a_story_is_foretold_step_by_step(site: Site) -> None:
    first = applied(site)
    assert first.objects(ONE)
    assert not any(applied(site).objects(name) for name in first.states)
    patch = {"spec": {"addresses": ["10.40.0.0/24"]}}
    site.tenants[ONE].request("PATCH", f"{POOL}?fieldManager=edit", patch, MERGE)
    assert len(applied(site).objects(ONE)) == 1
    swap = {"tenants/one.yaml": None, "tenants/new.yaml": tenant("new")}
    site.commit(swap, "one goes, new comes", CLOCK + 600)
    use(site.tenants[ONE], "shop", "10.40.0.64")
    applied(site, code=5)
    assert site.pool(ONE)
    applied(site, "--force-withdraw")
    assert not site.pool(ONE)
    site.commit({"README.md": "later\n"}, "time passes", CLOCK + 1_200)
    site.tenants[ONE].request("DELETE", "/api/v1/namespaces/default/services/shop")
    applied(site)
    assert site.pool(NEW)
    applied(site, "--policies")
    applied(site, "--no-policies")
