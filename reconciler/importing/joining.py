"""Who has what, once all sources are known: told once, in ranges, and by nobody else."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from reconciler.addresses import IPRange, IPSet
from reconciler.addresses.notation import format_short
from reconciler.findings import Finding, shown
from reconciler.importing.found import Holding, conflict


class Joined(NamedTuple):
    """Ranges of owners, sorted, none of which overlap; and what a person has to decide."""

    holdings: tuple[Holding, ...]
    conflicts: tuple[Finding, ...]


def joined(holdings: Iterable[Holding]) -> Joined:
    """Each owner's addresses as the fewest ranges; what two have is nobody's, and a conflict.

    Addresses that touch are one range, if one owner has them of one type and pool. A range within
    another one of the same team is that one.
    """
    conflicts: list[Finding] = []
    kept = _apart(_one_name(holdings, conflicts), conflicts)
    groups: dict[tuple[object, ...], list[Holding]] = {}
    for item in kept:
        key = (item.namespace, item.name, item.type, item.space, item.pool)
        groups.setdefault(key, []).append(item)
    found = [part for group in groups.values() for part in _ranges(group)]
    return Joined(tuple(sorted(found)), tuple(conflicts))


def _one_name(holdings: Iterable[Holding], conflicts: list[Finding]) -> Iterator[Holding]:
    """Those whose names stay apart: two that become one name would be one owner."""
    first: dict[tuple[str, str], Holding] = {}
    for item in holdings:
        other = first.setdefault(item.owner, item)
        if _plain(other.said) == _plain(item.said):
            yield item
            continue
        message = f"{shown(item.said)} and {shown(other.said)} of {where(other)} become one name,"
        hint = "rename one of the two, or write both alike if they are one"
        conflicts.append(conflict(item.place, f"{message} {item.title}", hint))


def _plain(said: str) -> str:
    return said.rpartition("/")[2].strip().casefold()


def where(item: Holding) -> str:
    """The place of a holding, for a message that names a second one."""
    return f"{item.place}{item.place.pointer}"


def _apart(holdings: Iterable[Holding], conflicts: list[Finding]) -> list[Holding]:
    """Those that share no address with somebody else."""
    kept: list[Holding] = []
    shared: dict[str, list[IPRange]] = {}
    reach = _Reach()
    for item in sorted(holdings, key=_order):
        other = reach.of_others(item)
        if other is None or not other.item.overlaps(item.item):
            kept.append(item)
        elif item.team and item.team == other.team and other.item.covers(item.item):
            continue
        else:
            kept.append(item)
            both = item.item.shared(other.item)
            shared.setdefault(item.space, []).extend([both] if both else [])
            conflicts.append(_contested(item, other))
        reach.add(item)
    contested = {space: IPSet.of(ranges) for space, ranges in shared.items()}
    nothing = IPSet()
    return [it for it in kept if not contested.get(it.space, nothing).overlapping(it.item)]


def _order(item: Holding) -> tuple[object, ...]:
    return item.space, item.item.version, item.item.first, -item.item.last


class _Reach:
    """Of what came before in a sweep: who reaches farthest, and who else does."""

    def __init__(self) -> None:
        self._best: list[Holding] = []

    def of_others(self, item: Holding) -> Holding | None:
        """The one of another holder that reaches farthest: it has all that any of them shares."""
        here = (it for it in self._best if it.space == item.space and _who(it) != _who(item))
        return next(here, None)

    def add(self, item: Holding) -> None:
        """Take one more. Two holders suffice: of three, one does not reach as far as another."""
        found: dict[tuple[object, ...], Holding] = {}
        for it in sorted([item, *self._best], key=_last, reverse=True):
            if it.space == item.space:
                found.setdefault(_who(it), it)
        self._best = list(found.values())[:2]


def _who(item: Holding) -> tuple[object, ...]:
    return *item.owner, item.type


def _last(item: Holding) -> tuple[int, int]:
    return item.item.version, item.item.last


def _contested(item: Holding, other: Holding) -> Finding:
    shared = item.item.shared(other.item)
    text = format_short(shared) if shared else ""
    whose = f"{item.title} has it as {item.type}, {other.title} of {where(other)} as {other.type}"
    hint = "find out who uses it, and leave the other one out"
    return conflict(item.place, f"{text} has two holders: {whose}", hint)


def _ranges(group: list[Holding]) -> Iterator[Holding]:
    """The ranges of one owner, each with where it is told first, and all that use it."""
    ordered = sorted(group, key=lambda it: it.item)
    at = 0
    for item in IPSet.of(it.item for it in ordered):
        inside: list[Holding] = []
        while at < len(ordered) and _within(ordered[at].item, item):
            inside.append(ordered[at])
            at += 1
        first = min(inside, key=lambda it: (it.place, it.item))
        users = tuple(dict.fromkeys(user for it in inside for user in it.users))
        is_cluster = any(it.is_cluster for it in inside)
        yield first._replace(item=item, users=users, is_cluster=is_cluster)


def _within(item: IPRange, outer: IPRange) -> bool:
    return outer.covers(item)
