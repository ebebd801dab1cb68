"""Butler's metrics: names, and values for pools, allocations, and providers."""

from reconciler.daemon.metrics import Metering
from tests.meters import Shown
from tests.reconcile.watching.turns import done
from tests.world import evaluation_of, planned, pool, provider, tenant

FILES: dict[str, str | bytes] = {
    "pools/edge.yaml": pool(cidr="10.40.0.0/28"),
    "providers/default.yaml": provider(),
    "providers/cloud.yaml": provider("cloud").replace("mode: ipam", "mode: cloud"),
    "tenants/one.yaml": tenant("one"),
}


def test_all_of_butlers_move() -> None:
    shown = Shown()
    told = Metering(shown.registry, lambda: 1.0)
    told.round_done(done(FILES))
    told.round_done(done(planned(evaluation_of(FILES)), committed=False))
    of = {"pool": "edge", "namespace": "butler-system"}
    figures = {"total_ips": 16, "allocated_ips": 8, "available_ips": 8, "allocation_count": 1}
    for name, value in {**figures, "fragmentation_percent": 0, "largest_free_block": 8}.items():
        assert shown.value(f"butler_network_pool_{name}", **of) == value, name
    processed = "butler_ip_allocation_processed_total"
    assert shown.value(processed, **of, result="success") == 1
    assert shown.of("butler_provider_config_ready") == {
        ("butler-system", "default", "platform", "harvester"): 1
    }
    assert shown.of("butler_provider_config_available_ips") == {("butler-system", "default"): 8}
    assert shown.of("butler_provider_config_estimated_tenants") == {("butler-system", "default"): 0}
