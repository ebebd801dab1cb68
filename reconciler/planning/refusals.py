"""Refusal messages and hints."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping

from msgspec import Struct

from reconciler.addresses.notation import format_cidr, format_short, is_private
from reconciler.addresses.ranges import IPRange, IPSet
from reconciler.documents.findings import NAMED, article_list, join_limited
from reconciler.model.claim import Allocation, Claim, Quota, Refusal
from reconciler.model.key import Key
from reconciler.model.pool import Pool
from reconciler.planning.space import Room
from reconciler.planning.usage import space_of

FROZEN = "pool-frozen"
_DOUBLED = 8
"""So often a network is doubled to find one that would do."""
# Stands in for `no_room` where nobody reads the words, which cost a look at all that is free.
NO_ROOM = Refusal("pool-exhausted", "", "")


def not_found(claim: Claim) -> Refusal:
    """No pool that the claim names is in the repository."""
    names = join_limited(claim.wanted) or "no pool"
    many = len(claim.wanted) != 1
    return Refusal(
        "pool-not-found",
        f"{names} {'are' if many else 'is'} not in the repository",
        "add the pool, or name one that exists",
    )


def frozen(path: str, pool: str) -> Refusal:
    """The pool, or a record that may hold addresses of it, cannot be read."""
    return Refusal(
        FROZEN,
        f"{pool} gives nothing out while {path} cannot be read",
        _mend(path, path),
    )


def left(claim: Claim, why: str) -> Refusal:
    """What the claim follows from cannot be read: it keeps what it holds and gets nothing new."""
    is_own = why == claim.doubt and claim.doubt_line
    where = f"{why}:{claim.doubt_line}" if is_own else why
    return Refusal(
        FROZEN,
        f"{claim.key.short} gets nothing new while {where} cannot be read",
        _mend(where, why),
    )


def _mend(place: str, path: str) -> str:
    """Where to look: git log does not tell of what is in the work tree alone."""
    return f"mend {place}: git diff HEAD shows what is not committed, git log -p -- {path} the rest"


def untold(claim: Claim) -> Refusal:
    """A pool of the claim may stand in a file that never could be read."""
    names = join_limited(claim.wanted)
    return Refusal(
        FROZEN,
        f"{names}: not all of them can be told while a file cannot be read",
        "mend the errors first",
    )


def over_quota(claim: Claim, quota: Quota, used: int, size: int) -> Refusal:
    """`size` more addresses would take the claim's owner over the provider's quota."""
    return Refusal(
        "quota-exceeded",
        f"{claim.owner.short} would hold {used + size} of at most"
        f" {quota.limit} {claim.type} addresses",
        # The message stands in the record; a place in it would change with every edit above it.
        f"ask for at most {max(quota.limit - used, 0)}, or raise the quota ({quota.source})",
    )


def stale(claim: Claim, record: Allocation, difference: str) -> Refusal:
    """The claim asks for something else than what its record holds."""
    what = "is released and still holds" if record.is_released else "holds"
    kept = format_short(record.range) if record.range else "nothing"
    return Refusal(
        "record-stale",
        f"{record.path} {what} {kept} of {record.pool.name}; {difference}",
        "set the claim back, or let it move: merge an Override of kind move for it",
    )


def not_by_itself(pool: Pool) -> Refusal:
    """The pool gives an address only to a claim that names it."""
    return Refusal(
        "auto-assign-disabled",
        f"{pool.key.name} gives no address by itself",
        "let the pool assign by itself (autoAssign: true), or name the address that is wanted",
    )


def paused(pool: Pool) -> Refusal:
    """Somebody has paused the pool."""
    return Refusal(
        FROZEN,
        f"{pool.key.name} is paused: it gives nothing out",
        "end the pause, or name another pool",
    )


def other_version(pool: Pool, version: int) -> Refusal:
    """The pool has no address of the IP version that the claim needs."""
    return Refusal(
        "family-mismatch",
        f"the claim needs IPv{version}, {pool.key.name} has none",
        f"name a pool of IPv{version} addresses",
    )


def reasons(claim: Claim, refusals: list[Refusal]) -> Refusal:
    """Of several refusals the first; that a pool has another IP version tells least."""
    if claim.version is None:
        return refusals[0]
    others = (refusal for refusal in refusals if refusal.reason != "family-mismatch")
    return next(others, refusals[0])


class Tried(Struct, frozen=True):
    """Candidates that have no room.

    Attributes:
        named: The first of them, each with its size and what is free of it.
        more: How many there are besides.
        largest: The size of the largest of all.
        freest: The most addresses that are free of one.
        longest: The size of the longest free run.
    """

    named: tuple[tuple[Pool, int, Room], ...]
    more: int
    largest: int
    freest: int
    longest: int


def tried(rooms: Iterable[tuple[Pool, Room]], version: int | None) -> Tried:
    """What there is of some pools, one at least, for claims that need an IP version."""
    every = [(pool, usable_of(pool, version).size, room) for pool, room in rooms]
    return Tried(
        tuple(every[:NAMED]),
        max(len(every) - NAMED, 0),
        max(total for _, total, _ in every),
        max(room.size for _, _, room in every),
        max(room.run for _, _, room in every),
    )


def no_room(claim: Claim, tried: Tried, holders: "Holders") -> Refusal:
    """No candidate has a free run of the size. A few of them are named."""
    need = claim.size
    if tried.largest < need:
        named = [f"{pool.key.name} has {total}" for pool, total, _ in tried.named]
        sizes = f"{', '.join(named)} and {tried.more} more have no more than {tried.largest}"
        sizes = sizes if tried.more else article_list(named, "and")
        return Refusal(
            "request-too-large",
            f"needs {need} addresses; {sizes} in all",
            "ask for fewer, or add a larger pool",
        )
    fragmented = tried.freest >= need
    parts = [_described(pool, total, room, holders) for pool, total, room in tried.named]
    parts += [f"{tried.more} more pools have no such run"] if tried.more else []
    wider = next((it for pool, _, _ in tried.named if (it := _wider(pool, need))), "")
    wider = wider or f"the pool by {need - tried.longest} or more addresses"
    # Who asks for one address names its pool; who asks for more has a provider that names several.
    other = "add a pool to the provider's poolRefs" if need > 1 else "name another pool"
    fewer = "ask for fewer, " if tried.freest else ""
    return Refusal(
        "pool-fragmented" if fragmented else "pool-exhausted",
        f"needs {need}{' contiguous addresses' if need > 1 else ''}; {'; '.join(parts)}",
        f"{other}, widen {wider}, {fewer}or remove what is no longer used",
    )


def _wider(pool: Pool, need: int) -> str:
    """The smallest network around that of a pool with a run that is new; empty where none would do.

    Of a pool that gives out some ranges of its network alone, a wider network gives no more.
    """
    if len(pool.extent.ranges) != 1 or IPSet.of(pool.windows) != pool.extent:
        return ""
    (network,) = pool.extent
    for doubled in range(1, _DOUBLED + 1):
        size = network.size << doubled
        first = network.first & -size
        wider = IPRange(network.version, first, first + size - 1)
        if is_private(wider) != is_private(network):
            return ""
        if size // 2 >= need:  # one half of it is new
            return f"{pool.key.name} to {format_cidr(wider)} where that is free"
    return ""


def usable_of(pool: Pool, version: int | None) -> IPSet:
    """What a pool may give to a claim: all, or what is of the IP version that it needs."""
    return pool.usable if version is None else pool.usable.of_version(version)


def _described(pool: Pool, total: int, room: Room, holders: "Holders") -> str:
    name = pool.key.name
    if room.largest is None:
        return f"{name}: 0 free of {total}"
    text = f"{name}: {room.size} free of {total}, largest run {room.run}"
    beside = holders.beside(room.largest, pool.space)
    return f"{text} beside {article_list(beside, 'and')}" if beside else text


class Holders:
    """Who holds which range, in order of address, by address space."""

    def __init__(self, pools: Mapping[Key, Pool], records: Iterable[Allocation]) -> None:
        self._pools = pools
        self._noted = list(records)
        self._records: dict[str | None, list[tuple[IPRange, Key]]] = {}

    def add(self, records: Iterable[Allocation]) -> None:
        """Note further records."""
        self._noted += records

    def of(self, item: IPRange, space: str) -> list[str]:
        """Claims that hold an address of a range in an address space, at most three."""
        self._sort()
        end = item.version, item.last
        found: list[tuple[IPRange, Key]] = []
        for records in (self._records.get(space, []), self._records.get(None, [])):
            near = bisect_right(records, end, key=lambda held: held[0][:2])
            found += [held for held in records[max(near - 64, 0) : near] if held[0].overlaps(item)]
        return [claim.short for _, claim in sorted(found)[:3]]

    def beside(self, item: IPRange, space: str) -> list[str]:
        """Claims that hold the addresses next to a run."""
        before = IPRange(item.version, item.first - 1, item.first - 1)
        after = IPRange(item.version, item.last + 1, item.last + 1)
        return [*self.of(before, space), *self.of(after, space)]

    def _sort(self) -> None:
        """Take in what was noted: most plans refuse nothing, and never ask."""
        if not self._noted:
            return
        for record in self._noted:
            if record.range is not None:
                entries = self._records.setdefault(space_of(self._pools, record), [])
                entries.append((record.range, record.claim))
        self._noted = []
        for entries in self._records.values():
            entries.sort()
