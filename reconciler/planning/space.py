"""Address spaces: taken ranges, usage, and free ranges by placement (best fit or lowest)."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Generic, NamedTuple, TypeVar

from msgspec import Struct

from reconciler.addresses import IPRange, IPSet
from reconciler.documents.findings import Location
from reconciler.model.claim import Allocation, Near, Owner
from reconciler.model.key import Key
from reconciler.model.plan import Blocked, State, Usage
from reconciler.model.pool import Placement, Pool
from reconciler.planning.blocks import FreeBlocks, count_blocks

T = TypeVar("T")


def space_of(pools: Mapping[Key, Pool], record: Allocation) -> str | None:
    """Return the address space of a record; None (all spaces) if its pool is missing."""
    pool = pools.get(record.pool)
    return None if pool is None else pool.space


class _Measured(NamedTuple):
    allocated: int
    held: int
    available: int
    largest: int
    runs: int


class Holdings:
    """Ranges of records by address space: live ranges, and released ranges in retention.

    Ranges in use without a record (`blocked`) count as allocated in all spaces.
    """

    def __init__(
        self,
        pools: Mapping[Key, Pool],
        records: Iterable[Allocation],
        blocked: Iterable[Blocked] = (),
    ) -> None:
        live: dict[str, list[IPRange]] = {}
        held: dict[str, list[IPRange]] = {}
        self.counts: dict[Key, int] = {}
        self.lengths: dict[Key, set[int]] = {}
        everywhere: list[IPRange] = []
        for record in records:
            if record.range is None:
                continue
            space, is_live = space_of(pools, record), record.is_live
            if space is None:
                everywhere.append(record.range)
            else:
                (live if is_live else held).setdefault(space, []).append(record.range)
            if record.prefix is not None:
                self.lengths.setdefault(record.pool, set()).add(record.prefix)
            if is_live:
                self.counts[record.pool] = self.counts.get(record.pool, 0) + 1
        # Computed once, not for every pool.
        self._measured: dict[tuple[str, IPSet], _Measured] = {}
        self._blocked = IPSet.of(item.range for item in blocked)
        self._live = {space: IPSet.of([*live.get(space, ()), *everywhere]) for space in live}
        self._everywhere = IPSet.of(everywhere)
        self._held = {space: IPSet.of(ranges) for space, ranges in held.items()}

    def live(self, space: str) -> IPSet:
        """Return the ranges of live records in a space."""
        return self._live.get(space, self._everywhere)

    def taken(self, space: str) -> IPSet:
        """Return all ranges in use or in retention in a space."""
        return self.live(space) | self.held(space) | self._blocked

    def held(self, space: str) -> IPSet:
        """Return the ranges of released records in a space."""
        return self._held.get(space, IPSet())

    def ranges(self, space: str) -> tuple[IPRange, ...]:
        """Return all taken ranges of a space."""
        return (*self.live(space), *self.held(space))

    def measured(self, pool: Pool) -> _Measured:
        """Return the counters of a pool; computed once for pools with the same addresses."""
        key = pool.space, pool.usable
        if key not in self._measured:
            taken_live = pool.usable & (self.live(pool.space) | self._blocked)
            taken_held = (pool.usable & self.held(pool.space)) - taken_live
            free = pool.usable - taken_live - taken_held
            largest = max((run.size for run in free), default=0)
            sizes = taken_live.size, taken_held.size, free.size
            self._measured[key] = _Measured(*sizes, largest, len(free.ranges))
        return self._measured[key]


def percentage(used: int, total: int) -> float:
    """Return a share in percent, rounded half up to one decimal; 100 if the total is 0."""
    return (2000 * used + total) // (2 * total) / 10 if total else 100.0


def usage(pool: Pool, holdings: Holdings) -> Usage:
    """Return the counters of one pool. Addresses of overlapping pools count in each of them."""
    allocated, held, available, largest, runs = holdings.measured(pool)
    total, used = pool.usable.size, allocated + held
    lengths = sorted(holdings.lengths.get(pool.key, ()), reverse=True)
    free = pool.allocatable - holdings.taken(pool.space) if lengths else IPSet()
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
        blocks=tuple((length, count_blocks(free, length)) for length in lengths),
    )


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
    """Addresses with a meaning, in some address spaces; none for all.

    `sort` is `pool`, `gateway`, `in-use`, `record`, `pods`, or `services`.
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
    for it in state.inside:
        yield AddressUsage(it.range, it.use, it.owner, it.spaces, it.source)


def outside(state: State) -> Iterator[AddressUsage]:
    """Yield usage outside of clusters without a record: whole pools, gateways, ranges in use."""
    for pool in state.pools.values():
        title = f"{pool.key.kind} {pool.key.short}"
        for item in pool.extent | pool.usable:
            yield AddressUsage(item, "pool", title, (pool.space,), pool.source)
    for gateway in state.gateways:
        spaces = gateway.outside_spaces(state.pools)
        if spaces or not gateway.spaces(state.pools):
            yield AddressUsage(gateway.range, "gateway", gateway.title, spaces, gateway.source)
    for blocked in state.blocked:
        yield AddressUsage(blocked.range, "in-use", blocked.title, (), blocked.source)


def of_pool(pool: Pool, item: IPRange) -> str:
    """Return how a pool uses addresses of its network."""
    asked = IPSet((item,))
    if pool.usable.covers(item):
        return "allocates"
    if pool.usable & asked:
        return "allocates some of"
    return "reserves" if pool.reserved & asked else "does not allocate"


# Room for an IPv6 address plus one bit, so that `size << _SHIFT | start` sorts by size first.
_SHIFT = 129


class FreeRuns:
    """Free ranges of one IP version."""

    def __init__(self, runs: Iterable[tuple[int, int]], placement: Placement) -> None:
        self._last_of = dict(runs)
        self._by_size = placement is Placement.BEST_FIT
        self._starts: list[int] | None = None  # sorted, from the first `take` on
        self._order = sorted(self._rank(*run) for run in self._last_of.items())

    def allocate(self, size: int) -> int | None:
        """Take `size` contiguous addresses by placement; return the first address, or None."""
        first = self.find(size)
        if first is None:
            return None
        last = self._last_of[first]
        self._remove(first, last)
        if last - first >= size:
            self._add(first + size, last)
        return first

    def find(self, size: int) -> int | None:
        """Return the first of `size` addresses by placement without taking them, or None."""
        if self._by_size:
            position = bisect_left(self._order, size << _SHIFT)
            if position == len(self._order):
                return None
            return self._order[position] & ((1 << _SHIFT) - 1)
        return next((run for run in self._order if self._last_of[run] - run + 1 >= size), None)

    def take(self, first: int, last: int) -> None:
        """Remove the free part of `first` to `last`."""
        if self._starts is None:
            self._starts = sorted(self._last_of)
        start = max(bisect_right(self._starts, first) - 1, 0)
        for run_first in self._starts[start : bisect_right(self._starts, last)]:
            run_last = self._last_of[run_first]
            if run_last < first:
                continue
            self._remove(run_first, run_last)
            if run_first < first:
                self._add(run_first, first - 1)
            if run_last > last:
                self._add(last + 1, run_last)

    def longest(self) -> int:
        """Return the size of the longest free range."""
        if self._by_size:
            return self._order[-1] >> _SHIFT if self._order else 0
        return max((last - first + 1 for first, last in self._last_of.items()), default=0)

    def _rank(self, first: int, last: int) -> int:
        return (last - first + 1) << _SHIFT | first if self._by_size else first

    def _add(self, first: int, last: int) -> None:
        self._last_of[first] = last
        insort(self._order, self._rank(first, last))
        if self._starts is not None:
            insort(self._starts, first)

    def _remove(self, first: int, last: int) -> None:
        del self._last_of[first]
        del self._order[bisect_left(self._order, self._rank(first, last))]
        if self._starts is not None:
            del self._starts[bisect_left(self._starts, first)]


def runs_of(free: IPSet, placement: Placement) -> dict[int, FreeRuns]:
    """Return free ranges by IP version."""
    return {
        version: FreeRuns(((it.first, it.last) for it in part), placement)
        for version in (4, 6)
        if (part := free.of_version(version))
    }


class Room(Struct, frozen=True):
    """Free addresses of a pool, and its largest free range (the lowest of equals, or None)."""

    size: int
    largest: IPRange | None

    @property
    def run(self) -> int:
        """Return the size of the largest free range."""
        return self.largest.size if self.largest is not None else 0


class _Free(Struct, frozen=True):
    runs: dict[int, FreeRuns]  # by IP version
    seen: list[int]  # the number of grants among rivals that were removed from `runs`
    rooms: dict[int | None, tuple[int, Room]]  # by IP version, with the number of grants


class _Blocks(Struct):
    free: FreeBlocks
    seen: int  # the number of grants among rivals that were removed from `free`


class Withheld:
    """Ranges in use without a record. They count in every space, and are stored once."""

    def __init__(self, blocked: Sequence[Blocked] = ()) -> None:
        self._ranges = Lookup((item.range, item) for item in blocked)
        self.addresses = IPSet.of(item.range for item in blocked)

    def by_others(self, item: IPRange, owner: Owner) -> list[Blocked]:
        """Return the uses of a range by other tenants."""
        there = self._ranges.overlapping(item)
        return [held for _, held in there if held.owner != owner.short]


_NOTHING = Withheld()


class Space:
    """Pools that compete for addresses. Free ranges are built once for equal pools."""

    def __init__(
        self, taken: Iterable[IPRange], rivals: Mapping[Key, Key], withheld: Withheld = _NOTHING
    ) -> None:
        self._records = IPSet.of(taken)
        self.withheld = withheld
        self._rivals = rivals
        self._granted: list[IPRange] = []
        self._granted_among: dict[Key, list[IPRange]] = {}
        self._free: dict[Key, _Free] = {}
        self._blocks: dict[tuple[Key, int], _Blocks] = {}
        self._alike: dict[tuple[IPSet, IPSet, Placement], _Free] = {}

    def allocate(
        self, pool: Pool, size: int, needed: int | None = None, *, take: bool = True
    ) -> IPRange | None:
        """Take `size` addresses of IP version `needed`, or only find them without `take`."""
        free = self._free_of(pool)
        for version, runs in free.runs.items():
            if needed is not None and version != needed:
                continue
            first = runs.allocate(size) if take else runs.find(size)
            if first is not None:
                item = IPRange(version, first, first + size - 1)
                if take:
                    free.seen[0] += 1
                    self.take(pool, item)
                return item
        if not pool.anycast:
            return None
        left = (it for it in self.free(pool) if it.size >= size and needed in (None, it.version))
        found = next((IPRange(it.version, it.first, it.first + size - 1) for it in left), None)
        if found is not None and take:
            self.take(pool, found)
        return found

    def allocate_block(
        self, pool: Pool, size: int, version: int, *, take: bool = True
    ) -> IPRange | None:
        """Take an aligned block of a power of two, or only find it without `take`."""
        blocks, exponent = self._blocks_of(pool, version), size.bit_length() - 1
        first = blocks.allocate(exponent) if take else blocks.find(exponent)
        if first is None:
            return None
        item = IPRange(version, first, first + size - 1)
        if take:
            self._blocks[pool.key, version].seen += 1
            self.take(pool, item)
        return item

    def largest_block(self, pool: Pool, version: int) -> int:
        """Return the number of addresses of the largest free aligned block of a pool."""
        return self._blocks_of(pool, version).largest()

    def _blocks_of(self, pool: Pool, version: int) -> FreeBlocks:
        granted, key = self._granted_near(pool), (pool.key, version)
        if key not in self._blocks:
            free = self.free(pool, pool.allocatable).of_version(version)
            self._blocks[key] = _Blocks(FreeBlocks(free), len(granted))
        known = self._blocks[key]
        for item in granted[known.seen :]:
            if item.version == version:
                known.free.take(item.first, item.last)
        known.seen = len(granted)
        return known.free

    def longest(self, pool: Pool, needed: int | None = None) -> int:
        """Return the size of the longest free range of a pool, for one IP version or all."""
        if pool.anycast:
            return self.room(pool, needed).run
        runs = self._free_of(pool).runs
        return max((runs[it].longest() for it in runs if needed in (None, it)), default=0)

    def take(self, pool: Pool, item: IPRange) -> None:
        """Take a range for which `is_free` is true."""
        insort(self._granted, item)
        self._granted_near(pool).append(item)

    def is_free(self, item: IPRange, owner: Owner) -> bool:
        """Return whether no record, grant of this plan, or other tenant uses a range."""
        if self._records.overlapping(item) or self.withheld.by_others(item, owner):
            return False
        near = bisect_right(self._granted, item)
        return not any(other.overlaps(item) for other in self._granted[max(near - 1, 0) : near + 1])

    def free(self, pool: Pool, among: IPSet | None = None) -> IPSet:
        """Return the current free addresses of a pool, among its usable ones or others."""
        left = (pool.usable if among is None else among) - self._records - self.withheld.addresses
        return left - IPSet.of(self._granted_near(pool))

    def room(self, pool: Pool, needed: int | None = None) -> Room:
        """Return the free space of a pool, for one IP version or all; cached between grants."""
        rooms, grants = self._free_of(pool).rooms, len(self._granted_near(pool))
        if needed not in rooms or rooms[needed][0] != grants:
            free = self.free(pool) if needed is None else self.free(pool).of_version(needed)
            largest = max(free, key=lambda run: (run.size, -run.first), default=None)
            rooms[needed] = grants, Room(free.size, largest)
        return rooms[needed][1]

    def _granted_near(self, pool: Pool) -> list[IPRange]:
        return self._granted_among.setdefault(self._rivals.get(pool.key, pool.key), [])

    def _free_of(self, pool: Pool) -> _Free:
        free, granted = self._free.get(pool.key), self._granted_near(pool)
        if free is None:
            alike = pool.usable, pool.anycast, pool.placement
            if (free := self._alike.get(alike)) is None:
                runs = runs_of(self.free(pool) - pool.anycast, pool.placement)
                free = self._alike[alike] = _Free(runs, [len(granted)], {})
            self._free[pool.key] = free
        for item in granted[free.seen[0] :]:
            if own := free.runs.get(item.version):
                own.take(item.first, item.last)
        free.seen[0] = len(granted)
        return free


def find_near(
    near: Near, size: int, pools: Sequence[Pool], space_of: Callable[[str], Space], *, take: bool
) -> tuple[int, IPRange] | None:
    """Return free addresses after the last range, or before it, with the position of the pool."""
    version, first, last = near.range
    touching = [IPRange(version, last + 1, last + size)]
    if first >= size:
        touching.append(IPRange(version, first - size, first - 1))
    for at, pool in enumerate(pools):
        if pool.key != near.pool or pool.is_paused or not pool.auto_assign:
            continue
        space = space_of(pool.space)
        for item in touching:
            if pool.usable.covers(item) and space.is_free(item, Owner("", "", "")):
                if take:
                    space.take(pool, item)
                return at, item
    return None
