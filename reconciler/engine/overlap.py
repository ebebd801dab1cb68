"""Which pools hold the same addresses: one sweep over their ranges."""

from collections.abc import Iterable, Mapping

from reconciler.addresses import IPRange, IPSet
from reconciler.model.key import Key
from reconciler.model.pool import Pool


def overlapping_pools(pools: Mapping[Key, Pool]) -> dict[tuple[Key, Key], IPSet]:
    """The shared addresses of every two pools of one address space, by their keys in order."""
    shared: dict[tuple[Key, Key], list[IPRange]] = {}
    by_space: dict[str, list[tuple[IPRange, Key]]] = {}
    for key, pool in pools.items():
        by_space.setdefault(pool.space, []).extend((item, key) for item in pool.usable)
    for entries in by_space.values():
        for common, key, other in _meeting(entries):
            shared.setdefault((min(key, other), max(key, other)), []).append(common)
    return {keys: IPSet.of(shared[keys]) for keys in sorted(shared)}


def neighbours(shared: Mapping[tuple[Key, Key], object]) -> dict[Key, list[Key]]:
    """The pools that share addresses with each pool."""
    found: dict[Key, list[Key]] = {}
    for left, right in shared:
        found.setdefault(left, []).append(right)
        found.setdefault(right, []).append(left)
    return found


def _meeting(entries: list[tuple[IPRange, Key]]) -> Iterable[tuple[IPRange, Key, Key]]:
    """What every two entries share. Ranges of one pool never overlap, so the pools differ."""
    open_entries: list[tuple[IPRange, Key]] = []
    for item, key in sorted(entries):
        open_entries = [
            entry
            for entry in open_entries
            if entry[0].version == item.version and entry[0].last >= item.first
        ]
        for other_item, other in open_entries:
            last = min(item.last, other_item.last)
            yield IPRange(item.version, item.first, last), other, key
        open_entries.append((item, key))
