"""Where threads that watch lay what they saw, and the one that works waits for it."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from reconciler.commands.watching.events import Cause, Event
from reconciler.commands.watching.schedule import MARKS


class Time(Protocol):
    """What the time is told by, and passed with."""

    def monotonic(self) -> float:
        """Seconds, from anywhere."""

    def wait(self, condition: threading.Condition, seconds: float) -> None:
        """Wait until somebody notifies, or the time is over. The condition is held."""


class RealTime:
    """That of this machine."""

    def monotonic(self) -> float:
        """Seconds, from anywhere."""
        return time.monotonic()

    def wait(self, condition: threading.Condition, seconds: float) -> None:
        """Wait until somebody notifies, or the time is over."""
        condition.wait(min(seconds, threading.TIMEOUT_MAX))


@dataclass
class Inbox:
    """Events that nobody took yet. Any thread may put, one takes.

    Attributes:
        time: Tells the time.
    """

    time: Time = field(default_factory=RealTime)
    _events: dict[Event, float] = field(default_factory=dict)
    _count: dict[tuple[Cause, str], int] = field(default_factory=dict)
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _is_stopping: bool = False
    _is_woken: bool = False

    def put(self, event: Event) -> None:
        """Something happened. Of one cluster no more states are told apart than are counted."""
        with self._changed:
            about = (event.cause, event.cluster)
            if event not in self._events:
                self._count[about] = self._count.get(about, 0) + 1
                if self._count[about] > MARKS:
                    event = event._replace(mark="")
            self._events.setdefault(event, self.time.monotonic())
            self._changed.notify_all()

    def stop(self) -> None:
        """No round is begun any more."""
        with self._changed:
            self._is_stopping = True
            self._changed.notify_all()

    @property
    def is_stopping(self) -> bool:
        """Somebody asked for the end."""
        return self._is_stopping

    def drain(self) -> dict[Event, float]:
        """All events, each with when it came."""
        with self._changed:
            events, self._events, self._count = self._events, {}, {}
            return events

    def wait(self, until: float) -> None:
        """Wait for an event, the end, a time, or for somebody who wakes it, also just before."""
        with self._changed:
            left = until - self.time.monotonic()
            if left > 0 and not (self._events or self._is_stopping or self._is_woken):
                self.time.wait(self._changed, left)
            self._is_woken = False

    def pause(self, seconds: float, is_over: Callable[[], bool] = lambda: False) -> bool:
        """Wait so long, for what is no event; whether to go on then."""
        until = self.time.monotonic() + seconds
        with self._changed:
            while not self._is_stopping and not is_over():
                left = until - self.time.monotonic()
                if left <= 0:
                    return True
                self.time.wait(self._changed, left)
        return False

    def wake(self) -> None:
        """Have all that pause look whether it is over, and the one that works what there is to do."""
        with self._changed:
            self._is_woken = True
            self._changed.notify_all()
