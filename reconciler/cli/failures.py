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
    """A failure, fit for a terminal. The hint may be empty."""

    message: str
    hint: str
    code: int

    @property
    def line(self) -> str:
        """All of it in one line."""
        text = f"{self.message}; {self.hint}" if self.hint else self.message
        return text.replace("\n    ", "; ")


def describe(failure: Exception) -> FailureMessage:
    """A failure of the world in its own words; any other one as a bug."""
    if isinstance(failure, OSError):
        failure = _world(failure)
    if isinstance(failure, ReconcilerError):
        said, hint = without_passwords(str(failure)), without_passwords(failure.hint)
        return FailureMessage(_lines(said), _lines(hint), int(failure.exit_code))
    said = escape(without_passwords(str(failure)))[:_SHOWN_CHARACTERS]
    hint = "run it again with --debug and report it with what that prints"
    return FailureMessage(f"a bug: {type(failure).__name__}: {said}", hint, ExitCode.BUG)


def _lines(text: str) -> str:
    """A text of several lines, each escaped, and all but the first indented."""
    return "\n    ".join(map(escape, text.splitlines()))


def without_passwords(text: str) -> str:
    """A text without what stands where URLs have a password, also in the wrong place."""
    return "".join(map(_without_password, _BETWEEN.split(text)))


def _without_password(word: str) -> str:
    about, separator, place = word.rpartition("@")
    return f"***@{place}" if separator and ":" in about else word


def _world(failure: OSError) -> ReconcilerError:
    """An error of the operating system (disk full, no rights) is no bug of ours."""
    where = f" {failure.filename}" if failure.filename else ""
    return GitError(
        f"{failure.strerror or failure}{where}",
        "mend that and run it again; what was published stays",
    )


_SIGNALS_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
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
            processes.stop(number)
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        else:
            _end(number)

    for number in _SIGNALS_SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # `nohup` sets that
            signal.signal(number, handle)
    sys.unraisablehook = _hear


def _hear(lost: "UnraisableHookArgs") -> None:
    """Print nothing of a signal that came while Python let go of a value: the next step ends."""
    if not issubclass(lost.exc_type, SignalReceived):
        sys.__unraisablehook__(lost)


def farewell(number: int) -> int:
    """End what is left, and say why; the exit code."""
    processes.end_all()
    word = "interrupted" if number == signal.SIGINT else f"ended by {signal.Signals(number).name}"
    if next(_farewells) == 0:
        with suppress(OSError):  # the terminal may be gone
            click.echo(f"{word}; run it again, and it goes on from here", err=True)
    return 128 + number


def _end(number: int) -> None:
    for other in _SIGNALS_SIGNALS:
        signal.signal(other, signal.SIG_IGN)  # it is ending already, and not for long
    may_raise = processes.stop(number)
    # Not by `threading`: whatever was interrupted may hold a lock of it.
    _thread.start_new_thread(_go, (number,))
    if may_raise:
        raise SignalReceived(number)


def _go(number: int) -> None:
    """Go without what still works: a cluster that does not answer would be waited for."""
    time.sleep(UNWINDING_SECONDS)
    os._exit(farewell(number))


GRACE_SECONDS = 20.0
_ENDING_SIGNALS = (signal.SIGTERM, signal.SIGINT)


def _begin(work: Callable[[], None]) -> None:
    """Work in a thread. Not by `threading`: what a signal interrupts may hold a lock of it."""
    _thread.start_new_thread(work, ())


@dataclass(slots=True)
class ShutdownSignals:
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
            processes.end_all()
        with suppress(Exception):
            self.release()
        self.leave(self.code)


@contextmanager
def ending(ways: ShutdownSignals) -> Iterator[None]:
    """While the block runs, signals that ask for the end are answered so."""

    def handle(number: int, frame: object) -> None:
        del frame
        ways.ask(number)

    if current_thread() is not main_thread():  # tests; a process of ours runs in its main thread
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
