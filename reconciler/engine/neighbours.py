"""Ranges set by hand that share an address: one sweep, however many there are and in how many spaces."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field

from reconciler.model.state import Blocked

Spaces = tuple[str, ...]


def neighbours(ranges: Iterable[tuple[Blocked, Spaces]]) -> dict[str, Blocked]:
    """One range that each shares an address with in some address space, by its title.

    Args:
        ranges: Each with its address spaces; none when it may be any.
    """
    entries = sorted(ranges, key=lambda entry: (entry[0].range, entry[0].title))
    alike = _alike({spaces: None for _, spaces in entries})
    sweep = _Sweep()
    for item, spaces in entries:
        sweep.take(item, alike[spaces])
    return sweep.found


def _alike(every: Iterable[Spaces]) -> Mapping[Spaces, Sequence[str]]:
    """For some spaces those that have to be looked at: of several that always come together, one."""
    listed = list(every)
    within: dict[str, list[int]] = {}
    for number, spaces in enumerate(listed):
        for space in spaces:
            within.setdefault(space, []).append(number)
    first: dict[tuple[int, ...], str] = {}
    stands = {space: first.setdefault(tuple(where), space) for space, where in within.items()}
    return {spaces: list(dict.fromkeys(stands[space] for space in spaces)) for spaces in listed}


class _Sweep(Struct):
    """Ranges in the order of their first addresses.

    Of those that reach to where the sweep is, all of one space but the furthest have met it. So a
    range meets the furthest of each of its spaces; one of every space the furthest of all, and
    those that met nobody so far, which are asked once each.

    Attributes:
        found: One that each range met, by its title.
        reach: The range that reaches furthest, by space.
        everywhere: That of those that count in every space.
        furthest: That of all.
        alone: Ranges that met nobody yet, since the last one that counts in every space.
    """

    found: dict[str, Blocked] = field(default_factory=dict)
    reach: dict[str, Blocked] = field(default_factory=dict)
    everywhere: Blocked | None = None
    furthest: Blocked | None = None
    alone: list[Blocked] = field(default_factory=list)

    def take(self, item: Blocked, spaces: Sequence[str]) -> None:
        """Go on to a range."""
        if spaces:
            self._meet(item, self.everywhere)
            for space in spaces:
                self._meet(item, self.reach.get(space))
                self.reach[space] = _further(self.reach.get(space), item)
        else:
            for other in (self.furthest, *self.alone):
                self._meet(item, other)
            self.alone.clear()
            self.everywhere = _further(self.everywhere, item)
        self.furthest = _further(self.furthest, item)
        if item.title not in self.found:
            self.alone.append(item)

    def _meet(self, item: Blocked, other: Blocked | None) -> None:
        if other is not None and other.range.overlaps(item.range):
            self.found.setdefault(item.title, other)
            self.found.setdefault(other.title, item)


def _further(reach: Blocked | None, item: Blocked) -> Blocked:
    """The one of two that ends last."""
    return item if reach is None or _end(reach) < _end(item) else reach


def _end(item: Blocked) -> tuple[int, int]:
    return item.range.version, item.range.last
