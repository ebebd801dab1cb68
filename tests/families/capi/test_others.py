"""Addresses and refusals of other controllers: `ipam` respects them, and continues."""

from typing import Any

import pytest

from reconciler.families.capi.kinds import ADDRESSES, CLAIMS, CLUSTERS
from reconciler.model.errors import ClusterError, OwnedError, RejectedError
from reconciler.model.objects import Ref
from tests.apply.execution.site import failures
from tests.fake_cluster import HUB
from tests.fake_clusters import FakeClusters
from tests.families.capi.hub import CP, FILES, RESULT, SHOP, asked, hub, person, there
from tests.families.capi.trees import claim, of, pool
from tests.world import reconciled


@pytest.fixture
def clusters() -> FakeClusters:
    return person()


def foreign(clusters: FakeClusters, name: str, address: str) -> None:
    spec = there(clusters, ADDRESSES, CP)["spec"] if there(clusters, ADDRESSES, CP) else {
        "claimRef": {"name": name},
        "poolRef": {"apiGroup": "ipam.cluster.x-k8s.io", "kind": "GlobalInClusterIPPool", "name": "vips"},
        "prefix": 24,
    }  # fmt: skip
    body = {
        "apiVersion": ADDRESSES.api_version,
        "kind": ADDRESSES.kind,
        "metadata": {"name": name, "namespace": "default"},
        "spec": {**spec, "address": address},
    }
    clusters.hand(HUB).apply(body, "in-cluster-provider")


def test_an_address_that_another_claim_has_is_never_taken_and_the_rest_goes_on(
    clusters: FakeClusters,
) -> None:
    foreign(clusters, "somebody", "10.0.0.10")
    found = hub(clusters)
    assert failures(found) == {
        f"ipam.cluster.x-k8s.io/IPAddress/default/{CP}": "foreign-holder: ipam.cluster.x-k8s.io/IPAddress/default/somebody already has 10.0.0.10 of the record"
    }
    assert there(clusters, CLAIMS, CP) is None
    live = there(clusters, CLUSTERS, "shop")
    assert "controlPlaneEndpoint" not in live["spec"]
    assert live["metadata"]["annotations"] == {RESULT: "10.0.0.100"}


def test_a_persons_address_is_taken_over_when_its_claim_says_so(clusters: FakeClusters) -> None:
    foreign(clusters, "one", "10.0.0.17")
    pinned = {"gitops-ipam.dev/address": "10.0.0.17"}
    ours = "ipam.cluster.x-k8s.io/IPAddress/default/one"
    files = reconciled(of(pool(), claim("one", annotations=pinned)))
    assert failures(hub(clusters, files)) == {
        ours: "already exists, and does not belong to ipam; use --adopt to take it over"
    }
    adopted = {**pinned, "gitops-ipam.dev/adopt": "true"}
    files = reconciled(of(pool(), claim("one", annotations=adopted)))
    assert failures(hub(clusters, files, "b")) == {}


def test_a_claim_that_the_provider_answered_first_keeps_its_address_and_is_told(
    clusters: FakeClusters,
) -> None:
    foreign(clusters, CP, "10.0.0.11")
    assert failures(hub(clusters)) == {
        f"ipam.cluster.x-k8s.io/IPAddress/default/{CP}": "foreign-holder: the record has 10.0.0.10, but the cluster has 10.0.0.11"
    }
    assert there(clusters, ADDRESSES, CP)["spec"]["address"] == "10.0.0.11"


def test_what_an_address_says_of_its_network_stays_when_the_pool_changes(
    clusters: FakeClusters,
) -> None:
    hub(clusters)
    files = {**FILES, "pools/00.yaml": pool(gateway="10.0.0.2", prefix=23)}
    assert failures(hub(clusters, files, "b")) == {}
    assert there(clusters, ADDRESSES, CP)["spec"]["gateway"] == "10.0.0.1"


def test_what_a_claim_names_cannot_change(clusters: FakeClusters) -> None:
    asked(clusters, CP, "x", "capi-vip-allocator")
    assert failures(hub(clusters)) == {
        f"ipam.cluster.x-k8s.io/IPAddressClaim/default/{CP}": "foreign-holder: the existing claim names another pool"
    }


def test_a_cluster_does_not_hear_of_an_address_that_could_not_be_written(
    clusters: FakeClusters,
) -> None:
    def fault(verb: str, what: Any) -> ClusterError | None:
        refused = (verb, what) == ("apply", Ref(ADDRESSES, "default", CP))
        return RejectedError("no") if refused else None

    clusters.faults[HUB] = fault
    found = clusters.apply(FILES)["management"]
    assert failures(found) == {f"ipam.cluster.x-k8s.io/IPAddress/default/{CP}": "no"}
    assert there_is_no_endpoint(clusters)
    assert there(clusters, CLAIMS, CP) is None
    clusters.faults.clear()
    refusing = FakeClusters(faults={HUB: _refused})
    refusing.objects = clusters.objects
    assert failures(refusing.apply(FILES)["management"]) == {str(SHOP): "kubectl owns spec.x"}
    assert there_is_no_endpoint(clusters)


def _refused(verb: str, what: Any) -> ClusterError | None:
    if (verb, what) == ("apply", SHOP):
        return OwnedError("conflict", (("kubectl", "spec.x"),))
    return None


def there_is_no_endpoint(clusters: FakeClusters) -> bool:
    clusters.faults.pop(HUB, None)
    return "controlPlaneEndpoint" not in there(clusters, CLUSTERS, "shop")["spec"]
