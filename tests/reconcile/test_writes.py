"""Writes to clusters in memory: retries, their end, and identities that do not agree."""

from typing import Any

import pytest

from reconciler.kube.resources import IP_ALLOCATION
from reconciler.model.applied import ClusterState
from reconciler.model.errors import ClusterError, RejectedError, StaleError
from reconciler.model.objects import CONFIG_MAP, NAMESPACE, Ref
from tests.apply.execution.site import FIRST, failures, without, world
from tests.fake_cluster import HUB
from tests.fake_clusters import POOL, FakeClusters
from tests.world import CLOCK, reconciled

INVENTORY = Ref(CONFIG_MAP, "metallb-system", "gitops-ipam-inventory")
WEB = Ref(IP_ALLOCATION, "butler-system", "team-a-web-lb")
GONE = without(world("web"), "web")


@pytest.fixture
def clusters() -> FakeClusters:
    made = FakeClusters()
    made.run(world("web"))
    return made


def fail(clusters: FakeClusters, failure: ClusterError, verb: str, ref: Ref) -> list[int]:
    """Make all writes of an object fail. Return their count in a list."""
    count = [0]

    def fault(asked: str, what: Any) -> ClusterError | None:
        is_it = (asked, what) == (verb, ref)
        count[0] += is_it
        return failure if is_it else None

    clusters.faults[HUB if ref == WEB else FIRST] = fault
    return count


def test_an_object_that_changes_all_the_time_is_written_five_times_at_most(
    clusters: FakeClusters,
) -> None:
    clusters.hand(FIRST).merge(POOL, {"spec": {"addresses": ["172.16.0.0/24"]}}, "edit")
    count = fail(clusters, StaleError("other version"), "apply", POOL)
    applied = clusters.apply(world("web"))[FIRST]
    assert (failures(applied), count) == ({str(POOL): "other version"}, [5])
    clusters.apply(GONE, "b")
    count = fail(clusters, StaleError("other version"), "merge", WEB)
    applied = clusters.apply(reconciled(GONE, CLOCK + 25 * 3_600), "c")[HUB]
    assert (failures(applied), count) == ({str(WEB): "other version"}, [5])


def test_an_object_that_cannot_be_deleted_stays_in_the_inventory(clusters: FakeClusters) -> None:
    fail(clusters, RejectedError("no"), "delete", POOL)
    assert failures(clusters.apply(GONE, "b")[FIRST]) == {str(POOL): "no"}
    assert str(POOL) in clusters.objects[FIRST][INVENTORY]["data"]["objects"]


@pytest.mark.parametrize("is_known", [True, False])
def test_a_copied_inventory_is_refused_until_a_person_accepts_it(
    clusters: FakeClusters, *, is_known: bool
) -> None:
    clusters.objects[FIRST][INVENTORY]["data"]["uid"] = "another"
    if not is_known:
        clusters.objects.pop(HUB)
    applied = clusters.run(world("web"), "b")[FIRST]
    assert applied.state is ClusterState.REFUSED
    assert "kube-system has uid" in applied.error
    again = clusters.run(world("web"), "b", enroll=frozenset([FIRST]))[FIRST]
    assert again.state is ClusterState.APPLIED


def test_a_cluster_without_an_identity_is_refused(clusters: FakeClusters) -> None:
    clusters.objects[FIRST].pop(Ref(NAMESPACE, "", "kube-system"))
    assert "namespace kube-system is missing" in clusters.apply(world("web"), "b")[FIRST].error
