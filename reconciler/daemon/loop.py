"""The control loop: dirty clusters become rounds, one at a time, and no failure ends it."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from reconciler.daemon.dirty import ALL, GIT, Backoff, Dirty, DirtySet, format_pause
from reconciler.daemon.log import in_round
from reconciler.daemon.observer import HealthState, Observer, RoundDone, RoundResult
from reconciler.daemon.reach import RoundClusters
from reconciler.daemon.watch import Watches
from reconciler.daemon.work import DaemonRounds
from reconciler.model.applied import Applied, ClusterState
from reconciler.model.errors import BugError, ExitCode, ReconcilerError
from reconciler.model.objects import MANAGEMENT
from reconciler.reconcile.evaluation import reconciled_code
from reconciler.reconcile.reconcile import Round

_log = logging.getLogger(__name__)


@dataclass
class Daemon:
    """The control loop. `chance` returns a number in [0, 1)."""

    work: DaemonRounds
    watches: Watches
    dirty: DirtySet
    health: HealthState
    observer: Observer
    report: Callable[[RoundDone], None]
    chance: Callable[[], float]
    clusters: RoundClusters | None = None
    leads: Callable[[], bool] = lambda: True
    _number: int = 0
    _leading: bool = False
    _git: Backoff = field(init=False)
    _failing: dict[str, Backoff] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._git = Backoff(self.chance)

    def run(self) -> None:
        """Work until the end; a round that has begun is completed first."""
        try:
            while not self.dirty.is_stopping:
                self.turn()
        finally:
            self.watches.end()

    def turn(self) -> None:
        """Do one round, or wait."""
        self.health.turned(self.dirty.time.monotonic())
        self.dirty.hold(self._held())
        dirty = self.dirty.take() if self._may_work() else None
        if dirty is None:
            self.dirty.wait(self.dirty.resync)
        else:
            self._round(dirty)

    def _may_work(self) -> bool:
        leads = self.leads()
        if leads != self._leading:
            self._leading = leads
            self.observer.leading(is_leader=leads)
            if leads:
                self.dirty.mark(ALL, "start", 0.0)
            else:
                self.watches.end()
        if not leads:
            self.dirty.clear()
        return leads

    def _round(self, dirty: Dirty) -> None:
        self._number += 1
        begun = self.dirty.time.monotonic()
        held = self._held()
        done: list[Round] = []
        failure: Exception | None = None
        _log.info("round starts: %s", dirty, extra={"round": self._number})
        try:
            with in_round(self._number):
                for item in self.work.rounds(dirty):
                    done.append(item)  # noqa: PERF402 - work that precedes a failure is done
        except Exception as failed:  # noqa: BLE001 - no failure ends the loop
            failure = failed
        now = self.dirty.time.monotonic()
        code, ending = _ended(done, failure, self.work.bugs)
        ended = RoundDone(
            self._number,
            dirty.reasons,
            dirty.clusters,
            now - begun,
            now - dirty.since,
            ending,
            int(code),
            tuple(done),
            failure,
            self.work.looked,
            dict(self.work.unasked),
            None if failure is not None else self.work.newest,
            frozenset({*held, *self._held()}),
        )
        self._check_git(dirty, failure)
        with self._survive("the round could not be reported"):
            self.report(ended)
        with self._survive("the metrics of the round failed"):
            self.observer.round_done(ended)
        with self._survive("the timers of the round failed"):
            for cluster, reason, seconds in self.work.timers():
                self.dirty.mark(cluster, reason, seconds)
        with self._survive("the watches of the round failed"):
            self._follow(dirty, ended)
        self._retry(ended)

    def _held(self) -> dict[str, float]:
        return self.clusters.held() if self.clusters is not None else {}

    def _check_git(self, dirty: Dirty, failure: Exception | None) -> None:
        if failure is None:
            self._git.failures = 0
            self.health.git_works()
            return
        pause, extra = self._git.pause(), {"round": self._number}
        again = format_pause(pause)
        if isinstance(failure, ReconcilerError):
            hint = f"; {failure.hint}" if failure.hint else ""
            _log.warning("%s%s; next try in %s", failure, hint, again, extra=extra)
        else:
            _log.error(
                "internal error: %r; next try in %s", failure, again, extra=extra, exc_info=failure
            )
        self.health.git_fails(failure)
        for name in {ALL} if dirty.clusters is None else {GIT, *dirty.clusters}:
            self.dirty.mark(name, "retry", pause)

    def _follow(self, dirty: Dirty, ended: RoundDone) -> None:
        last = next((it.applied for it in reversed(ended.rounds) if it.applied is not None), None)
        if last is None or ended.evaluation is None:
            return
        self.health.management(next((it for it in last if it.cluster == MANAGEMENT), None))
        is_known = any(it.cluster == MANAGEMENT and it.uid for it in last)
        is_full = dirty.clusters is None and is_known and not ended.held
        for name in self.watches.follow(last, ended.evaluation, is_full=is_full):
            self.dirty.forget(name)
            self._failing.pop(name, None)
            if self.clusters is not None:
                self.clusters.forget(name)

    def _retry(self, ended: RoundDone) -> None:
        held = self._held()
        now = self.dirty.time.monotonic()
        for name, until in held.items():
            self.dirty.mark(ALL if name == MANAGEMENT else name, "retry", until - now)
        last = {item.cluster: item for item in ended.applied}
        drawn = self.chance()  # clusters that fail together are retried together
        for name in _asked(ended):
            if not _is_failing(last.get(name)) and name not in self.work.short:
                self._failing.pop(name, None)
            elif name not in held:
                backoff = self._failing.setdefault(name, Backoff(self.chance))
                backoff.chance = lambda: drawn
                is_all = name == MANAGEMENT and not last[name].uid  # no cluster was worked on
                self.dirty.mark(ALL if is_all else name, "retry", backoff.pause())
        changed = {item.cluster for item in ended.applied if item.is_changed}
        if any(item.done.commit is not None for item in ended.rounds):
            self.dirty.unpace(changed)
            changed.add(GIT)
        for name in self._failing:  # the cluster may wait for that change
            if changed - {name}:
                self.dirty.mark(name, "retry")

    @contextmanager
    def _survive(self, what: str) -> Iterator[None]:
        try:
            yield
        except Exception:  # noqa: BLE001 - logged, and no failure ends the loop
            _log.exception("%s", what, extra={"round": self._number})
            self.observer.bug_met()


def _asked(ended: RoundDone) -> set[str]:
    found = {item.cluster for item in ended.applied}
    if ended.looked is not None:
        found |= ended.looked.figures.keys() | ended.looked.unasked.keys()
    return found


def _is_failing(item: Applied | None) -> bool:
    return item is not None and (
        item.is_failed or (bool(item.notes) and item.state is ClusterState.APPLIED)
    )


def _ended(
    done: Sequence[Round], failure: Exception | None, bugs: Sequence[BugError]
) -> tuple[ExitCode, RoundResult]:
    if failure is not None:
        code = failure.exit_code if isinstance(failure, ReconcilerError) else ExitCode.BUG
        if isinstance(failure, OSError):
            code = ExitCode.GIT
        return ExitCode(code), RoundResult.BUG if code is ExitCode.BUG else RoundResult.FAILED
    last = done[-1].done
    applied = [item for each in done for item in each.applied or ()]
    code = ExitCode.BUG if bugs else reconciled_code(last.code, last.evaluation, applied)
    words = {
        ExitCode.OK: RoundResult.OK,
        ExitCode.CLUSTER: RoundResult.PARTIAL,
        ExitCode.BUG: RoundResult.BUG,
    }
    return code, words.get(code, RoundResult.REFUSED)
