"""Ranges in the syntax of pools: a CIDR, or `first-last`."""

from collections.abc import Iterable
from ipaddress import IPv6Address, ip_address

from reconciler.addresses import (
    BITS,
    IPRange,
    IPSet,
    NotationError,
    format_range,
    format_short,
    parse_address,
)
from reconciler.documents.findings import shown

_MAX_DESCRIBED = 5


def ranges_of(texts: Iterable[str]) -> IPSet:
    """Return the addresses of a pool's entries, or raise ValueError. Host bits are masked."""
    return IPSet.of(range_of(text) for text in texts)


def range_of(text: str) -> IPRange:
    """Return the addresses of one entry, or raise ValueError."""
    try:
        first, dash, last = text.partition("-")
        if dash:
            (version, start), (other, end) = number(first.strip()), number(last.strip())
            end = end if version == other else -1
        else:
            address, _, length = text.partition("/")
            version, start = number(address)
            size = 1 << (BITS[6 if ":" in address else 4] - int(length))
            start -= start % size
            end = start + size - 1
        if not start <= end < 1 << BITS[version]:
            raise ValueError(text)
    except ValueError as wrong:
        raise ValueError(f"{shown(text)} is not a CIDR or a range (START-END)") from wrong
    return IPRange(version, start, end)


def number(text: str) -> tuple[int, int]:
    """Return the IP version and the number of an address. An IPv4-mapped one is IPv4, as in Go."""
    try:
        return parse_address(text)
    except NotationError:
        address = ip_address(text)
    if isinstance(address, IPv6Address):
        if address.scope_id is not None:
            raise ValueError(text)
        address = address.ipv4_mapped or address
    return address.version, int(address)


def is_in(text: str, addresses: IPSet) -> bool:
    """Return whether a text is an address of a set."""
    try:
        version, at = number(text)
    except ValueError:
        return False
    return bool(addresses.overlapping(IPRange(version, at, at)))


def written(addresses: Iterable[IPRange]) -> tuple[str, ...]:
    """Return ranges in the syntax of a pool, sorted and merged."""
    return tuple(format_range(item) for item in IPSet.of(addresses))


def describe(addresses: IPSet) -> str:
    """Return a short list of ranges for a message."""
    texts = [format_short(item) for item in addresses.ranges[:_MAX_DESCRIBED]]
    left = len(addresses.ranges) - len(texts)
    return ", ".join(texts) + (f" and {left} more" if left else "")
