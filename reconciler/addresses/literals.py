"""Addresses that stand literally in a text which nobody can read: each is off limits.

Single addresses (`10.0.0.5/24` is one), CIDRs, `first-last`, and a first and a last address that
follow one another under keys such as `start` and `end`. Nothing here refuses a text; what is no
address is passed over. The time taken is in proportion to the text's length.
"""

import re
from ipaddress import IPv6Address, ip_address, ip_network

from msgspec import Struct

from reconciler.addresses.iprange import IPRange

# IPv4 wherever it stands, glued to letters, too; IPv6 by itself.
_TOKEN = re.compile(
    r"(?:(?<![0-9])(?<![0-9]\.)([0-9]{1,3}(?:\.[0-9]{1,3}){3})(?!\.?[0-9])"
    r"|(?<![0-9A-Za-z])([0-9A-Fa-f:]*:(?:[0-9A-Fa-f:]|\.(?=[0-9]))*))(?:/([0-9]{1,3}))?",
    re.ASCII,
)
_LONGEST = 45
# What stands before an address: its key, in a piece of text no longer than this.
_KEY = re.compile(r"([A-Za-z]+)[\"']?\s*[:=]?\s*[\"']?\Z", re.ASCII)
_BEFORE = 40
_DASH = re.compile(r"[ \t]*(?:-|\.\.|\u2013)[ \t]*")
_FIRST = re.compile(r"start|first|begin|from", re.IGNORECASE)
_LAST = re.compile(r"end|last|stop|to\Z", re.IGNORECASE)
# No pool may be as large: such a network is a route, not a range that somebody uses.
_LEAST_PREFIX = {4: 8, 6: 32}


class _Literal(Struct, frozen=True):
    """A network with the key that it stands under, and where it stands."""

    key: str
    range: IPRange
    start: int
    end: int


def literal_ranges(text: str) -> tuple[IPRange, ...]:
    """All ranges that a text names, in the order of the text."""
    found: dict[IPRange, None] = {}
    before: _Literal | None = None
    for match in _TOKEN.finditer(text):
        item = _network(match[1] or match[2], match[3])
        if item is None:
            continue
        key = _KEY.search(text, max(match.start() - _BEFORE, 0), match.start())
        literal = _Literal(key[1] if key else "", item, match.start(), match.end())
        found[item] = None
        if before is not None and (joined := _joined(before, literal, text)) is not None:
            found[joined] = None
        before = literal
    return tuple(found)


def _network(text: str, prefix: str | None) -> IPRange | None:
    if len(text) > _LONGEST or (text.count(".") < 3 and text.count(":") < 2):
        return None
    # A colon or a full stop at the end is that of a key or of a sentence.
    for plain in (text, text.rstrip(".:"), text.lstrip(".:"), text.strip(".:")):
        if (item := _parsed(plain, prefix)) is not None:
            return item
    return None


def _parsed(text: str, prefix: str | None) -> IPRange | None:
    if ":" not in text:  # leading zeros are no canonical form, but somebody may have meant them
        text = ".".join(part.lstrip("0") or "0" for part in text.split("."))
    try:
        address = ip_address(text)
        if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
            return _parsed(str(address.ipv4_mapped), None)
        item = IPRange(address.version, int(address), int(address))
        network = ip_network(f"{text}/{prefix or address.max_prefixlen}", strict=False)
    except ValueError:
        return None
    # With host bits it is the address of an interface in a network, not the network.
    if int(network[0]) != item.first or network.prefixlen < _LEAST_PREFIX[item.version]:
        return item
    return IPRange(item.version, item.first, int(network[-1]))


def _joined(before: _Literal, after: _Literal, text: str) -> IPRange | None:
    """The range between two addresses that are named as its ends, in either order."""
    ends = (_FIRST.search(before.key) and _LAST.search(after.key)) or (
        _LAST.search(before.key) and _FIRST.search(after.key)
    )
    is_dashed = _DASH.fullmatch(text, before.end, after.start) is not None
    left, right = before.range, after.range
    if not (is_dashed or ends) or left.version != right.version:
        return None
    return IPRange(left.version, min(left.first, right.first), max(left.last, right.last))
