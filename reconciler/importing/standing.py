"""What a repository says already of the addresses that a source tells of."""

from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from reconciler.addresses import IPRange, IPSet
from reconciler.addresses.notation import format_short
from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, Location
from reconciler.importing.found import Holding, conflict
from reconciler.importing.pools import Home
from reconciler.model.key import Key


class Taken(NamedTuple):
    """Addresses that somebody has, by the repository."""

    space: str
    item: IPRange
    owner: tuple[str, str]
    place: Location


class Known(NamedTuple):
    """What is new, what is in the way, and what the repository has already."""

    holdings: tuple[Holding, ...]
    conflicts: tuple[Finding, ...]
    notes: tuple[str, ...]


def homes(evaluation: Evaluation, family: str, kind: str, namespace: str) -> list[Home]:
    """The pools of a kind that are there, by name."""
    found = []
    for key, pool in sorted(evaluation.state.pools.items()):
        if (key.family, key.kind, key.namespace) == (family, kind, namespace):
            windows = IPSet.of(pool.windows)
            found.append(Home(key.name, pool.space, windows, pool.extent, pool.source))
    return found


def taken_in(evaluation: Evaluation) -> list[Taken]:
    """Who has which addresses: by records, and by pins that are not yet recorded."""
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


def without_known(holdings: Iterable[Holding], taken: list[Taken]) -> Known:
    """Ranges that the repository does not hold yet.

    What it holds for the same owner is known; what it holds for another one is a conflict.
    """
    new: list[Holding] = []
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
    return Known(tuple(new), tuple(conflicts), tuple(notes))


class _Index:
    """Finds what meets a range; what a repository holds seldom overlaps, so few are looked at."""

    def __init__(self, taken: list[Taken]) -> None:
        self._taken = sorted(taken, key=lambda it: it.item)
        self._firsts = [(it.item.version, it.item.first) for it in self._taken]
        self._reach: list[tuple[int, int]] = []
        farthest = (0, -1)
        for it in self._taken:
            farthest = max(farthest, (it.item.version, it.item.last))
            self._reach.append(farthest)

    def meeting(self, item: Holding) -> list[Taken]:
        """All that share addresses with a range, in its space or in one that is not known."""
        found: list[Taken] = []
        at = bisect_right(self._firsts, (item.item.version, item.item.last)) - 1
        while at >= 0 and self._reach[at] >= (item.item.version, item.item.first):
            other = self._taken[at]
            if other.item.overlaps(item.item) and other.space in ("", item.space):
                found.append(other)
            at -= 1
        return found[::-1]
