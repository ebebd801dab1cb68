"""Work on all processors: forked processes that share what was read, and send back results."""

import gc
import os
import threading
from collections.abc import Callable, Sequence
from multiprocessing import current_process, get_context
from multiprocessing.connection import Connection
from typing import TypeVar

T = TypeVar("T")
MOST = 8


def processors() -> int:
    """How many processes may work at once here."""
    return 1 if current_process().daemon else min(os.cpu_count() or 1, MOST)


def spread(items: Sequence[str], work: Callable[[Sequence[str]], T]) -> list[T]:
    """`work` on shares of the items, in forked processes; the results by share.

    The processes see all that this one has in memory, so nothing is sent to them. In such a
    process there is no further division: the processors are taken.

    Raises:
        Exception: What `work` raised in any of them.
    """
    count = min(len(items), processors())
    # A fork beside threads may inherit a lock that nobody will ever let go of.
    if count < 2 or threading.active_count() > 1:
        return [work(items)]
    context = get_context("fork")
    # Objects that are there now outlive the children: no use in looking at them again.
    gc.freeze()
    started = []
    for number in range(count):
        receiver, sender = context.Pipe(duplex=False)
        share = items[number::count]
        process = context.Process(target=_run, args=(sender, work, share), daemon=True)
        process.start()
        sender.close()
        started.append((receiver, process))
    results: list[T] = []
    failures: list[Exception] = []
    for receiver, process in started:
        try:
            is_fine, value = receiver.recv()
        except EOFError:
            is_fine, value = False, RuntimeError("a process ended before it was done")
        process.join()
        receiver.close()
        if is_fine:
            results.append(value)
        else:
            failures.append(value)
    gc.unfreeze()
    if failures:
        raise failures[0]
    return results


def _run(sender: Connection, work: Callable[[Sequence[str]], T], share: Sequence[str]) -> None:
    gc.disable()
    try:
        sender.send((True, work(share)))
    except Exception as failure:  # noqa: BLE001 - it is raised again where it can be told
        sender.send((False, failure))
    sender.close()
