"""Order of clusters: a cluster waits only for clusters that still announce its new ranges."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event

import pytest

from reconciler.apply.expiry import still_announced
from reconciler.apply.fleet import AT_ONCE, in_turn
from reconciler.apply.targets import ApplyOptions
from reconciler.model.applied import ClusterState
from reconciler.model.errors import UnreachableError
from reconciler.model.objects import Manifest, Ref
from tests.apply.execution.site import FIRST, SECOND, evaluated, without, world
from tests.fake_cluster import FakeCluster
from tests.fake_clusters import FakeClusters
from tests.world import CLOCK, pool

MANY = tuple(f"t{number:02d}" for number in range(AT_ONCE * 2))
TARGET = "apiVersion: gitops-ipam.dev/v1alpha1\nkind: ClusterTarget\nmetadata: {{name: {}}}\n"


@dataclass
class Silent(FakeCluster):
    """A cluster that answers only after another one is done, or after requests to all others."""

    done: Event = field(default_factory=Event)
    waited: list[bool] = field(default_factory=list)

    def get(self, ref: Ref) -> Manifest | None:
        self.waited.append(self.done.wait(60))
        raise UnreachableError(f"read {ref}: no answer")


@dataclass
class Watched(FakeCluster):
    """A cluster that signals when it has its pool."""

    done: Event = field(default_factory=Event)

    def apply(
        self, manifest: Manifest, manager: str, *, force: bool = False, status: bool = False
    ) -> Manifest:
        now = super().apply(manifest, manager, force=force, status=status)
        if manifest["kind"] == "IPAddressPool":
            self.done.set()
        return now


@dataclass
class Waiting(FakeClusters):
    """Clusters of which some do not answer before web has got its pool, or all are opened."""

    silent: tuple[str, ...] = ()
    count: int = 0
    done: Event = field(default_factory=Event)
    waited: list[bool] = field(default_factory=list)

    def opener(self, cluster: str) -> FakeCluster:
        if cluster in self.silent:
            self.count -= 1
            if not self.count:
                self.done.set()
            return Silent(cluster, done=self.done, waited=self.waited)
        return Watched(cluster, done=self.done) if cluster == FIRST else FakeCluster(cluster)


@pytest.fixture
def clusters() -> Waiting:
    """Shop has the range that web gets when shop is gone."""
    made = Waiting()
    made.apply(world("web", "shop"))
    assert made.announced(SECOND) == ["10.0.0.0-10.0.0.3"]
    made.done.clear()
    return made


def test_dead_clusters_do_not_delay_one_that_waits_for_another(clusters: Waiting) -> None:
    """Web gets the range of shop. More clusters than parallel workers answer only after that."""
    clusters.silent = MANY
    targets = {f"clusters/{name}.yaml": TARGET.format(name) for name in MANY}
    applied = clusters.apply(world("web", **targets), "b")
    assert clusters.waited == [True] * len(MANY)
    assert {applied[name].state for name in MANY} == {ClusterState.UNREACHABLE}
    assert clusters.announced(SECOND) is None
    assert clusters.announced(FIRST) == ["10.0.0.0-10.0.0.3"]


def test_who_waits_for_a_dead_cluster_does_not_get_its_addresses(clusters: Waiting) -> None:
    clusters.silent, clusters.count = (SECOND,), 1
    applied = clusters.apply(world("web"), "b")
    assert applied[SECOND].state is ClusterState.UNREACHABLE
    assert "might still announce 10.0.0.0-10.0.0.3" in applied[FIRST].outcomes[0].error
    assert clusters.announced(FIRST) is None


def test_many_dead_clusters_that_are_asked_about_records_cost_the_time_of_one() -> None:
    clusters, files = Waiting(), world(*MANY, **{"pools/edge.yaml": pool("edge", "10.0.0.0/20")})
    clusters.apply(files)
    assert all(connection.is_closed for connection in clusters.opened)
    clusters.opened.clear()
    clusters.silent, clusters.count = tuple(f"team-a/{name}" for name in MANY), len(MANY)
    gone = evaluated(without(files, *MANY), clock=CLOCK + 25 * 3_600)
    doubts = still_announced(gone, clusters, ApplyOptions())
    assert clusters.waited == [True] * len(MANY)
    assert len(doubts) == len(MANY)
    assert all(
        "cannot reach " in why and ": read Namespace/kube-system" in why for why in doubts.values()
    )
    assert len(clusters.opened) == len(MANY) + 1
    assert all(connection.is_closed for connection in clusters.opened)


def test_two_that_wait_for_each_other_do_not_wait_for_ever() -> None:
    def work(name: str, done: Mapping[str, str]) -> str:
        return f"{name}({','.join(sorted(done.values()))})"

    with ThreadPoolExecutor(4) as threads:
        begun = in_turn(threads, ["a", "b", "c", "d"], {"a": ("b",), "b": ("a", "c")}, work)
        found = sorted(future.result() for future in begun.values())
    assert found == ["a()", "b(c())", "c()", "d()"]
