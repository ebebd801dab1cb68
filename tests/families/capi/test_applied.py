"""Cluster API's objects in a management cluster: with the provider, and without one."""

from typing import Any

import pytest

from reconciler.families.capi.kinds import ADDRESSES, CLAIMS, CLUSTERS, GLOBAL_POOLS
from reconciler.model.applied import ClusterState
from tests.apply.execution.site import failures, results
from tests.fake_cluster import HUB
from tests.fake_clusters import FakeClusters
from tests.families.capi.hub import (
    CNI,
    CP,
    DOORS,
    FILES,
    INGRESS,
    RESULT,
    SHOP,
    asked,
    hub,
    person,
    served,
    shop,
    there,
)
from tests.families.capi.trees import VIP, claim, cluster, of, pool
from tests.world import CLOCK, evaluation_of, reconciled


@pytest.fixture
def clusters() -> FakeClusters:
    return person()


def test_the_address_is_there_before_its_claim_and_both_before_the_cluster(
    clusters: FakeClusters,
) -> None:
    done = [name for name in results(hub(clusters)) if "cluster.x-k8s.io" in name]
    kinds = [name.split("/")[1] for name in done]
    assert kinds == [
        *["GlobalInClusterIPPool"] * 2, *["IPAddress"] * 2, *["IPAddressClaim"] * 2, "Cluster",
    ]  # fmt: skip


def test_objects_are_named_labelled_and_referred_to_as_the_originals(
    clusters: FakeClusters,
) -> None:
    hub(clusters)
    address, made = there(clusters, ADDRESSES, CP), there(clusters, CLAIMS, CP)
    assert address["spec"] == {
        "address": "10.0.0.10",
        "claimRef": {"name": CP},
        "poolRef": {"apiGroup": "ipam.cluster.x-k8s.io", "kind": "GlobalInClusterIPPool", "name": "vips"},
        "prefix": 24,
        "gateway": "10.0.0.1",
    }  # fmt: skip
    assert address["metadata"]["finalizers"] == ["ipam.cluster.x-k8s.io/ProtectAddress"]
    assert address["metadata"]["labels"]["cluster.x-k8s.io/cluster-name"] == "shop"
    assert made["spec"] == {"clusterName": "shop", "poolRef": address["spec"]["poolRef"]}
    assert made["metadata"]["finalizers"] == ["ipam.cluster.x-k8s.io/ReleaseAddress"]
    assert (
        made["metadata"]["labels"].items()
        >= {"cluster.x-k8s.io/cluster-name": "shop", f"{VIP}role": "control-plane"}.items()
    )
    (owner,) = made["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["name"], owner["controller"]) == ("Cluster", "shop", True)
    assert "gateway" not in there(clusters, ADDRESSES, INGRESS)["spec"]


def test_without_a_provider_we_are_one(clusters: FakeClusters) -> None:
    hub(clusters)
    assert there(clusters, CLAIMS, CP)["status"] == {
        "addressRef": {"name": CP},
        "conditions": [
            {
                "type": "Ready",
                "status": "True",
                "reason": "AddressAllocated",
                "message": "10.0.0.10 allocated from vips",
                "lastTransitionTime": "2026-02-15T10:00:30Z",
            }
        ],
    }
    vips = there(clusters, GLOBAL_POOLS, "vips", "")
    assert vips["status"] == {"ipAddresses": {"free": 10, "outOfRange": 0, "total": 11, "used": 1}}
    owners = there(clusters, ADDRESSES, CP)["metadata"]["ownerReferences"]
    assert [(it["kind"], it["name"], it["controller"]) for it in owners] == [
        ("IPAddressClaim", CP, True),
        ("GlobalInClusterIPPool", "vips", False),
    ]
    assert results(hub(clusters)) == {}


def test_beside_the_provider_its_fields_are_left_alone(clusters: FakeClusters) -> None:
    clusters.apply(reconciled(of(pool(gateway="10.0.0.1"), DOORS)))
    served(clusters)
    hub(clusters, revision="b")
    status = there(clusters, CLAIMS, CP)["status"]
    assert "addressRef" not in status
    assert status["conditions"][0]["reason"] == "AddressAllocated"
    vips = there(clusters, GLOBAL_POOLS, "vips", "")
    assert vips["status"]["ipAddresses"]["used"] == 0  # as it was before
    assert results(hub(clusters, revision="b")) == {}
    assert "ownerReferences" not in there(clusters, ADDRESSES, CP)["metadata"]


def test_a_cluster_gets_its_fields_and_nothing_else_of_it_changes(clusters: FakeClusters) -> None:
    hub(clusters)
    live = there(clusters, CLUSTERS, "shop")
    assert live["spec"]["controlPlaneEndpoint"] == {"host": "10.0.0.10", "port": 6443}
    assert live["spec"]["topology"]["variables"] == [
        CNI,
        {"name": "clusterVip", "value": "10.0.0.10"},
        {"name": "ingressVip", "value": "10.0.0.100"},
    ]
    assert live["metadata"]["annotations"] == {RESULT: "10.0.0.100"}
    assert live["metadata"]["labels"] == {RESULT: "10.0.0.100"}
    entries = live["metadata"]["managedFields"]
    assert {entry["manager"] for entry in entries} == {"kubectl", "gitops-ipam-fields"}
    before = live["metadata"]["resourceVersion"]
    hub(clusters)
    assert there(clusters, CLUSTERS, "shop")["metadata"]["resourceVersion"] == before


def test_variables_that_the_class_does_not_define_are_not_set(clusters: FakeClusters) -> None:
    hub(clusters, reconciled(of(pool(), DOORS, cluster())))
    assert there(clusters, CLUSTERS, "shop")["spec"]["topology"]["variables"] == [CNI]


def test_a_port_that_is_there_stays_and_one_of_the_document_is_used(clusters: FakeClusters) -> None:
    clusters.hand(HUB).apply(shop(controlPlaneEndpoint={"host": "", "port": 8443}), "kubectl")
    hub(clusters)
    live = there(clusters, CLUSTERS, "shop")
    assert live["spec"]["controlPlaneEndpoint"] == {"host": "10.0.0.10", "port": 8443}
    other = FakeClusters()
    other.hand(HUB).apply(shop(), "kubectl")
    hub(other, reconciled(of(pool(), DOORS, cluster(controlPlaneEndpoint={"port": 7443}))))
    assert there(other, CLUSTERS, "shop")["spec"]["controlPlaneEndpoint"]["port"] == 7443


def test_a_host_that_is_set_is_never_changed_and_said(clusters: FakeClusters) -> None:
    clusters.hand(HUB).apply(shop(controlPlaneEndpoint={"host": "10.9.9.9"}), "kubectl")
    assert failures(hub(clusters)) == {
        str(
            SHOP
        ): "its endpoint is 10.9.9.9, but its record is 10.0.0.10; ipam never changes a host"
    }
    live = there(clusters, CLUSTERS, "shop")
    assert live["spec"]["controlPlaneEndpoint"] == {"host": "10.9.9.9"}


@pytest.mark.parametrize(
    ("field", "value"), [("annotations", {RESULT: "10.9.9.9"}), ("labels", {RESULT: "10.9.9.9"})]
)
def test_an_ingress_address_of_others_stays_and_is_said(
    field: str, value: dict[str, str], clusters: FakeClusters
) -> None:
    clusters.hand(HUB).merge(SHOP, {"metadata": {field: value}}, "kubectl")
    said = f"its {field} name ingress 10.9.9.9, but its record 10.0.0.100"
    assert failures(hub(clusters)) == {str(SHOP): said}
    assert there(clusters, CLUSTERS, "shop")["metadata"][field] == value


def test_a_variable_of_others_stays_and_is_said_and_an_empty_one_is_filled(
    clusters: FakeClusters,
) -> None:
    hand = clusters.hand(HUB)
    topology = {"class": "web", "variables": [CNI, {"name": "clusterVip", "value": "10.9.9.9"}]}
    hand.apply(shop(topology=topology), "kubectl")
    said = "its variable clusterVip is 10.9.9.9, but its record is 10.0.0.10"
    assert failures(hub(clusters)) == {str(SHOP): said}
    topology = {"class": "web", "variables": [CNI, {"name": "clusterVip", "value": ""}]}
    hand.apply(shop(topology=topology), "kubectl")
    assert failures(hub(clusters)) == {}
    found = there(clusters, CLUSTERS, "shop")["spec"]["topology"]["variables"]
    assert {"name": "clusterVip", "value": "10.0.0.10"} in found


@pytest.mark.parametrize(
    "change",
    [
        {"spec": {"paused": True}},
        {"metadata": {"annotations": {"cluster.x-k8s.io/paused": "true"}}},
    ],
)
def test_a_cluster_that_rests_is_left_as_it_is(
    change: dict[str, Any], clusters: FakeClusters
) -> None:
    clusters.hand(HUB).merge(SHOP, change, "kubectl")
    assert str(SHOP) not in results(hub(clusters))


def test_a_cluster_that_is_being_deleted_or_not_there_yet_is_left_alone(
    clusters: FakeClusters,
) -> None:
    hand = clusters.hand(HUB)
    hand.merge(SHOP, {"metadata": {"finalizers": ["x/y"]}}, "kubectl")
    live = there(clusters, CLUSTERS, "shop")
    hand.delete(SHOP, live["metadata"]["uid"])
    assert str(SHOP) not in results(hub(clusters))
    empty = FakeClusters()
    found = results(hub(empty))
    assert str(SHOP) not in found
    assert found[f"ipam.cluster.x-k8s.io/IPAddress/default/{CP}"] == "created"


def test_ipv6_stands_in_the_annotation_and_in_no_label(clusters: FakeClusters) -> None:
    six = pool("doors", "2001:db8:7::10", prefix=64, role="ingress")
    hub(clusters, reconciled(of(pool(), six, cluster())))
    live = there(clusters, CLUSTERS, "shop")
    assert live["metadata"]["annotations"] == {RESULT: "2001:db8:7::10"}
    assert "labels" not in live["metadata"]


def test_ingress_that_is_turned_off_goes_from_the_cluster_and_the_endpoint_stays(
    clusters: FakeClusters,
) -> None:
    hub(clusters)
    files = dict(FILES)
    files["clusters/02.yaml"] = cluster(annotations={f"{VIP}ingress-enabled": "false"})
    hub(clusters, reconciled(files), "b")
    live = there(clusters, CLUSTERS, "shop")
    assert RESULT not in live["metadata"].get("annotations", {})
    assert RESULT not in live["metadata"].get("labels", {})
    assert live["spec"]["topology"]["variables"] == [
        CNI,
        {"name": "clusterVip", "value": "10.0.0.10"},
    ]
    assert live["spec"]["controlPlaneEndpoint"]["host"] == "10.0.0.10"
    assert there(clusters, ADDRESSES, INGRESS) is not None


def test_a_claim_of_a_person_gets_its_address_and_its_status_alone(clusters: FakeClusters) -> None:
    files = reconciled(of(pool(), claim("one"), claim("two", "missing")))
    hub(clusters, files)
    assert there(clusters, ADDRESSES, "one")["spec"]["address"] == "10.0.0.10"
    assert there(clusters, CLAIMS, "one") is None
    for name in ("one", "two"):
        asked(clusters, name)
    hub(clusters, files, "b")
    one, two = there(clusters, CLAIMS, "one"), there(clusters, CLAIMS, "two")
    assert one["status"]["addressRef"] == {"name": "one"}
    (ready,) = two["status"]["conditions"]
    assert (ready["status"], ready["reason"]) == ("False", "PoolNotReady")
    assert "finalizers" not in one["metadata"]


def test_a_released_record_keeps_its_objects_until_its_retention_ends_and_then_the_claim_goes_first(
    clusters: FakeClusters,
) -> None:
    hub(clusters)
    gone = {path: data for path, data in FILES.items() if path != "clusters/02.yaml"}
    released = reconciled(gone)
    assert not [
        name
        for name in results(hub(clusters, released, "b"))
        if "ipam.cluster" in name and CP in name
    ]
    assert there(clusters, ADDRESSES, CP) is not None
    ended = reconciled(released, CLOCK + 2 * 86_400)
    assert evaluation_of(ended).state.records == ()
    found = [name for name in results(hub(clusters, ended, "c")) if "IPAddress" in name]
    assert [name.split("/")[1] for name in found] == [*["IPAddressClaim"] * 2, *["IPAddress"] * 2]
    assert there(clusters, ADDRESSES, CP) is None
    live = there(clusters, CLUSTERS, "shop")
    assert live["spec"]["controlPlaneEndpoint"]["host"] == "10.0.0.10"


def test_what_was_said_before_the_provider_came_is_not_taken_back(clusters: FakeClusters) -> None:
    hub(clusters)
    before = [there(clusters, kind, CP) for kind in (ADDRESSES, CLAIMS)]
    served(clusters)
    for _time in range(2):
        assert results(hub(clusters)) == {}
        assert [there(clusters, kind, CP) for kind in (ADDRESSES, CLAIMS)] == before


ELSE = reconciled(of(pool(gateway="10.0.0.1"), DOORS))  # no Cluster any more, nor its records


def held(clusters: FakeClusters) -> list[str]:
    kinds = (ADDRESSES, CLAIMS)
    objects = clusters.hand(HUB).objects
    return sorted(f"{ref.resource.kind} {ref.name}" for ref in objects if ref.resource in kinds)


def test_what_shall_go_while_its_kind_is_not_served_goes_when_that_is_back(
    clusters: FakeClusters,
) -> None:
    hub(clusters)
    before = held(clusters)
    clusters.unknown[HUB] |= {ADDRESSES, CLAIMS}
    said = [
        f"2 objects stay: the kind {it} is not served" for it in ("IPAddress", "IPAddressClaim")
    ]
    outside = "1 Cluster is not in Git and gets no VIP; see intake in Settings"
    for revision in "bc":  # as often as one likes: it fails nothing, and nothing grows
        done = hub(clusters, ELSE, revision, allow_delete=9)
        assert done.notes == (*said, outside)
        assert (done.state, done.is_changed) == (ClusterState.APPLIED, revision == "b")
        assert held(clusters) == before
    clusters.unknown[HUB] -= {ADDRESSES, CLAIMS}
    done = hub(clusters, ELSE, "d", allow_delete=9)
    assert [name.split("/")[1] for name in results(done)] == [
        *["IPAddressClaim"] * 2, *["IPAddress"] * 2
    ]  # fmt: skip
    assert (done.notes, held(clusters)) == ((outside,), [])
