"""The loop: events become rounds, one at a time, and nothing that befalls a round ends it."""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from reconciler.clusters.outcome import Applied, State
from reconciler.commands.exit_codes import reconciled_code
from reconciler.commands.rounds import Round
from reconciler.commands.watching.about import in_round
from reconciler.commands.watching.backoff import Backoff, spelled
from reconciler.commands.watching.events import Cause, Event, Scope
from reconciler.commands.watching.health import Health
from reconciler.commands.watching.inbox import Inbox
from reconciler.commands.watching.observer import Ending, Observer, Push, RoundDone
from reconciler.commands.watching.pace import Pace
from reconciler.commands.watching.schedule import Schedule
from reconciler.evaluate import Evaluation
from reconciler.model.cluster import MANAGEMENT
from reconciler.ports import (
    BugError,
    ExitCode,
    PushRefusedError,
    RacesLostError,
    ReconcilerError,
)

STANDBY = 600.0
"""Seconds after which the loop turns, if nobody wakes it and a resync is not due before."""

_log = logging.getLogger(__name__)


class Works(Protocol):
    """Does rounds."""

    bugs: list[BugError]

    def rounds(self, scope: Scope, down: frozenset[str]) -> Iterator[Round]:
        """Git, and clusters."""


class Watching(Protocol):
    """Watches clusters."""

    def follow(self, applied: Sequence[Applied], found: Evaluation, *, is_whole: bool) -> list[str]:
        """Watch those that a round found; returns those that are gone."""

    def down(self) -> frozenset[str]:
        """Those that do not answer."""

    def reason(self, cluster: str) -> str:
        """Why one does not answer; empty when it does."""

    def is_known(self, event: Event) -> bool:
        """An event tells of nothing but what a round wrote, or read."""

    def end(self) -> None:
        """Watch nothing any more."""


@dataclass
class Daemon:
    """Everything that a round leads to.

    Attributes:
        due: What comes by itself after a round, each with the seconds until then.
        tell: Gives out what a round did.
        chance: Gives a number in [0, 1).
        leads: Whether this process is the one that works.
        pace: Knows which clusters were too slow.
    """

    work: Works
    watching: Watching
    inbox: Inbox
    schedule: Schedule
    health: Health
    observer: Observer
    tell: Callable[[RoundDone], None]
    chance: Callable[[], float]
    due: Callable[[], Iterable[tuple[Event, float]]] = tuple
    leads: Callable[[], bool] = lambda: True
    pace: Pace = field(default_factory=Pace)
    _number: int = 0
    _rested: frozenset[str] = frozenset()
    _leading: bool = False
    _git: Backoff = field(init=False)
    _backoffs: dict[str, Backoff] = field(default_factory=dict)
    _waiting: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._git = Backoff(self.chance)
        self.health.silence = lambda: self.watching.reason(MANAGEMENT)

    def run(self) -> None:
        """Work until somebody asks for the end; a round that was begun is ended first."""
        try:
            while not self.inbox.is_stopping:
                self.turn()
        finally:
            self.watching.end()

    def turn(self) -> None:
        """One turn of the loop: a round, or a wait."""
        now = self.inbox.time.monotonic()
        self.health.turned(now)
        if not self._may_work(now):
            self.inbox.drain()
            self.inbox.wait(now + self._longest())
            return
        for event, at in self.inbox.drain().items():
            self.schedule.add(event, at)
        scope = self.schedule.take(now, self.watching.is_known)
        if scope is None:
            self.inbox.wait(min(self.schedule.next_at(), now + self._longest()))
            return
        self._round(scope)

    def _longest(self) -> float:
        """Seconds after which the loop turns at least: who asks whether it lives counts by them."""
        return min(STANDBY, self.schedule.resync)

    def _may_work(self, now: float) -> bool:
        leads = self.leads()
        if leads != self._leading:
            self._leading = leads
            self.observer.leading(is_leader=leads)
            if leads:
                self.schedule.later(Event(Cause.START), now)
            else:
                self.watching.end()
        return leads

    def _round(self, scope: Scope) -> None:
        """One round; whatever befalls it is told, and tried again."""
        self._number += 1
        begun = self.inbox.time.monotonic()
        done: list[Round] = []
        failure: Exception | None = None
        extra = {"round": self._number}
        _log.info("round begins: %s", scope, extra=extra)
        try:
            with in_round(self._number):
                for item in self.work.rounds(scope, self._silent(scope)):
                    done.append(item)  # noqa: PERF402 - what was done before a failure is done
        except Exception as failed:  # noqa: BLE001 - nothing ends the loop
            failure = failed
        now = self.inbox.time.monotonic()
        told = self._told(scope, done, failure, now, begun)
        self._rest()
        self._after(scope, failure, now)  # who is told of the round finds it true
        with self._outlived("what a round did could not be told"):
            self.tell(told)
        with self._outlived("an observer failed"):
            self._observe(told, failure)
        self._follow(scope, told, now)

    def _silent(self, scope: Scope) -> frozenset[str]:
        """The clusters that a round that begins now does not ask: nobody waits for them."""
        self.pace.begin(is_whole=scope.clusters is None)
        self._rested = frozenset(self.pace.resting())
        return self.watching.down() | self._rested

    def _rest(self) -> None:
        """Who was too slow is left alone for a while."""
        for name, until in self.pace.resting().items():
            self.schedule.rest(name, until)

    def _told(
        self,
        scope: Scope,
        done: Sequence[Round],
        failure: Exception | None,
        now: float,
        begun: float,
    ) -> RoundDone:
        code, ending = _ended(done, failure, self.work.bugs)
        return RoundDone(
            self._number,
            scope.causes,
            scope.clusters,
            now - begun,
            now - scope.since,
            ending,
            int(code),
            tuple(done),
            "" if failure is None else str(failure),
            plans=scope.plans,
        )

    def _observe(self, told: RoundDone, failure: Exception | None) -> None:
        for item in told.rounds:
            if item.done.commit is not None:
                self.observer.commit_done(Push.PUBLISHED, item.done, item.done.attempts - 1)
        if isinstance(failure, RacesLostError):
            self.observer.commit_done(Push.LOST, None, 1)
        elif isinstance(failure, PushRefusedError):
            self.observer.commit_done(Push.REFUSED, None, 0)
        if told.ending is Ending.BUG:
            self.observer.bug_met("round")
        self.observer.round_done(told)

    def _after(self, scope: Scope, failure: Exception | None, now: float) -> None:
        """What Git's failure, or its success, leads to."""
        if failure is None:
            if scope.plans:
                self._git.reset()
                self.health.git_works()
            return
        pause = self._git.pause()
        again, extra = spelled(pause), {"round": self._number}
        hint = failure.hint if isinstance(failure, ReconcilerError) else ""
        if isinstance(failure, ReconcilerError):
            _log.warning(
                "%s%s; next try in %s", failure, f"; {hint}" if hint else "", again, extra=extra
            )
        else:
            _log.error("a bug: %r; next try in %s", failure, again, extra=extra, exc_info=failure)
        self.health.git_fails(failure)
        names = {""} if scope.clusters is None else {"", *scope.clusters}
        for name in names:
            cause = Cause.RESYNC if scope.clusters is None else Cause.RETRY
            self.schedule.later(Event(cause, name, plans=not name), now + pause)
        for name in scope.asked or ():
            self.schedule.later(Event(Cause.AGAIN, name), now + pause)

    def _follow(self, scope: Scope, told: RoundDone, now: float) -> None:
        """Watch what was found, and come back for what is not as it shall be."""
        with self._outlived("what falls due could not be told"):
            for event, seconds in self.due():
                self.schedule.later(event, now + seconds)
        found = told.evaluation
        last = next((it.applied for it in reversed(told.rounds) if it.applied is not None), None)
        if found is None or last is None:
            return
        self.health.management(next((it for it in last if it.cluster == MANAGEMENT), None))
        is_known = any(it.cluster == MANAGEMENT and it.uid for it in last)
        # Of one that was left alone nobody knows whether it is gone.
        is_whole = scope.clusters is None and is_known and not self._rested
        with self._outlived("watches could not be begun"):
            for name in self.watching.follow(last, found, is_whole=is_whole):
                self.schedule.forget(name)
                self.pace.forget(name)
                self._backoffs.pop(name, None)
                self._waiting.discard(name)
        self._come_back(told.applied, last, now)

    def _come_back(self, applied: Iterable[Applied], last: Iterable[Applied], now: float) -> None:
        """Failures are tried again; what waits for others as soon as one of them was changed."""
        changed = {item.cluster for item in applied if item.is_changed}
        for item in last:
            name = item.cluster
            if item.state is State.UNREACHABLE and name in self.watching.down():
                continue  # its watch tells when it answers
            if item.is_failed or (item.notes and item.state is State.APPLIED):
                pause = self._backoffs.setdefault(name, Backoff(self.chance)).pause()
                is_all = name == MANAGEMENT and not item.uid  # nobody was worked on without it
                again = Event(Cause.RESYNC) if is_all else Event(Cause.RETRY, name)
                self.schedule.later(again, now + pause)
                self._waiting.add(name)
            else:
                self._backoffs.pop(name, None)
                self._waiting.discard(name)
        for name in self._waiting:
            if changed - {name}:
                self.schedule.later(Event(Cause.RETRY, name), now)

    @contextmanager
    def _outlived(self, what: str) -> Iterator[None]:
        """A failure of what is beside the work is told, and goes no further."""
        try:
            yield
        except Exception:  # noqa: BLE001 - it is told, and nothing ends the loop
            _log.exception("%s", what, extra={"round": self._number})


def _ended(
    done: Sequence[Round], failure: Exception | None, bugs: Sequence[BugError]
) -> tuple[ExitCode, Ending]:
    """The exit code of a single run that ends so, and the word for it."""
    if failure is not None:
        code = failure.exit_code if isinstance(failure, ReconcilerError) else ExitCode.BUG
        if isinstance(failure, OSError):
            code = ExitCode.GIT
        return ExitCode(code), Ending.BUG if code is ExitCode.BUG else Ending.FAILED
    last = done[-1].done
    applied = [item for each in done for item in each.applied or ()]
    code = ExitCode.BUG if bugs else reconciled_code(last.code, last.evaluation, applied)
    words = {ExitCode.OK: Ending.OK, ExitCode.CLUSTER: Ending.PARTIAL, ExitCode.BUG: Ending.BUG}
    return code, words.get(code, Ending.REFUSED)
