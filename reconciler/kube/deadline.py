"""Deadlines: one total time limit for all requests to a cluster."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf
from threading import RLock


@dataclass(frozen=True)
class Clocks:
    """Sources of time, and of numbers in [0, 1) that spread retries. Replaceable in tests."""

    sleep: Callable[[float], None] = time.sleep
    monotonic: Callable[[], float] = time.monotonic
    jitter: Callable[[], float] = random.random
    wall: Callable[[], float] = time.time


@dataclass(frozen=True)
class Timeouts:
    """Time limits for one cluster: all requests together, one connection, and between two bytes."""

    deadline_seconds: float = 60.0
    connect_seconds: float = 5.0
    read_seconds: float = 15.0
    clocks: Clocks = field(default_factory=Clocks)


class Deadline:
    """Time left for a cluster. It runs only while a thread waits; parallel waits count once."""

    def __init__(self, timeouts: Timeouts) -> None:
        self.timeouts = timeouts
        self.seconds = timeouts.deadline_seconds
        self._lock = RLock()
        self._spent = 0.0
        self._more = 0.0
        self._waiting = 0
        self._since = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Run the clock inside this context."""
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
        """Return the seconds that are left; negative after the deadline."""
        with self._lock:
            running = self.timeouts.clocks.monotonic() - self._since if self._waiting else 0.0
            return self.timeouts.deadline_seconds + self._more - self._spent - running

    def limit(self, seconds: float | None) -> None:
        """Set the time that is left; None removes the deadline."""
        with self._lock:
            self._more = 0.0
            self.seconds = inf if seconds is None else seconds
            self._more = inf if seconds is None else seconds - self.left()

    def extend(self, seconds: float) -> None:
        """Raise the time that is left to at least `seconds`."""
        with self._lock:
            self._more += max(seconds - self.left(), 0.0)
