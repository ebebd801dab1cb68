"""MetalLB in a tenant cluster: pools of others, its own word on its configuration, its absence."""

from typing import Any

from reconciler.families.butler.kinds import MACHINE
from reconciler.loadbalancers.metallb.kinds import ADDRESS_POOL, CONFIGURATION_STATE
from reconciler.model.applied import ClusterState
from tests.apply.execution.site import (
    ADDRESS_POOLS,
    FIRST,
    METALLB,
    Site,
    address_pool,
    results,
    world,
)
from tests.envtest.processes import until
from tests.envtest.servers import ApiServer
from tests.fake_clusters import POOL, FakeClusters


def _result(server: ApiServer) -> object:
    status, found = server.request("GET", f"{METALLB}/configurationstates/controller")
    return found.get("status", {}).get("result") if status == 200 else None


def test_a_change_waits_for_the_real_metallb_whose_words_are_told(site: Site) -> None:
    one = site.tenants[FIRST]
    controller = one.start_metallb()
    try:
        applied = site.apply(world("web"))[FIRST]
        assert (applied.state, applied.notes) == (ClusterState.APPLIED, ())
        live = until(lambda: one.get(f"{ADDRESS_POOLS}/default-pool").get("status"), "a status")
        assert live["availableIPv4"] == 4
        # Two pools of others that overlap each other: MetalLB drops all of its configuration.
        one.put(address_pool("a", "10.9.0.0/24"), path=ADDRESS_POOLS)
        one.put(address_pool("b", "10.9.0.0/25"), path=ADDRESS_POOLS)
        until(lambda: _result(one) == "Invalid", "MetalLB sees the overlap")
        applied = site.apply(world("web"))[FIRST]
        assert applied.state is ClusterState.FAILED
        assert applied.error.startswith("MetalLB (controller) rejects its configuration: ")
        assert "overlaps with already defined CIDR" in applied.error
        one.request("DELETE", f"{ADDRESS_POOLS}/b")
        until(lambda: _result(one) == "Valid", "MetalLB is content")
        assert not site.apply(world("web"))[FIRST].is_failed
    finally:
        controller.stop()


def state(time: str, result: str = "Valid") -> dict[str, Any]:
    named = {"name": "controller", "namespace": "metallb-system"}
    condition = {"type": "poolReconcilerValid", "status": "True", "lastTransitionTime": time}
    said = {"result": result, "errorSummary": "an overlap", "conditions": [condition]}
    kind = {"apiVersion": CONFIGURATION_STATE.api_version, "kind": CONFIGURATION_STATE.kind}
    return {**kind, "metadata": named, "status": said}


def test_a_controller_that_is_silent_is_told(clusters: FakeClusters) -> None:
    clusters.hand(FIRST).put(state("2020-01-01T00:00:00Z"))
    applied = clusters.apply(world("web"))[FIRST]
    assert applied.notes == ("MetalLB's controller has not confirmed the change yet",)
    assert results(applied)[str(POOL)] == "created"
    quiet = clusters.run(world("web"))[FIRST]
    assert (quiet.notes, quiet.is_changed) == ((), False)


def test_without_metallb_one_line_says_so(clusters: FakeClusters) -> None:
    clusters.run(world("web"), policies=True)
    clusters.unknown[FIRST] = {ADDRESS_POOL, MACHINE}
    for revision in "bc":
        applied = clusters.run(world("web"), revision)[FIRST]
        assert applied.state is ClusterState.FAILED
        assert (
            applied.error == "MetalLB is not installed: kind IPAddressPool of metallb.io is missing"
        )
        assert applied.hint == "install MetalLB 0.15.3 or newer"
