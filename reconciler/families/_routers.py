"""Routers' addresses that pools of other networks hold: none is given out, whoever describes it."""

from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Mapping

from msgspec.structs import replace

from reconciler.addresses import IPSet
from reconciler.addresses.notation import format_short
from reconciler.findings import Finding, few, warning
from reconciler.model.key import Key
from reconciler.model.pool import Pool
from reconciler.model.state import Gateway


def hold_back(
    pools: Mapping[Key, Pool], gateways: Iterable[Gateway], silent: Container[Key] = ()
) -> tuple[dict[Key, Pool], list[Finding]]:
    """The pools without the routers of their address spaces, and which of them held one.

    A family keeps the router of a pool out of that pool itself. One whose network nobody knows is
    in use everywhere. Nothing is told of pools that are `silent`: what stands there now is not
    what was read.
    """
    routers: dict[str, list[Gateway]] = {}
    for gateway in gateways:
        for space in gateway.spaces(pools):
            routers.setdefault(space, []).append(gateway)
    known = {space: _Routers(found) for space, found in routers.items()}
    kept = dict(pools)
    findings: list[Finding] = []
    for key, pool in pools.items():
        there = known.get(pool.space)
        if there is not None and (held := pool.usable & there.addresses):
            kept[key] = replace(pool, usable=pool.usable - held, reserved=pool.reserved | held)
            if key not in silent:
                findings.append(_told(pool, there.of(held)))
    return kept, findings


class _Routers:
    """The routers of one address space."""

    def __init__(self, routers: Iterable[Gateway]) -> None:
        self._listed = sorted(routers)
        self._places = [it.range for it in self._listed]
        self.addresses = IPSet.of(self._places)

    def of(self, held: IPSet) -> list[Gateway]:
        """Those with one of some addresses."""
        found = []
        for version, first, last in held:
            start = bisect_left(self._places, (version, first))
            found += self._listed[start : bisect_right(self._places, (version, last, last))]
        return found


def _told(pool: Pool, there: Iterable[Gateway]) -> Finding:
    named = [f"{format_short(it.range)}, {it.title} at {it.source}" for it in there]
    return warning(
        "gateway-in-pool",
        pool.source,
        f"{pool.key.name} holds {few(named, '; ')}; it is held back",
        "leave it out of the pool, or give the two networks different address spaces",
    )
