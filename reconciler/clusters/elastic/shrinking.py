"""How much of a pool's growth goes at once: a quarter in ten minutes, and one record at least."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from reconciler.clusters.elastic.model import Entry
from reconciler.engine.guard import most_going

WINDOW = 600
"""Seconds."""

_MOST_LINES = 2_000
_WORDS = 3


class Gone(NamedTuple):
    """Growth of a pool that was given back.

    Attributes:
        pool: Its key, as text.
        at: When, in seconds since 1970.
        records: How many.
    """

    pool: str
    at: int
    records: int


class Going(NamedTuple):
    """An entry that may go, and the pool of its addresses; no pool where it holds none."""

    tenant: str
    entry: Entry
    pool: str


def shrunk(
    asked: Sequence[Going], growth: Mapping[str, int], gone: Iterable[Gone], now: int
) -> list[Going]:
    """Those of the entries that go now.

    Args:
        asked: What may go, in the order in which it goes.
        growth: Live records of growth, by pool.
        gone: What went lately.
        now: Seconds since 1970.
    """
    lately: dict[str, int] = {}
    for item in recent(gone, now):
        lately[item.pool] = lately.get(item.pool, 0) + item.records
    left = {
        pool: most_going(growth.get(pool, 0) + lately.get(pool, 0)) - lately.get(pool, 0)
        for pool in {item.pool for item in asked}
    }
    found: list[Going] = []
    for wanted in asked:
        if not wanted.pool:  # it holds nothing: nothing is given back
            found.append(wanted)
        elif left[wanted.pool] > 0:
            left[wanted.pool] -= 1
            found.append(wanted)
    return found


def recent(gone: Iterable[Gone], now: int) -> list[Gone]:
    """What went in the last ten minutes. A clock that was set back forgets nothing."""
    return [item._replace(at=min(item.at, now)) for item in gone if now - item.at < WINDOW]


def noted(gone: Iterable[Gone], going: Iterable[Going], now: int) -> list[Gone]:
    """What is to be remembered once some entries go."""
    counts: dict[str, int] = {}
    for item in going:
        if item.pool:
            counts[item.pool] = counts.get(item.pool, 0) + 1
    more = [Gone(pool, now, count) for pool, count in sorted(counts.items())]
    return [*recent(gone, now), *more]


def write_gone(gone: Iterable[Gone]) -> str:
    """As a text of lines."""
    return "".join(f"{item.pool} {item.at} {item.records}\n" for item in gone)


def read_gone(text: str) -> list[Gone]:
    """What `write_gone` wrote; lines that cannot be read are left out."""
    found: list[Gone] = []
    for line in text.splitlines()[:_MOST_LINES]:
        words = line.split(" ")
        if len(words) == _WORDS and _is_number(words[1]) and _is_number(words[2]):
            found.append(Gone(words[0], int(words[1]), int(words[2])))
    return found


def write_idle(idle: Mapping[str, int]) -> str:
    """Since when addresses are idle, as a text of lines."""
    return "".join(f"{key} {since}\n" for key, since in sorted(idle.items()))


def read_idle(text: str) -> dict[str, int]:
    """What `write_idle` wrote. A tenant may have written anything: what cannot be read is left out."""
    found: dict[str, int] = {}
    for line in text.splitlines()[:_MOST_LINES]:
        key, _, since = line.partition(" ")
        if _is_number(since):
            found[key] = int(since)
    return found


_MOST_DIGITS = 15


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS
