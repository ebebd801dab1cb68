"""Which of many ranges overlap one: found without a look at all of them."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import Generic, TypeVar

from reconciler.addresses import IPRange

T = TypeVar("T")


class Lookup(Generic[T]):
    """Ranges, which may overlap each other, with what stands for each."""

    def __init__(self, entries: Iterable[tuple[IPRange, T]]) -> None:
        self._entries = list(entries)
        # By address; the number tells the order in which they were given.
        self._sorted = sorted((item, at) for at, (item, _) in enumerate(self._entries))
        # How far the ranges up to each reach: further back than that, none overlaps.
        self._reach = list(accumulate(((item.version, item.last) for item, _ in self._sorted), max))

    def first(self, item: IPRange, is_meant: Callable[[T], bool]) -> tuple[IPRange, T] | None:
        """The first entry by address that shares one with `item` and is meant; the rest is not looked at."""
        start = bisect_left(self._reach, (item.version, item.first))
        for place in range(start, len(self._sorted)):
            other, at = self._sorted[place]
            if other[:2] > (item.version, item.last):
                return None
            if other.overlaps(item) and is_meant(self._entries[at][1]):
                return self._entries[at]
        return None

    def overlapping(self, item: IPRange) -> list[tuple[IPRange, T]]:
        """The entries that share an address with `item`, in the order in which they were given."""
        start = bisect_left(self._reach, (item.version, item.first))
        end = bisect_right(self._sorted, (item.version, item.last), key=lambda entry: entry[0][:2])
        found = [at for other, at in self._sorted[start:end] if other.overlaps(item)]
        return [self._entries[at] for at in sorted(found)]
