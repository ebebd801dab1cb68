"""How long a cluster may take: one budget for all that is asked of it, down to the last byte.

A timeout of a socket starts anew with every byte, so a server that drips one byte a second holds
its caller for ever. Here every read of a socket first looks at what is left of the budget.
"""

import http.client
import io
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import inf
from threading import Lock
from typing import Any


@dataclass(frozen=True)
class Pace:
    """How long a cluster may take, and by which clock.

    Attributes:
        deadline_seconds: For all requests and pauses of a cluster together.
        clock: Seconds, from anywhere.
        jitter: A number in [0, 1): when many wait for one server, they must not come back as one.
        wall: Seconds since 1970, for certificates that expire.
        connect_seconds: For one connection.
        read_seconds: From one byte of an answer to the next.
    """

    deadline_seconds: float = 60.0
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    jitter: Callable[[], float] = random.random
    wall: Callable[[], float] = time.time
    connect_seconds: float = 5.0
    read_seconds: float = 15.0


class Budget:
    """What is left of a deadline. Only the time in which somebody waits for the cluster counts.

    So the management cluster's budget does not run out while tenant clusters are served, and
    threads that wait side by side are not charged twice.

    Attributes:
        pace: What it was made of.
    """

    def __init__(self, pace: Pace) -> None:
        self.pace = pace
        self._lock = Lock()
        self._spent = 0.0
        self._more = 0.0
        self._waiting = 0
        self._since = 0.0

    @contextmanager
    def spending(self) -> Iterator[None]:
        """A time that counts."""
        with self._lock:
            if not self._waiting:
                self._since = self.pace.clock()
            self._waiting += 1
        try:
            yield
        finally:
            with self._lock:
                self._waiting -= 1
                if not self._waiting:
                    self._spent += self.pace.clock() - self._since

    def left(self) -> float:
        """Seconds that are left; negative when it is over."""
        with self._lock:
            return self._left()

    def _left(self) -> float:
        running = self.pace.clock() - self._since if self._waiting else 0.0
        return self.pace.deadline_seconds + self._more - self._spent - running

    def limit(self, seconds: float | None) -> None:
        """See to it that just so many seconds are left; None for no end."""
        with self._lock:
            self._more = 0.0
            self._more = inf if seconds is None else seconds - self._left()

    def extend(self, seconds: float) -> None:
        """See to it that so many seconds are left."""
        more = seconds - self.left()
        with self._lock:
            self._more += max(more, 0.0)


class _Socket(io.RawIOBase):
    """The reading end of a socket, within a budget."""

    def __init__(self, sock: Any, budget: Budget) -> None:
        self._sock = sock
        self._raw = sock.makefile("rb", buffering=0)
        self._budget = budget

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._budget.left()
        if left <= 0:
            raise TimeoutError("the deadline is over")
        self._sock.settimeout(min(left, self._budget.pace.read_seconds))
        count: int | None = self._raw.readinto(buffer)
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Paced:
    """As much of a socket as an answer reads from."""

    def __init__(self, sock: Any, budget: Budget) -> None:
        self._sock = sock
        self._budget = budget

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Socket(self._sock, self._budget))


def paced(pool_class: Any, budget: Budget) -> Any:
    """A class of connection pools whose answers, headers and all, are read within a budget."""
    connection = pool_class.ConnectionCls
    slow = type(connection.__name__, (connection,), {"response_class": partial(_answer, budget)})
    return type(pool_class.__name__, (pool_class,), {"ConnectionCls": slow})


def _answer(budget: Budget, sock: Any, **options: Any) -> http.client.HTTPResponse:
    return http.client.HTTPResponse(_Paced(sock, budget), **options)  # type: ignore[arg-type]  # it only calls makefile
