"""Which records overlap a range that is given out anew: a sweep over numbers, and nothing else."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple
from zlib import crc32

from reconciler.net.ranges import Range, union
from reconciler.net.reading import RELEASED, Holding

_ROW = re.compile(r"([0-9a-f]{8}) ((?:[0-9a-f]+-[0-9a-f]+(?:,|$))*)", re.ASCII)


class Span(NamedTuple):
    """A range and the path of the record that holds it."""

    first: int
    last: int
    path: str


class Line:
    """Ranges to which others are held, one after the other."""

    def __init__(self, ranges: Iterable[Range]) -> None:
        """Lay out some ranges."""
        laid = union(ranges)
        self._firsts = [first for first, _ in laid]
        self._lasts = [last for _, last in laid]

    def touches(self, ranges: Iterable[Range]) -> bool:
        """Some address of the others is in one of these."""
        for first, last in ranges:
            at = bisect_right(self._firsts, last)
            if at and self._lasts[at - 1] >= first:
                return True
        return False


def granted(new: Iterable[Holding], old: Iterable[Holding]) -> list[Holding]:
    """The records among those of a commit that hold what their claim did not hold before.

    Args:
        new: Records that it adds or changes.
        old: Records that it changes or removes. One that names no claim is anybody's.
    """
    before: dict[tuple[Range, ...], list[Holding]] = {}
    for record in old:
        before.setdefault(record.ranges, []).append(record)
    return [
        record
        for record in new
        if record.ranges
        and record.phase != RELEASED
        and not any(_went_on(record, other) for other in before.get(record.ranges, ()))
    ]


def _went_on(record: Holding, other: Holding) -> bool:
    return other.claim in ("", record.claim) and record.pool.may_be(other.pool)


def overlapping(spans: Iterable[Span], paths: Collection[str]) -> list[tuple[str, str]]:
    """Pairs of records that share an address, in order, of which at least one is of `paths`.

    The one of `paths` stands first.
    """
    found: dict[tuple[str, str], None] = {}
    reaching: list[Span] = []
    for span in sorted(spans):
        reaching = [other for other in reaching if other.last >= span.first]
        for other in reaching:
            if span.path == other.path:
                continue
            if span.path in paths:
                found[(span.path, other.path)] = None
            elif other.path in paths:
                found[(other.path, span.path)] = None
        reaching.append(span)
    return sorted(found)


def write_row(key: str, ranges: Sequence[Range]) -> str:
    """Ranges as a text for a cache, with the checksum of its key and itself."""
    text = ",".join(f"{first:x}-{last:x}" for first, last in ranges)
    return f"{_sum(key, text)} {text}"


def read_row(key: str, row: str) -> tuple[Range, ...] | None:
    """What `write_row` wrote; None for anything else, however much it looks like a row."""
    found = _ROW.fullmatch(row)
    if found is None or found[1] != _sum(key, found[2]):
        return None
    pairs = [pair.partition("-") for pair in found[2].split(",") if pair]
    ranges = tuple((int(first, 16), int(last, 16)) for first, _, last in pairs)
    is_sound = union(ranges) == ranges and all(first <= last for first, last in ranges)
    return ranges if is_sound else None


def _sum(key: str, text: str) -> str:
    data = f"{key}\n{text}".encode(errors="replace")
    return f"{crc32(data):08x}"
