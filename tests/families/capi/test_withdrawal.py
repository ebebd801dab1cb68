"""When an address of Cluster API counts as withdrawn: never by a missing answer."""

from typing import Any

import pytest

from reconciler.apply.expiry import still_announced
from reconciler.apply.targets import ApplyOptions
from reconciler.families.capi.kinds import CLUSTERS
from reconciler.model.errors import ClusterError
from tests.apply.execution.site import evaluated
from tests.fake_cluster import HUB
from tests.fake_clusters import FakeClusters
from tests.families.capi.hub import DOORS, RESULT, SHOP, asked, shop
from tests.families.capi.trees import claim, cluster, of, pool
from tests.world import CLOCK, reconciled

LATER = CLOCK + 2 * 86_400
CP = "allocations/GlobalInClusterIPPool/vips/default/shop.control-plane.yaml"
INGRESS = "allocations/GlobalInClusterIPPool/doors/default/shop.ingress.yaml"
ONE = "allocations/GlobalInClusterIPPool/vips/default/one.address.yaml"


def gone(*texts: str) -> dict[str, str | bytes]:
    """The tree whose claimants went, and whose records are released."""
    files = reconciled(of(pool(), DOORS, *texts))
    left = {path: data for path, data in files.items() if not path.startswith("clusters/")}
    return reconciled(left)


def doubts(clusters: FakeClusters, files: dict[str, str | bytes], **options: Any) -> dict[str, str]:
    return still_announced(evaluated(files, clock=LATER), clusters, ApplyOptions(**options))


@pytest.fixture
def clusters() -> FakeClusters:
    return FakeClusters()


def test_a_cluster_that_is_gone_has_nothing_any_more(clusters: FakeClusters) -> None:
    assert doubts(clusters, gone(cluster())) == {}


def test_a_cluster_that_still_has_the_address_holds_it(clusters: FakeClusters) -> None:
    clusters.hand(HUB).apply(shop(controlPlaneEndpoint={"host": "10.0.0.10"}), "kubectl")
    assert doubts(clusters, gone(cluster())) == {
        CP: "10.0.0.10: Cluster default/shop still has it as its endpoint"
    }
    assert doubts(clusters, gone(cluster()), confirm_withdrawn=("management",)) == {}
    clusters.hand(HUB).merge(
        SHOP, {"spec": {"controlPlaneEndpoint": {"host": "10.9.9.9"}}}, "kubectl"
    )
    assert doubts(clusters, gone(cluster())) == {}


def test_whichever_cluster_has_it_and_wherever_it_stands(clusters: FakeClusters) -> None:
    body = shop(topology={"class": "web", "variables": [
        {"name": "clusterVip", "value": "10.0.0.10"}, {"name": "cni", "value": "calico"},
        {"name": "ingressVip", "value": {"odd": 1}},
    ]})  # fmt: skip
    body["metadata"] = {"name": "zoo", "namespace": "default", "labels": {RESULT: "10.0.0.100"}}
    clusters.hand(HUB).apply(body, "kubectl")
    assert doubts(clusters, gone(cluster())) == {
        CP: "10.0.0.10: Cluster default/zoo still has it as its variable clusterVip",
        INGRESS: "10.0.0.100: Cluster default/zoo still has it as its ingress address",
    }


def test_a_claim_that_is_still_there_holds_its_address(clusters: FakeClusters) -> None:
    files = gone(claim("one"))
    assert doubts(clusters, files) == {}
    asked(clusters, "one")
    assert doubts(clusters, files) == {ONE: "10.0.0.10: IPAddressClaim default/one still exists"}


def test_where_nobody_can_be_asked_nothing_counts_as_withdrawn(clusters: FakeClusters) -> None:
    def fault(verb: str, what: Any) -> ClusterError | None:
        return ClusterError("away") if (verb, what) == ("list", CLUSTERS) else None

    clusters.faults[HUB] = fault
    found = doubts(clusters, gone(cluster()))
    assert found.keys() == {CP, INGRESS}
    assert found[CP] == "cannot reach management: away"
