"""How a daemon ends: the round in hand first, and if that takes too long, without it."""

import _thread
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import current_thread, main_thread

from reconciler.adapters import children

GRACE_SECONDS = 20.0
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def ending(stop: Callable[[], None], release: Callable[[], None]) -> Iterator[None]:
    """While the block runs, the first signal asks for the end, and the second one ends it at once.

    Args:
        stop: Begins no work any more. Called in a thread of its own: a handler may hold no lock.
        release: What is given back also where the work is cut off.
    """
    asked: list[int] = []

    def handle(number: int, frame: object) -> None:
        del frame
        asked.append(number)
        if len(asked) > 1:
            _thread.start_new_thread(_cut, (128 + number, release))
        else:
            _thread.start_new_thread(stop, ())
            _thread.start_new_thread(_cut_later, (release,))

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


def _cut_later(release: Callable[[], None]) -> None:
    """Every step is safe to cut: the next start goes on from what is left."""
    time.sleep(GRACE_SECONDS)
    _cut(0, release)


def _cut(code: int, release: Callable[[], None]) -> None:
    with suppress(Exception):
        children.end_all()
    with suppress(Exception):
        release()
    os._exit(code)
