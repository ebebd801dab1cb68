"""What each of some addresses is: held by a record, a router's, reserved, free, in no pool."""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from reconciler.addresses import IPRange, IPSet
from reconciler.engine.standing import Standing, everything
from reconciler.findings import Location
from reconciler.model.allocation import Allocation
from reconciler.model.key import Key
from reconciler.model.pool import Pool
from reconciler.model.state import State


class Sort(StrEnum):
    """What an address is, in the words of outputs."""

    ALLOCATED = "allocated"
    HELD = "held"
    GATEWAY = "gateway"
    IN_USE = "in use"
    RESERVED = "reserved"
    FREE = "free"
    UNUSED = "not given out"
    INSIDE = "inside a cluster"
    OUTSIDE = "outside"

    @property
    def is_holder(self) -> bool:
        """A record holds it."""
        return self in (Sort.ALLOCATED, Sort.HELD)


class Part(NamedTuple):
    """Addresses in a row that are one thing.

    Attributes:
        range: The addresses, of those that were asked for.
        space: The address space in which they are that; empty for none.
        pool: The pool that they are of, or that their record names; None for none.
        record: What holds them, or None.
        title: Whose they are, for people; empty for nobody's.
        source: Where that is written, or None.
    """

    range: IPRange
    sort: Sort
    space: str = ""
    pool: Key | None = None
    record: Allocation | None = None
    title: str = ""
    source: Location | None = None


class _Layer(NamedTuple):
    """What comes before all that stands in later layers; it may overlap itself."""

    parts: Sequence[Part]

    def of(self, space: str) -> list[Part]:
        """What counts in a space."""
        return [part for part in self.parts if part.space in ("", space)]


def parts_of(state: State, asked: Iterable[IPRange]) -> list[Part]:
    """All of some addresses, by address; where an address is two things, both.

    In each address space that knows an address it is one thing: what a record holds is that,
    whatever its pool says.
    """
    wanted = IPSet.of(asked)
    layers = list(_layers(state))
    known = {pool.space: IPSet() for pool in state.pools.values()}
    for layer in (layers[0], *layers[2:]):
        by_space: dict[str, list[IPRange]] = {}
        for part in layer.parts:
            by_space.setdefault(part.space, []).append(part.range)
        for space, ranges in by_space.items():
            if space:
                known[space] = known.get(space, IPSet()) | IPSet.of(ranges)
    found: list[Part] = []
    everywhere = IPSet()
    for space, addresses in known.items():
        left = wanted & addresses
        everywhere = everywhere | left
        for layer in layers:
            left = _cut(layer.of(space), left, space, found)
    rest = wanted - everywhere
    for layer in layers:
        rest = _cut([part for part in layer.parts if not part.space], rest, "", found)
    rest = _cut(_inside(state), rest, "", found)
    found += [Part(item, Sort.OUTSIDE) for item in rest]
    return sorted(found, key=lambda part: (part.range, part.space, part.sort, part.title))


def without_record(state: State) -> list[Part]:
    """What has addresses, or keeps them from others, without a record: routers, what is in use."""
    used = [part for item in everything(state) for part in _without(item)]
    return [*_gateways(state), *used, *_unread(state)]


def _cut(parts: Iterable[Part], left: IPSet, space: str, found: list[Part]) -> IPSet:
    """Tell those of what is left that are some parts; what is left then."""
    taken = []
    for part in parts:
        for shared in left & IPSet((part.range,)):
            found.append(part._replace(range=shared, space=space))
            taken.append(shared)
    return left - IPSet.of(taken)


def _layers(state: State) -> Iterator[_Layer]:
    """Records; what has addresses without one; what pools reserve, give out, and do not."""
    records = {record.path: record for record in state.records}
    yield _Layer([it for item in everything(state) for it in _held(item, records)])
    yield _Layer(without_record(state))
    pools = list(state.pools.values())
    yield _Layer(list(_shares(pools, Sort.RESERVED)))
    yield _Layer(list(_shares(pools, Sort.FREE)))
    yield _Layer(list(_shares(pools, Sort.UNUSED)))


def _held(item: Standing, records: dict[str, Allocation]) -> Iterator[Part]:
    if item.sort == "record":
        record = records[item.source.path]
        sort = Sort.HELD if record.is_released else Sort.ALLOCATED
        space = "".join(item.spaces)
        title = record.claim.short
        yield Part(item.range, sort, space, record.pool, record, title, item.source)


def _without(item: Standing) -> Iterator[Part]:
    if item.sort == "in-use":
        yield Part(item.range, Sort.IN_USE, title=item.title, source=item.source)


def _gateways(state: State) -> Iterator[Part]:
    """Routers, those too for which the network of their pool stands."""
    for item in state.gateways:
        for space in item.spaces(state.pools) or ("",):
            yield Part(item.range, Sort.GATEWAY, space, title=item.title, source=item.source)


def _unread(state: State) -> Iterator[Part]:
    """Addresses in what nobody can read: nobody gets them."""
    for blocked in state.off_limits:
        yield Part(blocked.range, Sort.IN_USE, title=blocked.title, source=blocked.source)
    for unreadable in state.unreadable:
        for item in unreadable.ranges:
            place = Location(unreadable.path, 1, 1)
            yield Part(item, Sort.IN_USE, title="what cannot be read", source=place)


def _shares(pools: Iterable[Pool], sort: Sort) -> Iterator[Part]:
    """What a sort of addresses is in each pool's network."""
    for pool in pools:
        if sort is Sort.RESERVED:
            share = pool.reserved & pool.extent
        else:
            share = pool.usable if sort is Sort.FREE else pool.extent
        for item in share:
            yield Part(item, sort, pool.space, pool.key, source=pool.source)


def _inside(state: State) -> list[Part]:
    """Networks of pods and services, which are nobody's outside of their cluster."""
    return [
        Part(item.range, Sort.INSIDE, title=f"{item.use} of {item.owner}", source=item.source)
        for item in state.inside
    ]
