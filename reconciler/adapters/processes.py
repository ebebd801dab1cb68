"""Work on all processors: forked processes that share what was read, and send back results.

This process does a share itself: what it does need not be sent, and what it holds is copied less.
"""

import gc
import os
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkProcess

T = TypeVar("T")
MOST = 8
_sharing: list[bool] = []
"""Not empty while this process does a share: the processors are taken."""


def processors() -> int:
    """How many processes may work at once here."""
    from multiprocessing import current_process  # 4 ms, and a small change needs no second process

    if _sharing or current_process().daemon:
        return 1
    return min(os.cpu_count() or 1, MOST)


def spread(items: Sequence[str], work: Callable[[Sequence[str]], T]) -> list[T]:
    """`work` on shares of the items, in forked processes; the results by share.

    The processes see all that this one has in memory, so nothing is sent to them. While a share is
    done there is no further division.

    Raises:
        Exception: What `work` raised in any of them.
    """
    count = min(len(items), processors()) if len(items) > 1 else 1
    # A fork beside threads may inherit a lock that nobody will ever let go of.
    if count < 2 or threading.active_count() > 1:
        return [work(items)]
    # Objects that are there now outlive the children, and few are made that need collecting.
    gc.freeze()
    gc.disable()
    started = [_start(work, items[number::count]) for number in range(1, count)]
    answers = [_own(work, items[0::count]), *(_answer(*child) for child in started)]
    gc.enable()
    gc.unfreeze()
    for failure in (item for item in answers if isinstance(item, _Failure)):
        raise failure.reason
    return [item for item in answers if not isinstance(item, _Failure)]


class _Failure(Struct, frozen=True):
    """What the work on a share raised."""

    reason: Exception


def _own(work: Callable[[Sequence[str]], T], share: Sequence[str]) -> T | _Failure:
    """The work of this process; a failure waits until the others have ended."""
    _sharing.append(True)
    try:
        return work(share)
    except Exception as failure:  # noqa: BLE001 - it is raised again where it can be told
        return _Failure(failure)
    finally:
        _sharing.pop()


def _start(
    work: Callable[[Sequence[str]], T], share: Sequence[str]
) -> "tuple[Connection, ForkProcess]":
    """A process that works on a share, and where it answers."""
    from multiprocessing import get_context

    context = get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(sender, work, share), daemon=True)
    process.start()
    sender.close()
    return receiver, process


def _answer(receiver: "Connection", process: "ForkProcess") -> Any:
    """What a process sends back."""
    try:
        answer = receiver.recv()
    except EOFError:
        answer = _Failure(RuntimeError("a process ended before it was done"))
    process.join()
    receiver.close()
    return answer


def _run(sender: "Connection", work: Callable[[Sequence[str]], T], share: Sequence[str]) -> None:
    gc.disable()
    try:
        sender.send(work(share))
    except Exception as failure:  # noqa: BLE001 - it is raised again where it can be told
        sender.send(_Failure(failure))
    sender.close()
