"""Addresses that go from one cluster to another: withdrawn first, given away after, never both."""

from pathlib import Path

import pytest

from tests.e2e.site import Ran, Site, down
from tests.envtest.servers import ApiServer
from tests.world import CLOCK, pool, provider, settings, tenant

STAY, OLD, NEW = "team-a/stay", "team-a/old", "team-a/new"
RANGE, OTHER = ["10.40.0.64-10.40.0.71"], ["10.40.0.72-10.40.0.79"]
RECORD = "allocations/NetworkPool/butler-system.edge/team-a/old.loadbalancer.yaml"
HOUR = 3600
REMOVED = CLOCK + 600
FILES = {
    "ipam.yaml": settings("{retention: 1h, gate: never}"),
    "pools/edge.yaml": pool(tenantAllocation="{start: 10.40.0.64, end: 10.40.0.79}"),
    "providers/default.yaml": provider(),
    "tenants/stay.yaml": tenant("stay"),
    "tenants/old.yaml": tenant("old"),
}
SWAP = {"tenants/old.yaml": None, "tenants/new.yaml": tenant("new")}


@pytest.fixture
def site(tmp_path: Path, management: ApiServer, tenants: tuple[ApiServer, ...]) -> Site:
    """A pool for two tenants, which both exist, and a third cluster."""
    site = Site(tmp_path, management, FILES)
    for name, server in zip((STAY, OLD, NEW), tenants, strict=True):
        site.name(name, server)
    site.reconcile()
    assert (site.pool(OLD), site.pool(STAY)) == (RANGE, OTHER)
    return site


def at(site: Site, clock: int, *words: str, code: int = 0) -> Ran:
    """Reconcile at a time, with a commit of that date."""
    site.commit({"README.md": f"{clock}\n"}, "time passes", clock)
    return site.reconcile(*words, code=code)


def test_addresses_are_withdrawn_at_once_and_given_away_after_retention(site: Site) -> None:
    site.commit(SWAP, "old goes, new comes", REMOVED)
    ran = site.reconcile(code=3)
    assert ran.summary == {"release": 1, "refuse": 1}
    assert (site.pool(OLD), site.pool(NEW), site.pool(STAY)) == ([], [], OTHER)
    assert at(site, REMOVED + HOUR - 1, code=3).document["commit"] is None
    assert site.pool(NEW) == []
    ran = at(site, REMOVED + HOUR)
    assert ran.summary == {"expire": 1, "allocate": 1}
    assert (site.pool(OLD), site.pool(NEW), site.pool(STAY)) == ([], RANGE, OTHER)
    assert site.reconcile().document["commit"] is None


def test_nothing_is_given_away_while_its_old_cluster_cannot_be_asked(site: Site) -> None:
    with down(site.tenants[OLD]):
        site.commit(SWAP, "old goes, new comes", REMOVED)
        assert site.reconcile(code=5).states[OLD] == "unreachable"
        ran = at(site, REMOVED + HOUR, code=5)
        assert held(ran) == [RECORD]
        assert RECORD in site.records()
        assert site.pool(NEW) == []
    # It still announces the range when it is back, and first has to withdraw it.
    assert site.pool(OLD) == RANGE
    ran = site.reconcile(code=5)
    assert held(ran) == [RECORD]
    assert (site.pool(OLD), site.pool(NEW)) == ([], [])
    assert site.reconcile().summary == {"expire": 1, "allocate": 1}
    assert site.pool(NEW) == RANGE


def held(ran: Ran) -> list[str]:
    """Return the records that stay because a cluster might still announce their range."""
    findings = ran.document["plan"]["findings"]
    return [found["path"] for found in findings if found["code"] == "expiry-held"]
