"""Which pools give nothing new, because something cannot be read that may hold their addresses."""

from collections.abc import Mapping, Sequence

from reconciler.model.key import Key
from reconciler.model.state import State


def frozen_pools(state: State, neighbours: Mapping[Key, Sequence[Key]]) -> dict[Key, str]:
    """Pools that give nothing new, with the path of what cannot be read.

    A record that never could be read may hold anything of its pool, and of its neighbours.
    """
    found: dict[Key, str] = dict(state.frozen)
    for item in state.unreadable:
        keys = list(state.pools)
        if item.pool is not None and item.pool in state.pools:
            keys = [item.pool, *neighbours.get(item.pool, ())]
        for key in keys:
            found.setdefault(key, item.path)
    return found
