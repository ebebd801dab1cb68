"""Child processes."""

import os
import selectors
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from subprocess import TimeoutExpired  # nosec B404  # what ends git is here
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

if TYPE_CHECKING:
    from subprocess import Popen  # nosec B404  # its type

TICK_SECONDS = 1.0
"""Longest single wait. A signal that arrives just before is handled only after it."""

GRACE_SECONDS = 2.0
"""Time for Git to remove its locks and partial files."""

_KILLED_SECONDS = 1.0
# A reading Git process ends at once. A process that removes locks can take longer.
_PAUSES = (0.0005, 0.001, 0.002, 0.004)
_PAUSE_SECONDS = 0.01
_PIECE = 1 << 16


class SignalReceived(BaseException):
    """Signal that ends this process. Not an Exception, so that error handlers do not catch it.

    Attributes:
        number: The signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class _State(Struct):
    """Running processes, and the signal that ends this process, or 0.

    The main thread handles signals between two steps of its own code. A lock could be held at that
    moment, so there is none, and each access is a single step.
    """

    running: "set[Popen[bytes]]" = field(default_factory=set)
    number: int = 0
    is_starting: bool = False


_state = _State()


@contextmanager
def child(start: Callable[[], Any]) -> "Iterator[Popen[bytes]]":
    """Run a process. If the block raises, end the process and everything that it started.

    Args:
        start: Starts the process as the leader of a process group, and returns GitPython's wrapper
            with the process in `proc`.

    Raises:
        SignalReceived: A signal arrived. The output is unreliable, because the process also got it.
    """
    wrapper = _started(start)
    process: Popen[bytes] = wrapper.proc
    try:
        _go_on()
        yield process
    except BaseException:
        end(process)
        raise
    _state.running.discard(process)
    _go_on()


@contextmanager
def coprocess(start: Callable[[], Any]) -> "Iterator[Popen[bytes]]":
    """Run a process that answers requests. Leaving the block closes its input and ends it.

    Args:
        start: As for `child`.

    Raises:
        SignalReceived: A signal arrived.
    """
    wrapper = _started(start)
    process: Popen[bytes] = wrapper.proc
    try:
        _go_on()
        yield process
    finally:
        _dismiss(process)


def _dismiss(process: "Popen[bytes]") -> None:
    """End a process that waits for input."""
    for stream in (process.stdin, process.stdout, process.stderr):
        with suppress(OSError):  # unsent input is dropped
            if stream is not None:
                stream.close()
    try:
        process.wait(GRACE_SECONDS)
    except TimeoutExpired:
        end(process)
    _state.running.discard(process)


def pieces(
    process: "Popen[bytes]", seconds: float, err: bytearray | None = None
) -> Iterator[bytes]:
    """Yield the standard output of a process in pieces until it ends.

    Args:
        process: The process.
        seconds: Time limit for each piece.
        err: Receives the beginning of its standard error.

    Raises:
        TimeoutError: A piece took longer.
    """
    with selectors.DefaultSelector() as ready:
        for stream in filter(None, (process.stdout, process.stderr)):
            ready.register(stream, selectors.EVENT_READ)
        until = time.monotonic() + seconds
        while ready.get_map():
            if time.monotonic() > until:
                raise TimeoutError
            for key, _ in ready.select(TICK_SECONDS):
                piece = os.read(key.fd, _PIECE)
                if not piece:
                    ready.unregister(key.fileobj)
                    key.fileobj.close()  # type: ignore[union-attr]  # a stream
                elif key.fileobj is process.stdout:
                    yield piece
                    until = time.monotonic() + seconds
                elif err is not None:
                    err += piece[: _PIECE - len(err)]


def communicate(process: "Popen[bytes]", data: bytes | None, seconds: float) -> tuple[bytes, bytes]:
    """Send input to a process and return its standard output and standard error.

    Raises:
        TimeoutExpired: The process did not end in time.
    """
    if data is not None:  # input can be written only once, and long-running processes get none
        return process.communicate(data, timeout=seconds)
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > TICK_SECONDS:
        with suppress(TimeoutExpired):
            return process.communicate(timeout=TICK_SECONDS)
    return process.communicate(timeout=max(left, 0.0))


def pause(seconds: float) -> None:
    """Wait, and handle signals in the meantime."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        time.sleep(min(left, TICK_SECONDS))


def stop(number: int) -> bool:
    """Start the shutdown after a signal: start no more processes, and signal all running ones.

    Returns:
        Whether the caller may raise `SignalReceived` now. If a process is just being started, it is
            raised as soon as that process is registered.
    """
    _state.number = number
    for process in list(_state.running):
        _tell(process, signal.SIGTERM)
    return not _state.is_starting


def end(process: "Popen[bytes]") -> None:
    """End the process group of a process, and reap its members."""
    for number, seconds in ((signal.SIGTERM, GRACE_SECONDS), (signal.SIGKILL, _KILLED_SECONDS)):
        _tell(process, number)
        until, pauses = time.monotonic() + seconds, iter(_PAUSES)
        while (is_there := _is_there(process)) and time.monotonic() < until:
            time.sleep(next(pauses, _PAUSE_SECONDS))
        if not is_there:
            break
    _state.running.discard(process)


def end_all() -> None:
    """End all remaining processes."""
    for process in list(_state.running):
        end(process)


def _started(start: Callable[[], Any]) -> Any:
    _go_on()
    if current_thread() is not main_thread():
        return _noted(start)
    _state.is_starting = True  # a signal now waits until the new process is registered
    try:
        return _noted(start)
    finally:
        _state.is_starting = False


def _noted(start: Callable[[], Any]) -> Any:
    wrapper = start()
    _state.running.add(wrapper.proc)
    return wrapper


def _go_on() -> None:
    if _state.number:
        raise SignalReceived(_state.number)


def _tell(process: "Popen[bytes]", number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _is_there(process: "Popen[bytes]") -> bool:
    """Report whether the process group has any member left."""
    if process.poll() is None:
        return True
    # The first process of a container inherits orphaned processes.
    with suppress(ChildProcessError):
        while os.waitpid(-process.pid, os.WNOHANG)[0]:
            pass
    try:
        os.killpg(process.pid, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True
