"""Consistency rules for plans: pinned, overlapping, and duplicate ranges."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from types import MappingProxyType

from msgspec.structs import replace

from reconciler.addresses import (
    IPRange,
    IPSet,
    format_cidr,
    format_range,
    format_short,
    is_private,
    special_purpose,
)
from reconciler.documents.document import Documents
from reconciler.documents.findings import (
    NAMED,
    Finding,
    Location,
    article_list,
    error,
    join_limited,
    plural,
    warning,
)
from reconciler.families import families, key_of, known_as
from reconciler.model.claim import Allocation, Claim, Owner, Refusal
from reconciler.model.instant import format_instant
from reconciler.model.key import Key
from reconciler.model.plan import (
    Blocked,
    ByHand,
    ClusterNetwork,
    Expire,
    Gateway,
    Grant,
    Plan,
    Refuse,
    Release,
    State,
)
from reconciler.model.pool import Pool
from reconciler.planning.refusals import PIN_FREE, PIN_OUTSIDE, Holders, elsewhere, paused
from reconciler.planning.retention import retention_end
from reconciler.planning.space import AddressUsage, Lookup, Space, outside, space_of

WRONG = "manual-range"
"""The code of an invalid manual range."""
OUTSIDE = "record-outside-pool"
"""The code of a record that holds a range its pool does not give out."""

Holding = Mapping[Key, Sequence[Allocation]]
"""Records with addresses, by pool, each in order of their paths."""

_SHOWN = 3


def check_rules(
    state: State, plan: Plan, *, strict: bool, missing: Mapping[Finding, Key] = MappingProxyType({})
) -> Iterator[Finding]:
    """Yield findings on pools (errors if `strict`) and records; `missing` has pools by finding."""
    yield from _pool_overlaps(state.pools, is_error=strict)
    yield from _used_in_pools(state, is_error=strict)
    yield from check_inside(state)
    holding = holding_by_pool(state)
    yield from _outside_of_pools(state, holding)
    yield from _removed(state, holding, missing)
    yield from _overlapping_records(state, holding)
    yield from _duplicates(state)
    yield from _check_manual(state, plan)
    yield from check_pins(state, plan)
    yield from _mixed_pools(state, plan)


def check_namespaces(documents: Documents, records: Iterable[Allocation]) -> Iterator[Finding]:
    """Yield warnings for new documents without a namespace if all others of the kind have one."""
    for family in families():
        for kind in sorted(family.owners):
            every = [*documents.of(known_as(family.name, kind))]
            lacking = [it for it in every if it.namespace and "namespace" not in it.metadata]
            others = {it.namespace for it in every if "namespace" in it.metadata}
            if 2 * len(lacking) > len(every) or others <= {it.namespace for it in lacking}:
                continue  # it is meant
            owners = {key_of(it).owner for it in lacking}
            if owners and any(it.claim.owner in owners for it in records):
                continue
            for document in lacking:
                space = document.namespace
                message = f"{document.title} is in namespace {space}, because metadata.namespace is missing; all other documents of kind {kind} have one"
                hint = f"set metadata.namespace (to {space}, if intended)"
                yield warning("namespace-implicit", document.at("metadata"), message, hint)


def _mixed_pools(state: State, plan: Plan) -> Iterator[Finding]:
    grants = [it for it in plan.decisions if isinstance(it, Grant)]
    gone = {it.allocation.path for it in plan.decisions if isinstance(it, Release)}
    gone |= {it.leaves.path for it in grants if it.leaves}
    live = [it for it in state.records if it.is_live and it.path not in gone]
    announcing = {family.name: family for family in families() if family.announcing.clusters}
    by_cluster: dict[str, list[Allocation]] = {}
    for record in (*live, *(it.allocation for it in grants)):
        family = announcing.get(record.claim.family)
        if family is not None and record.type == family.record.type:
            by_cluster.setdefault(family.announcing.cluster_of(record), []).append(record)
    for cluster, records in sorted(by_cluster.items()):
        if all(record.pool == records[0].pool for record in records):
            continue
        first, *rest = sorted(records, key=lambda it: it.claim.slot_order)
        other = next(it for it in rest if it.pool != first.pool)
        claim, owner = state.claims.get(other.claim), replace(other.claim, slot="").short
        both = [
            f"{format_short(it.range)} of pool {it.pool.name}" for it in (first, other) if it.range
        ]
        yield warning(
            "pools-mixed",
            claim.source if claim is not None else Location(other.path, 1, 1),
            f"the IPAddressPool of cluster {cluster} mixes {' and '.join(both)}",
            f"move one if these are two networks: ipam move {owner}/{other.claim.slot} --to {first.pool.name}",
        )


def _listed(ranges: Sequence[IPRange]) -> str:
    more = len(ranges) - _SHOWN
    where = ", ".join(format_short(item) for item in ranges[:_SHOWN])
    return f"{where}, and {plural(more, 'more range')}" if more > 0 else where


def _pool_overlaps(pools: Mapping[Key, Pool], *, is_error: bool) -> Iterator[Finding]:
    say = error if is_error else warning
    for key, others in overlapping_pools(pools).items():
        shared = "; ".join(_shared_by(pools[other], pools[key]) for other in others[:NAMED])
        more = f"; and {plural(len(others) - NAMED, 'more pool')}" if len(others) > NAMED else ""
        yield say(
            "pool-overlap",
            pools[key].source,
            f"pool {key.name} overlaps {shared}{more}",
            "shrink one pool; only if the networks never connect (for example, NAT), put one into another address space: gitops-ipam.dev/address-space",
        )


def _shared_by(first: Pool, second: Pool) -> str:
    text = f"{first.key.kind} {first.key.name} at {first.source}: "
    text += _listed((first.usable & second.usable).ranges)
    for reserving, giving in ((first, second), (second, first)):
        if blocks := (reserving.reserved & giving.usable).ranges:
            text += f"; pool {giving.key.name} allocates {_listed(blocks)}, which pool {reserving.key.name} reserves"
    return text


def _used_in_pools(state: State, *, is_error: bool) -> Iterator[Finding]:
    ranges = [item for item in state.blocked if item.by_hand and item.by_hand.anywhere]
    say = error if is_error else warning
    usable = Lookup((item, pool) for pool in state.pools.values() if ranges for item in pool.usable)
    for used in ranges:
        pools = dict.fromkeys(
            f"{pool.key.kind} {pool.key.name} at {pool.source}"
            for _, pool in usable.overlapping(used.range)
        )
        if pools:
            yield say(
                "pool-overlap",
                used.source,
                f"{format_short(used.range)} of {used.title} is in {join_limited(list(pools))}, and will not be allocated there",
                "request it from that pool, or choose an address outside all pools",
            )


def check_inside(state: State) -> Iterator[Finding]:
    """Yield a warning for each overlapping cluster network, at the first cluster that has it."""
    if not state.inside:
        return
    by_space: dict[str | None, list[tuple[IPRange, AddressUsage]]] = {}
    for entry in outside(state):
        for space in entry.spaces or (None,):
            by_space.setdefault(space, []).append((entry.range, entry))
    lookups = {space: Lookup(entries) for space, entries in by_space.items()}
    alike: dict[tuple[IPRange, tuple[str, ...], str], list[ClusterNetwork]] = {}
    for network in state.inside:
        alike.setdefault((network.range, network.spaces, network.use), []).append(network)
    for (item, spaces, use), networks in sorted(alike.items()):
        there = [lookups[space] for space in (None, *spaces) if space in lookups]
        # A gateway can be in several address spaces.
        met = sorted({entry for lookup in there for _, entry in lookup.overlapping(item)})
        if not met:
            continue
        first = min(networks, key=lambda it: it.source)
        owners = len({network.owner for network in networks})
        others = f" and {plural(owners - 1, 'more cluster')}" if owners > 1 else ""
        parts = [(other, item.shared(other.range)) for other in met[:NAMED]]
        words = [f"{it.title} at {it.source}: {both and format_short(both)}" for it, both in parts]
        more = f"; and {len(met) - NAMED} more" if len(met) > NAMED else ""
        yield warning(
            "pool-overlap",
            first.source,
            f"{format_cidr(item)}, {use} of {first.owner}{others}, overlaps {'; '.join(words)}{more}",
            "choose a network that is not used outside the cluster, because Pods cannot reach the outside addresses",
        )


def _outside_of_pools(state: State, holding: Holding) -> Iterator[Finding]:
    """Yield findings for records outside their pool's usable ranges."""
    placed = (
        (pool, record.range, record)
        for key, pool in state.pools.items()
        for record in holding.get(key, ())
    )
    for pool, item, record in placed:
        if item is None or pool.usable.covers(item):
            continue
        usable = pool.usable if record.prefix is None else pool.allocatable
        if usable.covers(item):
            continue
        held = f"record {record.path} of {record.claim.short} holds {format_short(item)}"
        routers = [
            it
            for it in sorted(state.gateways)
            if it.range.overlaps(item)
            and pool.key not in it.pools
            and pool.space in it.spaces(state.pools)
        ]
        lost = IPSet((item,)) - usable
        if rest := lost - IPSet.of(router.range for router in routers):
            where = ", ".join(format_short(part) for part in rest)
            message = f"{held}, but {pool.key.kind} {pool.key.name} does not allocate {where}"
            yield warning(OUTSIDE, pool.source, message, _way_out(state, record))
            continue
        named = join_limited([f"{router.title} at {router.source}" for router in routers], "; ")
        yield warning(
            "gateway-in-pool",
            pool.source,
            f"{held}, including {', '.join(format_short(part) for part in lost)}: {named}",
            "change the gateway or move the claim, if both are on one network",
        )


def _way_out(state: State, record: Allocation) -> str:
    again = "add the addresses back to the pool (its network, ranges, or reserved blocks)"
    if record.announced:
        return (
            f"{again} until no Service uses them; their claim moved, but they are still announced"
        )
    if record.claim in state.claims or state.is_left_alone(record):
        return f"{again}, or move the claim first (ipam move)"
    if record.is_live:
        return f"{again} until they are free; no claim uses them, and this plan releases them"
    end = retention_end(record, state)
    until = f"until {format_instant(end)}" if end is not None else "until they are free"
    return f"{again} {until}; no claim uses them, but they are reserved until then"


def holding_by_pool(state: State) -> Holding:
    """Return the records that hold addresses, by pool."""
    found: dict[Key, list[Allocation]] = {}
    for record in state.records:
        if record.range is not None:
            found.setdefault(record.pool, []).append(record)
    return found


def removed_pools(state: State, holding: Holding) -> Holding:
    """Return missing pools with the records that still hold their addresses."""
    gone = holding.keys() - state.pools.keys()
    return {key: holding[key] for key in sorted(gone) if not state.may_be_there(key)}


def _removed(state: State, holding: Holding, missing: Mapping[Finding, Key]) -> Iterator[Finding]:
    there = elsewhere(state.pools)
    for key, records in removed_pools(state, holding).items():
        size = sum(record.size for record in records)
        what = f"{plural(len(records), 'record')} hold{'s' * (len(records) == 1)}"
        who = join_limited([record.claim.short for record in records])
        places = sorted({found.location for found, pool in missing.items() if pool == key})
        named = f"; {join_limited([str(place) for place in places])} still " if places else ""
        named += "" if not places else "names it" if len(places) == 1 else "name it"
        yield error(
            "pool-removed",
            Location(records[0].path, 1, 1),
            f"{key.kind} {key.short} does not exist in this repository{there.get(key.name, '')}, but {what} {plural(size, 'address')} of it: {who}{named}",
            f"restore the pool until no record holds its addresses, and do not delete the records; if the pool was renamed, add gitops-ipam.dev/formerly: {key.short} to it",
        )


def _overlapping_records(state: State, holding: Holding) -> Iterator[Finding]:
    """Yield findings for two records that hold one address."""
    # Records of missing pools count in every address space. Records of an unreadable pool conflict
    # only with each other.
    by_space: dict[str | None, list[Allocation]] = {None: []}
    for records in holding.values():
        by_space.setdefault(space_of(state.pools, records[0]), []).extend(records)
    unknown = by_space.pop(None)
    gone = [record for record in unknown if not state.may_be_there(record.pool)]
    for entries in (unknown, *(found + gone for found in by_space.values())):
        entries.sort(key=attrgetter("path"))
        entries.sort(key=attrgetter("range"))
        reaching: tuple[IPRange, Allocation] | None = None
        for record in entries:
            item = record.range
            common = item.shared(reaching[0]) if item and reaching else None
            if reaching and common:
                yield _overlap(record, reaching[1], common)
                yield _overlap(reaching[1], record, common)
            if item and not (reaching and common and item.last <= reaching[0].last):
                reaching = item, record


def _overlap(record: Allocation, other: Allocation, common: IPRange) -> Finding:
    return error(
        "record-overlap",
        Location(record.path, 1, 1),
        f"{format_short(common)} is held by two records, also by {other.path} ({other.claim.short})",
        "find out which claim uses it; merge an Override of kind record for the other record, then delete it",
    )


def _duplicates(state: State) -> Iterator[Finding]:
    first: dict[Key, Allocation] = {}
    for record in (it for it in state.records if it.is_live):
        if (other := first.setdefault(record.claim, record)) is not record:
            yield error(
                "record-duplicate",
                Location(record.path, 1, 1),
                f"{other.path} is a second record for claim {record.claim}",
                "merge an Override of kind record for the record that is not in use, then delete it",
            )


class _Network:
    def __init__(self, state: State, keys: Sequence[Key]) -> None:
        self.pools = [state.pools[key] for key in keys if key in state.pools]
        self.is_known = bool(self.pools) and not any(state.may_be_there(key) for key in keys)
        self.spaces = frozenset(pool.space for pool in self.pools)

    def meets(self, spaces: Iterable[str]) -> bool:
        others = frozenset(spaces)
        return not self.spaces or not others or not others.isdisjoint(self.spaces)


def _check_manual(state: State, plan: Plan) -> Iterator[Finding]:
    if not state.blocked:
        return
    going = {it.allocation.path for it in plan.decisions if isinstance(it, Expire)}
    records = Lookup((it.range, it) for it in state.records if it.range and it.path not in going)
    for item in state.blocked:
        found = records.first(item.range, lambda it, owner=item.owner: it.owner.short != owner)  # type: ignore[misc]
        if found is not None:
            message = f"overlaps {format_short(found[0])} of {found[1].path}"
            yield _wrong(item, message, f"remove {item.field}, or release the record")
    manual = [(item, item.by_hand) for item in state.blocked if item.by_hand is not None]
    # All tenants of a provider have the same tuple of pools.
    served = {id(it.pools): it.pools for _, it in manual}
    networks = {at: _Network(state, keys or ()) for at, keys in served.items()}
    ranges = [(item, by_hand, networks[id(by_hand.pools)]) for item, by_hand in manual]
    extents = Lookup(
        (item, pool)
        for pool in state.pools.values()
        if ranges
        for item in pool.extent | pool.usable
    )
    routers = Lookup((it.range, it) for it in state.gateways)
    for item, by_hand, network in ranges:
        yield from _with_gateway(state, item, network, routers) or _misplaced(
            item, by_hand, network, extents
        )
    yield from _manual_overlaps([(item, network) for item, _, network in ranges])
    yield from _over_quota(state, manual)


def _with_gateway(
    state: State, item: Blocked, network: _Network, routers: Lookup[Gateway]
) -> list[Finding]:
    found = routers.first(item.range, lambda it: network.meets(it.spaces(state.pools)))
    if found is None:
        return []
    address, gateway = found
    message = f"contains {format_short(address)}, {gateway.title} at {gateway.source}"
    return [_wrong(item, message, "choose addresses without the gateway")]


def _misplaced(
    item: Blocked, by_hand: ByHand, network: _Network, extents: Lookup[Pool]
) -> list[Finding]:
    if by_hand.pools is None:
        return []
    if by_hand.pools:
        return _outside_of_network(item, network)
    if block := special_purpose(item.range):
        hint = "choose addresses that RFC 6890 does not reserve"
        return [_wrong(item, f"overlaps {block}", hint)]
    if not is_private(item.range):
        hint = "use private addresses (RFC 1918), or describe public ones in a pool of the provider"
        return [_wrong(item, "is not a private range", hint)]
    if (found := extents.first(item.range, lambda _: True)) is not None:
        _, pool = found
        hint = "add the pool to the provider's poolRefs, or choose addresses outside all pools"
        where = f"{pool.key.kind} {pool.key.name} ({pool.source})"
        return [_wrong(item, f"is in {where}, which its provider does not name", hint)]
    return []


def _outside_of_network(item: Blocked, network: _Network) -> list[Finding]:
    # A missing pool has a finding of its own.
    if not network.is_known or any(pool.usable.covers(item.range) for pool in network.pools):
        return []
    names = [f"pool {pool.key.name}" for pool in network.pools[:_SHOWN]]
    names += ["others"] * (len(network.pools) > _SHOWN)
    hint = f"choose allocatable addresses of {article_list(names)}"
    for pool in network.pools:
        if kept := (pool.reserved & IPSet((item.range,))).ranges:
            message = f"contains {_listed(kept)}, which pool {pool.key.name} reserves"
            return [_wrong(item, message, hint)]
    message = f"is not in the allocatable addresses of {article_list(names)}"
    return [_wrong(item, message, hint)]


def _manual_overlaps(ranges: Sequence[tuple[Blocked, _Network]]) -> Iterator[Finding]:
    lookup = Lookup((item.range, (item, network)) for item, network in ranges)
    for item, network in ranges:
        found = lookup.first(
            item.range,
            lambda it, mine=item, of=network: it[0] is not mine and of.meets(it[1].spaces),  # type: ignore[misc]
        )
        if found is not None:
            other = found[1][0]
            message = f"overlaps {format_short(other.range)} of {other.title} at {other.source}"
            yield _wrong(item, message, "change one of the two ranges")


def _over_quota(state: State, ranges: Sequence[tuple[Blocked, ByHand]]) -> Iterator[Finding]:
    quotas = [(item, by_hand.quota) for item, by_hand in ranges if by_hand.quota is not None]
    held: dict[tuple[str, ...], list[IPRange]] = {quota.group: [] for _, quota in quotas}
    for record in state.records if held else ():
        claim = state.claims.get(record.claim)
        if claim and claim.quota and record.range and record.is_live:
            held.get(claim.quota.group, []).append(record.range)
    for item, quota in quotas:
        size = IPSet.of([*held[quota.group], item.range]).size
        if size > quota.limit:
            message = f"brings its owner to {plural(size, 'address')}, more than its quota of {quota.limit}"
            yield _wrong(item, message, f"shrink the range, or raise the quota ({quota.source})")


def _wrong(item: Blocked, message: str, hint: str) -> Finding:
    text = f"{format_short(item.range)} of {item.title} {message}"
    return error(WRONG, item.source, text, hint)


def find_pin(
    pin: IPRange,
    claim: Claim,
    pools: Sequence[Pool],
    space_of: Callable[[str], Space],
    holders: Holders,
) -> tuple[tuple[int, IPRange] | None, list[Refusal]]:
    """Return the pinned range with the position of the first pool that gives it, and all refusals."""
    refusals: list[Refusal] = []
    for at, pool in enumerate(pools):
        refused = _refusal(pin, pool, space_of(pool.space), holders, claim.owner)
        if refused is None:
            return (at, pin), refusals
        refusals.append(refused)
    every = _outside(pin, pools)
    return None, [every if it.reason == PIN_OUTSIDE else it for it in refusals]


def _refusal(
    pin: IPRange, pool: Pool, space: Space, holders: Holders, owner: Owner
) -> Refusal | None:
    if pool.is_paused:
        return paused(pool)
    text, name = format_short(pin), pool.key.name
    touched = [window for window in pool.windows if window.overlaps(pin)]
    listed = join_limited([format_range(window) for window in touched or pool.windows])
    if all(window.version != pin.version for window in pool.windows):
        message = f"pinned range {text} is IPv{pin.version}, but pool {name} has no such addresses"
        return Refusal("family-mismatch", message, f"pin a range in {listed}")
    if not any(window.covers(pin) for window in touched):
        if len(touched) > 1:
            message = f"pinned range {text} spans {len(touched)} ranges of pool {name} ({listed})"
            hint = "pin a range in one of them, or merge them into one range"
            return Refusal("pin-straddles-ranges", message, hint)
        return _outside(pin, [pool])
    if reserved := pool.reserved.overlapping(pin):
        blocks = join_limited([format_short(block) for block in reserved])
        message = f"pinned range {text} contains reserved addresses of pool {name}: {blocks}"
        if pool.blocks.covers(pin):  # network, broadcast, and anycast addresses
            hint = f"set spec.useAllAddresses: true in pool {name}, or pin another range"
            return Refusal("pin-reserved", message, hint)
        is_listed = any(block.overlaps(pin) for block, _ in pool.kept)
        hint = f"pin another range{', or remove the block from spec.reserved' * is_listed}"
        return Refusal("pin-reserved", message, hint)
    if not space.is_free(pin, owner):
        return _taken(text, holders.of(pin, pool.space), space.withheld.by_others(pin, owner))
    return None


def _outside(pin: IPRange, pools: Iterable[Pool]) -> Refusal:
    windows = {it.key.name: join_limited([*map(format_range, it.windows)]) for it in pools}
    named = join_limited([f"pool {name} ({listed})" for name, listed in windows.items()])
    message = f"pinned range {format_short(pin)} is outside the ranges of {named}"
    return Refusal(PIN_OUTSIDE, message, "pin a range in the pool, or widen the pool")


def _taken(text: str, claims: list[str], used: list[Blocked]) -> Refusal:
    manual = [it for it in used if not any(claim.startswith(f"{it.owner} (") for claim in claims)]
    by = join_limited([*claims, *dict.fromkeys(it.title for it in manual)])
    places = join_limited(list(dict.fromkeys(str(it.source) for it in used)))
    return Refusal(
        "pin-taken",
        f"pinned range {text} is already held{f' by {by}' if by else ''}",
        f"{PIN_FREE}, or first remove the range from {places or 'its holder'} and wait until its retention ends; if the holder was renamed, set formerly",
    )


def check_pins(state: State, plan: Plan) -> Iterator[Finding]:
    """Yield a finding for each claim that gets a range that another claim also pins."""
    taken = [it for it in plan.decisions if isinstance(it, Refuse) and it.reason == "pin-taken"]
    pins = [(claim.pin, it) for it in taken if (claim := state.claims[it.claim]).pin is not None]
    losers = Lookup(pins)
    for granted in plan.decisions if taken else ():
        if not isinstance(granted, Grant) or granted.is_taken_back:
            continue
        item = granted.allocation.range
        if state.claims[granted.claim].pin is None or item is None:
            continue
        space = space_of(state.pools, granted.allocation)
        others = [
            (pin, it)
            for pin, it in losers.overlapping(item)
            if any(state.pools[key].space == space for key in state.claims[it.claim].candidates)
        ]
        for pin, it in others[:NAMED]:
            yield warning(
                "pin-contested",
                granted.source,
                f"{granted.claim.short} and {it.claim.short} both pin {format_short(item.shared(pin) or pin)} ({it.source})",
                "change or remove one of the two pins",
            )


def overlapping_pools(pools: Mapping[Key, Pool]) -> dict[Key, list[Key]]:
    """Return each pool with overlapping pools of lower keys, in order of keys."""
    # Of many, each is listed only with the pool that reaches furthest at its start.
    found: dict[Key, set[Key]] = {}
    for left, right in _meeting(pools):
        found.setdefault(max(left, right), set()).add(min(left, right))
    return {key: sorted(found[key]) for key in sorted(found)}


def rivals(pools: Mapping[Key, Pool]) -> dict[Key, Key]:
    """Map pools that share addresses, directly or transitively, to one representative."""
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


def _meeting(pools: Mapping[Key, Pool]) -> Iterator[tuple[Key, Key]]:
    by_space: dict[str, list[tuple[IPRange, Key]]] = {}
    for key, pool in pools.items():
        by_space.setdefault(pool.space, []).extend((item, key) for item in pool.allocatable)
    for entries in by_space.values():
        reaching: tuple[IPRange, Key] | None = None
        for item, key in sorted(entries):
            if reaching is not None and reaching[0].overlaps(item):
                yield reaching[1], key
                if item.last <= reaching[0].last:
                    continue
            reaching = item, key
