"""All clusters, in memory: connections, identities, the inventory, and queries about records."""

import base64
from typing import Any

import pytest

from reconciler.apply.expiry import still_announced
from reconciler.apply.fleet import apply_fleet
from reconciler.apply.inventory import server_now
from reconciler.apply.targets import ApplyOptions
from reconciler.families.butler.kinds import TENANT_CLUSTER
from reconciler.kube.interface import Cluster, Clusters
from reconciler.loadbalancers.metallb.kinds import ADDRESS_POOL
from reconciler.model.applied import ClusterState
from reconciler.model.errors import ClusterError, UnauthorizedError, UnreachableError
from reconciler.model.objects import CONFIG_MAP, NAMESPACE, NODE, SECRET, SERVICE, Ref
from tests.apply.execution.site import (
    FIRST,
    SECOND,
    THIRD,
    Files,
    evaluated,
    failures,
    results,
    without,
    world,
)
from tests.apply.execution.test_management import failing
from tests.fake_cluster import HUB, FakeCluster, Fault, rejecting
from tests.fake_clusters import POOL, FakeClusters, is_in
from tests.world import CLOCK, reconciled, tenant

LATER = CLOCK + 25 * 3_600
FILES = world("web")
GONE = without(FILES, "web")
HOME = Ref(CONFIG_MAP, "butler-system", "gitops-ipam-inventory")


def doubts(clusters: Clusters, **options: Any) -> list[str]:
    """Return the reasons to keep records after their retention."""
    found = still_announced(evaluated(GONE, clock=LATER), clusters, ApplyOptions(**options))
    return sorted(found.values())


class Nowhere(FakeClusters):
    """Clusters without a management cluster."""

    def management(self) -> Cluster | None:
        return None


def test_without_a_management_cluster_nothing_is_applied_nor_asked() -> None:
    (refused,) = apply_fleet(evaluated(world()), Nowhere(), ApplyOptions(), is_in)
    assert (refused.cluster, refused.error) == (HUB, "no management cluster given")
    assert doubts(Nowhere()) == []


def test_the_time_is_the_servers_and_not_known_where_none_can_be_asked(
    clusters: FakeClusters,
) -> None:
    assert server_now(clusters) == CLOCK
    assert clusters.last(HUB).log[0][0] == "version"

    class Silent(FakeClusters):
        def management(self) -> Cluster | None:
            raise ClusterError("no answer")

    assert server_now(Silent()) is server_now(Nowhere()) is None


def test_a_uid_in_git_counts_beside_a_management_cluster_too(clusters: FakeClusters) -> None:
    text = "apiVersion: gitops-ipam.dev/v1alpha1\nkind: ClusterTarget\nmetadata: {name: edge}\n"
    files = world("web", **{"clusters/edge.yaml": f"{text}spec: {{uid: of-another}}\n"})
    found = clusters.apply(files)
    assert (found[FIRST].state, found["edge"].state) == (ClusterState.APPLIED, ClusterState.REFUSED)
    assert found["edge"].error.endswith("expected of-another")
    assert "cluster._edge" not in clusters.inventory(HUB)


def claiming(uid: str, name: str = "edge") -> Files:
    """Return the tree with a ClusterTarget that states a uid."""
    text = (
        f"apiVersion: gitops-ipam.dev/v1alpha1\nkind: ClusterTarget\nmetadata: {{name: {name}}}\n"
    )
    return world("web", **{"clusters/edge.yaml": f"{text}spec: {{uid: {uid}}}\n"})


@pytest.mark.parametrize("is_there", [False, True], ids=["without kubeconfig", "kubeconfig"])
def test_a_stated_uid_does_not_take_a_known_cluster(
    clusters: FakeClusters, *, is_there: bool
) -> None:
    clusters.run(FILES)
    uid = clusters.objects[FIRST][Ref(NAMESPACE, "", "kube-system")]["metadata"]["uid"]
    clusters.objects["edge"] = clusters.objects[FIRST]
    clusters.unnamed = () if is_there else ("edge",)
    found = clusters.run(claiming(uid), "b")
    assert found[FIRST].state is ClusterState.APPLIED
    assert found["edge"].state is (ClusterState.REFUSED if is_there else ClusterState.WAITING)
    if is_there:
        assert f"the kubeconfig reaches the cluster of {FIRST}" in found["edge"].error
    assert "cluster._edge" not in clusters.inventory(HUB)


def test_a_known_cluster_without_document_withdraws_despite_a_stated_uid(
    clusters: FakeClusters,
) -> None:
    clusters.run(FILES)
    uid = clusters.objects[FIRST][Ref(NAMESPACE, "", "kube-system")]["metadata"]["uid"]
    removed = {**claiming(uid), **GONE}
    del removed["tenants/web.yaml"]
    found = clusters.run(reconciled(removed), "b")
    assert not found[FIRST].is_failed
    assert clusters.announced(FIRST) is None


def test_two_names_of_one_cluster_are_refused(clusters: FakeClusters) -> None:
    clusters.objects[FIRST] = clusters.objects[SECOND] = FakeCluster().objects
    applied = clusters.apply(world("web", "shop"))
    (refused,) = (item for item in applied.values() if item.state is ClusterState.REFUSED)
    assert "the kubeconfig reaches the cluster of" in refused.error


def test_two_names_of_one_cluster_are_refused_across_shards(clusters: FakeClusters) -> None:
    files = world("web", "shop")
    clusters.run(files)
    clusters.objects[SECOND] = clusters.objects[FIRST]
    del clusters.inventory(HUB)["cluster.team-a.shop"]
    found = [clusters.apply(files, "b", shard=(index, 16)) for index in range(16)]
    assert [item[SECOND].state for item in found if SECOND in item] == [ClusterState.REFUSED]


def test_shards_share_the_clusters(clusters: FakeClusters) -> None:
    files = world("web", "shop", "blog")
    done = [name for at in range(3) for name in clusters.run(files, shard=(at, 3))]
    assert sorted(done) == sorted([HUB, FIRST, SECOND, THIRD])
    assert not any(item.is_changed for item in clusters.run(files).values())


@pytest.mark.parametrize("name", [FIRST, HUB])
def test_another_cluster_under_the_same_name_is_refused_until_it_is_enrolled(
    clusters: FakeClusters, name: str
) -> None:
    clusters.run(FILES)
    clusters.objects[name][Ref(NAMESPACE, "", "kube-system")]["metadata"]["uid"] = "another"
    applied = clusters.run(FILES, "b")[name]
    assert applied.state is ClusterState.REFUSED
    assert applied.error.startswith("not the same cluster as before: kube-system has uid another,")
    assert applied.hint.endswith(f"add --enroll {name}")
    again = clusters.run(FILES, "b", enroll=frozenset([name]))
    assert again[name].state is ClusterState.APPLIED
    assert not clusters.run(FILES, "b")[name].is_changed


def test_a_cluster_may_have_another_name_once_the_old_one_leads_nowhere(
    clusters: FakeClusters,
) -> None:
    clusters.run(FILES)
    clusters.objects[SECOND] = clusters.objects[FIRST]
    applied = clusters.run(world("shop"), "b")
    assert "reaches the cluster of team-a/web" in applied[SECOND].error
    clusters.unnamed = (FIRST,)
    assert clusters.run(world("shop"), "b")[SECOND].state is ClusterState.APPLIED


def test_addresses_that_change_hands_are_withdrawn_before_they_are_announced(
    clusters: FakeClusters,
) -> None:
    """Two clusters swap ranges. The first run withdraws both, and the second run announces them."""
    clusters.run(world("web", "shop"))
    swapped = reconciled({**FILES, "tenants/shop.yaml": tenant("shop")})
    first = clusters.run(swapped, "b")
    assert clusters.announced(FIRST) is clusters.announced(SECOND) is None
    error = failures(first[FIRST])[str(POOL)]
    assert error.startswith("team-a/shop might still announce 10.0.0.0-10.0.0.3")
    assert not any(item.is_failed for item in clusters.run(swapped, "b").values())
    assert clusters.announced(FIRST) == ["10.0.0.0-10.0.0.3"]
    assert clusters.announced(SECOND) == ["10.0.0.4-10.0.0.7"]


@pytest.mark.parametrize("is_lost", [False, True])
def test_addresses_of_a_cluster_that_is_away_go_to_nobody(
    clusters: FakeClusters, *, is_lost: bool
) -> None:
    """Without the inventory, allocations show the ranges of an unreachable cluster."""
    clusters.run(world("web", "shop"))
    if is_lost:
        del clusters.objects[HUB][HOME]
    clusters.faults[SECOND] = lambda _verb, what: UnreachableError(f"{what}: away")
    for _ in range(2):
        applied = clusters.run(FILES, "b")
        assert applied[SECOND].state is ClusterState.UNREACHABLE
        assert applied[SECOND].revision == ("" if is_lost else "a" * 40)
        error = failures(applied[FIRST])[str(POOL)]
        assert "team-a/shop might still announce 10.0.0.0-10.0.0.3" in error
        assert clusters.announced(FIRST) is None
    applied = clusters.run(FILES, "b", confirm_withdrawn=frozenset([SECOND]))
    assert results(applied[FIRST])[str(POOL)] == "created"
    clusters.faults.clear()
    assert clusters.run(FILES, "b")[SECOND].revision == "b" * 40
    assert clusters.announced(SECOND) is None


def test_a_cluster_that_cannot_be_read_announces_what_it_did(clusters: FakeClusters) -> None:
    clusters.run(FILES)
    clusters.faults[FIRST] = failing(UnauthorizedError("no right"), ADDRESS_POOL)
    applied = clusters.run(FILES, "b")[FIRST]
    assert (applied.state, applied.error) == (ClusterState.FAILED, "no right")
    assert "10.0.0.0-10.0.0.3" in clusters.inventory(HUB)["cluster.team-a.web"]
    clusters.faults[FIRST] = failing(UnreachableError("away"), ADDRESS_POOL, verb="apply")
    clusters.objects[FIRST].pop(POOL)
    assert clusters.apply(FILES, "b")[FIRST].state is ClusterState.UNREACHABLE


def test_an_inventory_that_cannot_be_written_is_told(clusters: FakeClusters) -> None:
    clusters.faults[FIRST] = rejecting("create", "ConfigMap", "full")
    applied = clusters.apply(FILES)[FIRST]
    assert (applied.state, applied.error) == (ClusterState.FAILED, "full")
    assert clusters.announced(FIRST) == ["10.0.0.0-10.0.0.3"]
    clusters.faults = {HUB: rejecting("merge", "ConfigMap", "full")}
    assert "management (inventory)" in clusters.apply(FILES, "b")


def test_an_inventory_without_its_label_is_not_taken_for_none(clusters: FakeClusters) -> None:
    clusters.run(FILES)
    clusters.objects[HUB][HOME]["metadata"]["labels"] = {}
    (applied,) = clusters.run(FILES, "b").values()
    assert "exists, but lacks the label" in applied.error


def test_a_bug_keeps_to_its_cluster(clusters: FakeClusters) -> None:
    def buggy(verb: str, what: Any) -> ClusterError | None:
        del verb
        raise KeyError(str(what))

    clusters.run(world("web", "shop"))
    clusters.faults[FIRST] = buggy
    applied = clusters.run(world("web", "shop"), "b")
    assert (applied[FIRST].is_bug, applied[SECOND].state) == (True, ClusterState.APPLIED)


# Kubeconfigs


def test_a_kubeconfig_may_be_in_a_secret(clusters: FakeClusters) -> None:
    clusters.unnamed = (FIRST,)
    hand = clusters.hand(HUB)
    hand.put({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-a"}})
    named = {"name": "web-kubeconfig", "namespace": "team-a"}
    data = {"value": base64.b64encode(b"a kubeconfig").decode()}
    hand.put({"apiVersion": "v1", "kind": "Secret", "metadata": named, "data": data})
    assert clusters.run(FILES)[FIRST].state is ClusterState.APPLIED
    clusters.unknown[HUB].add(TENANT_CLUSTER)
    assert clusters.run(FILES)[FIRST].state is ClusterState.APPLIED
    clusters.faults[HUB] = failing(UnauthorizedError("no right"), SECRET, verb="get")
    error = clusters.run(FILES)[FIRST].error
    assert error == "Secret team-a/web-kubeconfig in the management cluster: no right"


def test_a_cluster_that_is_gone_with_its_kubeconfig_is_forgotten(clusters: FakeClusters) -> None:
    clusters.run(FILES)
    clusters.unnamed = (FIRST,)
    assert FIRST not in clusters.run(world(), "b")
    assert "cluster.team-a.web" not in clusters.inventory(HUB)


def test_a_cluster_is_not_forgotten_while_a_broken_file_may_name_it(clusters: FakeClusters) -> None:
    files = world("web", "shop")
    clusters.run(files)
    less: Files = {path: text for path, text in files.items() if "/shop" not in path}
    clusters.unnamed = (SECOND,)
    applied = clusters.run({**less, "tenants/shop.yaml": "not a document"}, "b")
    assert (
        applied[SECOND].error
        == "the kubeconfig is missing, but ipam applied to this cluster before"
    )
    assert SECOND not in clusters.run(less, "c")


# Records after their retention


def test_records_go_when_no_pool_service_or_node_has_them(clusters: FakeClusters) -> None:
    clusters.run(FILES)
    pool = "IPAddressPool default-pool of team-a/web still has 10.0.0.0-10.0.0.3"
    assert doubts(clusters) == [pool]
    assert doubts(clusters, confirm_withdrawn=frozenset([FIRST])) == []
    clusters.run(GONE, "b")
    assert doubts(clusters) == []
    clusters.use(FIRST, "10.0.0.1")
    assert doubts(clusters)[0].startswith("Service default/shop of team-a/web still has")
    clusters.objects[FIRST].pop(Ref(SERVICE, "default", "shop"))
    status = {"addresses": [{"type": "InternalIP", "address": "10.0.0.2"}]}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}, "status": status}
    clusters.hand(FIRST).put(node)
    assert doubts(clusters)[0].startswith("Node n1 of team-a/web still has")
    clusters.objects[FIRST].pop(Ref(NODE, "", "n1"))
    clusters.unknown[FIRST].add(ADDRESS_POOL)
    assert doubts(clusters) == []


def test_records_stay_when_nobody_can_be_asked(clusters: FakeClusters) -> None:
    clusters.run(FILES)
    clusters.hand(FIRST).merge(POOL, {"spec": {"addresses": ["what"]}}, "edit")
    assert "some IPAddressPool cannot be read" in doubts(clusters)[0]
    clusters.unnamed = (FIRST,)
    assert doubts(clusters) == []  # the cluster has no kubeconfig and no TenantCluster
    tenant = {"apiVersion": TENANT_CLUSTER.api_version, "kind": TENANT_CLUSTER.kind}
    hand = clusters.hand(HUB)
    hand.put({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-a"}})
    hand.put({**tenant, "metadata": {"name": "web", "namespace": "team-a"}})
    assert doubts(clusters) == [
        f"the kubeconfig of {FIRST} is missing, but ipam applied to this cluster before"
    ]
    away: Fault = lambda _verb, what: UnreachableError(f"{what}: away")  # noqa: E731 - it is short
    clusters.faults[HUB] = away
    assert doubts(clusters)[0].startswith("cannot reach the management cluster: ")
    assert doubts(clusters, confirm_withdrawn=frozenset([FIRST])) == []
