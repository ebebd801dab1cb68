"""What is taken in one address space while a plan is made."""

from bisect import bisect_right, insort
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from reconciler.addresses import IPRange, IPSet
from reconciler.engine.free import FreeRuns
from reconciler.engine.lookup import Lookup
from reconciler.model.claim import Owner
from reconciler.model.key import Key
from reconciler.model.pool import Pool
from reconciler.model.state import Blocked


class Room(NamedTuple):
    """Free addresses of a pool, and its largest free run, the lowest of equals; None of none."""

    size: int
    largest: IPRange | None

    @property
    def run(self) -> int:
        """Size of the largest run."""
        return self.largest.size if self.largest is not None else 0


class Space:
    """Pools that compete for addresses, and the ranges that are taken among them.

    Free runs of a pool are built when it is first asked for, so a plan costs nothing for the
    pools that it gives nothing out of.
    """

    def __init__(
        self,
        taken: Iterable[IPRange],
        neighbours: Mapping[Key, Sequence[Key]],
        blocked: Sequence[Blocked] = (),
    ) -> None:
        """Begin with what is taken.

        Args:
            taken: Ranges of records.
            neighbours: Pools that hold some of the same addresses.
            blocked: Ranges in use without a record. Only a pin of the tenant that uses one may
                take it.
        """
        self._records = IPSet.of(taken)
        self._blocked = Lookup((item.range, item) for item in blocked)
        self.taken = self._records | IPSet.of(item.range for item in blocked)
        self._neighbours = neighbours
        self._granted: list[IPRange] = []
        self._free: dict[Key, dict[int, FreeRuns]] = {}
        self._rooms: dict[Key, dict[int | None, Room]] = {}

    def allocate(self, pool: Pool, size: int, needed: int | None = None) -> IPRange | None:
        """Take `size` addresses where the pool's placement puts them, or None.

        Args:
            pool: The pool.
            size: How many.
            needed: Their IP version; None for any.
        """
        for version, runs in self._runs(pool).items():
            if needed is not None and version != needed:
                continue
            first = runs.allocate(size)
            if first is not None:
                item = IPRange(version, first, first + size - 1)
                self._note(item, pool)
                return item
        return None

    def take(self, pool: Pool, item: IPRange) -> IPRange:
        """Take a range that `is_free`."""
        if runs := self._free.get(pool.key, {}).get(item.version):
            runs.take(item.first, item.last)
        self._note(item, pool)
        return item

    def is_free(self, item: IPRange, owner: Owner) -> bool:
        """No address of a range is taken, by a record, by this plan or by another tenant."""
        if self._records.overlapping(item) or self.withheld_by_others(item, owner):
            return False
        near = bisect_right(self._granted, item)
        return not any(other.overlaps(item) for other in self._granted[max(near - 1, 0) : near + 1])

    def withheld_by_others(self, item: IPRange, owner: Owner) -> list[str]:
        """Tenants that use an address of a range without a record."""
        own = f"{owner.namespace}/{owner.name}"
        titles = (held.title for _, held in self._blocked.overlapping(item) if held.owner != own)
        return list(dict.fromkeys(titles))

    def free(self, pool: Pool) -> IPSet:
        """The free addresses of a pool as they stand now."""
        return pool.usable - self.taken - IPSet.of(self._granted)

    def room(self, pool: Pool, needed: int | None = None) -> Room:
        """How much of a pool is free, of one IP version or of all.

        Told once for all claims that are refused in a row.
        """
        rooms = self._rooms.setdefault(pool.key, {})
        if needed not in rooms:
            free = self.free(pool) if needed is None else self.free(pool).of_version(needed)
            largest = max(free, key=lambda run: (run.size, -run.first), default=None)
            rooms[needed] = Room(free.size, largest)
        return rooms[needed]

    def _note(self, item: IPRange, pool: Pool) -> None:
        insort(self._granted, item)
        self._rooms.pop(pool.key, None)
        for key in self._neighbours.get(pool.key, ()):
            self._rooms.pop(key, None)
            if runs := self._free.get(key, {}).get(item.version):
                runs.take(item.first, item.last)

    def _runs(self, pool: Pool) -> dict[int, FreeRuns]:
        if pool.key not in self._free:
            by_version: dict[int, list[tuple[int, int]]] = {}
            for run in self.free(pool):
                by_version.setdefault(run.version, []).append((run.first, run.last))
            self._free[pool.key] = {
                version: FreeRuns(runs, pool.placement) for version, runs in by_version.items()
            }
        return self._free[pool.key]
