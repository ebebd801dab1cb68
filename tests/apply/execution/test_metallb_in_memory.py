"""What MetalLB says of its configuration, and a tenant cluster without it, in memory."""

from typing import Any

import pytest

from reconciler.apply.plan import ClusterState
from reconciler.families.butler.kinds import MACHINE
from reconciler.kube.resources import ADDRESS_POOL, CONFIGURATION_STATE
from tests.apply.execution.site import FIRST, results, world
from tests.fake_clusters import POOL, FakeClusters


@pytest.fixture
def clusters() -> FakeClusters:
    return FakeClusters()


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
    lists = [what for verb, what in clusters.last(FIRST).log if verb == "list"]
    assert lists.count(CONFIGURATION_STATE) == 51
    quiet = clusters.run(world("web"))[FIRST]
    assert (quiet.notes, quiet.is_changed) == ((), False)


def test_what_metallb_refuses_is_told(clusters: FakeClusters) -> None:
    clusters.hand(FIRST).put(state("2099-01-01T00:00:00Z", "Invalid"))
    error = "MetalLB (controller) refuses its configuration: an overlap"
    for _ in range(2):
        applied = clusters.run(world("web"))[FIRST]
        assert (applied.state, applied.error) == (ClusterState.FAILED, error)


def test_without_metallb_one_line_says_so(clusters: FakeClusters) -> None:
    clusters.run(world("web"), policies=True)
    clusters.unknown[FIRST] = {ADDRESS_POOL, MACHINE}
    applied = clusters.run(world("web"), "b")[FIRST]
    assert (applied.error, applied.hint) == (
        "MetalLB is not there: no kind IPAddressPool of metallb.io",
        "install MetalLB 0.15.3 or newer",
    )
    gone = clusters.run({**world("web"), **{}}, "c")[FIRST]
    assert gone.state is ClusterState.FAILED
