"""Whose answers are read when: those of a cluster that says much wait for the clusters beside it.

Nothing else runs in this process while an answer is read, and the longest takes a fifth of a
second. What a cluster says beyond a little is read when all others are quiet, or when it has waited
for ten times as long as its reading takes: it loses its turn, and the others keep theirs.
"""

from collections.abc import Callable
from threading import Lock

_LATELY = 1.0
_STEP = 0.05
_PATIENCE = 10 * 0.04 / (1024 * 1024)
"""Seconds of waiting for each byte: ten times what it takes to read it."""


class Crowd:
    """When the clusters of a run were last asked, or heard of. Several threads may use it."""

    def __init__(self) -> None:
        self._heard: dict[object, float] = {}
        self._lock = Lock()

    def heard(self, who: object, now: float) -> None:
        """Note that a cluster is being worked on."""
        with self._lock:
            self._heard[who] = now

    def gone(self, who: object) -> None:
        """Let nobody wait for a cluster any more."""
        with self._lock:
            self._heard.pop(who, None)

    def is_busy(self, now: float) -> bool:
        """Whether any was heard of lately; one that never answers was not."""
        with self._lock:
            return any(now - at < _LATELY for at in self._heard.values())


class Place:
    """One cluster among all of a run. Several threads may use it.

    Args:
        crowd: All of them.
        at_once: Bytes of its answers that are read without waiting.
        monotonic: Tells the time.
        sleep: Passes it.
    """

    def __init__(
        self,
        crowd: Crowd,
        at_once: float,
        monotonic: Callable[[], float],
        sleep: Callable[[float], None],
    ) -> None:
        self._crowd = crowd
        self._left = at_once
        self._owed = 0.0
        self._monotonic = monotonic
        self._sleep = sleep

    def heard(self) -> None:
        """Have those that say much wait for this cluster, unless it is one of them."""
        if self._left >= 0:
            self._crowd.heard(self, self._monotonic())

    def take_turn(self, size: int, has_time: Callable[[], bool]) -> None:
        """Wait until it is this cluster's turn to have an answer read.

        Args:
            size: Bytes of the answer.
            has_time: Whether the cluster may wait any longer.
        """
        self._left -= size
        self.heard()
        if self._left >= 0:
            return
        self.leave()
        self._owed += size * _PATIENCE
        while self._owed >= _STEP and has_time():
            if not self._crowd.is_busy(self._monotonic()):
                self._owed = 0.0
                return
            self._owed -= _STEP
            self._sleep(_STEP)

    def leave(self) -> None:
        """Let nobody wait for this cluster any more."""
        self._crowd.gone(self)
