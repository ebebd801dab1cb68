"""Which pools hold the same addresses: one sweep over their ranges, however many overlap."""

from collections.abc import Iterable, Iterator, Mapping

from reconciler.addresses import IPRange
from reconciler.engine.lookup import Lookup
from reconciler.model.key import Key
from reconciler.model.pool import Pool

Entry = tuple[IPRange, Key]


def overlapping_pools(pools: Mapping[Key, Pool]) -> dict[Key, list[Key]]:
    """Pools that share addresses with one of a lower key, and such ones, both in order of keys.

    Of many that overlap each other each is told with the one that reaches furthest where it
    begins, not with all: as many are told as there are ranges, at most. Nothing overlaps when
    nothing is told.
    """
    found: dict[Key, dict[Key, None]] = {}
    for left, right in _meeting(pools):
        found.setdefault(max(left, right), {})[min(left, right)] = None
    return {key: sorted(found[key]) for key in sorted(found)}


def rivals(pools: Mapping[Key, Pool]) -> dict[Key, Key]:
    """Pools that share addresses, directly or by way of others, with one that stands for all."""
    near: dict[Key, list[Key]] = {}
    for left, right in _meeting(pools):
        near.setdefault(left, []).append(right)
        near.setdefault(right, []).append(left)
    found: dict[Key, Key] = {}
    for key in near:
        reached = [key] if key not in found else []
        while reached:
            one = reached.pop()
            if one not in found:
                found[one] = key
                reached += near[one]
    return found


class Neighbours:
    """The pools that share addresses with a pool, told one pool at a time."""

    def __init__(self, pools: Mapping[Key, Pool]) -> None:
        self._pools = pools
        self._spaces = {space: Lookup(entries) for space, entries in _by_space(pools).items()}

    def of(self, key: Key) -> list[Key]:
        """The neighbours of a pool, itself among them, in the order of the pools."""
        pool = self._pools[key]
        near = (it for own in pool.usable for it in self._spaces[pool.space].overlapping(own))
        return list(dict.fromkeys([key, *(other for _, other in near)]))


def _by_space(pools: Mapping[Key, Pool]) -> dict[str, list[Entry]]:
    by_space: dict[str, list[Entry]] = {}
    for key, pool in pools.items():
        by_space.setdefault(pool.space, []).extend((item, key) for item in pool.usable)
    return by_space


def _meeting(pools: Mapping[Key, Pool]) -> Iterator[tuple[Key, Key]]:
    """Pools that share addresses: each range with the one that reaches furthest before it.

    Ranges of one pool never overlap, so the pools differ.
    """
    for entries in _by_space(pools).values():
        yield from _sweep(entries)


def _sweep(entries: Iterable[Entry]) -> Iterator[tuple[Key, Key]]:
    reaching: Entry | None = None
    for item, key in sorted(entries):
        if reaching is not None and reaching[0].overlaps(item):
            yield reaching[1], key
            if item.last <= reaching[0].last:
                continue
        reaching = item, key
