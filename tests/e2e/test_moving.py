"""A tenant with a Service moves to another pool: on the air all the while, by real servers."""

from pathlib import Path

import pytest

from tests.e2e.site import Ran, Site, give, use
from tests.envtest.servers import ApiServer
from tests.moving import KEY, NEW, OLD
from tests.world import CLOCK, SMALL, pool, provider

ONE = "team-a/one"
OLD_RANGE, NEW_RANGE = "10.40.0.0-10.40.0.7", "10.50.0.0-10.50.0.7"
HOUR = 3_600
OVERRIDE = f"""apiVersion: gitops-ipam.dev/v1alpha1
kind: Override
metadata: {{name: 2026-02-15-move}}
spec: {{kind: move, scope: {KEY}, reason: the VLAN goes, expires: "2027-02-15T00:00:00Z"}}
"""


@pytest.fixture
def site(tmp_path: Path, management: ApiServer, tenants: tuple[ApiServer, ...]) -> Site:
    """One tenant, whose Service has an address."""
    site = Site(tmp_path, management, SMALL)
    site.name(ONE, tenants[0])
    site.reconcile()
    assert site.pool(ONE) == [OLD_RANGE]
    use(tenants[0], "web", "10.40.0.3")
    return site


def at(site: Site, clock: int, *words: str) -> Ran:
    """Reconcile at a time, with a commit of that date."""
    site.commit({"README.md": f"{clock}\n"}, "time passes", clock)
    return site.reconcile(*words)


def move(site: Site) -> Ran:
    site.commit({"overrides/2026-02-15-move.yaml": OVERRIDE}, "let it", CLOCK + 60)
    files = {
        "pools/far.yaml": pool("far", "10.50.0.0/24"),
        "providers/default.yaml": provider(pools="[{name: far}]"),
    }
    site.commit(files, "move it", CLOCK + 120)
    return site.reconcile()


def test_a_claim_moves_without_a_break(site: Site) -> None:
    assert move(site).summary == {"moved": 1}
    assert site.pool(ONE) == [OLD_RANGE, NEW_RANGE]
    ran = at(site, CLOCK + 10 * HOUR)
    assert ran.document["commit"] is None
    assert site.pool(ONE) == [OLD_RANGE, NEW_RANGE]
    assert "announced: until-unused" in site.records()[OLD]
    left = [it["message"] for it in ran.document["plan"]["findings"] if it["code"] == "claim-left"]
    assert left[0].endswith(f": Service default/web of {ONE} still has {OLD_RANGE}")
    give(site.tenants[ONE], "web", "10.50.0.3")
    assert at(site, CLOCK + 20 * HOUR).summary == {"release": 1}
    assert site.pool(ONE) == [NEW_RANGE]
    assert "announced" not in site.records()[OLD]
    assert at(site, CLOCK + 44 * HOUR - 1).document["commit"] is None
    assert at(site, CLOCK + 44 * HOUR).summary == {"expire": 1}
    assert list(site.records()) == [NEW]
    assert site.ipam("verify").code == 0
