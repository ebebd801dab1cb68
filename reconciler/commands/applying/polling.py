"""Ask a cluster again and again until something is so."""

from collections.abc import Callable
from typing import TypeVar

from reconciler.ports import Cluster

T = TypeVar("T")


def poll(
    cluster: Cluster, ask: Callable[[], T], is_so: Callable[[T], bool], *, every: float, times: int
) -> tuple[T, bool]:
    """What was said last, and whether it is so.

    Args:
        cluster: It may take that long only within its deadline.
        ask: Asks it.
        is_so: Whether an answer is the one that is waited for.
        every: Seconds between two questions.
        times: How often it is asked; at least once.

    Raises:
        UnreachableError: The deadline comes first.
    """
    said = ask()
    for _ in range(times - 1):
        if is_so(said):
            return said, True
        cluster.pause(every)
        said = ask()
    return said, is_so(said)
