"""Progress on stderr: after a second, on a terminal, and gone without a trace when done.

By a timer signal and not by a thread, because reading forks processes.
"""

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

_AFTER_SECONDS = 1.0
_EVERY_SECONDS = 0.5
_CLEAR = "\r\x1b[K"


@contextmanager
def progress(doing: str) -> Iterator[None]:
    """Say what is being done for how long, when a person is there to see it."""
    if not sys.stderr.isatty():
        yield
        return
    start = time.monotonic()

    def tell(number: int, frame: object) -> None:
        del number, frame
        sys.stderr.write(f"{_CLEAR}{doing} … {time.monotonic() - start:.0f} s")
        sys.stderr.flush()

    before = signal.signal(signal.SIGALRM, tell)
    signal.setitimer(signal.ITIMER_REAL, _AFTER_SECONDS, _EVERY_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        sys.stderr.write(_CLEAR)
        sys.stderr.flush()
