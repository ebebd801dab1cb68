"""Refusal messages and hints."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from reconciler.addresses import BITS, IPRange, IPSet, format_cidr, format_short, is_private
from reconciler.documents.findings import NAMED, article_list, join_limited, named, plural
from reconciler.model.claim import Allocation, Claim, Refusal
from reconciler.model.key import Key
from reconciler.model.pool import Pool
from reconciler.planning.blocks import longest_block
from reconciler.planning.space import Room, space_of

FROZEN, PIN_OUTSIDE = "pool-frozen", "pin-outside-pool"
PIN_FREE = "pin a free range (ipam find lists some)"
FEWER = "ask for fewer addresses (ipam explain CLAIM shows how many)"
_DOUBLED = 8
"""A suggestion doubles a network at most this many times."""
# Stands in for `no_room` if the message is not used, because that message needs all free ranges.
NO_ROOM = Refusal("pool-exhausted", "", "")


def elsewhere(pools: Iterable[Key]) -> dict[str, str]:
    """Return ` (only NetworkPool other/edge)`, by the name of the pools."""
    found: dict[str, list[str]] = {}
    for key in sorted(pools, key=lambda it: (it.kind, it.namespace)):
        found.setdefault(key.name, []).append(f"{key.kind} {key.short}")
    return {name: f" (only {join_limited(titles)})" for name, titles in found.items()}


def not_found(claim: Claim, others: Mapping[str, str]) -> Refusal:
    """Return the refusal of a claim whose pools are all missing."""
    if not claim.wanted:
        return Refusal("pool-not-found", "the claim names no pool", "name a pool")
    verb = "does" if len(claim.wanted) == 1 else "do"
    message = f"{named('pool', claim.wanted)} {verb} not exist in this repository"
    message += "".join(others.get(name, "") for name in claim.wanted)
    return Refusal("pool-not-found", message, "correct the name, or add the pool")


def frozen(path: str, pool: str) -> Refusal:
    """Return the refusal for an unreadable pool or an unreadable record of its addresses."""
    message = f"{pool} is blocked because {path} cannot be read"
    return Refusal(FROZEN, message, _inspect(path, path))


def left(claim: Claim, why: str) -> Refusal:
    """Return the refusal of a claim with an unreadable source, which gets nothing new."""
    is_own = why == claim.doubt and claim.doubt_line
    where = f"{why}:{claim.doubt_line}" if is_own else why
    message = f"no new addresses while {where} cannot be read"
    return Refusal(FROZEN, message, _inspect(where, why))


def _inspect(place: str, path: str) -> str:
    return f"fix {place}; to see its changes: git log -p -- {path}"


def untold(claim: Claim) -> Refusal:
    """Return the refusal of a claim whose pool might be in a file without a readable version."""
    verb = "exists" if len(claim.wanted) == 1 else "exist"
    message = f"cannot determine whether {named('pool', claim.wanted)} {verb}, because a file"
    return Refusal(FROZEN, f"{message} cannot be read", "fix the files that cannot be read")


def stale(claim: Claim, record: Allocation, difference: str) -> Refusal:
    """Return the refusal of a claim that no longer matches its record."""
    what, way = "holds", f"first merge an Override of kind move for {claim.key}"
    if record.is_released:
        what, way = "is released and still holds", "wait until its retention ends"
    elif claim.pin and record.range and record.range.overlaps(claim.pin):
        way = f"pin one end of it and {way}"
    elif not claim.is_announced and record.range and claim.size > record.range.size:
        way = f"add a second claim for more addresses, or, to move the claim, {way}"
    kept = format_short(record.range) if record.range else "nothing"
    message = f"record {record.path} {what} {kept} in pool {record.pool.name}; {difference}"
    return Refusal("record-stale", message, f"restore the previous claim, or {way}")


def not_by_itself(pool: Pool) -> Refusal:
    """Return the refusal by a pool that only serves claims that name it."""
    return Refusal(
        "auto-assign-disabled",
        f"pool {pool.key.name} has autoAssign: false, so the claim must name an address",
        "name an address in the claim, or set autoAssign: true in the pool",
    )


def paused(pool: Pool) -> Refusal:
    """Return the refusal by a paused pool."""
    hint = "remove its pause annotation, or choose another pool"
    return Refusal(FROZEN, f"pool {pool.key.name} is paused", hint)


def other_version(pool: Pool, version: int) -> Refusal:
    """Return the refusal by a pool without addresses of the claim's IP version."""
    message = f"the claim needs an IPv{version} address, and pool {pool.key.name} has none"
    return Refusal("family-mismatch", message, f"choose a pool with IPv{version} addresses")


def reasons(refusals: Iterable[Refusal]) -> Refusal:
    """Return the first of several refusals; refusals of pools without the address come last."""
    lacks = {PIN_OUTSIDE: 1, "family-mismatch": 2}
    return min(refusals, key=lambda it: lacks.get(it.reason, 0))


class Tried(Struct, frozen=True):
    """Candidates without enough room: the first ones, each with its size and free space."""

    named: tuple[tuple[Pool, int, Room], ...]
    more: int  # further candidates
    largest: int  # the size of the largest candidate
    freest: int  # the most free addresses of one candidate
    longest: int  # the size of the longest free range


def tried(rooms: Iterable[tuple[Pool, Room]], version: int | None) -> Tried:
    """Return the free space of one or more pools for an IP version."""
    every = [
        (pool, (pool.usable.of_version(version) if version else pool.usable).size, room)
        for pool, room in rooms
    ]
    return Tried(
        tuple(every[:NAMED]),
        max(len(every) - NAMED, 0),
        max(total for _, total, _ in every),
        max(room.size for _, _, room in every),
        max(room.run for _, _, room in every),
    )


def no_room(need: int, tried: Tried, holders: "Holders") -> Refusal:
    """Return the refusal if no candidate has a large enough free range, with some holders."""
    if not tried.largest:
        names = [pool.key.name for pool, _, _ in tried.named]
        verb = "has" if len(names) == 1 else "have"
        message = f"{named('pool', names)} {verb} no allocatable address"
        hint = (
            f"choose another pool, or fix the finding pool-empty in {tried.named[0][0].source.path}"
        )
        return Refusal("request-too-large", message, hint)
    if tried.largest < need:
        sizes = [f"pool {pool.key.name} ({total})" for pool, total, _ in tried.named]
        sizes += [plural(tried.more, "more pool")] if tried.more else []
        message = f"needs {need} addresses, more than {article_list(sizes)} can hold when empty"
        hint = f"{FEWER}, or add a larger pool"
        return Refusal("request-too-large", message, hint)
    fragmented = tried.freest >= need
    parts = [_described(pool, total, room, holders) for pool, total, room in tried.named]
    parts += [f"{plural(tried.more, 'more pool')} without such a range"] if tried.more else []
    cures = [FEWER] if tried.longest else []
    pools, lacking = [pool for pool, _, _ in tried.named], need - tried.longest
    wider = [it for pool in pools if (it := _wider(pool, need))][:1]
    cures += wider or [it for pool in pools if (it := _more(pool, lacking))][:1]
    # A claim for one address names its pool. Larger claims have a list of pools.
    cures += ["add a pool to poolRefs" if need > 1 else "choose another pool"]
    return Refusal(
        "pool-fragmented" if fragmented else "pool-exhausted",
        f"needs {plural(need, 'contiguous address' if need > 1 else 'address')}; {'; '.join(parts)}",
        article_list([*cures, "remove unused claims"]),
    )


def no_block(prefix: int, rooms: Sequence[tuple[Pool, IPSet]]) -> Refusal:
    """Return the refusal if no candidate has a free aligned block of a prefix length."""
    parts = []
    for pool, free in rooms[:NAMED]:
        largest = longest_block(free)
        what = f"no free block larger than /{largest}" if largest is not None else "no free address"
        parts.append(f"pool {pool.key.name} has {what}")
    left = len(rooms) - NAMED
    more = [f"{plural(left, 'more pool')} without such a block"] if left > 0 else []
    bits = {free: BITS[free.ranges[0].version] for _, free in rooms if free}
    is_split = any(free.size >= 1 << max(bits[free] - prefix, 0) for free in bits)
    return Refusal(
        "pool-fragmented" if is_split else "pool-exhausted",
        f"needs a free /{prefix}; {'; '.join([*parts, *more])}",
        "ask for a longer prefix length, choose another pool, or add addresses to a pool",
    )


def _wider(pool: Pool, need: int) -> str:
    """Return a hint that names a network with room around all that a contiguous pool has."""
    if len(pool.extent.ranges) != 1 or IPSet.of(pool.windows) != pool.extent:
        return ""
    (held,) = pool.extent
    for doubled in range(_DOUBLED + 1):
        size = 1 << (held.size - 1).bit_length() + doubled
        first = held.first & -size
        wider = IPRange(held.version, first, first + size - 1)
        is_inside = pool.subnet is None or pool.subnet.covers(wider)
        if not is_inside or is_private(wider) != is_private(held):
            return ""
        new = IPSet((wider,)) - pool.extent - pool.reserved
        if wider.covers(held) and any(item.size >= need for item in new):
            return f"widen pool {pool.key.name} to {format_cidr(wider)} if that network is free"
    return ""


def _more(pool: Pool, lacking: int) -> str:
    """Return a hint to add addresses to a pool, unless its subnet has no others."""
    if pool.subnet is None:
        return f"add {lacking} or more addresses to pool {pool.key.name}"
    free = IPSet((pool.subnet,)) - pool.extent - pool.reserved
    return f"add {lacking} or more addresses to pool {pool.key.name}" if free else ""


def _described(pool: Pool, total: int, room: Room, holders: "Holders") -> str:
    text = f"pool {pool.key.name} has {room.size} of {total} free"
    if room.largest is None:
        return text
    text += f", largest free range: {room.run}"
    adjacent = holders.adjacent_to(room.largest, pool.space)
    return f"{text}, next to {article_list(adjacent, 'and')}" if adjacent else text


class Holders:
    """Holders of ranges, in order of address, by address space."""

    def __init__(self, pools: Mapping[Key, Pool], records: Iterable[Allocation]) -> None:
        self._pools = pools
        self._noted = list(records)
        self._records: dict[str | None, list[tuple[IPRange, Key]]] = {}

    def add(self, records: Iterable[Allocation]) -> None:
        """Add records."""
        self._noted += records

    def of(self, item: IPRange, space: str) -> list[str]:
        """Return at most three claims that hold an address of a range in an address space."""
        self._sort()
        end = item.version, item.last
        found: list[tuple[IPRange, Key]] = []
        for records in (self._records.get(space, []), self._records.get(None, [])):
            near = bisect_right(records, end, key=lambda held: held[0][:2])
            found += [held for held in records[max(near - 64, 0) : near] if held[0].overlaps(item)]
        return [claim.short for _, claim in sorted(found)[:3]]

    def adjacent_to(self, item: IPRange, space: str) -> list[str]:
        """Return the claims that hold the addresses next to a range."""
        before = IPRange(item.version, item.first - 1, item.first - 1)
        after = IPRange(item.version, item.last + 1, item.last + 1)
        return [*self.of(before, space), *self.of(after, space)]

    def _sort(self) -> None:
        if not self._noted:
            return
        for record in self._noted:
            if record.range is not None:
                entries = self._records.setdefault(space_of(self._pools, record), [])
                entries.append((record.range, record.claim))
        self._noted = []
        for entries in self._records.values():
            entries.sort()
