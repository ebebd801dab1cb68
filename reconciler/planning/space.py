"""Free ranges."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from reconciler.addresses.ranges import IPRange, IPSet
from reconciler.model.claim import Near, Owner
from reconciler.model.key import Key
from reconciler.model.pool import Placement, Pool
from reconciler.model.state import Blocked
from reconciler.planning.usage import Lookup

# Room for an IPv6 address and one bit more, so that size << _SHIFT | start orders by size first.
_SHIFT = 129


class FreeRuns:
    """Free runs of addresses of one IP version."""

    def __init__(self, runs: Iterable[tuple[int, int]], placement: Placement) -> None:
        """Take disjoint runs, as first and last address, that do not touch."""
        self._last_of: dict[int, int] = {}
        self._first_of: dict[int, int] = {}
        self._by_size = placement is Placement.BEST_FIT
        self._starts: list[int] | None = None  # sorted, from the first `take` on
        for first, last in runs:
            self._last_of[first] = last
            self._first_of[last] = first
        self._order = sorted(self._rank(*run) for run in self._last_of.items())

    def allocate(self, size: int) -> int | None:
        """Take `size` addresses in a row where the placement says; the first, or None."""
        first = self.find(size)
        if first is None:
            return None
        last = self._last_of[first]
        self._remove(first, last)
        if last - first >= size:
            self._add(first + size, last)
        return first

    def take(self, first: int, last: int) -> None:
        """Take what is free of `first` to `last`."""
        for run_first, run_last in self._overlapping(first, last):
            self._remove(run_first, run_last)
            if run_first < first:
                self._add(run_first, first - 1)
            if run_last > last:
                self._add(last + 1, run_last)

    def give(self, first: int, last: int) -> None:
        """Give back a run that is not free, joining it with the free runs at its ends."""
        before = self._first_of.get(first - 1)
        if before is not None:
            self._remove(before, first - 1)
            first = before
        after = self._last_of.get(last + 1)
        if after is not None:
            self._remove(last + 1, after)
            last = after
        self._add(first, last)

    def longest(self) -> int:
        """The size of the longest free run."""
        if self._by_size:
            return self._order[-1] >> _SHIFT if self._order else 0
        return max((last - first + 1 for first, last in self._last_of.items()), default=0)

    def find(self, size: int) -> int | None:
        """The first of `size` addresses where the placement says, which stay free; or None."""
        if self._by_size:
            position = bisect_left(self._order, size << _SHIFT)
            if position == len(self._order):
                return None
            return self._order[position] & ((1 << _SHIFT) - 1)
        return next((run for run in self._order if self._last_of[run] - run + 1 >= size), None)

    def _overlapping(self, first: int, last: int) -> list[tuple[int, int]]:
        if self._starts is None:
            self._starts = sorted(self._last_of)
        start = max(bisect_right(self._starts, first) - 1, 0)
        near = self._starts[start : bisect_right(self._starts, last)]
        return [(run, self._last_of[run]) for run in near if first <= self._last_of[run]]

    def _rank(self, first: int, last: int) -> int:
        return (last - first + 1) << _SHIFT | first if self._by_size else first

    def _add(self, first: int, last: int) -> None:
        self._last_of[first] = last
        self._first_of[last] = first
        insort(self._order, self._rank(first, last))
        if self._starts is not None:
            insort(self._starts, first)

    def _remove(self, first: int, last: int) -> None:
        del self._last_of[first]
        del self._first_of[last]
        del self._order[bisect_left(self._order, self._rank(first, last))]
        if self._starts is not None:
            del self._starts[bisect_left(self._starts, first)]


class Room(Struct, frozen=True):
    """Free addresses of a pool, and its largest free run, the lowest of equals; None of none."""

    size: int
    largest: IPRange | None

    @property
    def run(self) -> int:
        """Size of the largest run."""
        return self.largest.size if self.largest is not None else 0


_NO_ROOM = Room(0, None)


class _Free(Struct, frozen=True):
    """Free runs of all pools of the same addresses.

    Attributes:
        runs: By IP version.
        seen: How many of the grants among their rivals were taken out of them; one number.
        rooms: What is told of them, by the IP version that was asked for, and as of how many grants.
    """

    runs: dict[int, FreeRuns]
    seen: list[int]
    rooms: dict[int | None, tuple[int, Room]]


class Withheld:
    """Ranges in use without a record. They count in every space, and are held once for all."""

    def __init__(self, blocked: Sequence[Blocked] = ()) -> None:
        self._ranges = Lookup((item.range, item) for item in blocked)
        self.addresses = IPSet.of(item.range for item in blocked)

    def by_others(self, item: IPRange, owner: Owner) -> list[Blocked]:
        """What other tenants use of a range."""
        there = self._ranges.overlapping(item)
        return [held for _, held in there if held.owner != owner.short]


_NOTHING = Withheld()


class Space:
    """Pools that compete for addresses, and the ranges that are taken among them.

    Free runs of a pool are built when it is first asked for, so a plan costs nothing for the
    pools that it gives nothing out of. What its rivals gave out meanwhile is taken out of them
    when it is asked again: many pools of the same addresses cost no more than one.
    """

    def __init__(
        self,
        taken: Iterable[IPRange],
        rivals: Mapping[Key, Key],
        withheld: Withheld = _NOTHING,
    ) -> None:
        """Begin with what is taken.

        Args:
            taken: Ranges of records.
            rivals: Pools that share addresses with others, and one that stands for all of them.
            withheld: Ranges in use without a record. Only a pin of the tenant that uses one may
                take it.
        """
        self._records = IPSet.of(taken)
        self._withheld = withheld
        self._rivals = rivals
        self._granted: list[IPRange] = []
        self._granted_among: dict[Key, list[IPRange]] = {}
        self._free: dict[Key, _Free] = {}
        self._alike: dict[tuple[IPSet, Placement], _Free] = {}

    def allocate(
        self, pool: Pool, size: int, needed: int | None = None, *, take: bool = True
    ) -> IPRange | None:
        """Take `size` addresses where the pool's placement puts them, or None.

        Args:
            pool: The pool.
            size: How many.
            needed: Their IP version; None for any.
            take: Without it, they are only found.
        """
        free = self._free_of(pool)
        for version, runs in free.runs.items():
            if needed is not None and version != needed:
                continue
            first = runs.allocate(size) if take else runs.find(size)
            if first is not None:
                item = IPRange(version, first, first + size - 1)
                if not take:
                    return item
                free.seen[0] += 1
                self._note(item, pool)
                return item
        return None

    def longest(self, pool: Pool, needed: int | None = None) -> int:
        """The size of the longest free run of a pool, of one IP version or of all."""
        runs = self._free_of(pool).runs
        return max((runs[it].longest() for it in runs if needed in (None, it)), default=0)

    def take(self, pool: Pool, item: IPRange) -> None:
        """Take a range that `is_free`."""
        self._note(item, pool)

    def is_free(self, item: IPRange, owner: Owner) -> bool:
        """No address of a range is taken, by a record, by this plan or by another tenant."""
        if self._records.overlapping(item) or self.withheld_by_others(item, owner):
            return False
        near = bisect_right(self._granted, item)
        return not any(other.overlaps(item) for other in self._granted[max(near - 1, 0) : near + 1])

    def withheld_by_others(self, item: IPRange, owner: Owner) -> list[Blocked]:
        """What other tenants use of a range without a record."""
        return self._withheld.by_others(item, owner)

    def free(self, pool: Pool) -> IPSet:
        """The free addresses of a pool as they stand now."""
        left = pool.usable - self._records - self._withheld.addresses
        return left - IPSet.of(self._granted_near(pool))

    def room(self, pool: Pool, needed: int | None = None) -> Room:
        """How much of a pool is free, of one IP version or of all.

        Told once for all claims that are refused in a row.
        """
        rooms, grants = self._free_of(pool).rooms, len(self._granted_near(pool))
        known, room = rooms.get(needed, (-1, _NO_ROOM))
        if known != grants:
            free = self.free(pool) if needed is None else self.free(pool).of_version(needed)
            largest = max(free, key=lambda run: (run.size, -run.first), default=None)
            room = Room(free.size, largest)
            rooms[needed] = grants, room
        return room

    def _note(self, item: IPRange, pool: Pool) -> None:
        insort(self._granted, item)
        self._granted_near(pool).append(item)

    def _granted_near(self, pool: Pool) -> list[IPRange]:
        """What this plan granted out of a pool and its rivals, in the order in which it did."""
        return self._granted_among.setdefault(self._rivals.get(pool.key, pool.key), [])

    def _free_of(self, pool: Pool) -> _Free:
        """The free runs of a pool as they stand now."""
        free = self._free.get(pool.key)
        if free is None:
            alike = pool.usable, pool.placement
            free = self._alike.get(alike) or self._alike.setdefault(alike, self._built(pool))
            self._free[pool.key] = free
        granted = self._granted_near(pool)
        for item in granted[free.seen[0] :]:
            if runs := free.runs.get(item.version):
                runs.take(item.first, item.last)
        free.seen[0] = len(granted)
        return free

    def _built(self, pool: Pool) -> _Free:
        by_version: dict[int, list[tuple[int, int]]] = {}
        for run in self.free(pool):
            by_version.setdefault(run.version, []).append((run.first, run.last))
        runs = {version: FreeRuns(found, pool.placement) for version, found in by_version.items()}
        return _Free(runs, [len(self._granted_near(pool))], {})


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
