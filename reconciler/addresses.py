"""Address ranges, sets of addresses, and their notation."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from ipaddress import IPv6Address, ip_address, ip_interface, ip_network, summarize_address_range
from socket import AF_INET, AF_INET6, inet_ntop, inet_pton
from typing import Any, NamedTuple

from msgspec import Struct

from reconciler.documents.findings import shown

BITS = {4: 32, 6: 128}


class IPRange(NamedTuple):
    """`first` to `last`, sorted by version, first, last. A tuple: plans compare very many."""

    version: int
    first: int
    last: int

    @property
    def size(self) -> int:
        """Return the exact number of addresses, at most 2**128."""
        return self.last - self.first + 1

    def covers(self, other: "IPRange") -> bool:
        """Return whether every address of `other` is in this range."""
        version, first, last = other
        return self.version == version and self.first <= first and last <= self.last

    def overlaps(self, other: "IPRange") -> bool:
        """Return whether the ranges share an address."""
        version, first, last = other
        return self.version == version and self.first <= last and first <= self.last

    def shared(self, other: "IPRange") -> "IPRange | None":
        """Return the shared addresses, or None."""
        version, first, last = other
        if self.version != version or self.first > last or first > self.last:
            return None
        return IPRange(version, max(self.first, first), min(self.last, last))

    def prefix(self) -> int | None:
        """Return the prefix length if the range is one CIDR block, else None (RFC 4632 §3.1)."""
        size = self.size
        if size & (size - 1) or self.first & (size - 1):
            return None
        return BITS[self.version] - (size.bit_length() - 1)


class IPSet(Struct, frozen=True):
    """An immutable set. Methods rely on sorted, disjoint, non-adjacent ranges; use `IPSet.of`."""

    ranges: tuple[IPRange, ...] = ()

    @classmethod
    def of(cls, ranges: Iterable[IPRange]) -> "IPSet":
        """Return the union of ranges in any order, overlapping or not."""
        merged: list[IPRange] = []
        for item in sorted(ranges):
            last = merged[-1] if merged else None
            if last is None or last.version != item.version or last.last + 1 < item.first:
                merged.append(item)
            elif item.last > last.last:
                merged[-1] = IPRange(last.version, last.first, item.last)
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


def first_overlapping(blocks: Sequence[IPRange]) -> list[int]:
    """Return, for each CIDR block, the lowest position of an overlapping block, or its own."""
    places: dict[IPRange, int] = {}
    for at, block in enumerate(blocks):
        places.setdefault(block, at)
    found, around = dict(places), list[IPRange]()
    for block in sorted(places, key=lambda it: (it.version, it.first, -it.last)):
        while around and not around[-1].covers(block):
            around.pop()
        for outer in around:
            found[outer] = min(found[outer], places[block])
            found[block] = min(found[block], places[outer])
        around.append(block)
    return [found[block] for block in blocks]


_FAMILY = {4: AF_INET, 6: AF_INET6}
_PREFIX = re.compile(r"0|[1-9][0-9]{0,2}", re.ASCII)
# IPv4-mapped and IPv4-compatible addresses duplicate an IPv4 address (RFC 4291 §2.5.5).
_LAST_EMBEDDED = 0xFFFF_FFFFFFFF
_SPECIAL = (
    ("this network 0.0.0.0/8", IPRange(4, 0x00000000, 0x00FFFFFF)),
    ("loopback 127.0.0.0/8", IPRange(4, 0x7F000000, 0x7FFFFFFF)),
    ("link-local 169.254.0.0/16", IPRange(4, 0xA9FE0000, 0xA9FEFFFF)),
    ("multicast 224.0.0.0/4", IPRange(4, 0xE0000000, 0xEFFFFFFF)),
    ("reserved 240.0.0.0/4", IPRange(4, 0xF0000000, 0xFFFFFFFF)),
    ("loopback ::1 and unspecified ::", IPRange(6, 0, 1)),
    ("IPv4-mapped ::ffff:0:0/96", IPRange(6, 0xFFFF_00000000, _LAST_EMBEDDED)),
    ("link-local fe80::/10", IPRange(6, 0xFE80 << 112, (0xFEC0 << 112) - 1)),
    ("multicast ff00::/8", IPRange(6, 0xFF00 << 112, (1 << 128) - 1)),
)

_PRIVATE = (  # RFC 1918, and RFC 4193 for IPv6
    IPRange(4, 0x0A000000, 0x0AFFFFFF),
    IPRange(4, 0xAC100000, 0xAC1FFFFF),
    IPRange(4, 0xC0A80000, 0xC0A8FFFF),
    IPRange(6, 0xFC << 120, (0xFE << 120) - 1),
)


class NotationError(ValueError):
    """The text is not a canonical address or CIDR: `str()` is the message, `hint` the fix."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def parse_address(text: str) -> tuple[int, int]:
    """Return IP version and number; raise NotationError unless the text is canonical."""
    version = 6 if ":" in text else 4
    try:
        packed = inet_pton(_FAMILY[version], text)
    except (OSError, UnicodeEncodeError, ValueError):
        raise _explained(text) from None
    value = int.from_bytes(packed)
    if version == 6 and 1 < value <= _LAST_EMBEDDED:
        message = f"{shown(text)} is an IPv4-mapped or IPv4-compatible IPv6 address"
        raise NotationError(message, f"write the IPv4 address {inet_ntop(AF_INET, packed[-4:])}")
    canonical = inet_ntop(_FAMILY[version], packed)
    if canonical != text:
        hint = f"write {canonical}"
        raise NotationError(f"{shown(text)} is not a canonical IPv{version} address", hint)
    return version, value


def parse_cidr(text: str) -> IPRange:
    """Return the range of a canonical CIDR (host bits zero), or raise NotationError."""
    address, slash, length = text.partition("/")
    if not slash:
        hint = f"add the number of leading bits, such as /{64 if ':' in text else 24}"
        raise NotationError(f"{shown(text)} is not a CIDR: the prefix length is missing", hint)
    try:
        version, first = parse_address(address)
    except NotationError as wrong:
        raise NotationError(str(wrong), _cidr_hint(text)) from None
    if not _PREFIX.fullmatch(length) or int(length) > BITS[version]:
        raise NotationError(
            f"{shown(text)} is not a canonical IPv{version} CIDR: {shown(length)} is not a prefix length of 0 to {BITS[version]}",
            _cidr_hint(text),
        )
    size = 1 << (BITS[version] - int(length))
    if first & (size - 1):
        raise NotationError(f"{shown(text)} has host bits set", _cidr_hint(text))
    return IPRange(version, first, first + size - 1)


def format_address(version: int, value: int) -> str:
    """Return the canonical text of an address."""
    return inet_ntop(_FAMILY[version], value.to_bytes(BITS[version] // 8))


def ends(item: IPRange, suffix: str = "") -> dict[str, str]:
    """Return the first and the last address of a range, as `start` and `end` with a suffix."""
    numbers = (("start", item.first), ("end", item.last))
    return {f"{name}{suffix}": format_address(item.version, it) for name, it in numbers}


def format_range(item: IPRange) -> str:
    """Return `first-last`, even for one address: the form that pools accept for any range."""
    return f"{format_address(item.version, item.first)}-{format_address(item.version, item.last)}"


def format_cidr(item: IPRange) -> str | None:
    """Return the CIDR text if the range is exactly one block, else None."""
    prefix = item.prefix()
    return None if prefix is None else f"{format_address(item.version, item.first)}/{prefix}"


def format_short(item: IPRange) -> str:
    """Return a range for display: a single address, or `first-last`."""
    return format_address(item.version, item.first) if item.size == 1 else format_range(item)


def format_count(count: int) -> str:
    """Return a number of addresses for a column: from eleven digits rounded, as `1.8e19`."""
    text = str(count)
    return text if len(text) < 11 else f"{text[0]}.{text[1]}e{len(text) - 1}"


def anycast_of(networks: Iterable[IPRange]) -> IPSet:
    """Return the subnet-router anycast address of each IPv6 network, except /127 and /128."""
    found = (it for it in networks if it.version == 6 and it.size > 2)
    return IPSet.of(IPRange(6, it.first, it.first) for it in found)


def special_purpose(item: IPRange) -> str | None:
    """Return the name of an RFC 6890 special-purpose block that overlaps `item`, else None."""
    return next((name for name, block in _SPECIAL if block.overlaps(item)), None)


def is_private(item: IPRange) -> bool:
    """Return whether a range is entirely in private address space."""
    return any(block.covers(item) for block in _PRIVATE)


def cidrs_of(item: IPRange) -> tuple[str, ...]:
    """Return the fewest CIDR blocks that make up a range, in order."""
    first, last = (ip_address(format_address(item.version, it)) for it in (item.first, item.last))
    return tuple(str(block) for block in summarize_address_range(first, last))


# An IPv6 address in brackets, and any address with a port.
_HOST = re.compile(r"\[([0-9A-Fa-f:.]+)\](?::[0-9]+)?|([0-9.]+):[0-9]+", re.ASCII)
_OCTETS = re.compile(r"(?:[0-9]{1,9}\.){3}[0-9]{1,9}", re.ASCII)


def _explained(text: str) -> NotationError:
    if (host := _HOST.fullmatch(text)) is not None:
        own = host[1] or host[2]
        try:
            parse_address(own)
        except NotationError as wrong:
            return wrong
        return NotationError(f"{shown(text)} is more than an address", f"write {own}")
    kind = "IPv6" if ":" in text else "IPv4"
    if "%" in text:
        hint = f"write {shown(text.partition('%')[0])}"
        return NotationError(f"{shown(text)} has a zone id", hint)
    message = f"{shown(text)} is not a canonical {kind} address"
    if _OCTETS.fullmatch(text) and (large := [it for it in text.split(".") if int(it) > 255]):
        message = f"{shown(text)} is not an IPv4 address: {large[0]} is greater than 255"
    elif re.search(r"(^|\.)0[0-9]", text):
        message += ": a leading zero is ambiguous"
    meant = "" if set("-/") & set(text) else canonical(text)
    hint = f"write {meant}" if meant else "write an address such as 10.40.0.10 or 2001:db8::10"
    return NotationError(message, hint)


def canonical(text: str) -> str:
    """Return the canonical form of an address, of one with a length, or of a range; else empty."""
    try:
        ends = [_interface(part) for part in text.split("-", 2)]
    except ValueError:
        return ""
    if len(ends) == 1:
        return str(ends[0] if "/" in text else ends[0].ip)
    first, last = ends[0].ip, ends[-1].ip
    is_range = len(ends) == 2 and "/" not in text and first.version == last.version
    return f"{first}-{last}" if is_range and first <= last else ""


def _interface(text: str) -> Any:
    address, slash, length = text.partition("/")
    address = _plain_digits(address.partition("%")[0].strip())
    found = ip_interface(address + slash + _plain_digits(length.strip().lstrip("+")))
    if found.version == 4 or not 1 < int(found.ip) <= _LAST_EMBEDDED:
        return found
    return ip_interface((int(found.ip) & 0xFFFFFFFF, found.network.prefixlen - 96))


def _cidr_hint(text: str) -> str:
    if meant := canonical(text):
        block = (it := ip_interface(meant)).network
        return f"write {block}{'' if block[0] == it.ip else ' for its network'}"
    address = canonical(text.partition("/")[0])
    if address and "-" not in text and (":" in address) == (":" in text):
        return f"write the number of leading bits, such as /{64 if ':' in text else 24}"
    return "write a CIDR such as 10.40.0.0/24 or 2001:db8::/64"


def _plain_digits(text: str) -> str:
    return text if ":" in text else re.sub(r"\d+", lambda found: str(int(found[0])), text)


# IPv4 anywhere, even next to letters; IPv6 only as a separate token.
_TOKEN = re.compile(
    r"(?:(?<![0-9])(?<![0-9]\.)([0-9]{1,3}(?:\.[0-9]{1,3}){3})(?!\.?[0-9])"
    r"|(?<![0-9A-Za-z])([0-9A-Fa-f:]*:(?:[0-9A-Fa-f:]|\.(?=[0-9]))*))(?:/([0-9]{1,3}))?",
    re.ASCII,
)
_LONGEST = 45
# The key before an address, in a text of at most this length.
_KEY = re.compile(r"([A-Za-z]+)[\"']?\s*[:=]?\s*[\"']?\Z", re.ASCII)
_BEFORE = 40
_DASH = re.compile(r"[ \t]*(?:-|\.\.|\u2013)[ \t]*")
_FIRST = re.compile(r"start|first|begin|from", re.IGNORECASE)
_LAST = re.compile(r"end|last|stop|to\Z", re.IGNORECASE)
MIN_PREFIX = {4: 8, 6: 32}
"""Shortest prefix of a pool, by IP version: a larger network is a route, not an allocated range."""


def literal_ranges(text: str) -> tuple[IPRange, ...]:
    """Return all ranges in a text, in the order of the text."""
    found: dict[IPRange, None] = {}
    before: tuple[str, IPRange, int] | None = None  # the key, the network, and its end
    for match in _TOKEN.finditer(text):
        item = _network(match[1] or match[2], match[3])
        if item is None:
            continue
        start, end = match.span()
        named = _KEY.search(text, max(start - _BEFORE, 0), start)
        key = named[1] if named else ""
        found[item] = None
        if before is not None and before[1].version == item.version:
            are_ends = any(
                _FIRST.search(one) and _LAST.search(other)
                for one, other in ((before[0], key), (key, before[0]))
            )
            if are_ends or _DASH.fullmatch(text, before[2], start):
                first, last = min(before[1].first, item.first), max(before[1].last, item.last)
                found[IPRange(item.version, first, last)] = None
        before = key, item, end
    return tuple(found)


def _network(text: str, prefix: str | None) -> IPRange | None:
    if len(text) > _LONGEST or (text.count(".") < 3 and text.count(":") < 2):
        return None
    # A trailing colon or full stop belongs to a key or a sentence.
    for plain in (text, text.rstrip(".:"), text.lstrip(".:"), text.strip(".:")):
        if (item := _parsed(plain, prefix)) is not None:
            return item
    return None


def _parsed(text: str, prefix: str | None) -> IPRange | None:
    if ":" not in text:  # leading zeros are not canonical, but might be intended
        text = ".".join(part.lstrip("0") or "0" for part in text.split("."))
    try:
        address = ip_address(text)
        if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
            return _parsed(str(address.ipv4_mapped), None)
        item = IPRange(address.version, int(address), int(address))
        network = ip_network(f"{text}/{prefix or address.max_prefixlen}", strict=False)
    except ValueError:
        return None
    # With host bits, it is the address of an interface, not the network.
    if int(network[0]) != item.first or network.prefixlen < MIN_PREFIX[item.version]:
        return item
    return IPRange(item.version, item.first, int(network[-1]))


_LIKE = re.compile(r"[0-9]+(\.[0-9]*)+[-/.0-9]*|[0-9a-fA-F]*:[-/.:0-9a-fA-F]*", re.ASCII)


def asked_range(text: str) -> IPRange | None:
    """Return the range of a text: an address, a CIDR, or a range such as `10.0.0.1-10.0.0.9`."""
    first, dash, last = text.partition("-")
    try:
        if "/" in text:
            return parse_cidr(text)
        (version, start), (other, end) = map(parse_address, (first, last if dash else first))
    except NotationError:
        return None
    return IPRange(version, start, end) if version == other and start <= end else None


def mistaken(text: str) -> NotationError | None:
    """Return why a text that resembles addresses is invalid; None if it resembles a name."""
    if not _LIKE.fullmatch(text) and not _HOST.fullmatch(text):
        return None
    first, _, last = text.partition("-")
    try:
        parse_cidr(text) if "/" in text else (parse_address(first), parse_address(last or first))
    except NotationError as wrong:
        meant = canonical(text) if last else ""
        return NotationError(str(wrong), f"write {meant}") if meant else wrong
    return NotationError(f"{shown(text)} does not end after it starts")
