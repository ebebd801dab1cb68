"""Which pools give nothing new, because something that bears on them cannot be read."""

from reconciler.engine.overlap import Neighbours
from reconciler.model.key import Key
from reconciler.model.state import State


def frozen_pools(state: State) -> dict[Key, str]:
    """Pools that give nothing new, with the path of what cannot be read.

    A record that never could be read may hold anything of its pool, and of its neighbours.
    """
    found: dict[Key, str] = dict(state.frozen)
    if not state.unreadable:
        return found
    neighbours = Neighbours(state.pools)
    asked: dict[Key | None, None] = {}
    for item in state.unreadable:
        pool = item.pool if item.pool in state.pools else None
        if pool in asked or None in asked:  # all of these are found already
            continue
        asked[pool] = None
        for key in list(state.pools) if pool is None else neighbours.of(pool):
            found.setdefault(key, item.path)
    return found
