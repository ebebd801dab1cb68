"""Ranges as pairs of numbers on one line, IPv4 before IPv6; and all addresses that a text names.

Written once more, although `addresses` does the like: a net that is made of what it has to catch
would have its holes.
"""

import re
from collections.abc import Iterable, Iterator
from socket import AF_INET, AF_INET6, inet_ntop, inet_pton

Range = tuple[int, int]
"""First and last number, inclusive. IPv6 begins at `V6`."""

V6 = 1 << 128
_V4_WORD = re.compile(
    r"(?<![0-9])(?<![0-9]\.)(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![0-9]|\.[0-9])", re.ASCII
)
_V6_WORD = re.compile(r"(?:[0-9A-Fa-f:]|\.(?=[0-9])){2,}", re.ASCII)
_LENGTH = re.compile(r"/([0-9]{1,3})(?![0-9])", re.ASCII)
_DASH = re.compile(r"[ \t]*(?:-|\.\.|\u2013)[ \t]*")
_END = re.compile(r"(?:start|end)Address\W{0,4}$", re.ASCII)
_NAMED_FROM = 24


def number(text: str) -> int | None:
    """An address as a number, or None; an IPv4 address within an IPv6 one is that IPv4 address."""
    try:
        if ":" not in text:
            return int.from_bytes(inet_pton(AF_INET, text))
        value = int.from_bytes(inet_pton(AF_INET6, text))
    except (OSError, ValueError):
        return None
    return value & 0xFFFFFFFF if value > 1 and value >> 32 in (0, 0xFFFF) else V6 + value


def between(start: str, end: str) -> Range | None:
    """The range from one address to another of its version."""
    first, last = number(start), number(end)
    if first is None or last is None or first > last or (first < V6) != (last < V6):
        return None
    return first, last


def block(text: str) -> Range | None:
    """The block of a CIDR; bits behind the prefix do not matter. Also `first-last`."""
    start, dash, end = text.partition("-")
    if dash:
        return between(start.strip(), end.strip())
    address, _, length = text.partition("/")
    value = number(address)
    if value is None or not length.isdecimal() or not length.isascii():
        return None
    return _around(value, int(length))


def written(item: Range) -> str:
    """A range for people: one address alone, else `first-last`."""
    first, last = map(_address, item)
    return first if first == last else f"{first}-{last}"


def union(ranges: Iterable[Range]) -> tuple[Range, ...]:
    """The same addresses in as few ranges as can be, in order."""
    found: list[Range] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(found[-1][1], last)
        else:
            found.append((first, last))
    return tuple(found)


def literals(text: str) -> tuple[Range, ...]:
    """Every address, block and range that stands in a text, whatever its form is.

    All from the least to the greatest of what is called `startAddress` or `endAddress` counts,
    too: the list of addresses between them may be what was lost.
    """
    found: list[Range] = []
    ends: list[int] = []
    before, before_end = 0, -1
    for start, end, value in _words(text):
        item: Range | None = (value, value)
        if length := _LENGTH.match(text, end):
            item = _around(value, int(length[1]))
        found.append(item or (value, value))
        if before_end >= 0 and _DASH.fullmatch(text, before_end, start) and _alike(before, value):
            found.append((before, value))
        if _END.search(text[max(start - _NAMED_FROM, 0) : start]):
            ends.append(value)
        before, before_end = value, end
    for alike in ([it for it in ends if it < V6], [it for it in ends if it >= V6]):
        found += [(min(alike), max(alike))] if alike else []
    return union(found)


def _words(text: str) -> Iterator[tuple[int, int, int]]:
    """Addresses with the places where they begin and end, in order."""
    found = []
    for word in _V4_WORD.finditer(text):
        parts = [int(part) for part in word.group().split(".")]  # 010 is ten to some, and counts
        if max(parts) <= 255:
            found.append((*word.span(), int.from_bytes(bytes(parts))))
    for word in _V6_WORD.finditer(text):
        if word.group().count(":") > 1:
            for at, form in _forms(word.group()):
                if ":" in form and (value := number(form)) is not None:
                    start = word.start() + at
                    found.append((start, start + len(form), value))
                    break
    yield from sorted(found)


def _forms(word: str) -> Iterator[tuple[int, str]]:
    """A word with and without the colon or full stop of the sentence around it."""
    word = word.rstrip(".")
    for start in (0, 1):
        for end in (0, 1):
            yield start, word[start : len(word) - end]


def _around(value: int, length: int) -> Range | None:
    base, bits = (V6, 128) if value >= V6 else (0, 32)
    if length > bits:
        return None
    size = 1 << (bits - length)
    first = base + ((value - base) & -size)
    return first, first + size - 1


def _alike(first: int, last: int) -> bool:
    return first <= last and (first < V6) == (last < V6)


def _address(value: int) -> str:
    if value < V6:
        return inet_ntop(AF_INET, value.to_bytes(4))
    return inet_ntop(AF_INET6, (value - V6).to_bytes(16))
