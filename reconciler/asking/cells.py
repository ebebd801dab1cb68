"""The map of a pool: what its addresses are, in cells of a power of two of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from reconciler.addresses import IPRange, IPSet
from reconciler.asking.parts import Part, Sort, parts_of
from reconciler.model.key import Key
from reconciler.model.state import State

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
OTHERS = "*"
"""Stands for holders for whom no letter is left."""
CONFLICT = "%"
"""Stands for what two records hold both."""
MOST_ROWS = 32
MOST_COLUMNS = 64
_MOST_CELLED = 1 << 24
"""A pool of more addresses is told as intervals, and so is one of IPv6."""

SIGNS = {
    Sort.HELD: "~",
    Sort.GATEWAY: "+",
    Sort.IN_USE: "!",
    Sort.RESERVED: "#",
    Sort.FREE: ".",
    Sort.UNUSED: "-",
}

_RANKS = {Sort.ALLOCATED: 2, Sort.HELD: 1}


class Holder(NamedTuple):
    """Who has addresses of a pool, the letter that stands for them, and how many they are."""

    letter: str
    title: str
    size: int


class Row(NamedTuple):
    """Cells in a row, from an address on; a cell of nothing is None."""

    first: int
    cells: tuple[Part | None, ...]


class PoolMap(NamedTuple):
    """A pool as a map.

    Attributes:
        parts: Its addresses, by address.
        letters: The letter of each holder, by title.
        per_cell: Addresses in a cell; 0 where there are no cells.
        rows: Cells, by address.
        conflicts: What two live or released records have both.
    """

    pool: Key
    parts: tuple[Part, ...]
    holders: tuple[Holder, ...]
    letters: dict[str, str]
    per_cell: int
    rows: tuple[Row, ...]
    conflicts: tuple[IPRange, ...] = ()

    def sign(self, part: Part) -> str:
        """What stands for a part in one character."""
        return self.letters[part.title] if part.sort is Sort.ALLOCATED else SIGNS[part.sort]


def pool_map(state: State, key: Key, columns: int, most_rows: int = MOST_ROWS) -> PoolMap:
    """The map of a pool, in rows of so many cells at most."""
    (found,) = pool_maps((state,), key, columns, most_rows)
    return found


def pool_maps(
    states: Sequence[State], key: Key, columns: int, most_rows: int = MOST_ROWS
) -> tuple[PoolMap, ...]:
    """The map of a pool in each of some states that have it alike: one letter means one holder."""
    every = [_parts(state, key) for state in states]
    titles = _titles(part for found in every for part in found)
    pool = states[0].pools[key]
    network = pool.extent | pool.usable
    is_celled = network.size <= _MOST_CELLED and all(it.version == 4 for it in network)
    width = _power(min(max(columns, 8), MOST_COLUMNS))
    size = _cell_size(network, width, most_rows) if is_celled else 0
    made = []
    for found in every:
        holders = _holders(found, titles)
        rows = tuple(_rows(network, found, width, size)) if size else ()
        both = tuple(_conflicts(found))
        made.append(PoolMap(key, tuple(found), holders, titles, size, rows, both))
    return tuple(made)


def strip(parts: Sequence[Part], columns: int) -> list[Part]:
    """Parts in so many cells: each is as wide as the logarithm of its size, none is nothing.

    Where there are more parts than cells, a cell shows the gravest of its parts.
    """
    count = len(parts)
    if count > columns:
        shares = (
            parts[at * count // columns : (at + 1) * count // columns] for at in range(columns)
        )
        return [max(share, key=lambda it: _RANKS.get(it.sort, 0)) for share in shares]
    weights = [part.range.size.bit_length() for part in parts]
    widths = [1 + (columns - count) * weight // sum(weights) for weight in weights]
    if widths:
        widths[weights.index(max(weights))] += columns - sum(widths)
    return [part for part, width in zip(parts, widths, strict=True) for _ in range(width)]


def _conflicts(parts: Iterable[Part]) -> Iterator[IPRange]:
    """What stands in two parts of which records hold both."""
    last: IPRange | None = None
    for item in sorted(part.range for part in parts if part.sort.is_holder):
        if last is not None and (shared := item.shared(last)) is not None:
            yield shared
        if last is None or item.version != last.version or item.last > last.last:
            last = item


def _parts(state: State, key: Key) -> list[Part]:
    pool = state.pools[key]
    return [
        part._replace(title=_owner(part))
        for part in parts_of(state, pool.extent | pool.usable)
        if part.space == pool.space and (part.pool in (None, key) or part.sort.is_holder)
    ]


def _owner(part: Part) -> str:
    return part.record.owner.short if part.record is not None else part.title


def _titles(parts: Iterable[Part]) -> dict[str, str]:
    """The letter of each holder, in the order of their first addresses."""
    mine = sorted(
        (part.range, at, part.title) for at, part in enumerate(parts) if part.sort is Sort.ALLOCATED
    )
    titles = list(dict.fromkeys(title for _, _, title in mine))
    letters = LETTERS if len(titles) <= len(LETTERS) else LETTERS[:-1]
    return {it: letters[at] if at < len(letters) else OTHERS for at, it in enumerate(titles)}


def _holders(parts: Sequence[Part], titles: Mapping[str, str]) -> tuple[Holder, ...]:
    """Those that have something, in the order of their letters."""
    counts: dict[str, int] = {}
    for part in parts:
        if part.sort is Sort.ALLOCATED:
            counts[part.title] = counts.get(part.title, 0) + part.range.size
    return tuple(
        Holder(letter, title, counts[title]) for title, letter in titles.items() if title in counts
    )


def _power(number: int) -> int:
    """The largest power of two that is not more."""
    return 1 << (number.bit_length() - 1)


def _cell_size(network: IPSet, width: int, most_rows: int) -> int:
    """The fewest addresses in a cell with which there are not too many rows."""
    size = 1
    while sum(1 for _ in _starts(network, width * size)) > most_rows:
        size *= 2
        if all(it.first // (width * size) == it.last // (width * size) for it in network):
            break  # a row each: no larger cell makes fewer
    return size


def _starts(network: IPSet, span: int) -> Iterator[int]:
    """First addresses of rows that hold something of a network, by address."""
    done = -1
    for item in network:
        for start in range(max(item.first // span * span, done + 1), item.last + 1, span):
            yield start
            done = start + span - 1


def _rows(network: IPSet, parts: Sequence[Part], width: int, size: int) -> Iterator[Row]:
    at = 0
    for start in _starts(network, width * size):
        cells: list[Part | None] = []
        for first in range(start, start + width * size, size):
            last = first + size - 1
            while at < len(parts) and parts[at].range.last < first:
                at += 1
            cells.append(_shown(parts, at, first, last))
        yield Row(start, tuple(cells))


def _shown(parts: Sequence[Part], at: int, first: int, last: int) -> Part | None:
    """The part that a cell shows: what is held comes first, then what has the most of it."""
    best, shown = (-1, 0), None
    cell = IPRange(4, first, last)
    while at < len(parts) and parts[at].range.first <= last:
        part, at = parts[at], at + 1
        if (shared := part.range.shared(cell)) is not None:
            rank = (_RANKS.get(part.sort, 0), shared.size)
            if rank > best:
                best, shown = rank, part
    return shown
