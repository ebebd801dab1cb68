"""Ranges in use without a record: those that people set by hand keep what a record would have to.

They lie where their tenant gets addresses from, or where nobody gets any; they are used by nobody
else; and they count towards the quota.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from reconciler.addresses import IPRange, IPSet
from reconciler.addresses.notation import format_short, is_private, special_purpose
from reconciler.engine.lookup import Lookup
from reconciler.engine.neighbours import neighbours
from reconciler.findings import Finding, article_list, error
from reconciler.model.allocation import Allocation
from reconciler.model.key import Key
from reconciler.model.pool import Pool
from reconciler.model.state import Blocked, ByHand, Gateway, State

Holding = Sequence[tuple[IPRange, Allocation]]
_SHOWN = 3
WRONG = "manual-range"
"""The code of what is wrong with such a range."""


def check(state: State, holding: Holding) -> Iterator[Finding]:
    """Findings about ranges in use without a record; of each sort at most one a range."""
    if not state.blocked:
        return
    yield from _recorded(state, holding)
    ranges = [(item, item.by_hand) for item in state.blocked if item.by_hand is not None]
    if not ranges:
        return
    extents = Lookup(_extents(state.pools.values()))
    routers = Lookup(_routers(state))
    served = {id(it.pools): it.pools for _, it in ranges}  # one for all tenants of a provider
    networks = {at: _Network(state, keys or ()) for at, keys in served.items()}
    for item, by_hand in ranges:
        network = networks[id(by_hand.pools)]
        yield from _routed(item, network, routers) or _misplaced(item, by_hand, network, extents)
    yield from _shared((item, networks[id(by_hand.pools)]) for item, by_hand in ranges)
    yield from _over_quota(state, ranges)


class _Network:
    """The pools that a provider names, as far as they are there, and their address spaces."""

    def __init__(self, state: State, keys: Sequence[Key]) -> None:
        self.pools = [state.pools[key] for key in keys if key in state.pools]
        self.is_known = bool(self.pools) and not any(state.may_be_there(key) for key in keys)
        self.spaces = tuple(dict.fromkeys(pool.space for pool in self.pools))


def _routers(state: State) -> Iterator[tuple[IPRange, tuple[Gateway, frozenset[str]]]]:
    """Gateways, each with its address spaces; none when it may be any."""
    for item in state.gateways:
        yield item.range, (item, frozenset(item.spaces(state.pools)))


def _extents(pools: Iterable[Pool]) -> Iterator[tuple[IPRange, Pool]]:
    for pool in pools:
        for item in pool.extent | pool.usable:
            yield item, pool


def _recorded(state: State, holding: Holding) -> Iterator[Finding]:
    """Ranges that the record of somebody else holds, too."""
    records = Lookup(holding)
    for item in state.blocked:
        found = records.first(item.range, partial(_is_of_another, item.owner))
        if found is not None:
            held, record = found
            yield _wrong(
                item,
                f"overlaps {format_short(held)} of {record.path}",
                f"remove {item.field}, or release the other",
            )


def _is_of_another(owner: str, record: Allocation) -> bool:
    return record.owner.short != owner


def _misplaced(
    item: Blocked, by_hand: ByHand, network: _Network, extents: Lookup[Pool]
) -> list[Finding]:
    """A range that lies where its tenant may have none; one at most."""
    if by_hand.pools is None:
        return []
    if by_hand.pools:
        return _outside(item, network)
    if block := special_purpose(item.range):
        hint = "such addresses cannot be used on a network (RFC 6890)"
        return [_wrong(item, f"touches {block}", hint)]
    if not is_private(item.range):
        hint = "describe public addresses as a pool that the provider names; others by RFC 1918"
        return [_wrong(item, "is not private", hint)]
    if (found := extents.first(item.range, lambda _: True)) is not None:
        _, pool = found
        hint = "name the pool in the provider's poolRefs, or choose addresses outside of all pools"
        where = f"{pool.key.kind} {pool.key.name} ({pool.source})"
        return [_wrong(item, f"lies in {where}, which its provider does not name", hint)]
    return []


def _outside(item: Blocked, network: _Network) -> list[Finding]:
    """A range that none of its provider's pools gives out."""
    if any(pool.usable.covers(item.range) for pool in network.pools):
        return []
    if not network.is_known:
        return []  # it cannot be told, and what is missing is a finding of its own
    hint = "choose addresses that one of the provider's pools gives out"
    for pool in network.pools:
        if kept := (pool.reserved & IPSet((item.range,))).ranges:
            where = ", ".join(format_short(part) for part in kept[:_SHOWN])
            more = " and more" if len(kept) > _SHOWN else ""
            return [_wrong(item, f"holds {where}{more}, which {pool.key.name} reserves", hint)]
    names = [pool.key.name for pool in network.pools[:_SHOWN]]
    names += ["others"] * (len(network.pools) > _SHOWN)
    message = f"is not within what {article_list(names, 'and')} of its provider give out"
    return [_wrong(item, message, hint)]


def _routed(
    item: Blocked, network: _Network, routers: Lookup[tuple[Gateway, frozenset[str]]]
) -> list[Finding]:
    """A range that holds the address of a router on the same network."""

    def is_beside(router: tuple[Gateway, frozenset[str]]) -> bool:
        theirs = router[1]
        return not network.spaces or not theirs or not theirs.isdisjoint(network.spaces)

    if (found := routers.first(item.range, is_beside)) is not None:
        address, (gateway, _) = found
        message = f"holds {format_short(address)}, {gateway.title} at {gateway.source}"
        return [_wrong(item, message, "choose addresses without it")]
    return []


def _shared(ranges: Iterable[tuple[Blocked, _Network]]) -> Iterator[Finding]:
    """Ranges of two tenants that share an address: both are told, each with one other."""
    listed = [(item, network.spaces) for item, network in ranges]

    other = neighbours(listed)
    for item, _ in listed:
        if (its := other.get(item.title)) is not None:
            message = f"overlaps {format_short(its.range)} of {its.title} at {its.source}"
            yield _wrong(item, message, "let one of the two have other addresses")


def _over_quota(state: State, ranges: Sequence[tuple[Blocked, ByHand]]) -> Iterator[Finding]:
    """Ranges that take their tenant over its quota, with what its records hold."""
    held: dict[tuple[str, ...], list[IPRange]] = {
        by_hand.quota.group: [] for _, by_hand in ranges if by_hand.quota is not None
    }
    for record in state.records if held else ():
        claim = state.claims.get(record.claim)
        if claim is None or claim.quota is None or record.range is None or not record.is_live:
            continue
        if (mine := held.get(claim.quota.group)) is not None:
            mine.append(record.range)
    for item, by_hand in ranges:
        quota = by_hand.quota
        if quota is None:
            continue
        size = IPSet.of([*held[quota.group], item.range]).size
        if size > quota.limit:
            message = f"takes it to {size} of at most {quota.limit} addresses"
            yield _wrong(item, message, f"make it smaller, or raise the quota ({quota.source})")


def _wrong(item: Blocked, message: str, hint: str) -> Finding:
    text = f"{format_short(item.range)} of {item.title} {message}"
    return error(WRONG, item.source, text, hint)
