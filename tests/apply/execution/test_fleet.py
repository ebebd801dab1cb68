"""Many clusters: identities, what one may get from another, and the ones that are away."""

from reconciler.apply.plan import ClusterState
from tests.apply.execution.site import (
    ALLOCATIONS,
    FIRST,
    SECOND,
    THIRD,
    Site,
    announced,
    failures,
    world,
)
from tests.envtest.wiping import renew_identity
from tests.world import reconciled, tenant

POOL = "metallb.io/IPAddressPool/metallb-system/default-pool"


def swapped() -> dict[str, str | bytes]:
    """The tree in which two tenants hold what the other one holds in `world("web", "shop")`."""
    return reconciled({**world("web"), "tenants/shop.yaml": tenant("shop")})


def test_a_dead_cluster_is_told_and_the_others_are_applied(site: Site) -> None:
    site.apply(world("web", "shop"))
    site.tenants[FIRST].stop()
    try:
        applied = site.apply(world("web", "shop", "blog"), "b")
    finally:
        site.tenants[FIRST].start()
    assert applied[FIRST].state is ClusterState.UNREACHABLE
    assert applied[FIRST].revision == "a" * 40
    assert applied[THIRD].state is ClusterState.APPLIED
    assert applied[THIRD].revision == "b" * 40
    assert site.management.get(f"{ALLOCATIONS}/team-a-blog-lb")["status"]["phase"] == "Allocated"
    assert site.apply(world("web", "shop", "blog"), "b")[FIRST].revision == "b" * 40


def test_another_cluster_under_the_same_name_is_refused_until_it_is_enrolled(site: Site) -> None:
    site.apply(world("web"))
    one = site.tenants[FIRST]
    before = one.uid()
    renew_identity(one)
    applied = site.apply(world("web"), "b")[FIRST]
    assert applied.state is ClusterState.REFUSED
    assert applied.error == (
        f"it is another cluster than before: kube-system has uid {one.uid()}, not {before}"
    )
    assert applied.hint == "if that is meant: --re-enrol team-a/web"
    applied = site.apply(world("web"), "b", re_enrol=frozenset([FIRST]))[FIRST]
    assert applied.state is ClusterState.APPLIED
    assert not site.apply(world("web"), "b")[FIRST].is_changed


def test_another_management_cluster_is_refused_too(site: Site) -> None:
    site.apply(world("web"))
    renew_identity(site.management)
    applied = site.apply(world("web"), "b")
    assert {name: item.state for name, item in applied.items()} == {
        "management": ClusterState.REFUSED
    }


def test_two_names_of_one_cluster_are_refused(site: Site) -> None:
    site.apply(world("web"))
    site.tenants[SECOND] = site.tenants[FIRST]
    applied = site.apply(world("web", "shop"), "b")
    assert applied[SECOND].state is ClusterState.REFUSED
    assert applied[SECOND].error.startswith(f"it is the very cluster that {FIRST} names")
    assert announced(site.tenants[FIRST]) == ["10.0.0.4-10.0.0.7"]


def test_addresses_that_change_hands_are_withdrawn_before_they_are_announced(site: Site) -> None:
    """Both give what the other shall get: the first run takes away, the second one gives."""
    site.apply(world("web", "shop"))
    files = swapped()
    first = site.apply(files, "b")
    one, two = site.tenants[FIRST], site.tenants[SECOND]
    assert announced(one) is None
    assert announced(two) is None
    assert failures(first[FIRST])[POOL].startswith(
        "team-a/shop may still announce 10.0.0.0-10.0.0.3"
    )
    second = site.apply(files, "b")
    assert not any(item.is_failed for item in second.values())
    assert announced(one) == ["10.0.0.0-10.0.0.3"]
    assert announced(two) == ["10.0.0.4-10.0.0.7"]


def test_addresses_of_a_cluster_that_is_away_go_to_nobody(site: Site) -> None:
    site.apply(world("web", "shop"))
    moved = world("web")  # web has the range of shop now, whose record is gone
    site.tenants[SECOND].stop()
    try:
        applied = site.apply(moved, "b")
        assert applied[SECOND].state is ClusterState.UNREACHABLE
        assert "may still announce 10.0.0.0-10.0.0.3" in failures(applied[FIRST])[POOL]
        assert announced(site.tenants[FIRST]) is None
    finally:
        site.tenants[SECOND].start()
    site.apply(moved, "b")
    assert announced(site.tenants[SECOND]) is None
    assert announced(site.tenants[FIRST]) == ["10.0.0.0-10.0.0.3"]


def test_an_older_revision_is_refused_once_a_newer_one_is_applied(site: Site) -> None:
    site.apply(world("web", "shop"), "b")
    applied = site.apply(world("web"), "a")["management"]
    assert applied.state is ClusterState.REFUSED
    assert applied.error == "bbbbbbbbbbbb is applied already, and newer than aaaaaaaaaaaa"
    assert announced(site.tenants[SECOND]) == ["10.0.0.0-10.0.0.3"]


def test_a_history_that_does_not_hold_what_was_applied_is_refused(site: Site) -> None:
    """Another repository knows nothing of what is there, and would take all of it away."""
    site.apply(world("web", "shop"), "b")
    site.history = "cdefgh"
    applied = site.apply(world(), "c")
    assert {name: item.state for name, item in applied.items()} == {
        "management": ClusterState.REFUSED
    }
    assert applied["management"].error == (
        "bbbbbbbbbbbb was applied last, and cccccccccccc does not contain it"
    )
    assert announced(site.tenants[SECOND]) == ["10.0.0.0-10.0.0.3"]
    site.apply(world("web"), "c", re_enrol=frozenset(["management"]))
    assert announced(site.tenants[FIRST]) == ["10.0.0.0-10.0.0.3"]
    assert not site.apply(world("web"), "d")["management"].is_failed


def test_addresses_stay_with_a_cluster_that_is_away_though_the_inventory_is_lost(
    site: Site,
) -> None:
    """What it announces is told from the allocations: the record is gone from Git, too."""
    site.apply(world("web", "shop"))
    path = "/api/v1/namespaces/butler-system/configmaps/gitops-ipam-inventory"
    site.management.request("DELETE", path)
    site.tenants[SECOND].stop()
    try:
        applied = site.apply(world("web"), "b")
        assert applied[SECOND].state is ClusterState.UNREACHABLE
        assert "may still announce 10.0.0.0-10.0.0.3" in failures(applied[FIRST])[POOL]
        assert announced(site.tenants[FIRST]) is None
        site.apply(world("web"), "b")
        assert announced(site.tenants[FIRST]) is None
    finally:
        site.tenants[SECOND].start()
    site.apply(world("web"), "b")
    assert announced(site.tenants[SECOND]) is None
    assert announced(site.tenants[FIRST]) == ["10.0.0.0-10.0.0.3"]


def test_shards_share_the_clusters(site: Site) -> None:
    files = world("web", "shop", "blog")
    done: list[str] = []
    for index in range(3):
        done += site.apply(files, shard=(index, 3))
    assert sorted(done) == sorted(["management", FIRST, SECOND, THIRD])
    assert not any(item.is_changed for item in site.apply(files).values())
