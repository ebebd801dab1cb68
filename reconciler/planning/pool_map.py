"""Maps of pools."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from reconciler.addresses import IPRange, IPSet
from reconciler.documents.findings import Location
from reconciler.model.claim import Allocation
from reconciler.model.key import Key
from reconciler.model.plan import State
from reconciler.model.pool import Pool
from reconciler.planning.space import space_of


class AddressUse(StrEnum):
    """The use of an address, in the terms of the output."""

    ALLOCATED = "allocated"
    HELD = "held"
    GATEWAY = "gateway"
    IN_USE = "in use"
    RESERVED = "reserved"
    FREE = "free"
    UNUSED = "not allocatable"
    INSIDE = "inside a cluster"
    OUTSIDE = "outside"

    @property
    def is_holder(self) -> bool:
        """Return whether a record holds the address."""
        return self in (AddressUse.ALLOCATED, AddressUse.HELD)


class AddressPart(NamedTuple):
    """Consecutive addresses with the same use in an address space; `title` is their holder."""

    range: IPRange
    sort: AddressUse
    space: str = ""
    pool: Key | None = None
    record: Allocation | None = None
    title: str = ""
    source: Location | None = None


def parts_of(state: State, asked: Iterable[IPRange]) -> list[AddressPart]:
    """Return the parts of a range in address order. An address has one use per address space."""
    wanted = IPSet.of(asked)
    layers = list(_layers(state))
    known: dict[str, list[IPRange]] = {pool.space: [] for pool in state.pools.values()}
    for part in (part for layer in (layers[0], *layers[2:]) for part in layer if part.space):
        known.setdefault(part.space, []).append(part.range)
    found: list[AddressPart] = []
    everywhere = IPSet()
    for space, ranges in known.items():
        left = wanted & IPSet.of(ranges)
        everywhere = everywhere | left
        for layer in layers:
            left = _cut((part for part in layer if part.space in ("", space)), left, space, found)
    rest = wanted - everywhere
    inside = [
        AddressPart(it.range, AddressUse.INSIDE, title=f"{it.use} of {it.owner}", source=it.source)
        for it in state.inside
    ]
    for layer in (*layers, inside):
        rest = _cut((part for part in layer if not part.space), rest, "", found)
    found += [AddressPart(item, AddressUse.OUTSIDE) for item in rest]
    return sorted(found, key=lambda part: (part.range, part.space, part.sort, part.title))


def _cut(parts: Iterable[AddressPart], left: IPSet, space: str, found: list[AddressPart]) -> IPSet:
    taken = []
    for part in parts:
        for shared in left & IPSet((part.range,)):
            found.append(part._replace(range=shared, space=space))
            taken.append(shared)
    return left - IPSet.of(taken)


def _layers(state: State) -> Iterator[list[AddressPart]]:
    """Yield uses of addresses; each takes precedence over later ones."""
    yield [
        AddressPart(
            record.range,
            AddressUse.HELD if record.is_released else AddressUse.ALLOCATED,
            space_of(state.pools, record) or "",
            record.pool,
            record,
            record.claim.short,
            Location(record.path, 1, 1),
        )
        for record in state.records
        if record.range is not None
    ]
    yield without_record(state)
    pools = list(state.pools.values())
    shares: tuple[tuple[AddressUse, Callable[[Pool], IPSet]], ...] = (
        (AddressUse.RESERVED, lambda pool: pool.reserved & pool.extent),
        (AddressUse.FREE, lambda pool: pool.usable),
        (AddressUse.UNUSED, lambda pool: pool.extent),
    )
    for sort, share in shares:
        yield [
            AddressPart(item, sort, pool.space, pool.key, source=pool.source)
            for pool in pools
            for item in share(pool)
        ]


def without_record(state: State) -> list[AddressPart]:
    """Return addresses that are in use or blocked without a record, such as gateways."""
    gateways = [
        AddressPart(it.range, AddressUse.GATEWAY, space, title=it.title, source=it.source)
        for it in state.gateways
        for space in it.spaces(state.pools) or ("",)
    ]
    used = [
        AddressPart(it.range, AddressUse.IN_USE, title=it.title, source=it.source)
        for it in (*state.blocked, *state.off_limits)
    ]
    unread = [
        AddressPart(
            item, AddressUse.IN_USE, title="unreadable file", source=Location(it.path, 1, 1)
        )
        for it in state.unreadable
        for item in it.ranges
    ]
    return [*gateways, *used, *unread]


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
OTHERS = "*"
"""The sign of holders after all letters are assigned."""
CONFLICT = "%"
"""The sign of addresses that two records hold."""
MAX_ROWS = 32
MAX_COLUMNS = 64
_MAX_CELLED = 1 << 24
"""Pools with more addresses, and IPv6 pools, are shown as intervals."""

SIGNS = {
    AddressUse.HELD: "~",
    AddressUse.GATEWAY: "+",
    AddressUse.IN_USE: "!",
    AddressUse.RESERVED: "#",
    AddressUse.FREE: ".",
    AddressUse.UNUSED: "-",
}

_RANKS = {AddressUse.ALLOCATED: 2, AddressUse.HELD: 1}


class MapHolder(NamedTuple):
    """A holder of addresses of a pool, with its letter and the number of addresses."""

    letter: str
    title: str
    size: int


class MapRow(NamedTuple):
    """Consecutive cells from an address; an empty cell is None."""

    first: int
    cells: tuple[AddressPart | None, ...]


class PoolMap(NamedTuple):
    """A pool as a map: `letters` by title; `per_cell` is 0 without cells."""

    pool: Key
    parts: tuple[AddressPart, ...]
    holders: tuple[MapHolder, ...]
    letters: dict[str, str]
    per_cell: int
    rows: tuple[MapRow, ...]
    conflicts: tuple[IPRange, ...] = ()

    def sign(self, part: AddressPart) -> str:
        """Return the character that represents a part."""
        return self.letters[part.title] if part.sort is AddressUse.ALLOCATED else SIGNS[part.sort]


def pool_map(state: State, key: Key, columns: int, most_rows: int = MAX_ROWS) -> PoolMap:
    """Return the map of a pool, with at most `columns` cells per row."""
    (found,) = pool_maps((state,), key, columns, most_rows)
    return found


def pool_maps(
    states: Sequence[State], key: Key, columns: int, most_rows: int = MAX_ROWS
) -> tuple[PoolMap, ...]:
    """Return the map of a pool in each of several states with the same pool and shared letters."""
    every = [_parts(state, key) for state in states]
    letters = _letters(part for found in every for part in found)
    pool = states[0].pools[key]
    network = pool.extent | pool.usable
    is_celled = network.size <= _MAX_CELLED and all(it.version == 4 for it in network)
    width = 1 << (min(max(columns, 8), MAX_COLUMNS).bit_length() - 1)  # a power of two
    size = _cell_size(network, width, most_rows) if is_celled else 0
    made = []
    for found in every:
        holders = _holders(found, letters)
        rows = tuple(_rows(network, found, width, size)) if size else ()
        both = tuple(_conflicts(found))
        made.append(PoolMap(key, tuple(found), holders, letters, size, rows, both))
    return tuple(made)


def strip(parts: Sequence[AddressPart], columns: int) -> list[AddressPart]:
    """Return `columns` cells for some parts, at least one each, by the logarithm of their sizes."""
    # If there are more parts than cells, a cell shows its part of highest precedence.
    count = len(parts)
    if count > columns:
        shares = (parts[i * count // columns : (i + 1) * count // columns] for i in range(columns))
        return [max(share, key=lambda it: _RANKS.get(it.sort, 0)) for share in shares]
    weights = [part.range.size.bit_length() for part in parts]
    widths = [1 + (columns - count) * weight // sum(weights) for weight in weights]
    if widths:
        widths[weights.index(max(weights))] += columns - sum(widths)
    return [part for part, width in zip(parts, widths, strict=True) for _ in range(width)]


def _conflicts(parts: Iterable[AddressPart]) -> Iterator[IPRange]:
    last: IPRange | None = None
    for item in sorted(part.range for part in parts if part.sort.is_holder):
        if last is not None and (shared := item.shared(last)) is not None:
            yield shared
        if last is None or item.version != last.version or item.last > last.last:
            last = item


def _parts(state: State, key: Key) -> list[AddressPart]:
    pool = state.pools[key]
    return [
        part._replace(title=part.record.owner.short if part.record is not None else part.title)
        for part in parts_of(state, pool.extent | pool.usable)
        if part.space == pool.space and (part.pool in (None, key) or part.sort.is_holder)
    ]


def _letters(parts: Iterable[AddressPart]) -> dict[str, str]:
    mine = sorted(
        (part.range, at, part.title)
        for at, part in enumerate(parts)
        if part.sort is AddressUse.ALLOCATED
    )
    titles = list(dict.fromkeys(title for _, _, title in mine))
    letters = LETTERS if len(titles) <= len(LETTERS) else LETTERS[:-1]
    return {it: letters[at] if at < len(letters) else OTHERS for at, it in enumerate(titles)}


def _holders(parts: Sequence[AddressPart], letters: Mapping[str, str]) -> tuple[MapHolder, ...]:
    counts: dict[str, int] = {}
    for part in parts:
        if part.sort is AddressUse.ALLOCATED:
            counts[part.title] = counts.get(part.title, 0) + part.range.size
    return tuple(
        MapHolder(letter, title, counts[title])
        for title, letter in letters.items()
        if title in counts
    )


def _cell_size(network: IPSet, width: int, most_rows: int) -> int:
    size = 1
    while sum(1 for _ in _starts(network, width * size)) > most_rows:
        size *= 2
        if all(it.first // (width * size) == it.last // (width * size) for it in network):
            break  # one row per network: a larger cell does not reduce the number of rows
    return size


def _starts(network: IPSet, span: int) -> Iterator[int]:
    done = -1
    for item in network:
        for start in range(max(item.first // span * span, done + 1), item.last + 1, span):
            yield start
            done = start + span - 1


def _rows(network: IPSet, parts: Sequence[AddressPart], width: int, size: int) -> Iterator[MapRow]:
    at = 0
    for start in _starts(network, width * size):
        cells: list[AddressPart | None] = []
        for first in range(start, start + width * size, size):
            while at < len(parts) and parts[at].range.last < first:
                at += 1
            cells.append(_shown(parts, at, IPRange(4, first, first + size - 1)))
        yield MapRow(start, tuple(cells))


def _shown(parts: Sequence[AddressPart], at: int, cell: IPRange) -> AddressPart | None:
    best, shown = (-1, 0), None
    while at < len(parts) and parts[at].range.first <= cell.last:
        part, at = parts[at], at + 1
        if (shared := part.range.shared(cell)) is not None:
            rank = (_RANKS.get(part.sort, 0), shared.size)
            if rank > best:
                best, shown = rank, part
    return shown


def pools_named(pools: Collection[Key], text: str) -> list[Key]:
    """Return the pools that match a name, `namespace/name`, or an output key; by key."""
    return sorted(key for key in pools if text in (str(key), key.short, key.name))
