"""Thread pools, and the order of clusters that depend on others."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


@contextmanager
def threads(count: int) -> Iterator[Executor]:
    """Yield a thread pool. If the block fails, work that has not started is canceled."""
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
    """Submit work for all names. A name that depends on others starts when these are done.

    Names without dependencies are submitted first, and dependents wait for no other dependent, so
    two that depend on each other do not block.

    Args:
        pool: The threads.
        names: The names, in order.
        after: The dependencies of a name; those that are not among `names` are ignored.
        work: Gets a name, and the results of its dependencies that did not fail.
    """
    first: dict[str, Future[T]] = {
        name: pool.submit(work, name, {}) for name in names if name not in after
    }

    def dependent(name: str) -> T:
        others = {other: first[other] for other in after[name] if other in first}
        failures = {other: future.exception() for other, future in others.items()}
        done = {other: others[other].result() for other in others if failures[other] is None}
        return work(name, done)

    return first | {name: pool.submit(dependent, name) for name in names if name in after}
