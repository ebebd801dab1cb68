"""Pool usage and lookup."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate
from typing import Generic, NamedTuple, TypeVar

from reconciler.addresses.ranges import IPRange, IPSet
from reconciler.documents.findings import Location
from reconciler.model.claim import Allocation
from reconciler.model.key import Key
from reconciler.model.plan import Usage
from reconciler.model.pool import Pool
from reconciler.model.state import State


def space_of(pools: Mapping[Key, Pool], record: Allocation) -> str | None:
    """Return the address space of a record; None (all spaces) if its pool is missing."""
    pool = pools.get(record.pool)
    return None if pool is None else pool.space


class _Measured(NamedTuple):
    """Counters of a pool: allocated, reserved, and free addresses, and the longest free range."""

    allocated: int
    held: int
    available: int
    largest: int
    runs: int


class Holdings:
    """Ranges of records by address space: live ranges, and released ranges in retention."""

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
        # Computed once, not for every pool.
        self._measured: dict[tuple[str, IPSet], _Measured] = {}
        self._live = {space: IPSet.of([*live.get(space, ()), *everywhere]) for space in live}
        self._everywhere = IPSet.of(everywhere)
        self._held = {space: IPSet.of(ranges) for space, ranges in held.items()}

    def live(self, space: str) -> IPSet:
        """Return the ranges of live records in a space."""
        return self._live.get(space, self._everywhere)

    def held(self, space: str) -> IPSet:
        """Return the ranges of released records in a space."""
        return self._held.get(space, IPSet())

    def measured(self, pool: Pool) -> _Measured:
        """Return the counters of a pool; computed once for pools with the same addresses."""
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
        """Return all taken ranges of a space."""
        return (*self.live(space), *self.held(space))


def percentage(used: int, total: int) -> float:
    """Return a share in percent, rounded half up to one decimal; 100 if the total is 0."""
    return (2000 * used + total) // (2 * total) / 10 if total else 100.0


def usage(pool: Pool, holdings: Holdings) -> Usage:
    """Return the counters of one pool.

    Addresses of overlapping pools count in each of the pools, because neither can give them out:
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


T = TypeVar("T")


class Lookup(Generic[T]):
    """Ranges, possibly overlapping, with a value for each."""

    def __init__(self, entries: Iterable[tuple[IPRange, T]]) -> None:
        self._entries = list(entries)
        # By address; the number is the original position.
        self._sorted = sorted((item, at) for at, (item, _) in enumerate(self._entries))
        # The furthest end of each prefix: no range further back overlaps.
        self._reach = list(accumulate(((item.version, item.last) for item, _ in self._sorted), max))

    def first(self, item: IPRange, is_meant: Callable[[T], bool]) -> tuple[IPRange, T] | None:
        """Return the first entry by address that overlaps `item` and satisfies the predicate."""
        start = bisect_left(self._reach, (item.version, item.first))
        for place in range(start, len(self._sorted)):
            other, at = self._sorted[place]
            if other[:2] > (item.version, item.last):
                return None
            if other.overlaps(item) and is_meant(self._entries[at][1]):
                return self._entries[at]
        return None

    def overlapping(self, item: IPRange) -> list[tuple[IPRange, T]]:
        """Return the entries that overlap `item`, in their original order."""
        start = bisect_left(self._reach, (item.version, item.first))
        end = bisect_right(self._sorted, (item.version, item.last), key=lambda entry: entry[0][:2])
        found = [at for other, at in self._sorted[start:end] if other.overlaps(item)]
        return [self._entries[at] for at in sorted(found)]


class AddressUsage(NamedTuple):
    """Addresses with a meaning.

    Attributes:
        sort: `pool`, `gateway`, `in-use`, `record`, `pods`, or `services`.
        title: The display name.
        spaces: Its address spaces; none if it counts in all spaces.
    """

    range: IPRange
    sort: str
    title: str
    spaces: tuple[str, ...]
    source: Location


def everything(state: State) -> Iterator[AddressUsage]:
    """Yield all address usage, unordered."""
    yield from outside(state)
    for record in state.records:
        if record.range is not None:
            space = space_of(state.pools, record)
            title = f"{record.phase.value} to {record.claim.short}"
            spaces = () if space is None else (space,)
            yield AddressUsage(record.range, "record", title, spaces, Location(record.path, 1, 1))
    for network in state.inside:
        yield AddressUsage(
            network.range, network.use, network.owner, network.spaces, network.source
        )


def outside(state: State) -> Iterator[AddressUsage]:
    """Yield usage outside of clusters without a record: whole pools, gateways, ranges in use."""
    for pool in state.pools.values():
        for item in pool.extent | pool.usable:
            yield AddressUsage(item, "pool", _named(pool), (pool.space,), pool.source)
    for gateway in state.gateways:
        spaces = gateway.beside(state.pools)
        if spaces or not gateway.spaces(state.pools):
            yield AddressUsage(gateway.range, "gateway", gateway.title, spaces, gateway.source)
    for blocked in state.blocked:
        yield AddressUsage(blocked.range, "in-use", blocked.title, (), blocked.source)


def _named(pool: Pool) -> str:
    return f"{pool.key.kind} {pool.key.short}"


def of_pool(pool: Pool, item: IPRange) -> str:
    """Return how a pool uses addresses of its network."""
    asked = IPSet((item,))
    if pool.usable.covers(item):
        return "gives out"
    if pool.usable & asked:
        return "gives out some"
    return "reserves" if pool.reserved & asked else "does not give out"
