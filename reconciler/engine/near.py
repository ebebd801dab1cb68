"""Where a claim goes that adds to what its owner has: touching it, where that is free."""

from collections.abc import Callable, Iterator, Sequence

from reconciler.addresses import IPRange
from reconciler.engine.space import Space
from reconciler.model.claim import Near, Owner
from reconciler.model.pool import Pool

_NOBODY = Owner("", "", "")


def find_near(
    near: Near,
    size: int,
    pools: Sequence[Pool],
    space_of: Callable[[str], Space],
    *,
    take: bool,
) -> tuple[int, IPRange] | None:
    """The addresses behind the last range, else those before it, with the position of the pool.

    None where neither is free. Without `take` they are only found.
    """
    for at, pool in enumerate(pools):
        if pool.key != near.pool or pool.is_paused or not pool.auto_assign:
            continue
        space = space_of(pool.space)
        for item in _touching(near.range, size):
            if pool.usable.covers(item) and space.is_free(item, _NOBODY):
                if take:
                    space.take(pool, item)
                return at, item
    return None


def _touching(item: IPRange, size: int) -> Iterator[IPRange]:
    yield IPRange(item.version, item.last + 1, item.last + size)
    if item.first >= size:
        yield IPRange(item.version, item.first - size, item.first - 1)
