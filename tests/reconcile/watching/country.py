"""A daemon in one thread: a branch and clusters in memory, simulated time, and real watches.

One watch runs at a time. Between two of its events, a test takes a step: an edit, or an iteration of
the loop.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from reconciler.apply.targets import ApplyOptions
from reconciler.daemon.dirty import ALL, DirtySet
from reconciler.daemon.loop import Daemon
from reconciler.daemon.observer import HealthState, RoundDone
from reconciler.daemon.reach import RoundClusters
from reconciler.daemon.watch import Watches
from reconciler.daemon.work import DaemonRounds
from reconciler.gitio.interface import Revision
from reconciler.kube.interface import WatchEvent
from reconciler.model.errors import GitError
from reconciler.model.objects import Resource
from reconciler.reconcile.reconcile import ReconcileOptions
from tests.fake_cluster import FakeCluster
from tests.fake_clusters import FakeClusters
from tests.reconcile.watching import land
from tests.reconcile.watching.times import Moved, Noted
from tests.review.sides import encoded
from tests.world import CLOCK

Step = Callable[[], None]
Changes = list[tuple[int, WatchEvent]]


@dataclass
class Branch(land.Branch):
    """A branch whose remote refuses pushes on demand."""

    failing: int = 0

    def publish(self, base: Revision, revision: Revision) -> None:
        if self.failing:
            self.failing -= 1
            raise GitError("the remote is not there")
        super().publish(base, revision)


@dataclass
class Heard(FakeCluster):
    """A connection whose watch lets a test take a step after each event."""

    steps: Iterator[Step] = field(default_factory=lambda: iter(()))

    def watch(
        self, resource: Resource, namespace: str = "", *, since: str, **more: Any
    ) -> Iterator[WatchEvent]:
        for step in self.steps:
            for change in super().watch(resource, namespace, since=since, **more):
                since = change.manifest["metadata"]["resourceVersion"]
                yield change
            step()


@dataclass
class Heards(FakeClusters):
    """Clusters with watches. Only tests advance their clock."""

    clock: int = CLOCK + 60
    changes: dict[str, Changes] = field(default_factory=dict)
    steps: Iterator[Step] = field(default_factory=lambda: iter(()))

    def opener(self, cluster: str) -> FakeCluster:
        told = self.changes.setdefault(cluster, [])
        return Heard(cluster, clock=self.clock, changes=told, steps=self.steps)

    def hand(self, cluster: str) -> FakeCluster:
        made = super().hand(cluster)
        made.changes = self.changes.setdefault(cluster, [])
        return made


@dataclass
class Country:
    files: dict[str, str | bytes]
    clusters: Heards = field(default_factory=Heards)
    branch: Branch = field(default_factory=Branch)
    time: Moved = field(default_factory=Moved)
    told: list[RoundDone] = field(default_factory=list)
    begun: dict[str, Step] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.branch.head = self.branch.add("", CLOCK, encoded(self.files))
        self.dirty = DirtySet(600.0, self.time)
        monotonic, chance = self.time.monotonic, lambda: 0.5
        self.reached = RoundClusters(self.clusters, monotonic, chance)
        self.watches = Watches(self.reached, self.dirty, Noted(), self._spawn, chance)
        self.work = DaemonRounds(
            self.branch,
            self.branch.is_in,
            ReconcileOptions(),
            self.reached,
            ApplyOptions(),
            now=lambda: float(self.clusters.clock),
            deleted=self.watches.deleted_uids,
            monotonic=monotonic,
        )
        self.daemon = Daemon(
            self.work,
            self.watches,
            self.dirty,
            HealthState(monotonic, 600.0),
            Noted(),
            self.told.append,
            chance,
            self.reached,
        )

    def start(self) -> None:
        """Run the first round. After it, clusters are watched."""
        self.dirty.mark(ALL, "start", 0.0)
        self.rounds(1)

    def rounds(self, most: int, until: float = 60.0) -> list[float]:
        """Return the end of each round within the next seconds, relative to now."""
        begun, ends = self.time.now, list[float]()
        while self.time.now - begun < until and len(ends) < most:
            before = len(self.told)
            self.daemon.turn()
            ends += [self.time.now - begun] * (len(self.told) - before)
        return ends

    def hear(self, title: str, *steps: Step) -> None:
        """Run a watch. When it has no more events, take the next step. End after the last one."""
        self.clusters.steps = iter((*steps, self.watches.end))
        self.begun[f"watch {title}"]()
        assert not list(self.clusters.steps)

    def _spawn(self, work: Step, name: str) -> None:
        self.begun[name] = work
