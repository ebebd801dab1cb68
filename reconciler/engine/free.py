"""Free runs of a pool, as plain integers.

Starts and ends of the runs in two dicts, and one sorted list of numbers that orders them by the
placement. Cost follows the number of runs, never of addresses: a /23 and an IPv6 /64 take the
same code at the same speed. Rebuilt from the records at every plan; nothing of it is stored.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable

from reconciler.model.pool import Placement

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
