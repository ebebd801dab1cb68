"""Free aligned blocks: the room for prefixes."""

from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heappush

from reconciler.addresses import BITS, IPRange, IPSet


def aligned_blocks(first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield the maximal aligned blocks of a range, each with its first address and log2 of its size."""
    while first <= last:
        fits = (last - first + 1).bit_length() - 1
        exponent = min(fits, (first & -first).bit_length() - 1) if first else fits
        yield first, exponent
        first += 1 << exponent


def count_blocks(free: IPSet, length: int) -> int:
    """Return how many blocks of a prefix length fit into some addresses."""
    found = 0
    for version, first, last in free:
        exponent = BITS[version] - length
        if exponent >= 0:
            found += max(0, ((last + 1) >> exponent) - (-(-first >> exponent)))
    return found


def longest_block(free: IPSet) -> int | None:
    """Return the prefix length of the largest aligned block in some addresses, or None."""
    sizes = (
        BITS[run.version] - it for run in free for _, it in aligned_blocks(run.first, run.last)
    )
    return min(sizes, default=None)


class FreeBlocks:
    """Maximal free aligned blocks of one IP version.

    A block is taken from the smallest one that fits, of equals from the lowest, at its start.
    """

    def __init__(self, ranges: Iterable[IPRange]) -> None:
        self._free: dict[int, int] = {}
        # Starts by exponent. Heaps also have blocks that are no longer free.
        self._heaps: dict[int, list[int]] = {}
        self._mask = 0  # a bit for each exponent with a heap
        for item in ranges:
            for first, exponent in aligned_blocks(item.first, item.last):
                self._free[first] = exponent
                self._heaps.setdefault(exponent, []).append(first)
                self._mask |= 1 << exponent
        for heap in self._heaps.values():
            heapify(heap)

    def find(self, exponent: int) -> int | None:
        """Return the first address of the block that `allocate` would take, or None."""
        free, mask = self._free, self._mask >> exponent << exponent
        while mask:
            lowest = mask & -mask
            size = lowest.bit_length() - 1
            heap = self._heaps[size]
            while heap and free.get(heap[0]) != size:
                heappop(heap)
            if heap:
                return heap[0]
            self._mask ^= lowest
            mask ^= lowest
        return None

    def allocate(self, exponent: int) -> int | None:
        """Take a block of 2**exponent addresses; return its first address, or None."""
        first = self.find(exponent)
        if first is None:
            return None
        size = self._free.pop(first)
        heappop(self._heaps[size])
        while size > exponent:
            size -= 1
            self._add(first + (1 << size), size)
        return first

    def take(self, first: int, last: int) -> None:
        """Remove the free part of a range."""
        for start, exponent in aligned_blocks(first, last):
            if (block := self._around(start, exponent)) is not None:
                self._cut(*block, start, exponent)
                continue
            for inside in self._inside(start, exponent):
                del self._free[inside]

    def largest(self) -> int:
        """Return the number of addresses of the largest free block; 0 for none."""
        return 1 << max(self._free.values()) if self._free else 0

    def _add(self, first: int, exponent: int) -> None:
        self._free[first] = exponent
        heap = self._heaps.get(exponent)
        if heap is None:
            heap = self._heaps[exponent] = []
        heappush(heap, first)
        self._mask |= 1 << exponent

    def _around(self, start: int, exponent: int) -> tuple[int, int] | None:
        mask = self._mask >> exponent << exponent
        while mask:
            size = (mask & -mask).bit_length() - 1
            first = start >> size << size
            if self._free.get(first) == size:
                return first, size
            mask &= mask - 1
        return None

    def _cut(self, first: int, size: int, start: int, exponent: int) -> None:
        del self._free[first]
        while size > exponent:
            size -= 1
            half = first + (1 << size)
            if start < half:
                self._add(half, size)
            else:
                self._add(first, size)
                first = half

    def _inside(self, start: int, exponent: int) -> list[int]:
        size = 1 << exponent
        if size <= len(self._free):
            return [it for it in range(start, start + size) if it in self._free]
        return [it for it in self._free if start <= it < start + size]
