"""What is wished for, cut into runs that pools have: by the one planner that will serve it."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from reconciler.families._demand import Entry
from reconciler.model.claim import Refusal

_ROUNDS = 16
_NO_RUN = ("pool-exhausted", "pool-fragmented", "quota-exceeded", "request-too-large")
"""Refusals after which half of it may still be had."""


class Wish(NamedTuple):
    """What one tenant asks for.

    Attributes:
        back: Entries that come back. They are asked for whole.
        size: How many addresses besides, in a row where that can be.
        first: The number of the first new entry.
    """

    back: tuple[Entry, ...]
    size: int
    first: int


class Fitted(NamedTuple):
    """What one tenant gets: entries, and why not all of it; None when all."""

    back: tuple[Entry, ...]
    new: tuple[Entry, ...]
    refusal: Refusal | None


Refused = Callable[[Mapping[str, tuple[Entry, ...]]], Mapping[tuple[str, int], Refusal]]
"""Entries by tenant to those that get nothing, by tenant and number."""


def fitted(wishes: Mapping[str, Wish], refused: Refused) -> dict[str, Fitted]:
    """Entries that all get what they ask for.

    What has no run is halved, down to single addresses; all tenants at once, so that many who ask
    cost no more plans than one.

    Args:
        wishes: What each tenant asks for.
        refused: Asks the planner what would get nothing if all of this was asked for.
    """
    lots = {name: [wish.size] if wish.size else [] for name, wish in wishes.items()}
    back = {name: wish.back for name, wish in wishes.items()}
    why: dict[str, Refusal] = {}
    rounds = 0
    while found := _asked(wishes, back, lots, refused):
        rounds += 1
        for name in sorted({name for name, _ in found}):
            here = {index: it for (other, index), it in found.items() if other == name}
            why[name] = here[min(here)]
            back[name] = tuple(it for it in back[name] if it.index not in here)
            is_last = rounds >= _ROUNDS
            lots[name] = _halved(wishes[name].first, lots[name], here, is_last=is_last)
    return {
        name: Fitted(back[name], _numbered(wish.first, lots[name]), why.get(name))
        for name, wish in wishes.items()
    }


def _asked(
    wishes: Mapping[str, Wish],
    back: Mapping[str, tuple[Entry, ...]],
    lots: Mapping[str, list[int]],
    refused: Refused,
) -> Mapping[tuple[str, int], Refusal]:
    """What would get nothing by now."""
    asked = {
        name: (*back[name], *_numbered(wish.first, lots[name]))
        for name, wish in wishes.items()
        if back[name] or lots[name]
    }
    return refused(asked) if asked else {}


def _numbered(first: int, sizes: list[int]) -> tuple[Entry, ...]:
    return tuple(Entry(first + at, size) for at, size in enumerate(sizes))


def _halved(
    first: int, sizes: list[int], refused: Mapping[int, Refusal], *, is_last: bool
) -> list[int]:
    """The sizes with what was refused in halves; what cannot be halved is left out."""
    found: list[int] = []
    for at, size in enumerate(sizes):
        refusal = refused.get(first + at)
        if refusal is None:
            found.append(size)
        elif size > 1 and refusal.reason in _NO_RUN and not is_last:
            found += [size - size // 2, size // 2]
    return found
