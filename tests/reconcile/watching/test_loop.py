"""The control loop: a round that fails is logged and repeated, and ends nothing."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

import pytest
from msgspec.structs import replace

from reconciler.daemon.dirty import GIT, Dirty, DirtySet
from reconciler.daemon.loop import Daemon
from reconciler.daemon.observer import HealthState, RoundDone, RoundResult
from reconciler.daemon.reach import RoundClusters
from reconciler.daemon.watch import Watches
from reconciler.daemon.work import DaemonRounds
from reconciler.model.applied import Applied, ClusterState, ObjectOutcome, ObjectResult
from reconciler.model.errors import BugError, GitError, PushRefusedError
from reconciler.model.objects import MANAGEMENT
from reconciler.planning.evaluate import Evaluation
from reconciler.reconcile.discovery import Looked
from reconciler.reconcile.reconcile import Reconciled, ReconcileOptions, Round, reconcile
from tests.reconcile.test_reconcile import watched
from tests.reconcile.watching.times import Moved, Noted
from tests.world import SMALL

HUB = Applied(MANAGEMENT, ClusterState.APPLIED, uid="hub")
WEB = Applied("a/web", ClusterState.APPLIED, uid="web")
ONE = frozenset({"a/web"})


@pytest.fixture(scope="module")
def done() -> Reconciled:
    return reconcile(watched(dict(SMALL)), ReconcileOptions())


@dataclass
class Worked:
    """Rounds with a given result: the clusters, or the failure of Git."""

    done: Reconciled
    results: Iterator[Sequence[Applied] | Exception]
    later: list[tuple[str, str, float]] = field(default_factory=list)
    bugs: list[BugError] = field(default_factory=list)
    dirty: list[Dirty] = field(default_factory=list)
    looked: Looked | None = None
    unasked: dict[str, str] = field(default_factory=dict)
    short: set[str] = field(default_factory=set)
    newest: Evaluation | None = None

    def rounds(self, dirty: Dirty) -> Iterator[Round]:
        self.dirty.append(dirty)
        found = next(self.results, ())
        if isinstance(found, Exception):
            raise found
        yield Round(self.done, found)

    def timers(self) -> Iterator[tuple[str, str, float]]:
        found, self.later = self.later, []
        yield from found


@dataclass
class Watched:
    """Watches nothing, and keeps the calls."""

    lost: list[str] = field(default_factory=list)
    followed: list[tuple[list[str], bool]] = field(default_factory=list)
    is_ended: bool = False

    def follow(self, applied: Sequence[Applied], found: Evaluation, *, is_full: bool) -> list[str]:
        del found
        self.followed.append(([item.cluster for item in applied], is_full))
        return self.lost

    def end(self) -> None:
        self.is_ended = True


@dataclass
class Holds:
    """Clusters that are not asked."""

    until: dict[str, float] = field(default_factory=dict)
    time: Moved = field(default_factory=Moved)

    def held(self) -> dict[str, float]:
        return {name: at for name, at in self.until.items() if at > self.time.now}

    def forget(self, cluster: str) -> None:
        del self.until[cluster]


@dataclass
class Stage:
    """A daemon whose surroundings are given."""

    done: Reconciled
    time: Moved = field(default_factory=Moved)
    observer: Noted = field(default_factory=Noted)
    watched: Watched = field(default_factory=Watched)
    told: list[RoundDone] = field(default_factory=list)

    def daemon(
        self, *results: Sequence[Applied] | Exception, leads: Callable[[], bool] = lambda: True
    ) -> Daemon:
        self.work = Worked(self.done, iter(results))
        self.dirty, self.holds = DirtySet(600.0, self.time), Holds(time=self.time)
        self.health = HealthState(self.time.monotonic, 600.0)
        return Daemon(
            cast("DaemonRounds", self.work),
            cast("Watches", self.watched),
            self.dirty,
            self.health,
            self.observer,
            self.told.append,
            lambda: 0.5,
            cast("RoundClusters", self.holds),
            leads,
        )

    def until(self, daemon: Daemon, seconds: float) -> list[tuple[str, ...]]:
        """The reasons of all rounds up to a time."""
        while self.time.now < seconds:
            daemon.turn()
        return [dirty.reasons for dirty in self.work.dirty]

    def clusters(self) -> list[frozenset[str] | None]:
        return [dirty.clusters for dirty in self.work.dirty]


@pytest.fixture
def stage(done: Reconciled) -> Stage:
    return Stage(done)


def test_it_begins_with_a_full_round_and_repeats_it_after_the_resync(stage: Stage) -> None:
    daemon = stage.daemon([HUB, WEB])
    assert stage.until(daemon, 1300) == [("start",), ("resync",), ("resync",)]
    assert stage.watched.followed[0] == ([MANAGEMENT, "a/web"], True)
    assert stage.told[0].ending is RoundResult.OK
    assert stage.health.ready().is_well


FAILURES: dict[str, tuple[Exception, RoundResult, int, str]] = {
    "protection": (PushRefusedError("protected"), RoundResult.FAILED, 4, "push"),
    "system": (OSError(28, "No space left"), RoundResult.FAILED, 4, "git"),
    "bug": (KeyError("x"), RoundResult.BUG, 70, "git"),
}


@pytest.mark.parametrize(("failure", "ending", "code", "about"), FAILURES.values(), ids=FAILURES)
def test_a_round_that_fails_is_logged_and_repeated_until_it_succeeds(
    stage: Stage,
    caplog: pytest.LogCaptureFixture,
    failure: Exception,
    ending: RoundResult,
    code: int,
    about: str,
) -> None:
    daemon = stage.daemon(failure, failure, [HUB, WEB])
    daemon.turn()
    daemon.turn()
    assert re.search(r"; next try in \d\.\d\d s", caplog.text)
    assert not stage.health.ready().is_well
    assert about in [line.partition(":")[0] for line in stage.health.ready().lines]
    stage.until(daemon, 30)
    assert [(it.ending, it.code) for it in stage.told[:3]] == [(ending, code)] * 2 + [
        (RoundResult.OK, 0)
    ]
    assert stage.clusters()[:3] == [None] * 3
    assert stage.health.ready().is_well


def test_dirty_clusters_stay_dirty_if_git_fails(stage: Stage) -> None:
    daemon = stage.daemon([HUB], GitError("down"), [])
    daemon.turn()
    stage.dirty.mark("a/web", "services")
    stage.until(daemon, 5)
    assert stage.clusters()[1:3] == [ONE, ONE]


def quiet(done: Reconciled) -> Reconciled:
    """The same without a commit."""
    return replace(done, commit=None)


def test_a_cluster_that_waits_for_another_is_retried_when_that_one_changed(stage: Stage) -> None:
    waits = Applied(
        "a/web", ClusterState.APPLIED, uid="web", notes=("10.0.0.1 is not withdrawn yet",)
    )
    gave = Applied(
        "a/shop",
        ClusterState.APPLIED,
        uid="shop",
        outcomes=(ObjectOutcome("x", ObjectResult.CONFIGURED),),
    )
    daemon = stage.daemon([HUB, waits], [gave], [WEB])
    stage.work.done = quiet(stage.done)
    daemon.turn()
    at = stage.time.now
    stage.dirty.mark("a/shop", "drift")
    while len(stage.work.dirty) < 3:
        daemon.turn()
    assert stage.clusters()[2] == ONE
    assert stage.time.now - at < 0.6


def test_a_tenant_that_is_short_of_addresses_is_retried_at_once_after_a_commit(
    stage: Stage,
) -> None:
    daemon = stage.daemon([HUB, WEB])
    stage.work.short = {"a/web"}
    daemon.turn()
    daemon.turn()
    assert stage.time.now == 0.1
    stage.work.done = quiet(stage.done)
    daemon.turn()
    assert stage.clusters() == [None, ONE]


def test_a_report_and_an_observer_that_fail_end_nothing(stage: Stage) -> None:
    daemon = stage.daemon([HUB], [HUB])

    def broken(_done: object) -> None:
        raise RuntimeError("broken")

    daemon.report = broken
    stage.observer.round_done = broken  # type: ignore[method-assign, assignment]
    stage.until(daemon, 700)
    assert len(stage.work.dirty) == 2


def test_it_works_only_while_it_leads(stage: Stage) -> None:
    leads = [False]

    def begin() -> None:
        leads[0] = True

    stage.time.happens = iter([begin])
    daemon = stage.daemon([HUB], leads=lambda: leads[0])
    stage.dirty.mark(GIT, "git")
    daemon.turn()
    assert stage.work.dirty == []
    daemon.turn()
    daemon.turn()
    assert stage.work.dirty[0].reasons == ("start",)
    leads[0] = False
    daemon.turn()
    assert stage.watched.is_ended
    assert stage.observer.leads == [True, False]


def test_it_is_healthy_while_it_turns(stage: Stage) -> None:
    daemon = stage.daemon([HUB])
    assert stage.health.healthy()
    daemon.turn()
    stage.time.now += 3 * 600
    assert stage.health.healthy()
    stage.time.now += 1
    assert not stage.health.healthy()
    daemon.turn()
    assert stage.health.healthy()
