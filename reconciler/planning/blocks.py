"""Free aligned blocks: the room for prefixes."""

from bisect import bisect_right
from collections.abc import Iterable
from heapq import heappop, heappush

from reconciler.addresses import BITS, IPRange, IPSet


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
    return next((length for length in range(BITS[6] + 1) if count_blocks(free, length)), None)


class FreeBlocks:
    """Maximal free aligned blocks of one IP version.

    A block is taken from the smallest one that fits, of equals from the lowest, at its start.
    """

    def __init__(self, ranges: Iterable[IPRange]) -> None:
        self._firsts: list[int] = []  # of the free ranges, ascending
        self._lasts: dict[int, int] = {}  # by the first address
        # The free ranges that came to be, with their middle. The heap of an exponent has the blocks
        # of those that it has seen, and some that are no longer free or maximal.
        self._made: list[tuple[int, int, int]] = []
        self._heaps: dict[int, list[int]] = {}
        self._seen: dict[int, int] = {}
        self._mask = 0  # a bit for each exponent that can have blocks
        for item in IPSet.of(ranges):
            self._firsts.append(item.first)
            self._lasts[item.first] = item.last
            self._add(item.first, item.last)

    def find(self, exponent: int) -> int | None:
        """Return the first address of the block that `allocate` would take, or None."""
        found = self._smallest(exponent)
        return None if found is None else found[0]

    def allocate(self, exponent: int) -> int | None:
        """Take a block of 2**exponent addresses; return its first address, or None."""
        found = self._smallest(exponent)
        if found is None:
            return None
        first, size = found
        heappop(self._heaps[size])
        while size > exponent:
            size -= 1
            heappush(self._heaps.setdefault(size, []), first + (1 << size))
            self._mask |= 1 << size
        at = bisect_right(self._firsts, first)
        self._remove(at - 1, at, first, first + (1 << exponent) - 1)
        return first

    def take(self, first: int, last: int) -> None:
        """Remove the free part of a range."""
        begin = max(bisect_right(self._firsts, first) - 1, 0)
        end = bisect_right(self._firsts, last, begin)
        if begin < end and self._lasts[self._firsts[begin]] < first:
            begin += 1
        if begin < end:
            for start, stop in self._remove(begin, end, first, last):
                self._add(start, stop)

    def largest(self) -> int:
        """Return the number of addresses of the largest free block; 0 for none."""
        while self._mask:
            size = self._mask.bit_length() - 1
            if self.find(size) is not None:
                return 1 << size
        return 0

    def _smallest(self, exponent: int) -> tuple[int, int] | None:
        mask = self._mask >> exponent << exponent
        while mask:
            lowest = mask & -mask
            size = lowest.bit_length() - 1
            heap = self._heap(size)
            while heap and not self._is_block(heap[0], size):
                heappop(heap)
            if heap:
                return heap[0], size
            self._mask ^= lowest
            mask ^= lowest
        return None

    def _remove(self, begin: int, end: int, first: int, last: int) -> list[tuple[int, int]]:
        """Cut a range out of free ranges, and return their ends that remain."""
        firsts, lasts, left = self._firsts, self._lasts, list[tuple[int, int]]()
        start, stop = firsts[begin], lasts[firsts[end - 1]]
        for it in firsts[begin:end]:
            del lasts[it]
        if start < first:
            left.append((start, first - 1))
            lasts[start] = first - 1
        if stop > last:
            left.append((last + 1, stop))
            lasts[last + 1] = stop
        firsts[begin:end] = [it for it, _ in left]
        return left

    def _add(self, first: int, last: int) -> None:
        # Blocks grow from the first address to the middle, and shrink from there to the last one.
        end = last + 1
        shift = ((first - 1) ^ end).bit_length() - 1
        middle = end >> shift << shift if first else 0
        self._made.append((first, middle, end))
        self._mask |= (middle - first) | (end - middle)

    def _heap(self, size: int) -> list[int]:
        heap, seen = self._heaps.setdefault(size, []), self._seen.get(size, 0)
        if seen < len(self._made):
            block = 1 << size
            for first, middle, end in self._made[seen:]:
                if middle - first & block:
                    heappush(heap, first + (middle - first & block - 1))
                if end - middle & block:
                    heappush(heap, middle + (end - middle >> size + 1 << size + 1))
            self._seen[size] = len(self._made)
        return heap

    def _is_block(self, start: int, size: int) -> bool:
        at = bisect_right(self._firsts, start) - 1
        if at < 0:
            return False
        first = self._firsts[at]
        last, block = self._lasts[first], 1 << size
        around = start & ~block
        return start + block - 1 <= last and (around < first or around + 2 * block - 1 > last)
