"""The set of dirty clusters: the clusters that the next round re-reads, and when it begins."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from msgspec import Struct

from reconciler.documents.findings import join_limited

ALL = "*"
"""Marks every cluster: the next round is a full one."""
GIT = ""
"""Marks no cluster: the next round reads the branch."""
BATCH = 0.1
"""Seconds that a round waits for more marks."""
PACED = 5
"""Rounds without a commit that may re-read a cluster at once. After them, there is one a second."""
MAX_PAUSE = 300.0
_DOUBLINGS = 20
_SHORT = 10.0


class Time:
    """The clock of this machine."""

    def monotonic(self) -> float:
        """Return seconds since some fixed instant."""
        return time.monotonic()

    def wait(self, condition: threading.Condition, seconds: float) -> None:
        """Wait until the condition, which is held, is notified or the time is over."""
        condition.wait(min(seconds, threading.TIMEOUT_MAX))


@dataclass(slots=True)
class Backoff:
    """Exponential pauses with jitter. `chance` returns a number in [0, 1)."""

    chance: Callable[[], float]
    failures: int = 0

    def pause(self, first: float = 1.0) -> float:
        """Count one more failure, and return the seconds to wait: at most `first` at first."""
        longest = min(MAX_PAUSE, first * 2.0 ** min(self.failures, _DOUBLINGS))
        self.failures += 1
        return longest * (1 + self.chance()) / 2


def format_pause(pause: float) -> str:
    """Format seconds for the log."""
    return f"{pause:.2f} s" if pause < _SHORT else f"{pause:.0f} s"


class Dirty(Struct, frozen=True):
    """Clusters (None: all), why they are dirty, and the monotonic time of the oldest mark."""

    clusters: frozenset[str] | None
    reasons: tuple[str, ...]
    since: float

    def __str__(self) -> str:
        causes = ", ".join(self.reasons)
        return f"{causes} of {join_limited(sorted(self.clusters))}" if self.clusters else causes


@dataclass
class DirtySet:
    """Marks for the next round. Any thread may mark, one takes. `resync` is between full rounds."""

    resync: float = 600.0
    time: Time = field(default_factory=Time)
    is_stopping: bool = False
    _marks: dict[str, dict[str, float]] = field(default_factory=dict)
    _held: dict[str, float] = field(default_factory=dict)
    _taken: dict[str, deque[float]] = field(default_factory=dict)
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _is_woken: bool = False

    def mark(self, cluster: str, reason: str, after: float = BATCH) -> None:
        """Mark a cluster, or GIT, or ALL, dirty in some seconds."""
        with self._changed:
            due = self.time.monotonic() + after
            reasons = self._marks.setdefault(cluster, {})
            reasons[reason] = min(due, reasons.get(reason, due))
            self._changed.notify_all()

    def hold(self, held: dict[str, float]) -> None:
        """Keep marks of some clusters until an instant each; marks of all others count at once."""
        with self._changed:
            self._held = held

    def unpace(self, clusters: Iterable[str]) -> None:
        """Let clusters be re-read at once again."""
        with self._changed:
            for name in clusters:
                self._taken.pop(name, None)

    def forget(self, cluster: str) -> None:
        """Drop the marks of a cluster that is gone."""
        with self._changed:
            self._marks.pop(cluster, None)
            self._taken.pop(cluster, None)

    def clear(self) -> None:
        """Drop all marks."""
        with self._changed:
            self._marks.clear()

    def take(self) -> Dirty | None:
        """Return and remove all marks that are due; None if no round is due."""
        with self._changed:
            now = self.time.monotonic()
            if self._next_at() > now:
                return None
            ripe = {name for name in self._marks if self._due(name) <= now + BATCH}
            if ALL in ripe:
                ripe = {name for name in self._marks if self._held.get(name, now) <= now}
            taken = {name: self._marks.pop(name) for name in sorted(ripe)}
            for name in taken.keys() - {ALL, GIT}:
                self._taken.setdefault(name, deque(maxlen=PACED)).append(now)
        since = {
            why: due - BATCH
            for reasons in taken.values()
            for why, due in reasons.items()
            if due <= now + BATCH
        }
        if ALL in taken:
            self.mark(ALL, "resync", self.resync)
        names = None if ALL in taken else frozenset(taken) - {GIT}
        return Dirty(names, tuple(sorted(since)), min(since.values(), default=now))

    def wait(self, longest: float) -> None:
        """Wait for a round to be due, for the end, or for `wake`."""
        with self._changed:
            now = self.time.monotonic()
            left = min(self._next_at() - now, longest)
            if left > 0 and not (self.is_stopping or self._is_woken):
                self.time.wait(self._changed, left)
            self._is_woken = False

    def pause(self, seconds: float, is_over: Callable[[], bool] = lambda: False) -> bool:
        """Wait some seconds; return whether to go on."""
        until = self.time.monotonic() + seconds
        with self._changed:
            while not self.is_stopping and not is_over():
                left = until - self.time.monotonic()
                if left <= 0:
                    return True
                self.time.wait(self._changed, left)
        return False

    def wake(self) -> None:
        """Let every waiting thread check whether its wait is over."""
        with self._changed:
            self._is_woken = True
            self._changed.notify_all()

    def stop(self) -> None:
        """Begin no more rounds."""
        with self._changed:
            self.is_stopping = True
            self._changed.notify_all()

    def _due(self, name: str) -> float:
        taken = self._taken.get(name)
        paced = taken[0] + PACED if taken is not None and len(taken) == PACED else 0.0
        return max(min(self._marks[name].values()), self._held.get(name, 0.0), paced)

    def _next_at(self) -> float:
        return min(map(self._due, self._marks), default=float("inf"))
