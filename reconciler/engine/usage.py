"""How full pools are: their counters, exact for any size."""

from collections.abc import Iterable, Mapping

from reconciler.addresses import IPRange, IPSet
from reconciler.model.allocation import Allocation
from reconciler.model.key import Key
from reconciler.model.plan import Usage
from reconciler.model.pool import Pool


def space_of(pools: Mapping[Key, Pool], record: Allocation) -> str | None:
    """The address space that a record counts in; None when its pool is gone: then in all."""
    pool = pools.get(record.pool)
    return None if pool is None else pool.space


class Holdings:
    """Ranges that records hold, by address space: live ones, and released ones in retention."""

    def __init__(self, pools: Mapping[Key, Pool], records: Iterable[Allocation]) -> None:
        live: dict[str, list[IPRange]] = {}
        held: dict[str, list[IPRange]] = {}
        self.counts: dict[Key, int] = {}
        everywhere: list[IPRange] = []
        for record in records:
            if record.range is None:
                continue
            space = space_of(pools, record)
            if space is None:
                everywhere.append(record.range)
            else:
                part = live if record.is_live else held
                part.setdefault(space, []).append(record.range)
            if record.is_live:
                self.counts[record.pool] = self.counts.get(record.pool, 0) + 1
        # Joined once, not for every pool that asks.
        self._live = {space: IPSet.of([*live.get(space, ()), *everywhere]) for space in live}
        self._everywhere = IPSet.of(everywhere)
        self._held = {space: IPSet.of(ranges) for space, ranges in held.items()}

    def live(self, space: str) -> IPSet:
        """What live records hold in a space."""
        return self._live.get(space, self._everywhere)

    def held(self, space: str) -> IPSet:
        """What released records hold in a space."""
        return self._held.get(space, IPSet())

    def ranges(self, space: str) -> tuple[IPRange, ...]:
        """All ranges that are taken in a space."""
        return (*self.live(space), *self.held(space))


def percentage(used: int, total: int) -> float:
    """A share in percent, one decimal, half up; exact for any size. A share of nothing is 100."""
    return (2000 * used + total) // (2 * total) / 10 if total else 100.0


def usage(pool: Pool, holdings: Holdings) -> Usage:
    """The counters of one pool.

    Addresses of overlapping pools count in each of them, because neither can give them out:
    `available` is always `total - allocated - held`.
    """
    live = holdings.live(pool.space)
    taken_live = pool.usable & live
    taken_held = (pool.usable & holdings.held(pool.space)) - taken_live
    free = pool.usable - taken_live - taken_held
    total, allocated, held = pool.usable.size, taken_live.size, taken_held.size
    available = free.size
    largest = max((run.size for run in free), default=0)
    used = allocated + held
    return Usage(
        total=total,
        allocated=allocated,
        held=held,
        available=available,
        count=holdings.counts.get(pool.key, 0),
        fragmentation=100 - largest * 100 // available if len(free.ranges) > 1 else 0,
        largest=largest,
        percent=percentage(used, total),
        tier=pool.thresholds.tier(used, total),
    )
