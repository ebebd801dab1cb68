"""When a round begins, and for what: events that come together are one round.

It knows no clock: whoever uses it says what time it is. One thread does.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import inf

from reconciler.commands.watching.events import Cause, Event, Scope, scope_of

QUIET = 0.05
"""Seconds without another event after which a round begins."""
PATIENCE = 0.3
"""Seconds after which it begins, whatever goes on coming."""
TOGETHER = 0.1
"""Seconds within which one that comes by itself waits for the next: they are one round, one commit."""
BURST = 20.0
"""Rounds that one cluster may begin at once by its own events."""
EVERY = 1.0
"""Seconds for each that it may begin after that: a cluster that is never quiet keeps nobody waiting."""
MARKS = 1_000
"""States of objects that are told apart for one cluster; more are taken to be news."""

_OWN = (Cause.SERVICES, Cause.DRIFT, Cause.INTAKE, Cause.DEPENDANTS, Cause.KUBECONFIG)


@dataclass(slots=True)
class _Bucket:
    """What is left of a cluster's right to begin rounds, and when that was."""

    left: float = BURST
    at: float = 0.0


@dataclass(slots=True)
class Schedule:
    """What is waited for.

    Attributes:
        resync: Seconds between two rounds over everything.
    """

    resync: float
    _waiting: dict[Event, float] = field(default_factory=dict)
    _count: dict[tuple[Cause, str], int] = field(default_factory=dict)
    _newest: float = -inf
    _later: dict[Event, float] = field(default_factory=dict)
    _buckets: dict[str, _Bucket] = field(default_factory=dict)
    _rests: dict[str, float] = field(default_factory=dict)

    def add(self, event: Event, now: float) -> None:
        """An event came."""
        if event in self._waiting:
            self._newest = now
            return
        about = (event.cause, event.cluster)
        self._count[about] = self._count.get(about, 0) + 1
        if self._count[about] > MARKS:
            event = event._replace(mark="")
        self._waiting.setdefault(event, now)
        self._newest = now

    def later(self, event: Event, at: float) -> None:
        """An event will come, if nothing makes it come before."""
        self._later[event] = min(at, self._later.get(event, inf))

    def rest(self, cluster: str, until: float) -> None:
        """A cluster begins no round before a time, whatever happens there; then one asks it."""
        self._rests[cluster] = until
        self.later(Event(Cause.UP, cluster), until)

    def forget(self, cluster: str) -> None:
        """Of a cluster nothing is waited for any more."""
        self._rests.pop(cluster, None)
        for waiting in (self._waiting, self._later):
            for event in [event for event in waiting if event.cluster == cluster]:
                del waiting[event]
        self._buckets.pop(cluster, None)

    def next_at(self) -> float:
        """When a round may begin, as far as is known; infinite when nothing is waited for."""
        return min(self._ripe_at(), self._due_at())

    def take(
        self, now: float, is_echo: Callable[[Event], bool] = lambda _event: False
    ) -> Scope | None:
        """What a round that begins now is about; None when there is none to begin.

        Args:
            now: The time.
            is_echo: Tells whether an event is what a write of ours became.
        """
        if self.next_at() > now:
            return None
        for event in [event for event, at in self._later.items() if at <= now]:
            del self._later[event]
            self._waiting.setdefault(event, now - QUIET)
        if self._ripe_at() > now:
            return None
        waiting, self._waiting, self._count = self._waiting, {}, {}
        self._newest = -inf
        found = list(self._admitted({e: at for e, at in waiting.items() if not is_echo(e)}, now))
        if not found:
            return None
        scope = scope_of(found)
        if scope.clusters is None:
            self._later = {e: at for e, at in self._later.items() if e.cause is not Cause.RESYNC}
            self.later(Event(Cause.RESYNC), now + self.resync)
        return scope

    def _due_at(self) -> float:
        """When what comes by itself has come, with all that follows closely."""
        first = at = min(self._later.values(), default=inf)
        for each in sorted(self._later.values()):
            if each - at > TOGETHER or each - first > PATIENCE:
                break
            at = each
        return at

    def _ripe_at(self) -> float:
        if not self._waiting:
            return inf
        first = min(self._waiting.values())
        return min(max(self._newest, first) + QUIET, first + PATIENCE)

    def _admitted(self, waiting: dict[Event, float], now: float) -> Iterator[tuple[Event, float]]:
        """The events of clusters that may begin a round now; those of others wait."""
        delays: dict[str, float] = {}
        for event, at in waiting.items():
            if self._rests.get(event.cluster, -inf) > now:
                self.later(event._replace(mark=""), self._rests[event.cluster])
                continue
            if event.cause not in _OWN or not event.cluster:
                yield event, at
                continue
            if event.cluster not in delays:
                delays[event.cluster] = self._delay(event.cluster, now)
            if delays[event.cluster]:
                self.later(event._replace(mark=""), now + delays[event.cluster])
            else:
                yield event, at

    def _delay(self, cluster: str, now: float) -> float:
        """Seconds that a cluster has to wait; 0 when it may begin a round, which then counts."""
        bucket = self._buckets.setdefault(cluster, _Bucket(at=now))
        bucket.left = min(BURST, bucket.left + (now - bucket.at) / EVERY)
        bucket.at = now
        if bucket.left < 1.0:
            return (1.0 - bucket.left) * EVERY
        bucket.left -= 1.0
        return 0.0
