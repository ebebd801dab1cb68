"""Failures and signals."""

import _thread
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, NamedTuple

import click

from reconciler.documents.text import escape
from reconciler.gitio import processes
from reconciler.gitio.processes import SignalReceived
from reconciler.model.errors import ExitCode, GitError, ReconcilerError

if TYPE_CHECKING:
    from sys import UnraisableHookArgs


_SHOWN_CHARACTERS = 300
_BETWEEN = re.compile(r"([\s'\"(]+)")


class FailureMessage(NamedTuple):
    """Failure to print on a terminal. The hint can be empty."""

    message: str
    hint: str
    code: int

    @property
    def line(self) -> str:
        """The whole failure in one line."""
        text = f"{self.message}; {self.hint}" if self.hint else self.message
        return text.replace("\n    ", "; ")


def describe(failure: Exception) -> FailureMessage:
    """Return the message of an expected failure, or report any other one as a bug."""
    if isinstance(failure, OSError):
        failure = _world(failure)
    if isinstance(failure, ReconcilerError):
        said, hint = without_passwords(str(failure)), without_passwords(failure.hint)
        return FailureMessage(_lines(said), _lines(hint), int(failure.exit_code))
    said = escape(without_passwords(str(failure)))[:_SHOWN_CHARACTERS]
    hint = "run it again with --debug and report it with what that prints"
    return FailureMessage(f"a bug: {type(failure).__name__}: {said}", hint, ExitCode.BUG)


def _lines(text: str) -> str:
    """Return a text of several lines, each escaped, and all but the first indented."""
    return "\n    ".join(map(escape, text.splitlines()))


def without_passwords(text: str) -> str:
    """Return a text without the passwords of URLs, including misplaced ones."""
    return "".join(map(_without_password, _BETWEEN.split(text)))


def _without_password(word: str) -> str:
    about, separator, place = word.rpartition("@")
    return f"***@{place}" if separator and ":" in about else word


def _world(failure: OSError) -> ReconcilerError:
    """Return an error of the operating system (disk full, permissions), which is not a bug."""
    where = f" {failure.filename}" if failure.filename else ""
    return GitError(
        f"{failure.strerror or failure}{where}",
        "mend that and run it again; what was published stays",
    )


_SIGNALS_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
UNWINDING_SECONDS = 5.0
"""Time for threads to finish. A container is killed ten seconds after the first signal."""

_farewells = count()


def install() -> None:
    """Handle these signals with an orderly shutdown, except for those that are ignored."""
    owner = os.getpid()

    def handle(number: int, frame: object) -> None:
        del frame
        if os.getpid() != owner:
            # A helper process that only reads has nothing to report, so it ends at once.
            processes.stop(number)
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        else:
            _end(number)

    for number in _SIGNALS_SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # `nohup` sets it
            signal.signal(number, handle)
    sys.unraisablehook = _hear


def _hear(lost: "UnraisableHookArgs") -> None:
    """Suppress the traceback of a signal that arrives in a finalizer. The next step ends."""
    if not issubclass(lost.exc_type, SignalReceived):
        sys.__unraisablehook__(lost)


def farewell(number: int) -> int:
    """End all remaining work, print the reason, and return the exit code."""
    processes.end_all()
    word = "interrupted" if number == signal.SIGINT else f"ended by {signal.Signals(number).name}"
    if next(_farewells) == 0:
        with suppress(OSError):  # the terminal can be closed
            click.echo(f"{word}; run it again, and it goes on from here", err=True)
    return 128 + number


def _end(number: int) -> None:
    for other in _SIGNALS_SIGNALS:
        signal.signal(other, signal.SIG_IGN)  # the shutdown is already running, and short
    may_raise = processes.stop(number)
    # Not `threading`: the interrupted code can hold one of its locks.
    _thread.start_new_thread(_go, (number,))
    if may_raise:
        raise SignalReceived(number)


def _go(number: int) -> None:
    """Exit without waiting for running work, such as a cluster that does not answer."""
    time.sleep(UNWINDING_SECONDS)
    os._exit(farewell(number))


GRACE_SECONDS = 20.0
_ENDING_SIGNALS = (signal.SIGTERM, signal.SIGINT)


def _begin(work: Callable[[], None]) -> None:
    """Run work in a thread without `threading`, whose locks the interrupted code can hold."""
    _thread.start_new_thread(work, ())


@dataclass(slots=True)
class ShutdownSignals:
    """Shutdown by signals: the first one requests the end, the next one interrupts running work.

    Attributes:
        stop: Starts no more work. Called in its own thread, because a handler must not take a lock.
        release: Releases resources, even if the work is interrupted.
        sleep: Waits for a number of seconds.
        leave: Ends the process with a code, regardless of running work.
        begin: Runs a function in its own thread.
        code: The exit code, also of work that ends while it is interrupted.
    """

    stop: Callable[[], None]
    release: Callable[[], None]
    sleep: Callable[[float], None] = time.sleep
    leave: Callable[[int], object] = os._exit
    begin: Callable[[Callable[[], None]], None] = _begin
    code: int = 0
    _asked: list[int] = field(default_factory=list)

    def ask(self, number: int) -> None:
        """Handle a signal."""
        self._asked.append(number)
        if len(self._asked) > 1:
            self.code = 128 + number
            self.begin(self._cut)
        else:
            self.begin(self.stop)
            self.begin(self._cut_later)

    def _cut_later(self) -> None:
        """Interrupt running work after a delay.

        Every step is safe to interrupt, because the next start continues it.
        """
        self.sleep(GRACE_SECONDS)
        self._cut()

    def _cut(self) -> None:
        with suppress(Exception):
            processes.end_all()
        with suppress(Exception):
            self.release()
        self.leave(self.code)


@contextmanager
def ending(ways: ShutdownSignals) -> Iterator[None]:
    """Handle termination signals this way while the block runs."""

    def handle(number: int, frame: object) -> None:
        del frame
        ways.ask(number)

    if current_thread() is not main_thread():  # only tests: ipam runs in its main thread
        yield
        return
    before = {number: signal.getsignal(number) for number in _ENDING_SIGNALS}
    for number in _ENDING_SIGNALS:
        if before[number] is not signal.SIG_IGN:
            signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
