"""How long a cluster may take: one deadline for all that is asked of it."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf
from threading import Lock

from reconciler.adapters.kube.crowd import Crowd


@dataclass(frozen=True)
class Clocks:
    """What the time is told by, and passed with.

    Attributes:
        monotonic: Seconds, from anywhere.
        jitter: A number in [0, 1): when many wait for one server, they must not come back as one.
        wall: Seconds since 1970, for certificates that expire.
    """

    sleep: Callable[[float], None] = time.sleep
    monotonic: Callable[[], float] = time.monotonic
    jitter: Callable[[], float] = random.random
    wall: Callable[[], float] = time.time


@dataclass(frozen=True)
class Timeouts:
    """How long a cluster may take.

    Attributes:
        deadline_seconds: For all requests and pauses of a cluster together.
        connect_seconds: For one connection.
        read_seconds: From one byte of an answer to the next.
        clocks: What tells it.
        crowd: The clusters that take their time side by side.
    """

    deadline_seconds: float = 60.0
    connect_seconds: float = 5.0
    read_seconds: float = 15.0
    clocks: Clocks = field(default_factory=Clocks)
    crowd: Crowd = field(default_factory=Crowd)


class Deadline:
    """What is left of the time for a cluster. Only that in which somebody waits for the cluster counts.

    So the management cluster's deadline does not run out while tenant clusters are served, and
    threads that wait side by side are not charged twice.

    Attributes:
        timeouts: What it was made of.
        silence_seconds: How long a server may say nothing: longer while it is watched.
        seconds: How long it is in all, as it was last begun.
    """

    def __init__(self, timeouts: Timeouts) -> None:
        self.timeouts = timeouts
        self.silence_seconds = timeouts.read_seconds
        self.seconds = timeouts.deadline_seconds
        self._lock = Lock()
        self._spent = 0.0
        self._more = 0.0
        self._waiting = 0
        self._since = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """A time that counts: somebody waits."""
        with self._lock:
            if not self._waiting:
                self._since = self.timeouts.clocks.monotonic()
            self._waiting += 1
        try:
            yield
        finally:
            with self._lock:
                self._waiting -= 1
                if not self._waiting:
                    self._spent += self.timeouts.clocks.monotonic() - self._since

    def left(self) -> float:
        """Seconds that are left; negative when it is over."""
        with self._lock:
            return self._left()

    def _left(self) -> float:
        running = self.timeouts.clocks.monotonic() - self._since if self._waiting else 0.0
        return self.timeouts.deadline_seconds + self._more - self._spent - running

    def limit(self, seconds: float | None) -> None:
        """See to it that just so many seconds are left; None for no end."""
        with self._lock:
            self._more = 0.0
            self.seconds = inf if seconds is None else seconds
            self._more = inf if seconds is None else seconds - self._left()

    def extend(self, seconds: float) -> None:
        """See to it that so many seconds are left."""
        with self._lock:
            self._more += max(seconds - self._left(), 0.0)
