"""Networks inside clusters that hold addresses of the network outside.

What runs in such a cluster takes those addresses for its own, and cannot reach who really has
them. Networks inside two clusters never meet, and may be the same.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

from reconciler.addresses import IPRange
from reconciler.addresses.notation import format_cidr, format_short
from reconciler.engine.standing import Standing, outside
from reconciler.findings import NAMED, Finding, warning
from reconciler.model.state import ClusterNetwork, State

_Network = tuple[IPRange, tuple[str, ...], str]
"""A network, its address spaces and its use."""


def check(state: State) -> Iterator[Finding]:
    """A warning for each network, at the first of the clusters that have it.

    No error, whatever Settings say of pools: the networks of a cluster that lives cannot be changed.
    """
    if not state.inside:
        return
    grounds = _Grounds(outside(state))
    alike: dict[_Network, list[ClusterNetwork]] = {}
    for network in state.inside:
        alike.setdefault((network.range, network.spaces, network.use), []).append(network)
    for (item, spaces, use), networks in sorted(alike.items()):
        count, met = grounds.meeting(item, spaces)
        if not count:
            continue
        first = min(networks, key=lambda it: it.source)
        owners = len({network.owner for network in networks})
        others = f" and {owners - 1} more clusters" if owners > 1 else ""
        told = "; ".join(_shared(item, standing) for standing in met)
        more = f"; and {count - len(met)} more" if count > len(met) else ""
        yield warning(
            "pool-overlap",
            first.source,
            f"{format_cidr(item)}, {use} of {first.owner}{others}, overlaps {told}{more}",
            "give the cluster a network that nothing outside of it has: from inside, these"
            " addresses cannot be reached",
        )


def _shared(item: IPRange, other: Standing) -> str:
    both = item.shared(other.range)
    where = format_short(both) if both is not None else ""
    return f"{other.title} at {other.source}: {where}"


class _Grounds:
    """What stands outside of clusters, by address space."""

    def __init__(self, entries: Iterable[Standing]) -> None:
        by_space: dict[str | None, list[Standing]] = {}
        for entry in entries:
            for space in entry.spaces or (None,):
                by_space.setdefault(space, []).append(entry)
        self._spaces = {space: _Ground(found) for space, found in by_space.items()}

    def meeting(self, item: IPRange, spaces: Iterable[str]) -> tuple[int, list[Standing]]:
        """How many share an address with a network, and the first few of them."""
        grounds = [self._spaces[it] for it in (None, *spaces) if it in self._spaces]
        found = sorted(entry for ground in grounds for entry in ground.some(item))
        met = list(dict.fromkeys(found))  # a router may stand in several of the spaces
        count = sum(ground.count(item) for ground in grounds) - (len(found) - len(met))
        return count, met[:NAMED]


class _Ground:
    """Ranges of one address space, asked for those that meet a network without a look at all."""

    def __init__(self, entries: Iterable[Standing]) -> None:
        self._entries = sorted(entries)
        self._firsts = [(entry.range.version, entry.range.first) for entry in self._entries]
        self._lasts = sorted((entry.range.version, entry.range.last) for entry in self._entries)
        # Of those up to each the few that reach furthest.
        self._reaching: list[list[Standing]] = [[]]
        for entry in self._entries:
            near = [*self._reaching[-1], entry]
            near.sort(key=lambda it: (it.range.version, it.range.last), reverse=True)
            self._reaching.append(near[:NAMED])

    def count(self, item: IPRange) -> int:
        """How many share an address with a network."""
        begun = bisect_right(self._firsts, (item.version, item.last))
        return begun - bisect_left(self._lasts, (item.version, item.first))

    def some(self, item: IPRange) -> list[Standing]:
        """A few of them: some that begin before it, and the first that begin in it."""
        start = bisect_left(self._firsts, (item.version, item.first))
        before = [entry for entry in self._reaching[start] if entry.range.overlaps(item)]
        within = self._entries[start : start + NAMED]
        return before + [entry for entry in within if entry.range.overlaps(item)]
