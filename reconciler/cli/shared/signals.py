"""SIGTERM and its kin: what was started ends first, then `ipam`, with 128 and the number.

Asked for by name, because the first process of a container gets no other signal.
"""

import _thread
import os
import signal
import sys
import time
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING

import click

from reconciler.adapters import children
from reconciler.adapters.children import Ended

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
UNWINDING_SECONDS = 5.0
"""For work in threads to come to its end; a container is killed ten seconds after it was asked."""

_farewells = count()


def install() -> None:
    """From now on these signals end this process in order, but for those that it is to ignore."""
    owner = os.getpid()

    def handle(number: int, frame: object) -> None:
        del frame
        if os.getpid() != owner:
            # A process that only reads for this one: it has nothing to tell, and just goes.
            children.stop(number)
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        else:
            _end(number)

    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # `nohup` sets that
            signal.signal(number, handle)
    sys.unraisablehook = _hear


def _hear(lost: "UnraisableHookArgs") -> None:
    """Print nothing of a signal that came while Python let go of a value: the next step ends."""
    if not issubclass(lost.exc_type, Ended):
        sys.__unraisablehook__(lost)


def farewell(number: int) -> int:
    """End what is left, and say why; the exit code."""
    children.end_all()
    word = "interrupted" if number == signal.SIGINT else f"ended by {signal.Signals(number).name}"
    if next(_farewells) == 0:
        with suppress(OSError):  # the terminal may be gone
            click.echo(f"{word}; run it again, and it goes on from here", err=True)
    return 128 + number


def _end(number: int) -> None:
    for other in _SIGNALS:
        signal.signal(other, signal.SIG_IGN)  # it is ending already, and not for long
    may_raise = children.stop(number)
    # Not by `threading`: whatever was interrupted may hold a lock of it.
    _thread.start_new_thread(_go, (number,))
    if may_raise:
        raise Ended(number)


def _go(number: int) -> None:
    """Go without what still works: a cluster that does not answer would be waited for."""
    time.sleep(UNWINDING_SECONDS)
    os._exit(farewell(number))
