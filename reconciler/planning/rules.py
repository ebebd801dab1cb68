"""Consistency rules for plans."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from types import MappingProxyType

from msgspec import Struct, field

from reconciler.addresses import (
    IPRange,
    IPSet,
    format_cidr,
    format_short,
    is_private,
    special_purpose,
)
from reconciler.documents.findings import (
    NAMED,
    Finding,
    Location,
    article_list,
    error,
    join_limited,
    warning,
)
from reconciler.model.claim import Allocation
from reconciler.model.instant import format_instant
from reconciler.model.key import Key
from reconciler.model.plan import Blocked, ByHand, ClusterNetwork, Expire, Gateway, Plan, State
from reconciler.model.pool import Pool
from reconciler.planning import pins
from reconciler.planning.pins import overlapping_pools
from reconciler.planning.retention import retention_end
from reconciler.planning.space import AddressUsage, Lookup, outside, space_of

_InsideNetwork = tuple[IPRange, tuple[str, ...], str]
"""A network, its address spaces, and its use."""


def check_inside(state: State) -> Iterator[Finding]:
    """Yield a warning for each overlapping cluster network, at the first cluster that has it.

    This is never an error, whatever Settings require for pools, because the networks of a live
    cluster cannot be changed.
    """
    if not state.inside:
        return
    grounds = _Grounds(outside(state))
    alike: dict[_InsideNetwork, list[ClusterNetwork]] = {}
    for network in state.inside:
        alike.setdefault((network.range, network.spaces, network.use), []).append(network)
    for (item, spaces, use), networks in sorted(alike.items()):
        count, met = grounds.meeting(item, spaces)
        if not count:
            continue
        first = min(networks, key=lambda it: it.source)
        owners = len({network.owner for network in networks})
        others = f" and {owners - 1} more clusters" if owners > 1 else ""
        told = "; ".join(_inside_shared(item, standing) for standing in met)
        more = f"; and {count - len(met)} more" if count > len(met) else ""
        yield warning(
            "pool-overlap",
            first.source,
            f"{format_cidr(item)}, {use} of {first.owner}{others}, overlaps {told}{more}",
            "give the cluster a network that nothing outside of it has: from inside, these"
            " addresses cannot be reached",
        )


def _inside_shared(item: IPRange, other: AddressUsage) -> str:
    both = item.shared(other.range)
    where = format_short(both) if both is not None else ""
    return f"{other.title} at {other.source}: {where}"


class _Grounds:
    """Address usage outside of clusters, by address space."""

    def __init__(self, entries: Iterable[AddressUsage]) -> None:
        by_space: dict[str | None, list[AddressUsage]] = {}
        for entry in entries:
            for space in entry.spaces or (None,):
                by_space.setdefault(space, []).append(entry)
        self._spaces = {space: _Ground(found) for space, found in by_space.items()}

    def meeting(self, item: IPRange, spaces: Iterable[str]) -> tuple[int, list[AddressUsage]]:
        """Return how many ranges share an address with a network, and the first few of them."""
        grounds = [self._spaces[it] for it in (None, *spaces) if it in self._spaces]
        found = sorted(entry for ground in grounds for entry in ground.some(item))
        met = list(dict.fromkeys(found))  # a gateway can be in several address spaces
        count = sum(ground.count(item) for ground in grounds) - (len(found) - len(met))
        return count, met[:NAMED]


class _Ground:
    """Ranges of one address space, indexed for overlap queries."""

    def __init__(self, entries: Iterable[AddressUsage]) -> None:
        self._entries = sorted(entries)
        self._firsts = [(entry.range.version, entry.range.first) for entry in self._entries]
        self._lasts = sorted((entry.range.version, entry.range.last) for entry in self._entries)
        # For each prefix of the ranges, the few ranges that reach furthest.
        self._reaching: list[list[AddressUsage]] = [[]]
        for entry in self._entries:
            near = [*self._reaching[-1], entry]
            near.sort(key=lambda it: (it.range.version, it.range.last), reverse=True)
            self._reaching.append(near[:NAMED])

    def count(self, item: IPRange) -> int:
        """Return how many ranges share an address with a network."""
        begun = bisect_right(self._firsts, (item.version, item.last))
        return begun - bisect_left(self._lasts, (item.version, item.first))

    def some(self, item: IPRange) -> list[AddressUsage]:
        """Return some ranges that begin before the network, and the first that begin in it."""
        start = bisect_left(self._firsts, (item.version, item.first))
        before = [entry for entry in self._reaching[start] if entry.range.overlaps(item)]
        within = self._entries[start : start + NAMED]
        return before + [entry for entry in within if entry.range.overlaps(item)]


Spaces = tuple[str, ...]


def neighbours(ranges: Iterable[tuple[Blocked, Spaces]]) -> dict[str, Blocked]:
    """Return one overlapping range for each range, by title.

    Args:
        ranges: Ranges with their address spaces; no spaces means all spaces.
    """
    entries = sorted(ranges, key=lambda entry: (entry[0].range, entry[0].title))
    alike = _alike({spaces: None for _, spaces in entries})
    sweep = _Sweep()
    for item, spaces in entries:
        sweep.take(item, alike[spaces])
    return sweep.found


def _alike(every: Iterable[Spaces]) -> Mapping[Spaces, Sequence[str]]:
    """Map each set of spaces to one of each group that always occurs together."""
    listed = list(every)
    within: dict[str, list[int]] = {}
    for number, spaces in enumerate(listed):
        for space in spaces:
            within.setdefault(space, []).append(number)
    first: dict[tuple[int, ...], str] = {}
    stands = {space: first.setdefault(tuple(where), space) for space, where in within.items()}
    return {spaces: list(dict.fromkeys(stands[space] for space in spaces)) for spaces in listed}


class _Sweep(Struct):
    """Sweep over ranges in the order of their first addresses.

    Of the ranges of one space that reach the sweep position, all but the furthest have met it. A
    range is therefore compared with the furthest range of each of its spaces. A range of all spaces
    is compared with the furthest range overall, and once with each range that has met none yet.

    Attributes:
        found: One overlapping range for each range, by its title.
        reach: The range that reaches furthest, by space.
        everywhere: The furthest range among ranges that count in all spaces.
        furthest: The furthest range overall.
        alone: Ranges without an overlap since the last range that counts in all spaces.
    """

    found: dict[str, Blocked] = field(default_factory=dict)
    reach: dict[str, Blocked] = field(default_factory=dict)
    everywhere: Blocked | None = None
    furthest: Blocked | None = None
    alone: list[Blocked] = field(default_factory=list)

    def take(self, item: Blocked, spaces: Sequence[str]) -> None:
        """Advance to a range."""
        if spaces:
            self._meet(item, self.everywhere)
            for space in spaces:
                self._meet(item, self.reach.get(space))
                self.reach[space] = _further(self.reach.get(space), item)
        else:
            for other in (self.furthest, *self.alone):
                self._meet(item, other)
            self.alone.clear()
            self.everywhere = _further(self.everywhere, item)
        self.furthest = _further(self.furthest, item)
        if item.title not in self.found:
            self.alone.append(item)

    def _meet(self, item: Blocked, other: Blocked | None) -> None:
        if other is not None and other.range.overlaps(item.range):
            self.found.setdefault(item.title, other)
            self.found.setdefault(other.title, item)


def _further(reach: Blocked | None, item: Blocked) -> Blocked:
    """Return the range that ends last."""
    return item if reach is None or _end(reach) < _end(item) else reach


def _end(item: Blocked) -> tuple[int, int]:
    return item.range.version, item.range.last


ManualHolding = Sequence[tuple[IPRange, Allocation]]
_SHOWN = 3
WRONG = "manual-range"
"""The code of an invalid manual range."""


def check_manual(state: State, holding: ManualHolding) -> Iterator[Finding]:
    """Yield findings about ranges in use without a record, at most one of each kind per range."""
    if not state.blocked:
        return
    yield from _recorded(state, holding)
    ranges = [(item, item.by_hand) for item in state.blocked if item.by_hand is not None]
    if not ranges:
        return
    extents = Lookup(_extents(state.pools.values()))
    routers = Lookup(_routers(state))
    # All tenants of a provider have the same tuple of pools.
    served = {id(it.pools): it.pools for _, it in ranges}
    networks = {at: _ByHandNetwork(state, keys or ()) for at, keys in served.items()}
    for item, by_hand in ranges:
        network = networks[id(by_hand.pools)]
        yield from _routed(item, network, routers) or _misplaced(item, by_hand, network, extents)
    yield from _by_hand_shared((item, networks[id(by_hand.pools)]) for item, by_hand in ranges)
    yield from _over_quota(state, ranges)


class _ByHandNetwork:
    """The existing pools of a provider, and their address spaces."""

    def __init__(self, state: State, keys: Sequence[Key]) -> None:
        self.pools = [state.pools[key] for key in keys if key in state.pools]
        self.is_known = bool(self.pools) and not any(state.may_be_there(key) for key in keys)
        self.spaces = tuple(dict.fromkeys(pool.space for pool in self.pools))


def _routers(state: State) -> Iterator[tuple[IPRange, tuple[Gateway, frozenset[str]]]]:
    """Yield gateways with their address spaces; no spaces means all spaces."""
    for item in state.gateways:
        yield item.range, (item, frozenset(item.spaces(state.pools)))


def _extents(pools: Iterable[Pool]) -> Iterator[tuple[IPRange, Pool]]:
    for pool in pools:
        for item in pool.extent | pool.usable:
            yield item, pool


def _recorded(state: State, holding: ManualHolding) -> Iterator[Finding]:
    """Yield findings for ranges that the record of another owner also holds."""
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
    item: Blocked, by_hand: ByHand, network: _ByHandNetwork, extents: Lookup[Pool]
) -> list[Finding]:
    """Return at most one finding for a range outside the pools of its tenant."""
    if by_hand.pools is None:
        return []
    if by_hand.pools:
        return _by_hand_outside(item, network)
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


def _by_hand_outside(item: Blocked, network: _ByHandNetwork) -> list[Finding]:
    """Return the finding for a range that no pool of its provider gives out."""
    if any(pool.usable.covers(item.range) for pool in network.pools):
        return []
    if not network.is_known:
        return []  # unknown: a missing pool has a finding of its own
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
    item: Blocked, network: _ByHandNetwork, routers: Lookup[tuple[Gateway, frozenset[str]]]
) -> list[Finding]:
    """Return the finding for a range that contains the gateway of the same network."""

    def is_beside(router: tuple[Gateway, frozenset[str]]) -> bool:
        theirs = router[1]
        return not network.spaces or not theirs or not theirs.isdisjoint(network.spaces)

    if (found := routers.first(item.range, is_beside)) is not None:
        address, (gateway, _) = found
        message = f"holds {format_short(address)}, {gateway.title} at {gateway.source}"
        return [_wrong(item, message, "choose addresses without it")]
    return []


def _by_hand_shared(ranges: Iterable[tuple[Blocked, _ByHandNetwork]]) -> Iterator[Finding]:
    """Yield findings for two tenants whose ranges overlap: one finding for each tenant."""
    listed = [(item, network.spaces) for item, network in ranges]

    other = neighbours(listed)
    for item, _ in listed:
        if (its := other.get(item.title)) is not None:
            message = f"overlaps {format_short(its.range)} of {its.title} at {its.source}"
            yield _wrong(item, message, "let one of the two have other addresses")


def _over_quota(state: State, ranges: Sequence[tuple[Blocked, ByHand]]) -> Iterator[Finding]:
    """Yield findings for ranges that, with its records, exceed the quota of their tenant."""
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


OVERLAP = "record-overlap"
OUTSIDE = "record-outside-pool"
"""The code of a record that holds a range its pool does not give out."""

Holding = list[tuple[IPRange, Allocation]]
RuleEntry = tuple[IPRange, str, Allocation]


def check_rules(
    state: State, plan: Plan, *, strict: bool, missing: Mapping[Finding, Key] = MappingProxyType({})
) -> Iterator[Finding]:
    """Yield findings about overlapping pools, and records that contradict a pool or each other.

    Args:
        state: The planner input.
        plan: The decisions.
        strict: Report overlapping pools of one address space as errors.
        missing: Missing pools that documents name, by the finding that reports them.
    """
    yield from _pool_overlaps(state.pools, is_error=strict)
    yield from _used_in_pools(state, is_error=strict)
    yield from check_inside(state)
    holding = [(item.range, item) for item in state.records if item.range is not None]
    yield from _rules_outside(state, holding)
    yield from _removed(state, missing)
    yield from _overlapping_records(state, holding)
    yield from _duplicates(holding)
    going = {it.allocation.path for it in plan.decisions if isinstance(it, Expire)}
    yield from check_manual(state, [it for it in holding if it[1].path not in going])
    yield from pins.check_pins(state, plan)


def _pool_overlaps(pools: Mapping[Key, Pool], *, is_error: bool) -> Iterator[Finding]:
    say = error if is_error else warning
    for key, others in overlapping_pools(pools).items():
        told = "; ".join(_rules_shared(pools[other], pools[key]) for other in others[:NAMED])
        more = f"; and {len(others) - NAMED} more pools" if len(others) > NAMED else ""
        yield say(
            "pool-overlap",
            pools[key].source,
            f"overlaps {told}{more}",
            "narrow one of them; only where the two networks never meet, as behind NAT, give one another"
            " address space (gitops-ipam.dev/address-space): the addresses are then given out twice",
        )


def _used_in_pools(state: State, *, is_error: bool) -> Iterator[Finding]:
    """Yield findings for ranges in pools that are in use without a record or a claim."""
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
                f"{format_short(used.range)} of {used.title} lies in {join_limited(list(pools))},"
                " and is not given out there",
                "ask that pool for it, or choose an address outside of all pools",
            )


def _rules_shared(first: Pool, second: Pool) -> str:
    """Return the range that a pool shares with an earlier pool."""
    shared = (first.usable & second.usable).ranges
    where = ", ".join(format_short(item) for item in shared[:3])
    more = "" if len(shared) <= 3 else f" and {len(shared) - 3} more ranges"
    return (
        f"{first.key.kind} {first.key.name} at {first.source}: {where}{more}"
        f"{_given(first, second)}{_given(second, first)}"
    )


def _given(reserving: Pool, giving: Pool) -> str:
    """Return the range that one pool reserves and the other gives out.

    A reserved block only affects its own pool.
    """
    blocks = (reserving.reserved & giving.usable).ranges
    if not blocks:
        return ""
    where = ", ".join(format_short(item) for item in blocks[:3])
    more = "" if len(blocks) <= 3 else f" and {len(blocks) - 3} more ranges"
    return f"; {giving.key.name} gives out {where}{more}, which {reserving.key.name} reserves"


def _rules_outside(state: State, holding: Holding) -> Iterator[Finding]:
    """Yield findings for records outside their pool's usable ranges, after a shrink or an edit."""
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
    """Return missing pools with the records that still hold their addresses."""
    found: dict[Key, list[Allocation]] = {}
    for record in state.records:
        if record.range is not None and record.pool not in state.pools:
            found.setdefault(record.pool, []).append(record)
    return {key: records for key, records in found.items() if not state.may_be_there(key)}


def _removed(state: State, missing: Mapping[Finding, Key]) -> Iterator[Finding]:
    """Yield one finding for each missing pool, with all consequences."""
    for key, records in removed_pools(state).items():
        size = sum(record.size for record in records)
        what = "1 record holds" if len(records) == 1 else f"{len(records)} records hold"
        addresses = "1 address" if size == 1 else f"{size} addresses"
        who = join_limited([record.claim.short for record in records])
        places = sorted({found.location for found, pool in missing.items() if pool == key})
        named = (
            f"; {join_limited([str(place) for place in places])} still name it" if places else ""
        )
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
    """Return gateways of other networks in the pool's address space, by address."""
    there = sorted(it for it in state.gateways if pool.key not in it.pools)
    return Lookup((it.range, it) for it in there if pool.space in it.spaces(state.pools))


def _way_out(state: State, record: Allocation) -> str:
    """Return the hint for a record that holds a range its pool does not give out."""
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
    """Return the finding for a record outside the usable ranges of its pool.

    If only the gateway of another pool excludes the range, the record may predate the gateway, so
    the finding does not block. `told` describes the record and its fix.
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
    named = join_limited([f"{router.title} at {router.source}" for router in routers], "; ")
    return warning(
        "gateway-in-pool",
        pool.source,
        f"{held}, with {', '.join(format_short(part) for part in lost)}: {named}",
        "it keeps them; one of the two has to go where both are on one network",
    )


def _overlapping_records(state: State, holding: Holding) -> Iterator[Finding]:
    """Yield findings for two records that hold one address.

    Both are named, and neither is moved.
    """
    for entries in competing(state, holding):
        reaching: RuleEntry | None = None
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


def competing(state: State, holding: Holding) -> Iterator[list[RuleEntry]]:
    """Yield groups of records per address space, with records of missing pools in every group.

    A pool that is currently unreadable is not missing. Until it is readable again, its records do
    not conflict with records of other pools.
    """
    by_space: dict[str, list[RuleEntry]] = {}
    unknown: list[RuleEntry] = []
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


Contests = dict[str, dict[str, IPSet]]


def contests(state: State) -> Contests:
    """Return the overlaps of each record, by its path and the other path; empty if there are none.

    Two records for one destination are not an overlap.
    """
    shared: dict[str, dict[str, list[IPRange]]] = {}
    holding = [(item.range, item) for item in state.records if item.range is not None]
    for entries in competing(state, holding):
        for one, other, common in _meeting(entries):
            if destination(one) != destination(other):
                shared.setdefault(one.path, {}).setdefault(other.path, []).append(common)
                shared.setdefault(other.path, {}).setdefault(one.path, []).append(common)
    return {
        path: {other: IPSet.of(ranges) for other, ranges in others.items()}
        for path, others in shared.items()
    }


def destination(record: Allocation) -> tuple[str, ...]:
    """Return where a record's addresses are applied, whatever its name and path."""
    return (record.claim.family, record.owner.namespace, record.owner.name, record.type)


def _meeting(entries: list[RuleEntry]) -> list[tuple[Allocation, Allocation, IPRange]]:
    """Return all pairs of overlapping records, with the shared range."""
    found: list[tuple[Allocation, Allocation, IPRange]] = []
    open_entries: list[RuleEntry] = []
    for entry in sorted(entries, key=itemgetter(0, 1)):
        item, _, record = entry
        open_entries = [
            (other, path, holder)
            for other, path, holder in open_entries
            if other.version == item.version and other.last >= item.first
        ]
        for other, _, holder in open_entries:
            common = IPRange(item.version, item.first, min(item.last, other.last))
            found.append((holder, record, common))
        open_entries.append(entry)
    return found
