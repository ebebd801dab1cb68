"""Pools of an import."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from reconciler.addresses import BITS, IPRange, IPSet, format_cidr, format_short
from reconciler.documents.findings import Finding, Location
from reconciler.families.importing import Network
from reconciler.importing.found import (
    DEFAULT_SPACE,
    ImportedNetwork,
    ImportedRange,
    ImportedSource,
    Window,
    by_address,
    conflict,
    fitted,
)
from reconciler.model.key import Key
from reconciler.planning.evaluate import Evaluation

MAX_WINDOWS = 16
_WIDEST = 24
"""The prefix length of networks for addresses without a described pool."""


class Home(NamedTuple):
    """An existing pool."""

    name: str
    space: str
    windows: IPSet
    extent: IPSet
    place: Location


class Placed(NamedTuple):
    """Pools and ranges to write.

    Attributes:
        networks: Pools to write, with their source.
        holdings: Ranges, each with the name of its pool.
    """

    networks: tuple[tuple[Network, Location], ...]
    holdings: tuple[ImportedRange, ...]
    conflicts: tuple[Finding, ...]
    notes: tuple[str, ...]


def placed(
    found: ImportedSource, holdings: Sequence[ImportedRange], homes: Sequence[Home], version: int
) -> Placed:
    """Assign a pool to each range.

    Args:
        found: The content of the sources.
        holdings: Ranges that do not overlap.
        homes: Existing pools.
        version: The IP version of pools.
    """
    placing = _Placing(homes, version)
    placing.describe(found.described, [*found.windows, *map(_held, holdings)], found.windows)
    left = [item for item in holdings if placing.place(item)]
    placing.make(left)
    return Placed(
        tuple(placing.networks),
        tuple(sorted(placing.holdings)),
        tuple(placing.conflicts),
        tuple(placing.notes),
    )


class _Placing:
    def __init__(self, homes: Sequence[Home], version: int) -> None:
        self.homes = list(homes)
        self.version = version
        self.networks: list[tuple[Network, Location]] = []
        self.holdings: list[ImportedRange] = []
        self.conflicts: list[Finding] = []
        self.notes: list[str] = []

    def describe(
        self,
        described: Sequence[ImportedNetwork],
        used: Sequence[Window],
        windows: Sequence[Window],
    ) -> None:
        """Add the networks of sources, except networks that only contain others.

        Args:
            described: The networks.
            used: Ranges that they must be able to allocate.
            windows: Allocatable ranges, which exclude all other addresses of their network.
        """
        ordered = sorted(
            set(described),
            key=lambda it: (
                it.space,
                it.extent.version,
                it.extent.first,
                -it.extent.last,
                it.place,
            ),
        )
        for at, item in enumerate(ordered):
            if not self._is_fit(item):
                continue
            following = ordered[at + 1] if at + 1 < len(ordered) else None
            if following is not None and _holds(item, following):
                text = format_cidr(item.extent)
                self.notes.append(f"{item.place}: {text} holds smaller networks, and is no pool")
                continue
            if not self._is_there(item):
                limits = tuple(_inside(item, windows)) or item.windows or _hosts(item.extent)
                parts = IPSet.of([*limits, *_inside(item, used)]).ranges
                parts = parts if len(parts) <= MAX_WINDOWS else _span(parts)
                self._new(Network(item.name, item.extent, item.space, parts), item.place)

    def _is_fit(self, item: ImportedNetwork) -> bool:
        if item.extent.version == self.version and item.extent.prefix() is not None:
            return True
        why = f"is IPv{item.extent.version}" if item.extent.prefix() is not None else "is no CIDR"
        message = f"{format_short(item.extent)} {why}: no pool can be made of it"
        hint = f"pools that import writes hold IPv{self.version}, and have one CIDR"
        self.conflicts.append(conflict(item.place, message, hint))
        return False

    def _is_there(self, item: ImportedNetwork) -> bool:
        """Return whether an existing pool equals or overlaps the network."""
        for home in self.homes:
            named = home.name == item.name
            if home.space != item.space and not named:
                continue
            if home.extent.covers(item.extent) and home.space == item.space:
                if home.extent != IPSet((item.extent,)) or not named:
                    text = f"{format_cidr(item.extent)} lies in pool {home.name} of {home.place}"
                    self.notes.append(f"{item.place}: {text}, which serves")
                return True
            if named or home.extent & IPSet((item.extent,)):
                text = f"{format_cidr(item.extent)} ({item.name})"
                message = f"{text} and pool {home.name} of {home.place} are in each other's way"
                hint = "widen the pool that is there, or leave one of the two out"
                self.conflicts.append(conflict(item.place, message, hint))
                return True
        return False

    def _new(self, network: Network, place: Location) -> None:
        self.networks.append((network, place))
        windows = IPSet.of(network.windows or (network.extent,))
        extent = IPSet((network.extent,))
        self.homes.append(Home(network.name, network.space, windows, extent, place))

    def place(self, item: ImportedRange) -> bool:
        """Assign the pool that contains a range; return whether a new pool is needed."""
        if item.item.version != self.version:
            message = f"{item.title}: {format_short(item.item)} is IPv{item.item.version}"
            hint = f"pools that import writes hold IPv{self.version}; leave it out"
            self.conflicts.append(conflict(item.place, message, hint))
            return False
        named = [home for home in self.homes if item.pool and home.name == item.pool]
        around = [home for home in self.homes if home.space == item.space]
        fitting = [home for home in named or around if home.extent.covers(item.item)]
        if not fitting and not named and (item.pool or not self.homes):
            return True
        if len(fitting) == 1:
            self._put(item, fitting[0])
        elif fitting:
            names = " and ".join(f"{home.name} of {home.place}" for home in fitting)
            message = f"{item.title}: {format_short(item.item)} lies in several pools: {names}"
            self.conflicts.append(conflict(item.place, message, "say which: name the pool"))
        else:
            names = ", ".join(home.name for home in named or around) or "none"
            message = f"{item.title}: {format_short(item.item)} lies outside of every pool"
            hint = f"widen one, or describe one: --add-pool NAME=CIDR; looked at: {names}"
            self.conflicts.append(conflict(item.place, message, hint))
        return False

    def _put(self, item: ImportedRange, home: Home) -> None:
        self.holdings.append(item._replace(pool=home.name, space=home.space))

    def make(self, holdings: Sequence[ImportedRange]) -> None:
        """Create pools for ranges without a described pool. The pools contain nothing else."""
        groups: dict[tuple[str, str], list[ImportedRange]] = {}
        widest: dict[str, IPRange] = {}
        for item in sorted(holdings, key=_order):
            extent = _around([item.item])
            if (outer := widest.get(item.space)) is None or not outer.covers(extent):
                outer = widest[item.space] = extent
            name = item.pool or _made_name(outer, item.space)
            groups.setdefault((item.space, name), []).append(item)
        for (space, name), items in groups.items():
            ranges = [item.item for item in items]
            windows = IPSet.of(ranges).ranges
            windows = windows if len(windows) <= MAX_WINDOWS else _span(windows)
            made = ImportedNetwork(name, _around(ranges), items[0].place, space)
            if not self._is_there(made):
                self._new(Network(name, made.extent, space, windows, is_full=True), made.place)
            around = (it for it in self.homes if it.space == space)
            home = next((it for it in around if it.extent.covers(made.extent)), None)
            if home is not None:  # otherwise, the conflict was reported
                for item in items:
                    self._put(item, home)


def _held(item: ImportedRange) -> Window:
    return Window(item.item, item.place, item.space)


def _inside(network: ImportedNetwork, windows: Iterable[Window]) -> Iterator[IPRange]:
    for it in windows:
        if it.space == network.space and network.extent.covers(it.item):
            yield it.item


def _order(item: ImportedRange) -> tuple[object, ...]:
    """Return the sort key: wider networks before the networks within them."""
    extent = _around([item.item])
    return item.space, bool(item.pool), extent.first, -extent.last, item.item


def _holds(item: ImportedNetwork, other: ImportedNetwork) -> bool:
    is_within = item.space == other.space and item.extent.covers(other.extent)
    return is_within and item.extent != other.extent


def _around(ranges: Sequence[IPRange]) -> IPRange:
    """Return the smallest network that contains some ranges, at most a /24."""
    version = ranges[0].version
    first, last = min(it.first for it in ranges), max(it.last for it in ranges)
    bits = max(BITS[version] - _WIDEST if version == 4 else 64, (first ^ last).bit_length())
    start = first >> bits << bits
    return IPRange(version, start, start + (1 << bits) - 1)


def _made_name(extent: IPRange, space: str) -> str:
    word = "net" if space == DEFAULT_SPACE else f"{space}-net"
    return fitted(by_address(word, extent, extent.prefix()))


def _hosts(extent: IPRange) -> tuple[IPRange, ...]:
    """Return a network without its first and last address, if it has others."""
    if extent.size <= 2:
        return (extent,)
    return (IPRange(extent.version, extent.first + 1, extent.last - 1),)


def _span(ranges: Sequence[IPRange]) -> tuple[IPRange, ...]:
    return (IPRange(ranges[0].version, ranges[0].first, ranges[-1].last),)


class Taken(NamedTuple):
    """Addresses that the repository assigns to an owner."""

    space: str
    item: IPRange
    owner: tuple[str, str]
    place: Location


class ImportState(NamedTuple):
    """New ranges, conflicts, and ranges that the repository already has."""

    holdings: tuple[ImportedRange, ...]
    conflicts: tuple[Finding, ...]
    notes: tuple[str, ...]


def homes(evaluation: Evaluation, family: str, kind: str, namespace: str) -> list[Home]:
    """Return the existing pools of a kind, by name."""
    found = []
    for key, pool in sorted(evaluation.state.pools.items()):
        if (key.family, key.kind, key.namespace) == (family, kind, namespace):
            windows = IPSet.of(pool.windows)
            found.append(Home(key.name, pool.space, windows, pool.extent, pool.source))
    return found


def taken_in(evaluation: Evaluation) -> list[Taken]:
    """Return the assigned addresses: in records, and in pins without a record."""
    state = evaluation.state
    found = [
        Taken(
            _space(evaluation, record.pool), record.range, record.owner[:2], Location(record.path)
        )
        for record in state.records
        if record.range is not None
    ]
    recorded = {(it.space, it.item) for it in found}
    for claim in state.claims.values():
        space = _space(evaluation, claim.candidates[0]) if claim.candidates else ""
        if claim.pin is not None and (space, claim.pin) not in recorded:
            found.append(Taken(space, claim.pin, claim.owner[:2], claim.source))
    return sorted(found)


def _space(evaluation: Evaluation, pool: Key) -> str:
    there = evaluation.state.pools.get(pool)
    return there.space if there is not None else ""


def without_known(holdings: Iterable[ImportedRange], taken: list[Taken]) -> ImportState:
    """Split ranges into new ranges, conflicts, and known ranges.

    A range that the repository assigns to the same owner is known. A range of another owner is a
    conflict.
    """
    new: list[ImportedRange] = []
    conflicts: list[Finding] = []
    notes: list[str] = []
    index = _Index(taken)
    for item in holdings:
        met = index.meeting(item)
        own = IPSet.of(it.item for it in met if it.owner == item.owner)
        other = next((it for it in met if it.owner != item.owner), None)
        text = format_short(item.item)
        if other is not None:
            whose = "/".join(part for part in other.owner if part)
            message = f"{text} has two holders: {item.title}, and {whose} by {other.place}"
            hint = "find out who uses it, and leave the other one out"
            conflicts.append(conflict(item.place, message, hint))
        elif own.covers(item.item):
            notes.append(
                f"{item.place}{item.place.pointer}: {text} of {item.title} is known already"
            )
        elif own:
            message = f"{item.title} has {text}, of which {met[0].place} holds a part"
            hint = "import the rest by itself, as rows of a CSV file"
            conflicts.append(conflict(item.place, message, hint))
        else:
            new.append(item)
    return ImportState(tuple(new), tuple(conflicts), tuple(notes))


class _Index:
    """Index of ranges for overlap queries. Assigned ranges rarely overlap, so few are compared."""

    def __init__(self, taken: list[Taken]) -> None:
        self._taken = sorted(taken, key=lambda it: it.item)
        self._firsts = [(it.item.version, it.item.first) for it in self._taken]
        self._reach: list[tuple[int, int]] = []
        farthest = (0, -1)
        for it in self._taken:
            farthest = max(farthest, (it.item.version, it.item.last))
            self._reach.append(farthest)

    def meeting(self, item: ImportedRange) -> list[Taken]:
        """Return all entries that overlap a range, in its space or in an unknown space."""
        found: list[Taken] = []
        at = bisect_right(self._firsts, (item.item.version, item.item.last)) - 1
        while at >= 0 and self._reach[at] >= (item.item.version, item.item.first):
            other = self._taken[at]
            if other.item.overlaps(item.item) and other.space in ("", item.space):
                found.append(other)
            at -= 1
        return found[::-1]
