"""Who is worked on when: all at once, but those that wait for others."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


@contextmanager
def threads(count: int) -> Iterator[Executor]:
    """So many threads. When the block fails, what was not begun is not begun any more."""
    with ThreadPoolExecutor(count) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def in_turn(
    pool: Executor,
    names: Sequence[str],
    after: Mapping[str, Sequence[str]],
    work: Callable[[str, Mapping[str, T]], T],
) -> Mapping[str, Future[T]]:
    """Begin to work on all; who waits for others begins as soon as just those are done.

    Nobody waits for one that waits itself, so two that wait for each other do not wait for ever.

    Args:
        pool: Where it is done.
        names: Who is worked on, in this order.
        after: The others that one waits for; those that are not among `names` are done.
        work: Gets a name, and what came of those that were waited for, but of those that failed.

    Returns:
        What becomes of each; all are begun.
    """
    nothing: Mapping[str, T] = {}
    first = {name: pool.submit(work, name, nothing) for name in names if name not in after}
    left = {
        name: {first[other] for other in after[name] if other in first}
        for name in names
        if name in after
    }
    begun = dict(first)

    def begin(name: str) -> None:
        done = {
            other: first[other].result()
            for other in after[name]
            if other in first and first[other].exception() is None
        }
        begun[name] = pool.submit(work, name, done)

    waiting: dict[Future[T], list[str]] = {}
    for name, others in left.items():
        for other in others:
            waiting.setdefault(other, []).append(name)
        if not others:
            begin(name)
    for other in as_completed(waiting):
        for name in waiting[other]:
            left[name].discard(other)
            if not left[name]:
                begin(name)
    return begun
