"""Deadlines: the next run continues a run that took too long."""

from itertools import count

import pytest

from reconciler.apply import plan_management
from reconciler.kube.clusters import KubeClusters
from reconciler.kube.deadline import Clocks, Timeouts
from reconciler.model.applied import ClusterState, ObjectResult
from tests.apply.execution.site import ALLOCATIONS, Site, world
from tests.envtest.servers import ApiServer
from tests.world import pool, request

MANY = {
    "pools/edge.yaml": pool("edge", "10.0.0.0/20"),
    **{f"pools/{number}.yaml": request(f"r{number:02d}", count=4) for number in range(40)},
}


class Hasty(Site):
    """A site whose clock advances by a second with each reading."""

    def clusters(self) -> KubeClusters:
        ticks = count()
        clocks = Clocks(monotonic=lambda: float(next(ticks)), sleep=lambda _seconds: None)
        return KubeClusters(self.management.kubeconfig, timeouts=Timeouts(150.0, clocks=clocks))


def test_a_run_that_is_too_long_is_gone_on_with_by_the_next(
    management: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan_management, "WRITERS", 1)  # so that each look is a second
    files = world(**MANY)
    states: list[ClusterState] = []
    while ClusterState.APPLIED not in states and len(states) < 20:
        applied = Hasty(management).apply(files)["management"]
        again = [item for item in applied.outcomes if item.result is ObjectResult.CONFIGURED]
        assert len(again) <= 1, again  # the one that the run before was at
        states.append(applied.state)
    assert states[0] is ClusterState.UNREACHABLE
    assert states[-1] is ClusterState.APPLIED
    phases = [item["status"]["phase"] for item in management.get(ALLOCATIONS)["items"]]
    assert phases == ["Allocated"] * 40
