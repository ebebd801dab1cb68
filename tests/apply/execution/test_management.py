"""The management cluster in memory: CRDs, namespaces, policies, Events, and missing permissions."""

from typing import Any

import pytest

from reconciler.families.butler.kinds import MACHINE, NETWORK_POOL, PROVIDER_CONFIG, TENANT_CLUSTER
from reconciler.kube.resources import IP_ALLOCATION
from reconciler.model.applied import ClusterState
from reconciler.model.errors import (
    ClusterError,
    RejectedError,
    StaleError,
    UnauthorizedError,
    UnreachableError,
)
from reconciler.model.objects import (
    BINDING,
    CRD,
    EVENT,
    NODE,
    POLICY,
    SERVICE,
    WHO_AM_I,
    Ref,
    Resource,
)
from tests.apply.execution.site import ALL, failures, results, world
from tests.fake_cluster import HUB, FakeCluster, Fault, rejecting
from tests.fake_clusters import FakeClusters
from tests.world import pool

OURS = (NETWORK_POOL, IP_ALLOCATION, PROVIDER_CONFIG, TENANT_CLUSTER)
EDGE = Ref(NETWORK_POOL, "butler-system", "edge")
POOLS_CRD = Ref(CRD, "", "networkpools.butler.butlerlabs.dev")
OWNED = str(Ref(POLICY, "", "gitops-ipam-owned"))
SIX = ("a", "b", "c", "d", "e", "f")


@pytest.fixture
def bare(clusters: FakeClusters) -> FakeClusters:
    """A management cluster without our CRDs."""
    clusters.unknown[HUB] = {*OURS, MACHINE}
    return clusters


def failing(error: ClusterError, *resources: Resource, verb: str = "list") -> Fault:
    """A fault: all questions about some kinds fail."""

    def fault(asked: str, what: Any) -> ClusterError | None:
        resource = what.resource if isinstance(what, Ref) else what
        return error if asked == verb and resource in resources else None

    return fault


# CRDs


def test_crds_are_installed_and_objects_follow_in_one_run(bare: FakeClusters) -> None:
    applied = bare.run(world("web"), crds=True)[HUB]
    assert applied.state is ClusterState.APPLIED
    assert results(applied)[str(POOLS_CRD)] == "created"
    assert EDGE in bare.objects[HUB]
    log = bare.last(HUB).log
    assert log.index(("apply", POOLS_CRD)) < log.index(("list", NETWORK_POOL))
    assert not bare.run(world("web"), crds=True)[HUB].is_changed


def test_a_crd_that_is_not_served_ends_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeCluster, "_serve", lambda *_: None)
    clusters = FakeClusters(unknown={HUB: {*OURS, MACHINE}})
    applied = clusters.apply(world("web"), crds=True)[HUB]
    assert "is not established" in applied.error
    assert EDGE not in clusters.objects[HUB]


def test_kinds_that_are_not_needed_may_be_missing(clusters: FakeClusters) -> None:
    clusters.unknown[HUB] = {PROVIDER_CONFIG, TENANT_CLUSTER, MACHINE}
    assert not clusters.run(world("web"))[HUB].is_failed
    applied = clusters.run(world("web", **{"ipam.yaml": ALL}), "b")[HUB]
    assert sorted(failures(applied).values()) == [
        "kind ProviderConfig is not installed",
        "kind TenantCluster is not installed",
    ]


@pytest.mark.parametrize("lacks", [True, False])
def test_a_crd_of_others_is_left_alone_and_told(clusters: FakeClusters, lacks: bool) -> None:
    clusters.run(world("web"), crds=True)
    crds = [ref for ref in clusters.objects[HUB] if ref.resource == CRD]
    inventory = clusters.inventory(HUB)
    lines = inventory["objects"].splitlines(keepends=True)
    inventory["objects"] = "".join(line for line in lines if "Custom" not in line)
    for ref in crds:
        live = clusters.objects[HUB][ref]
        live["metadata"]["labels"] = {}
        if lacks:
            live["spec"]["versions"][0]["subresources"] = {}
    applied = clusters.run(world("web"), "b", crds=True)[HUB]
    if lacks:
        error = "another owner manages this CRD, which lacks the status subresource; --adopt upgrades it"
        assert failures(applied)[str(POOLS_CRD)] == error
        clusters.run(world("web"), "b", crds=True, adopt=True)
        assert clusters.objects[HUB][POOLS_CRD]["metadata"]["labels"]
    else:
        assert (
            f"another owner manages CRD {POOLS_CRD.name}: all fields are present" in applied.notes
        )


# Events


def events(clusters: FakeClusters) -> list[dict[str, Any]]:
    return [item for ref, item in clusters.objects[HUB].items() if ref.resource == EVENT]


def describe(clusters: FakeClusters) -> list[str]:
    return sorted(item["reason"] for item in events(clusters))


def test_a_tier_that_is_crossed_is_told_once(clusters: FakeClusters) -> None:
    clusters.run(world())
    assert describe(clusters) == []
    clusters.run(world(*SIX), "b")
    assert describe(clusters) == ["IPsAllocated"] * 6 + ["PoolCapacityWarning"]
    uids = {it["involvedObject"]["uid"] for it in events(clusters)}
    assert clusters.objects[HUB][EDGE]["metadata"]["uid"] in uids
    for revision, names in (("c", ("a",)), ("d", SIX), ("e", ("a",))):
        clusters.run(world(*names), revision)
    assert describe(clusters).count("PoolCapacityWarning") == 1
    assert describe(clusters).count("PoolCapacityRecovered") == 1


@pytest.mark.parametrize("verb", ["list", "create"])
def test_events_that_cannot_be_made_fail_nothing(clusters: FakeClusters, verb: str) -> None:
    clusters.run(world())
    clusters.faults[HUB] = failing(RejectedError("no"), EVENT, verb=verb)
    applied = clusters.apply(world(*SIX), "b")[HUB]
    assert (failures(applied), set(applied.notes)) == ({}, {"an Event was not created: no"})
    clusters.faults[HUB] = failing(StaleError("there"), EVENT, verb="create")
    assert clusters.apply(world("a"), "c")[HUB].notes == ()
    clusters.faults[HUB] = failing(UnreachableError("away"), EVENT, verb="create")
    assert clusters.apply(world(*SIX, "g"), "d")[HUB].state is ClusterState.UNREACHABLE


# Missing permissions


def test_who_uses_reserved_addresses_is_told_or_why_not(clusters: FakeClusters) -> None:
    address = {"addresses": [{"type": "InternalIP", "address": "10.0.0.3"}]}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}, "status": address}
    clusters.hand(HUB).put(node)
    reserved = '[{cidr: "10.0.0.0/29", description: management}]'
    clusters.run(world(**{"pools/edge.yaml": pool("edge", "10.0.0.0/27", reserved=reserved)}))
    status = clusters.objects[HUB][EDGE]["status"]
    assert status["infrastructureConsumedIPs"] == 1
    assert status["infrastructureAllocations"] == [
        {"ip": "10.0.0.3", "source": "node", "nodeRef": {"name": "n1"}}
    ]
    clusters.faults[HUB] = failing(UnauthorizedError("list Node: no right"), NODE)
    applied = clusters.run(world())[HUB]
    note = "cannot read the users of reserved addresses: list Node: no right"
    assert (applied.notes, applied.state) == ((note,), ClusterState.APPLIED)
    clusters.faults[HUB] = failing(RejectedError("odd"), SERVICE)
    assert clusters.apply(world())[HUB].error == "odd"


# Policies


def test_a_server_that_knows_no_policies_is_no_failure(clusters: FakeClusters) -> None:
    clusters.run(world("web"), policies=True)
    clusters.unknown[HUB] |= {POLICY, BINDING}
    applied = clusters.run(world("web"), "b", policies=True)[HUB]
    assert applied.notes == ("admission policies need Kubernetes 1.31 or newer",)
    assert not applied.is_failed
    assert "ValidatingAdmissionPolicy" not in clusters.inventory(HUB)["objects"]


def test_policies_that_others_hold_are_not_taken_away(clusters: FakeClusters) -> None:
    clusters.run(world("web"), policies=True)
    theirs = clusters.objects[HUB][Ref(POLICY, "", "gitops-ipam-pools")]["metadata"]
    theirs |= {"uid": "another", "labels": {}, "managedFields": []}
    clusters.run(world("web"), "b", policies=False)
    left = [ref.name for ref in clusters.objects[HUB] if ref.resource in (POLICY, BINDING)]
    assert left == ["gitops-ipam-pools"]


@pytest.mark.parametrize("resource", [POLICY, BINDING, WHO_AM_I])
def test_policies_that_may_not_be_written_keep_nothing_else_from_being_applied(
    clusters: FakeClusters, resource: Resource
) -> None:
    verb = "review" if resource == WHO_AM_I else "list"
    clusters.faults[HUB] = failing(UnauthorizedError("no right"), resource, verb=verb)
    applied = clusters.run(world("web"), policies=True)[HUB]
    assert failures(applied) == {OWNED: "no right"}
    assert EDGE in clusters.objects[HUB]


def test_the_server_is_waited_for_until_it_goes_by_new_policies(clusters: FakeClusters) -> None:
    clusters.run(world("web"), policies=True)
    clusters.faults[HUB] = rejecting("merge", "ConfigMap", times=3)
    applied = clusters.apply(world("web"), policies=True, break_glass=("ops",))[HUB]
    assert (applied.notes, failures(applied)) == ((), {})
    clusters.faults[HUB] = rejecting("merge", "ConfigMap", times=100)
    applied = clusters.apply(world("web"), policies=True)[HUB]
    assert applied.notes == ("the server has not activated the new admission policies yet",)
