"""Time that only tests move, and clusters that are watched in memory."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from reconciler.daemon.dirty import Time
from reconciler.daemon.observer import Observer


@dataclass
class Moved(Time):
    """A time that advances when code waits.

    Attributes:
        happens: Called in each wait, in order.
    """

    now: float = 0.0
    happens: Iterator[Callable[[], None]] = field(default_factory=lambda: iter(()))

    def monotonic(self) -> float:
        return self.now

    def wait(self, condition: threading.Condition, seconds: float) -> None:
        del condition
        self.pass_by(seconds)

    def pass_by(self, seconds: float) -> None:
        """Advance the time. Functions of the test can run in between."""
        self.now += seconds
        happens = next(self.happens, None)
        if happens is not None:
            happens()


@dataclass
class Noted(Observer):
    """Records its messages."""

    restarts: list[tuple[str, str]] = field(default_factory=list)
    ups: list[tuple[str, bool]] = field(default_factory=list)
    leads: list[bool] = field(default_factory=list)
    bugs: int = 0

    def watch_restarted(self, cluster: str, why: str) -> None:
        self.restarts.append((cluster, why))

    def cluster_up(self, cluster: str, *, is_up: bool) -> None:
        self.ups.append((cluster, is_up))

    def leading(self, *, is_leader: bool) -> None:
        self.leads.append(is_leader)

    def bug_met(self) -> None:
        self.bugs += 1
