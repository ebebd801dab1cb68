"""What stands where: the one graph of addresses that findings and explanations are told from."""

from collections.abc import Iterator
from typing import NamedTuple

from reconciler.addresses import IPRange, IPSet
from reconciler.engine.usage import space_of
from reconciler.findings import Location
from reconciler.model.pool import Pool
from reconciler.model.state import State


class Standing(NamedTuple):
    """Addresses that mean something.

    Attributes:
        sort: `pool`, `gateway`, `in-use`, `record`, `pods` or `services`.
        title: What it is, for people.
        spaces: Its address spaces; none when it counts in all.
    """

    range: IPRange
    sort: str
    title: str
    spaces: tuple[str, ...]
    source: Location


def everything(state: State) -> Iterator[Standing]:
    """All that stands anywhere, in no order."""
    yield from outside(state)
    for record in state.records:
        if record.range is not None:
            space = space_of(state.pools, record)
            title = f"{record.phase.value} to {record.claim.short}"
            spaces = () if space is None else (space,)
            yield Standing(record.range, "record", title, spaces, Location(record.path, 1, 1))
    for network in state.inside:
        yield Standing(network.range, network.use, network.owner, network.spaces, network.source)


def outside(state: State) -> Iterator[Standing]:
    """What stands outside of clusters without a record: pools whole, routers, ranges in use."""
    for pool in state.pools.values():
        for item in pool.extent | pool.usable:
            yield Standing(item, "pool", _named(pool), (pool.space,), pool.source)
    for gateway in state.gateways:
        spaces = gateway.beside(state.pools)
        if spaces or not gateway.spaces(state.pools):
            yield Standing(gateway.range, "gateway", gateway.title, spaces, gateway.source)
    for blocked in state.blocked:
        yield Standing(blocked.range, "in-use", blocked.title, (), blocked.source)


def _named(pool: Pool) -> str:
    return f"{pool.key.kind} {pool.key.short}"


def of_pool(pool: Pool, item: IPRange) -> str:
    """What a pool does with addresses of its network."""
    asked = IPSet((item,))
    if pool.usable.covers(item):
        return "gives out"
    if pool.usable & asked:
        return "gives out some"
    return "reserves" if pool.reserved & asked else "does not give out"
