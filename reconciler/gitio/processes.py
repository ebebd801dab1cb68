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
"""How long anything is waited for at once: a signal that comes just before shows only after."""

GRACE_SECONDS = 2.0
"""For git to take its locks and half-written files away."""

_KILLED_SECONDS = 1.0
# A git that reads is gone at once; who takes away locks may take longer.
_PAUSES = (0.0005, 0.001, 0.002, 0.004)
_PAUSE_SECONDS = 0.01
_PIECE = 1 << 16


class SignalReceived(BaseException):
    """A signal ends this process. Not an Exception: what goes on after a failure lets it through.

    Attributes:
        number: The signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class _State(Struct):
    """What runs, and the signal that ends us; 0 while there was none.

    Signals are handled by the main thread between two steps of its own. There is no lock that it
    could hold just then: each access is a single step.
    """

    running: "set[Popen[bytes]]" = field(default_factory=set)
    number: int = 0
    is_starting: bool = False


_state = _State()


@contextmanager
def child(start: Callable[[], Any]) -> "Iterator[Popen[bytes]]":
    """A process while it works. Left by an exception, it is ended with all that it started.

    Args:
        start: Starts it as the leader of a process group; gives GitPython's wrapper, which has it
            as `proc`.

    Raises:
        Ended: A signal came. What the process said by then is not to be believed: it was told, too.
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
    """A process that answers as long as it is asked. When it is left it hears no more, and ends.

    Args:
        start: As for `child`.

    Raises:
        Ended: A signal came.
    """
    wrapper = _started(start)
    process: Popen[bytes] = wrapper.proc
    try:
        _go_on()
        yield process
    finally:
        _dismiss(process)


def _dismiss(process: "Popen[bytes]") -> None:
    """Let a process end that waits to be asked."""
    for stream in (process.stdin, process.stdout, process.stderr):
        with suppress(OSError):  # what was not said to it any more
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
    """Yield what a process prints on stdout, piece by piece, until it ends.

    Args:
        process: The process.
        seconds: How long a piece may take.
        err: Takes the beginning of what it prints on stderr.

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
    """What a process says on stdout and stderr, given its input, until it ends.

    Raises:
        TimeoutExpired: It did not end in time.
    """
    if (
        data is not None
    ):  # that can be said in one go only; nothing that takes long is told anything
        return process.communicate(data, timeout=seconds)
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > TICK_SECONDS:
        with suppress(TimeoutExpired):
            return process.communicate(timeout=TICK_SECONDS)
    return process.communicate(timeout=max(left, 0.0))


def pause(seconds: float) -> None:
    """Wait; signals are heard meanwhile."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        time.sleep(min(left, TICK_SECONDS))


def stop(number: int) -> bool:
    """Begin to end because of a signal: nothing is started any more, and all that runs is told.

    Returns:
        Whether `Ended` may be raised here and now. Else a process is just being started, and it is
        raised as soon as that one is known.
    """
    _state.number = number
    for process in list(_state.running):
        _tell(process, signal.SIGTERM)
    return not _state.is_starting


def end(process: "Popen[bytes]") -> None:
    """End a process and all that it started, and reap them: they are a process group of their own."""
    for number, seconds in ((signal.SIGTERM, GRACE_SECONDS), (signal.SIGKILL, _KILLED_SECONDS)):
        _tell(process, number)
        until, pauses = time.monotonic() + seconds, iter(_PAUSES)
        while (is_there := _is_there(process)) and time.monotonic() < until:
            time.sleep(next(pauses, _PAUSE_SECONDS))
        if not is_there:
            break
    _state.running.discard(process)


def end_all() -> None:
    """End whatever is left."""
    for process in list(_state.running):
        end(process)


def _started(start: Callable[[], Any]) -> Any:
    _go_on()
    if current_thread() is not main_thread():
        return _noted(start)
    _state.is_starting = True  # a signal now waits until it is known what there is to end
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
    """Whether anything of its group is left."""
    if process.poll() is None:
        return True
    # The first process of a container gets the children of those that died.
    with suppress(ChildProcessError):
        while os.waitpid(-process.pid, os.WNOHANG)[0]:
            pass
    try:
        os.killpg(process.pid, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True
