"""`retention: 0s` with clusters: withdrawn, then free, then given away, in one run."""

from pathlib import Path

import pytest

from tests.e2e.site import POOL_NAME, SERVICES, Site, require_quiet, use
from tests.e2e.test_moves import (
    FILES,
    NEW,
    OLD,
    OTHER,
    RANGE,
    RECORD,
    REMOVED,
    SETTINGS,
    STAY,
    SWAP,
    held,
)
from tests.envtest.servers import ApiServer
from tests.world import git


@pytest.fixture
def site(tmp_path: Path, management: ApiServer, tenants: tuple[ApiServer, ...]) -> Site:
    files = {**FILES, "ipam.yaml": SETTINGS.replace("1h", "0s")}
    site = Site(tmp_path, management, files)
    for name, server in zip((STAY, OLD, NEW), tenants, strict=True):
        site.name(name, server)
    site.reconcile()
    assert (site.pool(OLD), site.pool(STAY)) == (RANGE, OTHER)
    site.commit(SWAP, "old goes, new comes", REMOVED)
    return site


def commits(site: Site) -> list[str]:
    listed = git(site.remote, "log", "--format=%s", "--grep=^ipam:", "main").splitlines()
    return listed[:-1]  # the first of all was made before


def test_one_run_withdraws_frees_and_gives_away(site: Site) -> None:
    ran = site.reconcile()
    assert commits(site) == ["ipam: allocate 1, expire 1", "ipam: release 1, refuse 1"]
    assert ran.document["commit"] == git(site.remote, "rev-parse", "main")
    assert ran.document["apply"]["revision"] == ran.document["commit"]
    assert ran.summary == {"release": 1, "refuse": 1}
    assert (site.pool(OLD), site.pool(NEW), site.pool(STAY)) == ([], RANGE, OTHER)
    assert ran.objects(OLD)[POOL_NAME]["result"] == "deleted"
    assert ran.objects(NEW)[POOL_NAME]["result"] == "created"
    assert set(ran.states.values()) == {"applied"}
    require_quiet(site)


def test_what_a_service_still_uses_is_held_in_the_same_run(site: Site) -> None:
    use(site.tenants[OLD], "web", "10.40.0.66")
    ran = site.reconcile(code=5)
    assert commits(site) == ["ipam: release 1, refuse 1"]
    assert ran.document["commit"] == git(site.remote, "rev-parse", "main")
    assert held(ran) == [RECORD]
    assert "Service default/web uses 10.40.0.66" in ran.objects(OLD)[POOL_NAME]["error"]
    assert (site.pool(OLD), site.pool(NEW)) == (RANGE, [])
    site.tenants[OLD].request("DELETE", f"{SERVICES}/web")
    assert site.reconcile(code=5).document["commit"] is None  # asked before it is withdrawn
    assert site.reconcile().summary == {"expire": 1, "allocate": 1}
    assert site.pool(NEW) == RANGE


def test_clusters_that_are_only_asked_have_withdrawn_nothing(site: Site) -> None:
    ran = site.reconcile("--no-apply", code=3)
    assert commits(site) == ["ipam: release 1, refuse 1"]
    assert held(ran) == []
    assert site.pool(OLD) == RANGE
