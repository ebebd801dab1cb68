"""Which pool each range lies in: one that is there, one that a source describes, or one made of them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from reconciler.addresses import IPRange, IPSet
from reconciler.addresses.iprange import BITS
from reconciler.addresses.notation import format_cidr, format_short
from reconciler.families._importing import Network
from reconciler.findings import Finding, Location
from reconciler.importing.found import DEFAULT_SPACE, Described, Found, Holding, Window, conflict
from reconciler.importing.naming import by_address, fitted

MOST_WINDOWS = 16
_WIDEST = 24
"""The length of the network that is made for addresses that nobody describes a pool for."""


class Home(NamedTuple):
    """A pool that is there already."""

    name: str
    space: str
    windows: IPSet
    extent: IPSet
    place: Location


class Placed(NamedTuple):
    """What is written of pools and ranges.

    Attributes:
        networks: Pools to write, with where they come from.
        holdings: Ranges, each with the name of its pool.
    """

    networks: tuple[tuple[Network, Location], ...]
    holdings: tuple[Holding, ...]
    conflicts: tuple[Finding, ...]
    notes: tuple[str, ...]


def placed(
    found: Found, holdings: Sequence[Holding], homes: Sequence[Home], version: int
) -> Placed:
    """Give each range its pool.

    Args:
        found: What sources describe.
        holdings: Ranges that do not overlap.
        homes: Pools that are there.
        version: The IP version that pools hold.
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
        self.holdings: list[Holding] = []
        self.conflicts: list[Finding] = []
        self.notes: list[str] = []

    def describe(
        self, described: Sequence[Described], used: Sequence[Window], windows: Sequence[Window]
    ) -> None:
        """Take the networks that sources describe, but those that only hold others.

        Args:
            described: The networks.
            used: Ranges that they have to give out.
            windows: Those of them that say what else they do not give out.
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
                parts = parts if len(parts) <= MOST_WINDOWS else _span(parts)
                self._new(Network(item.name, item.extent, item.space, parts), item.place)

    def _is_fit(self, item: Described) -> bool:
        if item.extent.version == self.version and item.extent.prefix() is not None:
            return True
        why = f"is IPv{item.extent.version}" if item.extent.prefix() is not None else "is no CIDR"
        message = f"{format_short(item.extent)} {why}: no pool can be made of it"
        hint = f"pools that import writes hold IPv{self.version}, and have one CIDR"
        self.conflicts.append(conflict(item.place, message, hint))
        return False

    def _is_there(self, item: Described) -> bool:
        """A pool of the repository, or one before, is in the way, or is the very one."""
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

    def place(self, item: Holding) -> bool:
        """Put a range into the pool that it lies in; True where a pool is to be made for it."""
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
            hint = f"widen one, or describe one: --pool NAME=CIDR; looked at: {names}"
            self.conflicts.append(conflict(item.place, message, hint))
        return False

    def _put(self, item: Holding, home: Home) -> None:
        self.holdings.append(item._replace(pool=home.name, space=home.space))

    def make(self, holdings: Sequence[Holding]) -> None:
        """Make pools for ranges that nobody describes one for: they hold these and nothing else."""
        groups: dict[tuple[str, str], list[Holding]] = {}
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
            windows = windows if len(windows) <= MOST_WINDOWS else _span(windows)
            made = Described(name, _around(ranges), items[0].place, space)
            if not self._is_there(made):
                self._new(Network(name, made.extent, space, windows, is_full=True), made.place)
            around = (it for it in self.homes if it.space == space)
            home = next((it for it in around if it.extent.covers(made.extent)), None)
            if home is not None:  # else what is in its way was told
                for item in items:
                    self._put(item, home)


def _held(item: Holding) -> Window:
    return Window(item.item, item.place, item.space)


def _inside(network: Described, windows: Iterable[Window]) -> Iterator[IPRange]:
    for it in windows:
        if it.space == network.space and network.extent.covers(it.item):
            yield it.item


def _order(item: Holding) -> tuple[object, ...]:
    """Those in wider networks before those within them."""
    extent = _around([item.item])
    return item.space, bool(item.pool), extent.first, -extent.last, item.item


def _holds(item: Described, other: Described) -> bool:
    is_within = item.space == other.space and item.extent.covers(other.extent)
    return is_within and item.extent != other.extent


def _around(ranges: Sequence[IPRange]) -> IPRange:
    """The smallest network of at most 24 bits that holds some ranges."""
    version = ranges[0].version
    first, last = min(it.first for it in ranges), max(it.last for it in ranges)
    bits = max(BITS[version] - _WIDEST if version == 4 else 64, (first ^ last).bit_length())
    start = first >> bits << bits
    return IPRange(version, start, start + (1 << bits) - 1)


def _made_name(extent: IPRange, space: str) -> str:
    word = "net" if space == DEFAULT_SPACE else f"{space}-net"
    return fitted(by_address(word, extent, extent.prefix()))


def _hosts(extent: IPRange) -> tuple[IPRange, ...]:
    """A network without its first and last address, where it has others."""
    if extent.size <= 2:
        return (extent,)
    return (IPRange(extent.version, extent.first + 1, extent.last - 1),)


def _span(ranges: Sequence[IPRange]) -> tuple[IPRange, ...]:
    return (IPRange(ranges[0].version, ranges[0].first, ranges[-1].last),)
