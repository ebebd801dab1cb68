"""How a daemon ends: the round in hand first, and if that takes too long, without it."""

import _thread
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import current_thread, main_thread

from reconciler.adapters import children

GRACE_SECONDS = 20.0
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


def _begin(work: Callable[[], None]) -> None:
    """Work in a thread. Not by `threading`: what a signal interrupts may hold a lock of it."""
    _thread.start_new_thread(work, ())


@dataclass(slots=True)
class Ending:
    """What signals lead to: the first asks for the end, the next one cuts off what still works.

    Attributes:
        stop: Begins no work any more. Called in a thread of its own: a handler may hold no lock.
        release: What is given back also where the work is cut off.
        sleep: Waits for so many seconds.
        leave: Ends the process with a code, whatever still runs.
        begin: Runs something in a thread of its own.
        code: The exit code, also of work that comes to its end while it is cut off.
    """

    stop: Callable[[], None]
    release: Callable[[], None]
    sleep: Callable[[float], None] = time.sleep
    leave: Callable[[int], object] = os._exit
    begin: Callable[[Callable[[], None]], None] = _begin
    code: int = 0
    _asked: list[int] = field(default_factory=list)

    def ask(self, number: int) -> None:
        """A signal came."""
        self._asked.append(number)
        if len(self._asked) > 1:
            self.code = 128 + number
            self.begin(self._cut)
        else:
            self.begin(self.stop)
            self.begin(self._cut_later)

    def _cut_later(self) -> None:
        """Every step is safe to cut: the next start goes on from what is left."""
        self.sleep(GRACE_SECONDS)
        self._cut()

    def _cut(self) -> None:
        with suppress(Exception):
            children.end_all()
        with suppress(Exception):
            self.release()
        self.leave(self.code)


@contextmanager
def ending(ways: Ending) -> Iterator[None]:
    """While the block runs, signals that ask for the end are answered so."""

    def handle(number: int, frame: object) -> None:
        del frame
        ways.ask(number)

    if current_thread() is not main_thread():  # tests; a process of ours runs in its main thread
        yield
        return
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    for number in _SIGNALS:
        if before[number] is not signal.SIG_IGN:
            signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
