"""MetalLB in a tenant cluster: pools of others, its own word on its configuration, its absence."""

from reconciler.apply.plan import ClusterState
from tests.apply.execution.site import ADDRESS_POOLS, FIRST, METALLB, Site, address_pool, world
from tests.envtest.processes import until
from tests.envtest.servers import ApiServer

POOL = "metallb.io/IPAddressPool/metallb-system/default-pool"
STATES = f"{METALLB}/configurationstates"
MERGE = "application/merge-patch+json"


def test_what_metallb_refuses_is_told_in_its_own_words(site: Site) -> None:
    one = site.tenants[FIRST]
    controller = one.start_metallb()
    try:
        assert not site.apply(world("web"))[FIRST].is_failed
        # Two pools of others that overlap each other: MetalLB drops all of its configuration.
        one.put(address_pool("a", "10.9.0.0/24"), path=ADDRESS_POOLS)
        one.put(address_pool("b", "10.9.0.0/25"), path=ADDRESS_POOLS)
        until(lambda: _result(one) == "Invalid", "MetalLB sees the overlap")
        applied = site.apply(world("web"))[FIRST]
        assert applied.state is ClusterState.FAILED
        assert applied.error.startswith("MetalLB (controller) refuses its configuration: ")
        assert "overlaps with already defined CIDR" in applied.error
        one.request("DELETE", f"{ADDRESS_POOLS}/b")
        until(lambda: _result(one) == "Valid", "MetalLB is content")
        assert not site.apply(world("web"))[FIRST].is_failed
    finally:
        controller.stop()


def test_a_change_waits_for_metallb_to_see_it(site: Site) -> None:
    one = site.tenants[FIRST]
    controller = one.start_metallb()
    try:
        applied = site.apply(world("web"))[FIRST]
        assert (applied.state, applied.notes) == (ClusterState.APPLIED, ())
        live = until(lambda: one.get(f"{ADDRESS_POOLS}/default-pool").get("status"), "a status")
        assert live["availableIPv4"] == 4
    finally:
        controller.stop()


def _result(server: ApiServer) -> object:
    status, found = server.request("GET", f"{STATES}/controller")
    return found.get("status", {}).get("result") if status == 200 else None
