"""What is wrong with a state although each document is right: findings over pools and records."""

from collections.abc import Iterator, Mapping
from operator import itemgetter
from types import MappingProxyType

from reconciler.addresses import IPRange, IPSet
from reconciler.addresses.notation import format_short
from reconciler.engine import by_hand, inside, rival_pins
from reconciler.engine.due import retention_end
from reconciler.engine.lookup import Lookup
from reconciler.engine.overlap import overlapping_pools
from reconciler.engine.usage import space_of
from reconciler.findings import NAMED, Finding, Location, error, few, warning
from reconciler.model.allocation import Allocation
from reconciler.model.instant import format_instant
from reconciler.model.key import Key
from reconciler.model.plan import Expire, Plan
from reconciler.model.pool import Pool
from reconciler.model.state import Gateway, State

OVERLAP = "record-overlap"
OUTSIDE = "record-outside-pool"
"""The code of a record that holds what its pool does not give out."""

Holding = list[tuple[IPRange, Allocation]]
Entry = tuple[IPRange, str, Allocation]


def check(
    state: State, plan: Plan, *, strict: bool, missing: Mapping[Finding, Key] = MappingProxyType({})
) -> Iterator[Finding]:
    """Findings about pools that share addresses and records that contradict a pool or each other.

    Args:
        state: What there is.
        plan: What is decided of it.
        strict: Pools of one address space may not share addresses.
        missing: Pools that documents name and that are not there, by the finding that says so.
    """
    yield from _pool_overlaps(state.pools, is_error=strict)
    yield from _used_in_pools(state, is_error=strict)
    yield from inside.check(state)
    holding = [(item.range, item) for item in state.records if item.range is not None]
    yield from _outside(state, holding)
    yield from _removed(state, missing)
    yield from _overlapping_records(state, holding)
    yield from _duplicates(holding)
    going = {it.allocation.path for it in plan.decisions if isinstance(it, Expire)}
    yield from by_hand.check(state, [it for it in holding if it[1].path not in going])
    yield from rival_pins.check(state, plan)


def _pool_overlaps(pools: Mapping[Key, Pool], *, is_error: bool) -> Iterator[Finding]:
    say = error if is_error else warning
    for key, others in overlapping_pools(pools).items():
        told = "; ".join(_shared(pools[other], pools[key]) for other in others[:NAMED])
        more = f"; and {len(others) - NAMED} more pools" if len(others) > NAMED else ""
        yield say(
            "pool-overlap",
            pools[key].source,
            f"overlaps {told}{more}",
            "narrow one of them; only where the two networks never meet, as behind NAT, give one another"
            " address space (gitops-ipam.dev/address-space): the addresses are then given out twice",
        )


def _used_in_pools(state: State, *, is_error: bool) -> Iterator[Finding]:
    """Ranges in use without a record that lie in pools, though nobody asks a pool for them."""
    ranges = [item for item in state.blocked if item.by_hand and item.by_hand.anywhere]
    if not ranges:
        return
    say = error if is_error else warning
    usable = Lookup((item, pool) for pool in state.pools.values() for item in pool.usable)
    for used in ranges:
        pools = dict.fromkeys(
            f"{pool.key.kind} {pool.key.name} at {pool.source}"
            for _, pool in usable.overlapping(used.range)
        )
        if pools:
            yield say(
                "pool-overlap",
                used.source,
                f"{format_short(used.range)} of {used.title} lies in {few(list(pools))},"
                " and is not given out there",
                "ask that pool for it, or choose an address outside of all pools",
            )


def _shared(first: Pool, second: Pool) -> str:
    """What a pool shares with one that comes before it."""
    shared = (first.usable & second.usable).ranges
    where = ", ".join(format_short(item) for item in shared[:3])
    more = "" if len(shared) <= 3 else f" and {len(shared) - 3} more ranges"
    return (
        f"{first.key.kind} {first.key.name} at {first.source}: {where}{more}"
        f"{_given(first, second)}{_given(second, first)}"
    )


def _given(reserving: Pool, giving: Pool) -> str:
    """What one pool reserves and the other gives out: a reserved block binds its own pool alone."""
    blocks = (reserving.reserved & giving.usable).ranges
    if not blocks:
        return ""
    where = ", ".join(format_short(item) for item in blocks[:3])
    more = "" if len(blocks) <= 3 else f" and {len(blocks) - 3} more ranges"
    return f"; {giving.key.name} gives out {where}{more}, which {reserving.key.name} reserves"


def _outside(state: State, holding: Holding) -> Iterator[Finding]:
    """Records that hold what their pool does not give out: after a shrink or an edit."""
    routers: dict[Key, Lookup[Gateway]] = {}
    for item, record in holding:
        pool = state.pools.get(record.pool)
        if pool is None or pool.usable.covers(item):
            continue
        held = f"{record.path} ({record.claim.short}) holds {format_short(item)}"
        if pool.key not in routers:
            routers[pool.key] = _others_routers(state, pool)
        yield _not_given(pool, routers[pool.key], item, (held, _way_out(state, record)))


def removed_pools(state: State) -> dict[Key, list[Allocation]]:
    """Pools that are gone though records hold their addresses, with those records."""
    found: dict[Key, list[Allocation]] = {}
    for record in state.records:
        if record.range is not None and record.pool not in state.pools:
            found.setdefault(record.pool, []).append(record)
    return {key: records for key, records in found.items() if not state.may_be_there(key)}


def _removed(state: State, missing: Mapping[Finding, Key]) -> Iterator[Finding]:
    """A pool that is gone: one finding, with all that follows from it."""
    for key, records in removed_pools(state).items():
        size = sum(record.size for record in records)
        what = "1 record holds" if len(records) == 1 else f"{len(records)} records hold"
        addresses = "1 address" if size == 1 else f"{size} addresses"
        who = few([record.claim.short for record in records])
        places = sorted({found.location for found, pool in missing.items() if pool == key})
        named = f"; {few([str(place) for place in places])} still name it" if places else ""
        named = named.replace("still name it", "still names it") if len(places) == 1 else named
        yield error(
            "pool-removed",
            Location(records[0].path, 1, 1),
            f"{key.kind} {key.short} is not in the repository, and {what} {addresses} of it:"
            f" {who}{named}",
            "bring the pool back until nothing holds its addresses, and delete no record: they are"
            " in use. If it has another name, let that pool say gitops-ipam.dev/formerly:"
            f" {key.short}",
        )


def _others_routers(state: State, pool: Pool) -> Lookup[Gateway]:
    """The routers of other networks in the pool's address space, by address."""
    there = sorted(it for it in state.gateways if pool.key not in it.pools)
    return Lookup((it.range, it) for it in there if pool.space in it.spaces(state.pools))


def _way_out(state: State, record: Allocation) -> str:
    """What mends that a pool does not give out what a record of it holds."""
    again = "let the pool give them out again (network, range, reserved blocks)"
    if record.announced:
        return f"{again} until nobody uses them: the claim left them, and they are still announced"
    if record.claim in state.claims or state.is_left_alone(record):
        return f"{again}, or move the claim to another pool before (ipam move)"
    if record.is_live:
        return f"{again} until they are free: nobody claims them, and the plan releases them"
    end = retention_end(record, state)
    until = f"until {format_instant(end)}" if end is not None else "until they are free"
    return f"{again} {until}: nobody claims them, and that is how long they are held"


def _not_given(
    pool: Pool, others: Lookup[Gateway], item: IPRange, told: tuple[str, str]
) -> Finding:
    """What a record of a pool holds that the pool does not give out, or only another one's router.

    Such a record was there before the router was looked at: it is told, and stops nobody.

    `told` says which record holds it, and what mends that.
    """
    held, way_out = told
    routers = [router for _, router in others.overlapping(item)]
    lost = IPSet((item,)) - pool.usable
    if rest := lost - IPSet.of(router.range for router in routers):
        where = ", ".join(format_short(part) for part in rest)
        return error(
            OUTSIDE,
            pool.source,
            f"{held}, but {pool.key.kind} {pool.key.name} does not give out {where}",
            way_out,
        )
    named = few([f"{router.title} at {router.source}" for router in routers], "; ")
    return warning(
        "gateway-in-pool",
        pool.source,
        f"{held}, with {', '.join(format_short(part) for part in lost)}: {named}",
        "it keeps them; one of the two has to go where both are on one network",
    )


def _overlapping_records(state: State, holding: Holding) -> Iterator[Finding]:
    """Two records that hold one address: both are named, neither is moved."""
    for entries in competing(state, holding):
        reaching: Entry | None = None
        for entry in sorted(entries, key=itemgetter(0, 1)):
            item, _, record = entry
            if (
                reaching is None
                or item.version != reaching[0].version
                or item.first > reaching[0].last
            ):
                reaching = entry
            else:
                common = IPRange(item.version, item.first, min(item.last, reaching[0].last))
                yield _overlap(record, reaching[2], common)
                yield _overlap(reaching[2], record, common)
                if item.last > reaching[0].last:
                    reaching = entry


def competing(state: State, holding: Holding) -> Iterator[list[Entry]]:
    """Records of one address space, with those that count in all because their pool is gone.

    The pool of a record that cannot be read for now is not gone: its address space will be known
    again, and till then no record of it contradicts one of another pool.
    """
    by_space: dict[str, list[Entry]] = {}
    unknown: list[Entry] = []
    for item, record in holding:
        space = space_of(state.pools, record)
        entries = unknown if space is None else by_space.setdefault(space, [])
        entries.append((item, record.path, record))
    gone = [entry for entry in unknown if not state.may_be_there(entry[2].pool)]
    yield unknown
    for space in sorted(by_space):
        yield by_space[space] + gone


def _overlap(record: Allocation, other: Allocation, common: IPRange) -> Finding:
    return error(
        OVERLAP,
        Location(record.path, 1, 1),
        f"{format_short(common)} is also held by {other.path} ({other.claim.short})",
        "delete the record of the tenant that does not use the address, once an Override of kind"
        " record for its path is merged; neither is moved by itself",
    )


def _duplicates(holding: Holding) -> Iterator[Finding]:
    first: dict[Key, Allocation] = {}
    for _, record in holding:
        if not record.is_live:
            continue
        other = first.setdefault(record.claim, record)
        if other is not record:
            yield error(
                "record-duplicate",
                Location(record.path, 1, 1),
                f"{other.path} states the same claim, {record.claim}",
                "delete the one that is not in use, once an Override of kind record for its path is"
                " merged; until then both hold their addresses",
            )
