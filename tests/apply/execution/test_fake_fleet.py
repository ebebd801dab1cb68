"""All clusters in memory: how they are reached, told apart, remembered, and asked about records."""

import base64
from typing import Any

import pytest

from reconciler.apply.expiry import still_announced
from reconciler.apply.fleet import apply_fleet
from reconciler.apply.plan import ClusterState
from reconciler.apply.targets import ApplyOptions
from reconciler.families.butler.kinds import TENANT_CLUSTER
from reconciler.kube.interface import Cluster, Clusters
from reconciler.kube.resources import ADDRESS_POOL, IP_ALLOCATION
from reconciler.model.errors import ClusterError, UnauthorizedError, UnreachableError, UsageError
from reconciler.model.objects import CONFIG_MAP, NODE, SECRET, SERVICE, Ref
from tests.apply.execution.site import FIRST, SECOND, Files, evaluated, failures, results, world
from tests.apply.execution.test_management import failing
from tests.fake_cluster import HUB, FakeCluster, Fault, rejecting
from tests.fake_clusters import POOL, FakeClusters, is_in
from tests.world import CLOCK, reconciled

LATER = CLOCK + 25 * 3_600
WEB = "allocations/"


@pytest.fixture
def clusters() -> FakeClusters:
    return FakeClusters()


def gone(files: Files) -> dict[str, str | bytes]:
    return reconciled({path: text for path, text in files.items() if "tenants/" not in path})


def doubts(clusters: Clusters, files: Files, **options: Any) -> list[str]:
    """Why records stay whose time is over."""
    found = still_announced(evaluated(files, clock=LATER), clusters, ApplyOptions(**options))
    return sorted(found.values())


def test_without_a_management_cluster_nothing_is_applied_nor_asked() -> None:
    class Nowhere(FakeClusters):
        def management(self) -> Cluster | None:
            return None

    with pytest.raises(UsageError, match="no management cluster given"):
        apply_fleet(evaluated(world()), Nowhere(), ApplyOptions(), is_in)
    assert doubts(Nowhere(), gone(world("web"))) == []


def test_one_cluster_has_one_name(clusters: FakeClusters) -> None:
    clusters.objects[FIRST] = clusters.objects[SECOND] = FakeCluster().objects
    applied = clusters.apply(world("web", "shop"))
    refused = [item for item in applied.values() if item.state is ClusterState.REFUSED]
    assert len(refused) == 1
    assert "it is the very cluster that" in refused[0].error


def test_another_cluster_under_the_same_name_is_refused(clusters: FakeClusters) -> None:
    clusters.run(world("web"))
    del clusters.objects[FIRST]
    applied = clusters.run(world("web"), "b")
    assert applied[FIRST].state is ClusterState.REFUSED
    again = clusters.run(world("web"), "b", re_enrol=frozenset([FIRST]))
    assert again[FIRST].state is ClusterState.APPLIED


def test_a_cluster_may_have_another_name_once_the_old_one_leads_nowhere(
    clusters: FakeClusters,
) -> None:
    clusters.run(world("web"))
    clusters.objects[SECOND] = clusters.objects[FIRST]
    applied = clusters.run(world("shop"), "b")
    assert "the very cluster that team-a/web names" in applied[SECOND].error
    clusters.unnamed = (FIRST,)
    assert clusters.run(world("shop"), "b")[SECOND].state is ClusterState.APPLIED


def test_an_older_revision_and_a_strange_history_are_refused(clusters: FakeClusters) -> None:
    clusters.run(world("web"), "b")
    applied = clusters.run(world("web"), "a")
    assert (applied[HUB].state, "newer than" in applied[HUB].error) == (ClusterState.REFUSED, True)
    inventory = Ref(CONFIG_MAP, "metallb-system", "gitops-ipam-inventory")
    clusters.objects[FIRST][inventory]["data"]["revision"] = "c" * 40
    assert "apply the head" in clusters.run(world("web"), "b")[FIRST].hint
    home = Ref(CONFIG_MAP, "butler-system", "gitops-ipam-inventory")
    clusters.objects[HUB][home]["data"]["revision"] = "9" * 40
    assert clusters.run(world("web"), "b")[HUB].state is ClusterState.REFUSED
    clusters.run(world("web"), "c", re_enrol=frozenset([HUB]))
    assert clusters.objects[HUB][home]["data"]["revision"] == "c" * 40


def test_who_may_still_announce_is_believed_until_a_person_says_otherwise(
    clusters: FakeClusters,
) -> None:
    clusters.run(world("shop"))
    clusters.faults[SECOND] = lambda _verb, what: UnreachableError(f"{what}: away")
    applied = clusters.run(world("web"), "b")
    assert "team-a/shop may still announce" in failures(applied[FIRST])[str(POOL)]
    applied = clusters.run(world("web"), "b", confirm_withdrawn=frozenset([SECOND]))
    assert results(applied[FIRST])[str(POOL)] == "created"


def test_a_cluster_that_cannot_be_read_announces_what_it_did(clusters: FakeClusters) -> None:
    clusters.run(world("web"))
    clusters.faults[FIRST] = failing(UnauthorizedError("no right"), ADDRESS_POOL)
    applied = clusters.run(world("web"), "b")[FIRST]
    assert (applied.state, applied.error) == (ClusterState.FAILED, "no right")
    known = clusters.objects[HUB][Ref(CONFIG_MAP, "butler-system", "gitops-ipam-inventory")]
    assert "10.0.0.0-10.0.0.3" in known["data"]["cluster.team-a.web"]
    clusters.faults[FIRST] = failing(UnreachableError("away"), ADDRESS_POOL, verb="apply")
    clusters.objects[FIRST].pop(POOL)
    assert clusters.apply(world("web"), "b")[FIRST].state is ClusterState.UNREACHABLE


def test_an_inventory_that_cannot_be_written_is_told(clusters: FakeClusters) -> None:
    clusters.faults[FIRST] = rejecting("create", "ConfigMap", "full")
    applied = clusters.apply(world("web"))[FIRST]
    assert (applied.state, applied.error) == (ClusterState.FAILED, "full")
    assert clusters.announced(FIRST) == ["10.0.0.0-10.0.0.3"]
    clusters.faults = {HUB: rejecting("merge", "ConfigMap", "full")}
    assert "management (inventory)" in clusters.apply(world("web"), "b")


def test_a_bug_keeps_to_its_cluster(clusters: FakeClusters) -> None:
    def buggy(verb: str, what: Any) -> ClusterError | None:
        del verb
        raise KeyError(str(what))

    clusters.run(world("web", "shop"))
    clusters.faults[FIRST] = buggy
    applied = clusters.run(world("web", "shop"), "b")
    assert (applied[FIRST].is_bug, applied[SECOND].state) == (True, ClusterState.APPLIED)


def test_what_changes_between_look_and_write_is_looked_at_again(clusters: FakeClusters) -> None:
    """A claim of another size is made anew; somebody touches it just before."""
    clusters.run(world("web"))
    web = Ref(IP_ALLOCATION, "butler-system", "team-a-web-lb")
    hand = clusters.hand(HUB)
    touched: list[str] = []

    def touch(verb: str, what: Any) -> ClusterError | None:
        if verb == "merge" and what == web and len(touched) < 2:
            touched.append(verb)
            hand.merge(web, {"metadata": {"annotations": {"n": str(len(touched))}}}, "edit")
        return None

    clusters.faults[HUB] = touch
    files = gone(world("web"))
    clusters.apply(files, "b")
    applied = clusters.apply(reconciled(files, LATER), "c")[HUB]
    assert results(applied)[str(web)] == "deleted"
    assert (web in clusters.objects[HUB], touched) == (False, ["merge", "merge"])


# Secrets


def secret(clusters: FakeClusters, value: str = "a kubeconfig") -> None:
    hand = clusters.hand(HUB)
    hand.put({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-a"}})
    data = {"value": base64.b64encode(value.encode()).decode()}
    named = {"name": "web-kubeconfig", "namespace": "team-a"}
    hand.put({"apiVersion": "v1", "kind": "Secret", "metadata": named, "data": data})


def test_a_kubeconfig_may_be_in_a_secret(clusters: FakeClusters) -> None:
    clusters.unnamed = (FIRST,)
    secret(clusters)
    assert clusters.run(world("web"))[FIRST].state is ClusterState.APPLIED
    clusters.unknown[HUB].add(TENANT_CLUSTER)
    assert clusters.run(world("web"))[FIRST].state is ClusterState.APPLIED
    clusters.faults[HUB] = failing(UnauthorizedError("no right"), SECRET, verb="get")
    error = clusters.run(world("web"))[FIRST].error
    assert error == "Secret team-a/web-kubeconfig in the management cluster: no right"


def test_a_cluster_that_is_gone_with_its_kubeconfig_is_forgotten(clusters: FakeClusters) -> None:
    clusters.run(world("web"))
    clusters.unnamed = (FIRST,)
    assert FIRST not in clusters.run(world(), "b")
    known = clusters.objects[HUB][Ref(CONFIG_MAP, "butler-system", "gitops-ipam-inventory")]
    assert "cluster.team-a.web" not in known["data"]


# Records whose time is over


def service(clusters: FakeClusters, address: str) -> None:
    status = {"loadBalancer": {"ingress": [{"ip": address}]}}
    named = {"name": "shop", "namespace": "default"}
    body = {"apiVersion": "v1", "kind": "Service", "metadata": named, "status": status}
    clusters.hand(FIRST).put(body)


def test_records_go_when_no_pool_service_or_node_has_them(clusters: FakeClusters) -> None:
    clusters.run(world("web"))
    files = gone(world("web"))
    pool = "IPAddressPool default-pool of team-a/web still has 10.0.0.0-10.0.0.3"
    assert doubts(clusters, files) == [pool]
    assert doubts(clusters, files, confirm_withdrawn=frozenset([FIRST])) == []
    clusters.run(files, "b")
    assert doubts(clusters, files) == []
    service(clusters, "10.0.0.1")
    assert doubts(clusters, files)[0].startswith("Service default/shop of team-a/web still has")
    clusters.objects[FIRST].pop(Ref(SERVICE, "default", "shop"))
    status = {"addresses": [{"type": "InternalIP", "address": "10.0.0.2"}]}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}, "status": status}
    clusters.hand(FIRST).put(node)
    assert doubts(clusters, files)[0].startswith("Node n1 of team-a/web still has")
    clusters.objects[FIRST].pop(Ref(NODE, "", "n1"))
    clusters.unknown[FIRST].add(ADDRESS_POOL)
    assert doubts(clusters, files) == []


def test_records_stay_when_nobody_can_be_asked(clusters: FakeClusters) -> None:
    clusters.run(world("web"))
    files = gone(world("web"))
    clusters.hand(FIRST).merge(POOL, {"spec": {"addresses": ["what"]}}, "edit")
    assert "some IPAddressPool cannot be read" in doubts(clusters, files)[0]
    clusters.unnamed = (FIRST,)
    assert doubts(clusters, files) == []  # kubeconfig and TenantCluster are gone: so is it
    lost = f"{FIRST} was applied to, and its kubeconfig is missing now"
    tenant = {"apiVersion": TENANT_CLUSTER.api_version, "kind": TENANT_CLUSTER.kind}
    hand = clusters.hand(HUB)
    hand.put({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-a"}})
    hand.put({**tenant, "metadata": {"name": "web", "namespace": "team-a"}})
    assert doubts(clusters, files) == [lost]
    away: Fault = lambda _verb, what: UnreachableError(f"{what}: away")  # noqa: E731 - it is short
    clusters.faults[HUB] = away
    assert doubts(clusters, files)[0].startswith("the management cluster cannot be asked: ")
    assert doubts(clusters, files, confirm_withdrawn=frozenset([FIRST])) == []
