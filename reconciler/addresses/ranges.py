"""Ranges and sets of addresses."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

BITS = {4: 32, 6: 128}


class IPRange(NamedTuple):
    """Addresses `first` to `last` of IP version 4 or 6; `first <= last`.

    A named tuple, because plans compare hundreds of thousands of ranges. It sorts by version,
    first, and last.
    """

    version: int
    first: int
    last: int

    @property
    def size(self) -> int:
        """Return the exact number of addresses, at most 2**128."""
        return self.last - self.first + 1

    def covers(self, other: "IPRange") -> bool:
        """Return whether every address of `other` is in this range."""
        return (
            self.version == other.version and self.first <= other.first and other.last <= self.last
        )

    def overlaps(self, other: "IPRange") -> bool:
        """Return whether the ranges share an address."""
        return (
            self.version == other.version and self.first <= other.last and other.first <= self.last
        )

    def shared(self, other: "IPRange") -> "IPRange | None":
        """Return the shared addresses, or None."""
        if not self.overlaps(other):
            return None
        return IPRange(self.version, max(self.first, other.first), min(self.last, other.last))

    def prefix(self) -> int | None:
        """Return the prefix length if the range is one CIDR block, else None (RFC 4632 §3.1)."""
        size = self.size
        if size & (size - 1) or self.first & (size - 1):
            return None
        return BITS[self.version] - (size.bit_length() - 1)


class IPSet(Struct, frozen=True):
    """An immutable set of addresses.

    `ranges` is sorted and disjoint, without adjacent ranges. Every method relies on this and keeps
    it. Create a set with `IPSet.of`.
    """

    ranges: tuple[IPRange, ...] = ()

    @classmethod
    def of(cls, ranges: Iterable[IPRange]) -> "IPSet":
        """Return the union of ranges in any order, overlapping or not."""
        merged: list[IPRange] = []
        for item in sorted(ranges):
            if merged and _joins(merged[-1], item):
                last = merged[-1]
                if item.last > last.last:
                    merged[-1] = IPRange(last.version, last.first, item.last)
            else:
                merged.append(item)
        return cls(tuple(merged))

    def __iter__(self) -> Iterator[IPRange]:
        return iter(self.ranges)

    def __bool__(self) -> bool:
        return bool(self.ranges)

    def __or__(self, other: "IPSet") -> "IPSet":
        return IPSet.of((*self.ranges, *other.ranges))

    def __and__(self, other: "IPSet") -> "IPSet":
        shared = (item.shared(theirs) for item in self.ranges for theirs in other.overlapping(item))
        return IPSet(tuple(item for item in shared if item is not None))

    def __sub__(self, other: "IPSet") -> "IPSet":
        r"""Return the difference of two sets.

        ```text
        self    |-----------------|      |------|
        other  |--|     |----|        |-----|
        result     |----|    |----|          |--|
        ```
        """
        left: list[IPRange] = []
        for item in self.ranges:
            first = item.first
            for gap in other.overlapping(item):
                if gap.first > first:
                    left.append(IPRange(item.version, first, gap.first - 1))
                first = gap.last + 1
            if first <= item.last:
                left.append(IPRange(item.version, first, item.last))
        return IPSet(tuple(left))

    @property
    def size(self) -> int:
        """Return the exact number of addresses."""
        return sum(item.size for item in self.ranges)

    def of_version(self, version: int) -> "IPSet":
        """Return the subset of one IP version."""
        return IPSet(tuple(item for item in self.ranges if item.version == version))

    def overlapping(self, item: IPRange) -> tuple[IPRange, ...]:
        """Return the ranges that share an address with `item`, whole, in order."""
        # The last range that starts at or before `item.first` might overlap it.
        start = bisect_right(self.ranges, (item.version, item.first, 1 << 129)) - 1
        if start < 0 or not self.ranges[start].overlaps(item):
            start += 1
        end = bisect_right(self.ranges, (item.version, item.last, 1 << 129))
        return self.ranges[start:end]

    def covers(self, item: IPRange) -> bool:
        """Return whether every address of `item` is in the set."""
        if len(self.ranges) == 1:  # the usual case, and every record calls this
            return self.ranges[0].covers(item)
        return any(run.covers(item) for run in self.overlapping(item))


def _joins(left: IPRange, right: IPRange) -> bool:
    """Return whether `right`, which does not sort before `left`, overlaps or is adjacent to it."""
    return left.version == right.version and right.first <= left.last + 1


def first_overlapping(blocks: Sequence[IPRange]) -> list[int]:
    """Return, for each block, the lowest position of a block that overlaps it, or its own.

    Args:
        blocks: CIDR blocks: if two overlap, one contains the other.
    """
    order = sorted(
        range(len(blocks)), key=lambda at: (blocks[at].version, blocks[at].first, -blocks[at].last)
    )
    around: list[int | None] = [None] * len(blocks)
    opened: list[int] = []
    for at in order:
        while opened and not blocks[opened[-1]].covers(blocks[at]):
            opened.pop()
        around[at] = opened[-1] if opened else None
        opened.append(at)
    above, below = list(range(len(blocks))), list(range(len(blocks)))
    for at in order:  # containing blocks come before contained blocks
        if (outer := around[at]) is not None:
            above[at] = min(at, above[outer])
    for at in reversed(order):
        if (outer := around[at]) is not None:
            below[outer] = min(below[outer], below[at])
    return [min(pair) for pair in zip(above, below, strict=True)]
