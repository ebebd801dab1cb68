"""How full pools are: their counters, exact for any size."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from reconciler.addresses import IPRange, IPSet
from reconciler.model.allocation import Allocation
from reconciler.model.key import Key
from reconciler.model.plan import Usage
from reconciler.model.pool import Pool


def space_of(pools: Mapping[Key, Pool], record: Allocation) -> str | None:
    """The address space that a record counts in; None when its pool is gone: then in all."""
    pool = pools.get(record.pool)
    return None if pool is None else pool.space


class _Measured(NamedTuple):
    """Addresses of a pool: allocated, held after release, free; the longest free run, their number."""

    allocated: int
    held: int
    available: int
    largest: int
    runs: int


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
        self._measured: dict[tuple[str, IPSet], _Measured] = {}
        self._live = {space: IPSet.of([*live.get(space, ()), *everywhere]) for space in live}
        self._everywhere = IPSet.of(everywhere)
        self._held = {space: IPSet.of(ranges) for space, ranges in held.items()}

    def live(self, space: str) -> IPSet:
        """What live records hold in a space."""
        return self._live.get(space, self._everywhere)

    def held(self, space: str) -> IPSet:
        """What released records hold in a space."""
        return self._held.get(space, IPSet())

    def measured(self, pool: Pool) -> _Measured:
        """What is held of a pool's addresses; of pools of the same addresses it is told once."""
        key = pool.space, pool.usable
        if key not in self._measured:
            live, held = self.live(pool.space), self.held(pool.space)
            taken_live = pool.usable & live
            taken_held = (pool.usable & held) - taken_live
            free = pool.usable - taken_live - taken_held
            largest = max((run.size for run in free), default=0)
            sizes = taken_live.size, taken_held.size, free.size
            self._measured[key] = _Measured(*sizes, largest, len(free.ranges))
        return self._measured[key]

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
    allocated, held, available, largest, runs = holdings.measured(pool)
    total, used = pool.usable.size, allocated + held
    return Usage(
        total=total,
        allocated=allocated,
        held=held,
        available=available,
        count=holdings.counts.get(pool.key, 0),
        fragmentation=100 - largest * 100 // available if runs > 1 else 0,
        largest=largest,
        percent=percentage(used, total),
        tier=pool.thresholds.tier(used, total),
    )
