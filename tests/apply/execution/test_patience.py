"""Deadlines: a run that is too long is gone on with, and who never answers delays nobody."""

from itertools import count
from threading import Event
from typing import Any, cast

import pytest

from reconciler.apply import plan_management
from reconciler.apply.fleet import AT_ONCE, apply_fleet
from reconciler.apply.plan import ClusterState, ObjectResult
from reconciler.apply.targets import ApplyOptions
from reconciler.kube.clusters import KubeClusters
from reconciler.kube.deadline import Clocks, Timeouts
from reconciler.kube.interface import Cluster
from reconciler.model.errors import UnreachableError
from reconciler.model.objects import Ref
from tests.apply.execution.site import ALLOCATIONS, FIRST, Site, announced, evaluated, world
from tests.envtest.servers import ApiServer
from tests.world import pool, request

MANY = {
    "pools/edge.yaml": pool("edge", "10.0.0.0/20"),
    **{f"pools/{number}.yaml": request(f"r{number:02d}", count=4) for number in range(40)},
}


class Hasty(Site):
    """A site whose clock goes on by a second each time that somebody looks."""

    def clusters(self) -> KubeClusters:
        ticks = count()
        clocks = Clocks(monotonic=lambda: float(next(ticks)), sleep=lambda _seconds: None)
        timeouts = Timeouts(150.0, clocks=clocks)
        return KubeClusters(self.management.kubeconfig, timeouts=timeouts)


def test_a_run_that_is_too_long_is_gone_on_with_by_the_next(
    management: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan_management, "WRITERS", 1)  # so that each look is a second
    files = world(**MANY)
    states: list[ClusterState] = []
    for _ in range(20):
        applied = Hasty(management).apply(files)["management"]
        again = [item for item in applied.outcomes if item.result is ObjectResult.CONFIGURED]
        assert len(again) <= 1, again  # the one that the run before was at
        states.append(applied.state)
        if applied.state is ClusterState.APPLIED:
            break
    assert states[0] is ClusterState.UNREACHABLE
    assert states[-1] is ClusterState.APPLIED, applied.error
    phases = [item["status"]["phase"] for item in management.get(ALLOCATIONS)["items"]]
    assert phases == ["Allocated"] * 40


class Silent:
    """A cluster that does not answer before another one is done."""

    def __init__(self, done: Event, waited: list[bool]) -> None:
        self.done = done
        self.waited = waited

    def get(self, ref: Ref) -> None:
        self.waited.append(self.done.wait(60))
        raise UnreachableError(f"read {ref}: no answer")

    def close(self) -> None:
        pass


class Watched:
    """A cluster of which is told when it is done."""

    def __init__(self, cluster: Cluster, done: Event) -> None:
        self.cluster = cluster
        self.done = done

    def __getattr__(self, name: str) -> Any:
        if name == "requests":  # they are summed at the end
            self.done.set()
        return getattr(self.cluster, name)


class Mixed:
    """The first cluster answers; all others do not until it is done."""

    def __init__(self, site: Site) -> None:
        self.real = site.clusters()
        self.done = Event()
        self.waited: list[bool] = []

    def management(self) -> Cluster | None:
        return self.real.management()

    def named(self, cluster: str) -> bytes | None:
        return self.real.named(cluster) if cluster == FIRST else b"other"

    def connect(self, cluster: str, kubeconfig: bytes, *, is_named: bool = False) -> Cluster:
        if cluster == FIRST:
            real = self.real.connect(cluster, kubeconfig, is_named=is_named)
            return cast("Cluster", Watched(real, self.done))
        return cast("Cluster", Silent(self.done, self.waited))


def test_more_clusters_that_never_answer_than_are_worked_on_at_once_delay_nobody(
    site: Site,
) -> None:
    silent = [f"dead-{number:02d}" for number in range(AT_ONCE + 4)]  # by name they come first
    files = world(*silent, "web", **{"pools/edge.yaml": pool("edge", "10.0.0.0/20")})
    clusters = Mixed(site)
    applied = apply_fleet(evaluated(files), clusters, ApplyOptions(), lambda _old, _new: True)
    states = {item.cluster: item.state for item in applied}
    assert states.pop(FIRST) is ClusterState.APPLIED
    assert states.pop("management") is ClusterState.APPLIED
    assert set(states.values()) == {ClusterState.UNREACHABLE}
    assert clusters.waited == [True] * len(silent)
    assert announced(site.tenants[FIRST])
