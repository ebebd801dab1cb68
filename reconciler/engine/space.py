"""What is taken in one address space while a plan is made."""

from bisect import bisect_right, insort
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from reconciler.addresses import IPRange, IPSet
from reconciler.engine.free import FreeRuns
from reconciler.engine.lookup import Lookup
from reconciler.model.claim import Owner
from reconciler.model.key import Key
from reconciler.model.pool import Placement, Pool
from reconciler.model.state import Blocked


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
