"""Unpack packed columns like the script of the page, in Python."""

from base64 import b64decode
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

IPV6 = 1 << 32


class Lived(NamedTuple):
    pool: str
    first: int
    last: int
    claim: str
    owner: str
    state: str
    begins: int | None
    ends: int | None


def numbers(packed: str) -> list[int]:
    found: list[int] = []
    tokens = _unsigned(packed)
    for token in tokens:
        value = token >> 1
        number = value >> 1 if value & 1 == 0 else -((value + 1) >> 1)
        found += [number] * (next(tokens) + 2 if token & 1 else 1)
    return found


def _unsigned(packed: str) -> Iterator[int]:
    value, shift = 0, 0
    for byte in b64decode(packed):
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield value
            value, shift = 0, 0
    assert shift == 0


def sums(packed: str) -> list[int]:
    found, total = [], 0
    for step in numbers(packed):
        total += step
        found.append(total)
    return found


def names(packed: str) -> list[str]:
    data, at, before, found = b64decode(packed), 0, b"", []
    while at < len(data):
        shared, at = data[at], at + 1
        size, shift = 0, 0
        while True:
            byte, at = data[at], at + 1
            size |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        before = before[:shared] + data[at : at + size]
        at += size
        found.append(before.decode())
    return found


def lives_of(page: Mapping[str, Any]) -> Iterator[Lived]:
    columns = page["lives"]
    pools, claims = sums(columns["pool"]), sums(columns["claim"])
    claimed, owners = names(page["claims"]["name"]), names(page["owners"])
    owned = numbers(page["claims"]["owner"])
    first, was = 0, -1
    rest = (numbers(columns[name]) for name in ("first", "size", "state", "from", "to"))
    for pool, claim, step, size, state, begins, ends in zip(pools, claims, *rest, strict=True):
        first, was = (first if pool == was else 0) + step, pool
        start = first - IPV6 if first >= IPV6 else first
        yield Lived(
            page["pools"][pool]["key"],
            start,
            start + size - 1,
            claimed[claim],
            owners[owned[claim]],
            ("allocated", "held", "left")[state & 3],
            begins - 1 if begins else None,
            ends - 1 if ends else None,
        )
