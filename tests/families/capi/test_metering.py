"""The twelve metrics of docs/reference/cluster-api.md: their names, and all of them move."""

from reconciler.daemon.metrics import Metering
from tests.families.capi.trees import cluster, document, of, pool
from tests.meters import Shown
from tests.reconcile.watching.turns import MANAGEMENT, done

CLASS = document("ClusterClass", "cluster.x-k8s.io/v1beta1", {"name": "web"}, {})
POOL, INGRESS = pool("vips", "10.0.0.10"), pool("edge", "10.0.1.10-10.0.1.19", role="ingress")
ONE = cluster("one")


def test_a_cluster_that_waits_is_an_error_once_and_reconciled_in_each_round() -> None:
    shown = Shown()
    told = Metering(shown.registry, lambda: 1.0)
    waiting = of(INGRESS, CLASS, ONE, cluster("plain", class_=""))
    for _ in range(3):
        told.round_done(done(waiting, MANAGEMENT))
    errors = shown.of("capi_vip_allocator_allocation_errors_total")
    assert errors == {("web", "claim_creation_failed", "control-plane"): 1}
    assert shown.of("capi_vip_allocator_reconcile_total") == {("web", "error"): 3}
