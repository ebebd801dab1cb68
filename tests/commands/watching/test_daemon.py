"""The loop: what befalls a round is told, tried again, and ends nothing."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from reconciler.clusters.outcome import Applied, Outcome, Result, State
from reconciler.commands.reconcile import Reconciled, ReconcileOptions, reconcile
from reconciler.commands.rounds import Round
from reconciler.commands.watching.daemon import Daemon
from reconciler.commands.watching.events import Cause, Event, Scope
from reconciler.commands.watching.health import Health
from reconciler.commands.watching.inbox import Inbox
from reconciler.commands.watching.observer import Ending, Push, RoundDone
from reconciler.commands.watching.schedule import Schedule
from reconciler.evaluate import Evaluation
from reconciler.model.cluster import MANAGEMENT
from reconciler.ports import (
    BugError,
    GitError,
    PushRefusedError,
    RacesLostError,
    ReconcilerError,
)
from tests.commands.test_reconcile import watched
from tests.commands.watching.times import Moved, Noted
from tests.world import SMALL

HUB = Applied(MANAGEMENT, State.APPLIED, uid="hub")
WEB = Applied("a/web", State.APPLIED, uid="web")


@pytest.fixture(scope="module")
def done() -> Reconciled:
    return reconcile(watched(dict(SMALL)), ReconcileOptions())


@dataclass
class Worked:
    """Rounds that are foretold: what became of the clusters, or why Git failed."""

    done: Reconciled
    foretold: Iterator[Sequence[Applied] | Exception | None]
    bugs: list[BugError] = field(default_factory=list)
    scopes: list[Scope] = field(default_factory=list)
    down: list[frozenset[str]] = field(default_factory=list)

    def rounds(self, scope: Scope, down: frozenset[str]) -> Iterator[Round]:
        self.scopes.append(scope)
        self.down.append(down)
        found = next(self.foretold, ())
        if isinstance(found, Exception):
            raise found
        yield Round(self.done, found)


@dataclass
class Watched:
    """Watches nothing, and keeps what it is told."""

    away: frozenset[str] = frozenset()
    lost: list[str] = field(default_factory=list)
    followed: list[tuple[list[str], bool]] = field(default_factory=list)
    is_ended: bool = False

    def follow(self, applied: Sequence[Applied], found: Evaluation, *, is_whole: bool) -> list[str]:
        del found
        self.followed.append(([item.cluster for item in applied], is_whole))
        return self.lost

    def down(self) -> frozenset[str]:
        return self.away

    def reason(self, cluster: str) -> str:
        return "no answer" if cluster in self.away else ""

    def is_known(self, event: Event) -> bool:
        return event.mark == "ours"

    def end(self) -> None:
        self.is_ended = True


@dataclass
class Stage:
    """A daemon of which everything around is foretold."""

    done: Reconciled
    time: Moved = field(default_factory=Moved)
    observer: Noted = field(default_factory=Noted)
    watched: Watched = field(default_factory=Watched)
    told: list[RoundDone] = field(default_factory=list)

    def daemon(
        self,
        *foretold: Sequence[Applied] | Exception | None,
        leads: Callable[[], bool] = lambda: True,
        due: Callable[[], Iterable[tuple[Event, float]]] = tuple,
    ) -> Daemon:
        self.work = Worked(self.done, iter(foretold))
        self.inbox = Inbox(self.time)
        self.schedule = Schedule(600.0)
        self.health = Health(self.time.monotonic, 600.0)
        return Daemon(
            self.work,
            self.watched,
            self.inbox,
            self.schedule,
            self.health,
            self.observer,
            self.told.append,
            lambda: 0.5,
            due,
            leads,
        )

    def until(self, daemon: Daemon, seconds: float) -> list[tuple[Cause, ...]]:
        """The causes of all rounds up to a time."""
        while self.time.now < seconds:
            daemon.turn()
        return [scope.causes for scope in self.work.scopes]


@pytest.fixture
def stage(done: Reconciled) -> Stage:
    return Stage(done)


def test_it_begins_with_everything_and_comes_back_after_the_resync(stage: Stage) -> None:
    daemon = stage.daemon([HUB, WEB])
    assert stage.until(daemon, 1300) == [(Cause.START,), (Cause.RESYNC,), (Cause.RESYNC,)]
    assert stage.watched.followed[0] == ([MANAGEMENT, "a/web"], True)
    assert stage.told[0].ending is Ending.OK
    assert stage.health.ready().is_ready


def test_an_event_wakes_it_and_an_echo_begins_nothing(stage: Stage) -> None:
    daemon = stage.daemon([HUB, WEB], [WEB])
    daemon.turn()
    stage.inbox.put(Event(Cause.DRIFT, "a/web", "ours"))
    stage.inbox.put(Event(Cause.DRIFT, "a/shop", "theirs"))
    stage.until(daemon, 0.1)
    assert [scope.clusters for scope in stage.work.scopes] == [None, frozenset({"a/shop"})]
    assert stage.told[1].since >= 0.05


FAILURES: dict[str, tuple[Exception, Ending, int, str]] = {
    "Git": (GitError("cannot reach the remote"), Ending.FAILED, 4, "git"),
    "protection": (PushRefusedError("protected"), Ending.FAILED, 4, "push"),
    "race": (RacesLostError("lost"), Ending.FAILED, 4, "git"),
    "system": (OSError(28, "No space left"), Ending.FAILED, 4, "git"),
    "bug": (KeyError("x"), Ending.BUG, 70, "git"),
}


@pytest.mark.parametrize(("failure", "ending", "code", "about"), FAILURES.values(), ids=FAILURES)
def test_a_round_that_fails_is_told_and_tried_again_until_it_succeeds(
    stage: Stage,
    caplog: pytest.LogCaptureFixture,
    failure: Exception,
    ending: Ending,
    code: int,
    about: str,
) -> None:
    daemon = stage.daemon(failure, failure, [HUB, WEB])
    daemon.turn()
    daemon.turn()
    assert re.search(r"; next try in \d\.\d\d s", caplog.text)
    assert not stage.health.ready().is_ready
    assert about in stage.health.ready().reasons
    stage.until(daemon, 30)
    assert [(it.ending, it.code) for it in stage.told[:3]] == [(ending, code)] * 2 + [
        (Ending.OK, 0)
    ]
    assert [scope.clusters for scope in stage.work.scopes] == [None] * 3
    assert stage.health.ready().is_ready
    assert stage.observer.bugs == (["round"] * 2 if ending is Ending.BUG else [])


def test_what_a_cluster_asked_for_is_not_forgotten_when_git_fails(stage: Stage) -> None:
    daemon = stage.daemon([HUB], GitError("down"), [])
    daemon.turn()
    stage.inbox.put(Event(Cause.SERVICES, "a/web"))
    stage.until(daemon, 5)
    first, again = stage.work.scopes[1:]
    assert first.asked == again.asked == frozenset({"a/web"})
    assert again.plans


def test_commits_are_told_whatever_became_of_them(stage: Stage) -> None:
    daemon = stage.daemon(RacesLostError("lost"), PushRefusedError("no"), [HUB])
    stage.until(daemon, 30)
    assert [result for result, _ in stage.observer.commits[:3]] == [
        Push.LOST,
        Push.REFUSED,
        Push.PUBLISHED,
    ]


def test_a_cluster_that_failed_is_tried_again_alone_with_pauses_that_grow(stage: Stage) -> None:
    bad = Applied("a/web", State.FAILED, uid="web", error="no")
    daemon = stage.daemon([HUB, bad], [bad], [bad], [bad], [WEB])
    assert stage.until(daemon, 60) == [(Cause.START,), *[(Cause.RETRY,)] * 4]
    assert [scope.clusters for scope in stage.work.scopes[1:]] == [frozenset({"a/web"})] * 4
    assert not any(scope.plans for scope in stage.work.scopes[1:])
    assert stage.told[1].ending is Ending.PARTIAL


def test_one_that_does_not_answer_is_left_to_its_watch(stage: Stage) -> None:
    away = Applied("a/web", State.UNREACHABLE, error="no answer")
    stage.watched.away = frozenset({"a/web"})
    daemon = stage.daemon([HUB, away])
    assert stage.until(daemon, 300) == [(Cause.START,)]
    assert stage.work.down[0] == frozenset({"a/web"})


def test_without_the_management_cluster_all_is_tried_again(stage: Stage) -> None:
    daemon = stage.daemon([Applied(MANAGEMENT, State.UNREACHABLE, error="no answer")], [HUB, WEB])
    daemon.turn()
    daemon.turn()
    assert stage.health.ready().reasons["management"] == "no answer"
    assert stage.watched.followed[0][1] is False  # nobody is gone because of that
    stage.until(daemon, 30)
    assert [scope.clusters for scope in stage.work.scopes] == [None, None]
    assert stage.health.ready().is_ready


def test_who_waits_for_another_comes_as_soon_as_that_one_was_changed(stage: Stage) -> None:
    waits = Applied("a/web", State.APPLIED, uid="web", notes=("10.0.0.1 is not withdrawn yet",))
    gave = Applied("a/shop", State.APPLIED, uid="shop", outcomes=(Outcome("x", Result.CONFIGURED),))
    daemon = stage.daemon([HUB, waits], [gave], [WEB])
    stage.until(daemon, 0.01)
    at = stage.time.now
    stage.inbox.put(Event(Cause.DRIFT, "a/shop"))
    while len(stage.work.scopes) < 3:
        daemon.turn()
    assert stage.work.scopes[2].clusters == frozenset({"a/web"})
    assert stage.time.now - at < 0.5


def test_what_falls_due_begins_a_round(stage: Stage) -> None:
    due = iter([[(Event(Cause.DUE), 7.0)]])
    daemon = stage.daemon([HUB], due=lambda: next(due, []))
    assert stage.until(daemon, 20) == [(Cause.START,), (Cause.DUE,)]
    assert stage.work.scopes[1].plans


def test_of_what_is_gone_nothing_is_tried_again(stage: Stage) -> None:
    bad = Applied("a/web", State.FAILED, uid="web", error="no")
    daemon = stage.daemon([HUB, bad], [HUB])
    daemon.turn()
    stage.watched.lost = ["a/web"]
    stage.inbox.put(Event(Cause.RESYNC))
    stage.until(daemon, 100)
    assert Cause.RETRY not in [cause for scope in stage.work.scopes for cause in scope.causes]


def test_a_teller_and_an_observer_that_fail_end_nothing(stage: Stage) -> None:
    daemon = stage.daemon([HUB], [HUB])

    def broken(_done: object) -> None:
        raise RuntimeError("broken")

    daemon.tell = broken
    stage.observer.round_done = broken  # type: ignore[method-assign, assignment]
    stage.until(daemon, 700)
    assert len(stage.work.scopes) == 2


def test_it_works_only_while_it_leads(stage: Stage) -> None:
    leads = [False]

    def begin() -> None:
        leads[0] = True

    stage.time.happens = iter([begin])
    daemon = stage.daemon([HUB], leads=lambda: leads[0])
    stage.inbox.put(Event(Cause.GIT))
    daemon.turn()
    assert stage.work.scopes == []
    daemon.turn()
    daemon.turn()
    assert stage.work.scopes[0].causes == (Cause.START,)
    leads[0] = False
    daemon.turn()
    assert stage.watched.is_ended
    assert stage.observer.leads == [True, False]


def test_it_ends_after_the_round_in_hand(stage: Stage) -> None:
    daemon = stage.daemon([HUB])
    daemon.tell = lambda _done: stage.inbox.stop()
    stage.inbox.put(Event(Cause.START))
    daemon.run()
    assert len(stage.work.scopes) == 1
    assert stage.watched.is_ended


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


@pytest.mark.parametrize("resync", [30.0, 150.0, 7200.0])
@pytest.mark.parametrize("leads", [True, False])
def test_the_loop_turns_in_time_whether_it_leads_or_not(
    stage: Stage, resync: float, leads: bool
) -> None:
    daemon = stage.daemon([HUB], leads=lambda: leads)
    stage.schedule.resync = stage.health.resync = resync
    while stage.time.now < 5 * resync:
        before = stage.time.now
        daemon.turn()
        assert stage.health.healthy()
        assert stage.time.now - before <= min(resync, 600)


def test_who_asks_is_told_at_once_that_the_management_cluster_does_not_answer(
    stage: Stage,
) -> None:
    daemon = stage.daemon([HUB, WEB])
    stage.until(daemon, 1)
    assert stage.health.ready().is_ready
    rounds = len(stage.told)
    stage.watched.away = frozenset({MANAGEMENT})
    assert stage.health.ready().reasons == {"management": "no answer"}
    assert len(stage.told) == rounds, "its watch knows it, before there is a round"
    stage.watched.away = frozenset()
    assert stage.health.ready().is_ready


def test_one_that_waits_for_the_lease_of_another_is_ready_and_one_that_knows_nothing_is_not() -> (
    None
):
    for leader, is_ready, is_leading in (("other", True, False), (None, False, False)):
        health = Health(lambda: 0.0, 600.0, lambda told=leader: told)  # type: ignore[misc]
        assert (health.ready().is_ready, health.ready().is_leading) == (is_ready, is_leading)
    assert Health(lambda: 0.0, 600.0).ready().reasons == {"git": "not read yet"}
    lost = Health(lambda: 0.0, 600.0, lambda: None, lambda: "credentials are refused")
    assert lost.ready().reasons == {"management": "credentials are refused"}


def test_a_wish_that_cannot_be_is_told_as_such(stage: Stage, tmp_path: Path) -> None:
    del tmp_path
    daemon = stage.daemon(ReconcilerError("odd", "mend it"))
    daemon.turn()
    daemon.turn()
    assert stage.told[0].error == "odd"
