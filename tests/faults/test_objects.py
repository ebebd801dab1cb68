"""Objects that others touch, and lists that change while they are read.

F42, F44, F50 to F54, F56 and F57 of the fault table.
"""

import pytest

from reconciler.kube import clusters as kube
from tests.apply.execution.site import (
    ADDRESS_POOLS,
    ALLOCATIONS,
    FIRST,
    MERGE,
    SECOND,
    THIRD,
    address_pool,
    announced,
    failures,
    results,
    world,
)
from tests.faults.site import HUB, PATCH_POOL, POOL, POOL_NAME, Faulty, good, refusal
from tests.kube.proxy import Fault
from tests.world import CLOCK, reconciled

FILES = world("web", "shop")
LATER = CLOCK + 25 * 3_600
NEXT_PAGE = "GET .*/ipallocations.*continue="


def without(name: str) -> dict[str, str | bytes]:
    """The tree without a tenant, whose record is released."""
    return reconciled({path: text for path, text in FILES.items() if f"tenants/{name}" not in path})


def test_f42_a_list_whose_state_is_gone_begins_anew(
    site: Faulty, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F42: 410 between two pages; no object is seen twice, none is missed. Nothing is watched."""
    monkeypatch.setattr(kube, "PAGE", 2)
    files = world("web", "shop", "blog")
    site.apply(files)
    gone = refusal(410, "The provided continue parameter is too old", "Expired")
    proxy = site.breaks(HUB, Fault(NEXT_PAGE, 1, status=410, body=gone))
    applied = site.apply(files)
    assert proxy.count(NEXT_PAGE) == 2
    assert proxy.count("GET .*v1alpha1/ipallocations") == 4
    assert not any(item.is_changed for item in applied.values())
    good(applied, HUB, FIRST, SECOND, THIRD)
    site.settle(files)


def test_f42_a_list_that_never_ends_is_given_up(
    site: Faulty, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F42: the others are applied, and nothing is taken for missing that was not read."""
    monkeypatch.setattr(kube, "PAGE", 2)
    files = world("web", "shop", "blog")
    site.apply(files)
    gone = refusal(410, "The provided continue parameter is too old", "Expired")
    proxy = site.breaks(HUB, Fault(NEXT_PAGE, status=410, body=gone))
    applied = site.apply(files, "b")
    assert "too old" in applied[HUB].error
    assert proxy.count(NEXT_PAGE) == kube.RELISTS + 1
    assert applied[HUB].outcomes == ()
    good(applied, FIRST, SECOND, THIRD)
    site.settle(files, "b")


def test_f44_a_pool_of_others_that_overlaps_is_named_before_anything_is_written(
    site: Faulty,
) -> None:
    """F44: MetalLB would drop its whole configuration; so its webhook is not even asked."""
    one = site.tenants[FIRST]
    one.put(address_pool("theirs", "10.0.0.0/29"), path=ADDRESS_POOLS)
    proxy = site.breaks(FIRST)
    applied = site.apply(FILES)
    assert failures(applied[FIRST]) == {
        POOL_NAME: "10.0.0.4-10.0.0.7 is also in IPAddressPool theirs, which is not ours;"
        " remove it there, or keep its name (gitops-ipam.dev/metallb-pool: theirs) and --adopt"
    }
    assert proxy.count(PATCH_POOL) == 0
    good(applied, HUB, SECOND)
    one.request("DELETE", f"{ADDRESS_POOLS}/theirs")
    site.settle(FILES)


def test_f53_what_others_made_under_our_name_is_left_alone(site: Faulty) -> None:
    """F53: until a person says --adopt."""
    one = site.tenants[FIRST]
    one.put(address_pool("default-pool", "172.16.0.0/24"), path=ADDRESS_POOLS)
    before = one.get(POOL)
    proxy = site.breaks(FIRST)
    applied = site.apply(FILES)
    assert failures(applied[FIRST]) == {
        POOL_NAME: "it is there already and not ours; --adopt takes it over"
    }
    assert proxy.count(PATCH_POOL) == 0
    assert one.get(POOL) == before
    good(applied, HUB, SECOND)
    site.settle(FILES, adopt=True)


def test_f54_a_pool_that_a_finalizer_holds_stays_known_and_its_addresses_held(site: Faulty) -> None:
    """F54: it is there until it is gone, and MetalLB may announce it until then."""
    site.apply(FILES)
    one = site.tenants[FIRST]
    one.request("PATCH", POOL, {"metadata": {"finalizers": ["example.com/hold"]}}, MERGE)
    gone = without("web")
    for _ in range(2):
        applied = site.apply(gone, "b")
        assert failures(applied[FIRST]) == {
            POOL_NAME: "it is being deleted, held by example.com/hold"
        }
        assert announced(one) == ["10.0.0.4-10.0.0.7"]
        assert site.known()[FIRST].addresses == ("10.0.0.4-10.0.0.7",)
        assert POOL_NAME in site.inventory(FIRST).objects
        good(applied, HUB, SECOND)
    (reason,) = site.doubts(gone, LATER).values()
    assert reason == f"IPAddressPool default-pool of {FIRST} still has 10.0.0.4-10.0.0.7"
    heir = reconciled({path: text for path, text in gone.items() if "/web." not in path})
    heir = reconciled({**heir, "tenants/blog.yaml": world("blog")["tenants/blog.yaml"]})
    applied = site.apply(heir, "c")
    assert failures(applied[THIRD]) == {POOL_NAME: f"{FIRST} may still announce 10.0.0.4-10.0.0.7"}
    assert announced(site.tenants[THIRD]) is None
    one.request("PATCH", POOL, {"metadata": {"finalizers": []}}, MERGE)
    site.settle(heir, "c")
    assert announced(site.tenants[THIRD]) == ["10.0.0.4-10.0.0.7"]


def test_f56_pages_are_of_one_state_whatever_happens_between_them(
    site: Faulty, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F56: what is deleted after the first page is missed by the next run, and by none before."""
    monkeypatch.setattr(kube, "PAGE", 2)
    files = world("web", "shop", "blog")
    site.apply(files)
    path = f"{ALLOCATIONS}/team-a-web-lb"
    before = site.management.get(path)["metadata"]["uid"]

    def delete_it() -> None:
        free: dict[str, object] = {"metadata": {"finalizers": []}}
        assert site.management.request("PATCH", path, free, MERGE)[0] == 200
        site.management.request("DELETE", path)

    proxy = site.breaks(HUB, Fault(NEXT_PAGE, 1, "pass", then=delete_it))
    applied = site.apply(files)
    assert proxy.count(NEXT_PAGE) == 1
    assert proxy.count("GET .*v1alpha1/ipallocations.*limit=2") == 2
    assert not any(item.is_changed for item in applied.values())
    site.mend()
    applied = site.apply(files)
    assert list(results(applied[HUB]).values()) == ["created"]
    assert site.management.get(path)["metadata"]["uid"] != before
    site.settle(files)


def test_f57_a_dry_run_asks_no_webhook(site: Faulty) -> None:
    """F57: there is no `plan --server`; --dry-run compares what it reads, and sends no write."""
    foreseen = site.apply(FILES, dry_run=True)
    for proxy in site.proxies.values():
        assert proxy.count("(PATCH|POST|PUT|DELETE)") == 0
        assert proxy.count(".*dryRun") == 0
    assert site.announced() == {}
    assert results(foreseen[FIRST])[POOL_NAME] == "created"
    site.settle(FILES)
