"""Whole daemons over one land, in one thread: nobody waits, and time moves when all wait."""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from reconciler.daemon.dirty import ALL, GIT, DirtySet, Time
from reconciler.daemon.loop import Daemon
from reconciler.daemon.metrics import Metering, Registry
from reconciler.daemon.observer import HealthState, RoundDone
from reconciler.daemon.reach import RoundClusters
from reconciler.daemon.watch import Informer, Watches
from reconciler.daemon.work import DaemonRounds
from reconciler.kube.interface import Cluster, WatchEvent
from reconciler.reconcile.reconcile import ReconcileOptions
from reconciler.report.metrics import catalogue
from tests.reconcile.watching.land import Counted, Land
from tests.world import CLOCK


class Rested(BaseException):
    """A thread would wait here: it goes on when it is let."""


@dataclass
class Shared(Time):
    """The time of all daemons.

    Attributes:
        rest: How long the one that was let go on last would wait.
        is_watch: Who waits now is a watch: its thread is left.
    """

    now: float = 0.0
    rest: float = 0.0
    is_watch: bool = False

    def monotonic(self) -> float:
        return self.now

    def wait(self, condition: threading.Condition, seconds: float) -> None:
        del condition
        if self.is_watch:
            raise Rested
        self.rest = seconds


class Telling(Counted):
    """Clusters whose watches tell what there is to tell, and then have their threads left."""

    def connect(self, cluster: str, kubeconfig: bytes, *, is_named: bool = False) -> Cluster:
        connection: Any = super().connect(cluster, kubeconfig, is_named=is_named)
        watch = connection.watch

        def watching(*asked: Any, **more: Any) -> Iterator[WatchEvent]:
            yield from watch(*asked, **more)
            raise Rested

        connection.watch = watching
        return connection  # type: ignore[no-any-return]


@dataclass
class Post:
    """A daemon with all that it keeps."""

    land: Land
    time: Shared
    chance: Callable[[], float] = lambda: 0.5
    told: list[RoundDone] = field(default_factory=list)
    count: int = 0
    is_working: bool = False

    def __post_init__(self) -> None:
        land = self.land
        self.dirty = DirtySet(600.0, self.time)
        self.registry = Registry(catalogue())
        self.observer = Metering(self.registry, lambda: self.wall())
        monotonic = self.time.monotonic
        self.reached = RoundClusters(land.clusters, monotonic, self.chance)
        self.watchers: list[Informer] = []
        self.watches = Watches(self.reached, self.dirty, self.observer, self._spawn, self.chance)
        self.work = DaemonRounds(
            *(land.branch, land.branch.is_in, ReconcileOptions()),
            *(self.reached, land.wish),
            now=self.wall,
            deleted=self.watches.deleted_uids,
            monotonic=monotonic,
            sleep=lambda _seconds: None,
        )
        self.daemon = Daemon(
            *(self.work, self.watches, self.dirty, HealthState(monotonic, 600.0), self.observer),
            *(self._tell, self.chance, self.reached),
        )
        self.dirty.mark(ALL, "start", 0.0)

    def wall(self) -> float:
        return CLOCK + 60 + self.time.now

    def _spawn(self, work: Callable[[], None], name: str) -> None:
        del name
        self.watchers.append(work.__self__)  # type: ignore[attr-defined]

    def _tell(self, done: RoundDone) -> None:
        self.count += 1
        self.told.append(done)

    def watch(self) -> None:
        """Each watch goes on until it waits; the branch is looked at."""
        self.time.is_watch = True
        self.watchers = [it for it in self.watchers if not it.is_ended]
        for watcher in self.watchers:
            with suppress(Rested):
                watcher.run()
        self.time.is_watch = False
        if self.land.branch.head != self.work.head():
            self.dirty.mark(GIT, "git")

    def turn(self) -> float:
        """One turn of the loop: 0 after a round, else the seconds until the next."""
        self.time.rest = 0.0
        before, self.is_working = self.count, True
        self.daemon.turn()
        self.is_working = False
        self.land.replay()
        self.land.clusters.opened.clear()
        return 0.0 if self.count > before else self.time.rest


def go_on(posts: Iterable[Post], seconds: float, most: int = 1_000) -> int:
    """Let all go on, in turn, for so long; how many rounds they began.

    Args:
        posts: The daemons, in the order in which they see what happened.
        seconds: How long.
        most: Rounds at most: more are a race without an end.
    """
    posts = list(posts)
    time = posts[0].time
    end, begun = time.now + seconds, sum(post.count for post in posts)
    while True:
        for post in posts:
            post.watch()
        rest = min(post.turn() for post in posts)
        count = sum(post.count for post in posts) - begun
        assert count <= most, [post.told[-1] for post in posts]
        if rest > 0.0:
            if time.now + rest >= end:
                time.now = end
                return count
            time.now += rest
        for post in posts:
            post.land.now = post.land.clusters.clock = int(post.wall())
