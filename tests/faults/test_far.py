"""Clusters that are slow, away or gone: F47, F48, F49."""

import threading

from reconciler.apply.plan import ClusterState
from tests.apply.execution.site import FIRST, SECOND, THIRD, announced, failures, world
from tests.faults.site import HUB, POOL_NAME, Faulty, good, wanted_of
from tests.kube.proxy import Fault
from tests.world import CLOCK, reconciled, tenant

FILES = world("web", "shop", "blog")
HOUR = 3_600
AWAY = Fault("", kind="reset")


def test_f47_a_slow_cluster_delays_nobody(site: Faulty) -> None:
    """F47: it does not answer before all the others are done, and they are done nevertheless."""
    saved = threading.Semaphore(0)
    done = threading.Event()

    def wait_for_the_others() -> None:
        if all(saved.acquire(timeout=30) for _ in range(2)):
            done.set()

    write = "POST /api/v1/namespaces/metallb-system/configmaps"
    proxies = [
        site.breaks(name, Fault(write, 1, "pass", after=saved.release)) for name in (SECOND, THIRD)
    ]
    slow = Fault("GET /api/v1/namespaces/kube-system", 1, "pass", then=wait_for_the_others)
    site.breaks(FIRST, slow)
    site.read_seconds = 40.0
    good(site.apply(FILES), HUB, FIRST, SECOND, THIRD)
    assert done.is_set()
    assert [proxy.count(write) for proxy in proxies] == [1, 1]
    site.settle(FILES)


def test_f48_a_cluster_that_is_away_for_days_comes_back_to_the_head(site: Faulty) -> None:
    """F48: the others go on; its own revision stays, and so do its addresses."""
    site.apply(FILES)
    trees = [
        reconciled({**FILES, f"tenants/t{number}.yaml": tenant(f"t{number}")})
        for number in range(3)
    ]
    proxy = site.breaks(FIRST, AWAY)
    for revision, files in zip("bcd", trees, strict=True):
        applied = site.apply(files, revision)
        assert applied[FIRST].state is ClusterState.UNREACHABLE
        assert applied[FIRST].revision == "a" * 40
        assert applied[SECOND].revision == revision * 40
        good(applied, HUB, SECOND, THIRD)
    assert proxy.count("GET") == 15
    known = site.known()
    assert (known[FIRST].revision, known[SECOND].revision) == ("a" * 40, "d" * 40)
    assert known[FIRST].addresses == ("10.0.0.8-10.0.0.11",)
    site.mend()
    applied = site.apply(FILES, "d")
    assert applied[FIRST].revision == "d" * 40
    assert site.known()[FIRST].revision == "d" * 40
    site.settle(FILES, "d")


def test_f49_a_cluster_that_is_gone_for_good_needs_a_word(site: Faulty) -> None:
    """F49: nothing is given away before a person says that it announces nothing any more."""
    files = world("web", "shop")
    site.apply(files)
    gone = reconciled({name: text for name, text in files.items() if "tenants/web" not in name})
    proxy = site.breaks(FIRST, AWAY)
    assert site.apply(gone, "b")[FIRST].is_failed
    later, word = CLOCK + 25 * HOUR, frozenset([FIRST])
    assert len(site.doubts(gone, later)) == 1
    assert site.doubts(gone, later, confirm_withdrawn=word) == {}
    heir = reconciled({**reconciled(gone, later), "tenants/blog.yaml": tenant("blog")}, later)
    assert wanted_of(heir)[THIRD] == ("10.0.0.4-10.0.0.7",)
    applied = site.apply(heir, "c")
    held = "team-a/web may still announce 10.0.0.4-10.0.0.7"
    assert failures(applied[THIRD]) == {POOL_NAME: held}
    assert announced(site.tenants[THIRD]) is None
    applied = site.apply(heir, "c", confirm_withdrawn=word)
    good(applied, HUB, SECOND, THIRD)
    assert announced(site.tenants[THIRD]) == ["10.0.0.4-10.0.0.7"]
    good(site.apply(heir, "c"), HUB, SECOND, THIRD)  # what was given stays given
    assert proxy.count("GET") > 0
    site.tenants.pop(FIRST)
    site.settle(heir, "c")
