"""A run of addresses, inclusive at both ends, as two integers of one IP version."""

from typing import NamedTuple

BITS = {4: 32, 6: 128}


class IPRange(NamedTuple):
    """Addresses `first` to `last` of IP version 4 or 6; `first <= last`.

    A named tuple, because plans hold hundreds of thousands and compare them: it sorts by version,
    then first, then last.
    """

    version: int
    first: int
    last: int

    @property
    def size(self) -> int:
        """Addresses in the range: an exact count, 2**128 at most."""
        return self.last - self.first + 1

    def covers(self, other: "IPRange") -> bool:
        """Every address of `other` is in this range."""
        return (
            self.version == other.version and self.first <= other.first and other.last <= self.last
        )

    def overlaps(self, other: "IPRange") -> bool:
        """Some address is in both."""
        return (
            self.version == other.version and self.first <= other.last and other.first <= self.last
        )

    def shared(self, other: "IPRange") -> "IPRange | None":
        """The addresses that are in both, or None."""
        if not self.overlaps(other):
            return None
        return IPRange(self.version, max(self.first, other.first), min(self.last, other.last))

    def prefix(self) -> int | None:
        """The prefix length when the range is exactly one CIDR block, else None (RFC 4632 §3.1)."""
        size = self.size
        if size & (size - 1) or self.first & (size - 1):
            return None
        return BITS[self.version] - (size.bit_length() - 1)
