"""Which records overlap a range that is given out anew: a sweep over numbers, and nothing else."""

from bisect import bisect_right
from collections.abc import Collection, Iterable
from typing import NamedTuple

from reconciler.net.ranges import Range, union
from reconciler.net.reading import RELEASED, Holding


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
