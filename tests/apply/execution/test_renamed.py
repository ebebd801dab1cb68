"""A renamed tenant: its cluster keeps its ranges, with any combination of kubeconfigs."""

import pytest

from reconciler.apply.expiry import still_announced
from reconciler.apply.inventory import Enrolled, read_inventory
from reconciler.apply.targets import ApplyOptions, known_as_now
from reconciler.families.clusters import former_clusters
from reconciler.model.applied import ClusterState
from tests.apply.execution.site import FIRST, Files, evaluated, world
from tests.fake_cluster import HUB
from tests.fake_clusters import FakeClusters
from tests.moving import KEY, LEAVING, OLD, moved, moving
from tests.planning.outcome import without
from tests.planning.test_renaming import formerly
from tests.world import CLOCK, carried, reconciled, tenant

NEW = "team-a/store"
RANGE = ["10.0.0.0-10.0.0.3"]
LATER = CLOCK + 9 * 86_400


def renamed(*more: str) -> dict[str, str | bytes]:
    """The tenant `web` as `store`, reconciled."""
    files: Files = without(world("web", *more), "tenants/web.yaml")
    return reconciled({**files, "tenants/store.yaml": formerly(tenant("store"), FIRST)})


@pytest.fixture
def clusters() -> FakeClusters:
    """`web` was applied to."""
    found = FakeClusters()
    found.run(world("web"))
    assert found.announced(FIRST) == RANGE
    return found


def remembered(clusters: FakeClusters) -> dict[str, Enrolled]:
    maps = [it for ref, it in clusters.objects[HUB].items() if ref.resource.kind == "ConfigMap"]
    return dict(read_inventory(maps).clusters)


def test_one_cluster_under_both_names_keeps_what_it_announces(clusters: FakeClusters) -> None:
    clusters.objects[NEW] = clusters.objects[FIRST]
    before = remembered(clusters)[FIRST]
    done = clusters.run(renamed(), "b")
    assert FIRST not in done
    assert done[NEW].state is ClusterState.APPLIED
    assert clusters.announced(NEW) == RANGE
    assert [it for it in done[NEW].outcomes if it.result.value == "deleted"] == []
    known = remembered(clusters)
    assert set(known) == {NEW}
    assert (known[NEW].uid, known[NEW].addresses) == (before.uid, before.addresses)
    assert not clusters.run(renamed(), "b")[NEW].is_changed


def test_a_kubeconfig_under_the_new_name_alone_is_enough(clusters: FakeClusters) -> None:
    clusters.objects[NEW] = clusters.objects[FIRST]
    clusters.unnamed = (FIRST,)
    done = clusters.run(renamed(), "b")
    assert done[NEW].state is ClusterState.APPLIED
    assert clusters.announced(NEW) == RANGE
    assert set(remembered(clusters)) == {NEW}


def test_without_a_kubeconfig_of_the_new_name_nothing_is_withdrawn(clusters: FakeClusters) -> None:
    clusters.unnamed = (NEW,)
    done = clusters.run(renamed(), "b")
    assert (done[FIRST].state, done[NEW].state) == (ClusterState.WAITING, ClusterState.WAITING)
    assert "it was renamed to team-a/store" in done[FIRST].error
    assert clusters.announced(FIRST) == RANGE
    assert set(remembered(clusters)) == {FIRST}


def test_another_cluster_of_the_new_name_gets_nothing_before_the_old_one_gave_it_up(
    clusters: FakeClusters,
) -> None:
    done = clusters.run(renamed(), "b")
    assert done[NEW].state is ClusterState.APPLIED
    assert clusters.announced(FIRST) is None
    assert clusters.announced(NEW) == RANGE
    order = [it.name for it in clusters.opened if it.writes() and it.name in (FIRST, NEW)]
    assert order.index(FIRST) < order.index(NEW)


def test_what_is_released_under_the_new_name_waits_for_the_cluster_of_the_old_one(
    clusters: FakeClusters,
) -> None:
    clusters.unnamed = (NEW,)
    files = renamed()
    files["providers/default.yaml"] = str(files["providers/default.yaml"]).replace(
        "mode: ipam", "mode: cloud"
    )
    released = evaluated(reconciled(files), clock=LATER)
    (why,) = still_announced(released, clusters, ApplyOptions()).values()
    assert (
        why == "the kubeconfig of team-a/store is missing, but ipam applied to this cluster before"
    )
    known = known_as_now(remembered(clusters), former_clusters(released.documents))
    assert known[NEW] == known[FIRST]


def test_two_that_were_one_and_what_is_still_there_have_no_former_name() -> None:
    both = {**renamed(), "tenants/x.yaml": formerly(tenant("x"), FIRST)}
    assert former_clusters(evaluated(both).documents) == {}
    there = {**renamed(), "tenants/web.yaml": tenant("web")}
    assert former_clusters(evaluated(there).documents) == {}
    assert former_clusters(evaluated(renamed()).documents) == {NEW: FIRST}


def test_what_a_move_left_is_announced_and_asked_for_under_the_new_name() -> None:
    found, one, uno = FakeClusters(), "team-a/one", "team-a/uno"
    files: Files = moved(LEAVING, KEY)
    found.run(files)
    both = found.announced(one)
    assert both is not None
    assert len(both) == 2
    found.objects[uno] = found.objects[one]
    files = without(files, "tenants/one.yaml")
    files = reconciled({**files, "tenants/uno.yaml": formerly(tenant("uno"), one)})
    assert found.run(files, "b")[uno].state is ClusterState.APPLIED
    assert found.announced(uno) == both
    found.unnamed = (uno,)
    (why,) = still_announced(evaluated(files, clock=LATER), found, ApplyOptions()).values()
    assert why == "the kubeconfig of team-a/uno is missing, but ipam applied to this cluster before"


def test_what_was_released_before_is_asked_for_under_the_new_name() -> None:
    found, one, uno = FakeClusters(), "team-a/one", "team-a/uno"
    files: Files = moved(LEAVING, KEY)
    found.run(files)
    both = found.announced(one)
    files = carried(files, moving(files, left={OLD: ""}, clock=CLOCK + 60))
    found.objects[uno] = found.objects[
        one
    ]  # and it did not answer in between: nothing is withdrawn
    found.unnamed = (one,)
    files = without(files, "tenants/one.yaml")
    files = reconciled({**files, "tenants/uno.yaml": formerly(tenant("uno"), one)}, CLOCK + 120)
    assert found.announced(uno) == both
    (why,) = still_announced(evaluated(files, clock=LATER), found, ApplyOptions()).values()
    assert why == "IPAddressPool default-pool of team-a/uno still has 10.40.0.0-10.40.0.7"
    assert found.run(files, "b")[uno].state is ClusterState.APPLIED
    assert not still_announced(evaluated(files, clock=LATER), found, ApplyOptions())
