"""Input and output of the planner."""

from collections.abc import Mapping
from typing import NamedTuple

from msgspec import Struct, field

from reconciler.addresses import IPRange
from reconciler.documents.findings import Location
from reconciler.model.claim import Allocation, Claim, Owner, Quota
from reconciler.model.key import Key
from reconciler.model.pool import Pool, Tier


class ByHand(Struct, frozen=True):
    """A manual range. `pools` must give it out; empty for no pools, None if they are unknown.

    If it may be `anywhere`, a place in a pool is reported. The range is announced until `claim`
    holds addresses.
    """

    pools: tuple[Key, ...] | None
    quota: Quota | None = None
    anywhere: bool = False
    claim: Key | None = None


class Blocked(Struct, frozen=True):
    """Addresses in use without a record, such as a gateway. `by_hand` is for a manual range."""

    range: IPRange
    title: str
    source: Location
    by_hand: ByHand | None = None
    field: str = "loadBalancerPool"

    @property
    def owner(self) -> str:
        """Return `namespace/name` of their user: the first word of the title."""
        return self.title.partition(" ")[0]


class Gateway(NamedTuple):
    """A gateway address, which is never allocated, and the known pools of its network."""

    range: IPRange
    title: str
    pools: tuple[Key, ...]
    source: Location

    def spaces(self, pools: Mapping[Key, Pool]) -> tuple[str, ...]:
        """Return the distinct address spaces of its existing pools; empty if there are none."""
        return tuple(dict.fromkeys(pools[key].space for key in self.pools if key in pools))

    def outside_spaces(self, pools: Mapping[Key, Pool]) -> tuple[str, ...]:
        """Return its address spaces in which none of its pools contains it."""
        there = [pools[key] for key in self.pools if key in pools]
        within = [pool.space for pool in there if pool.extent.covers(self.range)]
        return tuple(space for space in self.spaces(pools) if space not in within)


class ClusterNetwork(Struct, frozen=True):
    """Addresses of pods or services (`use`), local to their cluster: others can have the same."""

    range: IPRange
    use: str
    owner: str
    spaces: tuple[str, ...]
    source: Location


class Unreadable(Struct, frozen=True):
    """An unreadable record; its addresses are reserved. Without a pool, it might be of any pool."""

    path: str
    claim: Key | None
    pool: Key | None
    ranges: tuple[IPRange, ...]


class FormerRecord(Struct, frozen=True):
    """The previous name of a renamed record; None if unchanged."""

    claim: Key | None = None
    pool: Key | None = None


class State(Struct, frozen=True):
    """The input of a plan: times in seconds, records in order of their paths.

    Attributes:
        protected: Owners with unknown claims: their records are neither released nor expired.
        frozen: Pools that give nothing new, with the path of the unreadable file.
        unclear: Whether an unreadable file might describe anything: nothing is released or expires.
        unknown: Whether such a file has no readable version, so a missing object might exist.
        halted: Why nothing is granted, released, or expired at all; empty otherwise.
        retained: Paths of released records that a cluster might announce, reserved until it stops.
        grown: Paths of growth records of existing owners.
        elastic: Claims that can be released because demand shrinks.
        movable: Claims that an Override permits to move if their record does not match them.
        unused: Paths of released records of moved claims that clusters no longer use.
        former: Previous names of renamed records, by path.
        givers: Previous owners of transferred live records, by path.
        along: Paths of records whose owner is renamed but the same.
        announcing: Owners whose clusters announce the ranges of removed claims until they are unused.
    """

    pools: Mapping[Key, Pool]
    claims: Mapping[Key, Claim]
    records: tuple[Allocation, ...]
    clock: int
    retention: int
    blocked: tuple[Blocked, ...] = ()
    gateways: tuple[Gateway, ...] = ()
    inside: tuple[ClusterNetwork, ...] = ()
    off_limits: tuple[Blocked, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    protected: frozenset[tuple[str, str, str, str]] = field(default_factory=frozenset)
    frozen: Mapping[Key, str] = field(default_factory=dict)
    unclear: bool = False
    unknown: bool = False
    halted: str = ""
    retained: frozenset[str] = field(default_factory=frozenset)
    grown: frozenset[str] = field(default_factory=frozenset)
    elastic: frozenset[Key] = field(default_factory=frozenset)
    growth_retention: int = 0
    movable: frozenset[Key] = field(default_factory=frozenset)
    unused: frozenset[str] = field(default_factory=frozenset)
    former: Mapping[str, FormerRecord] = field(default_factory=dict)
    givers: Mapping[str, Owner] = field(default_factory=dict)
    along: frozenset[str] = field(default_factory=frozenset)
    announcing: frozenset[tuple[str, str, str, str]] = field(default_factory=frozenset)

    def is_left_alone(self, record: Allocation) -> bool:
        """Return whether a dependency of the record cannot be read, or its pool is paused."""
        pool = self.pools.get(record.pool)
        return (
            self.unclear
            or (pool is not None and pool.is_paused)
            or bool(self.halted)
            or record.claim.owner in self.protected
        )

    def may_be_there(self, pool: Key) -> bool:
        """Return whether a missing pool might be described by an unreadable file."""
        return pool not in self.pools and (self.unknown or bool(self.halted) or pool in self.frozen)


class _OfRecord(Struct, frozen=True, gc=False):
    allocation: Allocation

    @property
    def claim(self) -> Key:
        return self.allocation.claim


class Keep(_OfRecord, frozen=True):
    """The record stays; with `held`, unchanged because a dependency cannot be read."""

    stale: str = ""
    held: bool = False


class Grant(_OfRecord, frozen=True):
    """The claim gets a range. `replaces` is its previous record, released or without addresses.

    If the claim moves, `leaves` is its live record in its new state: released, and announced until
    it is unused.
    """

    source: Location
    replaces: Allocation | None = None
    leaves: Allocation | None = None

    @property
    def is_taken_back(self) -> bool:
        """Return whether the claim gets the range of its released record again."""
        return self.replaces is not None and self.replaces.range is not None


class Release(_OfRecord, frozen=True):
    """The claim was deleted: the record holds its range until retention ends."""


class Expire(_OfRecord, frozen=True):
    """The record is deleted: its retention has ended, or it held nothing."""


class Refuse(Struct, frozen=True):
    """The claim gets nothing new. `is_left` means that a file it depends on cannot be read."""

    claim: Key
    reason: str
    message: str
    hint: str
    source: Location
    allocation: Allocation | None = None
    is_left: bool = False


Decision = Keep | Grant | Release | Expire | Refuse


def left_by(decision: Decision) -> Allocation | None:
    """Return the record that a move leaves, with or without a new range; else None."""
    if isinstance(decision, Grant):
        return decision.leaves
    is_left = isinstance(decision, Release) and decision.allocation.announced
    return decision.allocation if is_left else None


def kept_by(decision: Decision) -> Allocation | None:
    """Return the live record that stays, including the record of a refused claim."""
    match decision:
        case Keep(allocation):
            return allocation
        case Refuse(allocation=Allocation(is_live=True) as allocation):
            return allocation
    return None


class Usage(Struct, frozen=True):
    """Usage in addresses; `held` ones, in retention, are neither allocated nor available.

    Attributes:
        fragmentation: 0 with at most one free range, else 100 - floor(100 * largest / available).
        percent: 100 * (allocated + held) / total, one decimal, half up.
        blocks: Prefix lengths that records of the pool have, each with the number that still fit.
    """

    total: int
    allocated: int
    held: int
    available: int
    count: int
    fragmentation: int
    largest: int
    percent: float
    tier: Tier
    blocks: tuple[tuple[int, int], ...] = ()

    @property
    def blocks_left(self) -> str:
        """Return `3 more /26 fit, no /24`; empty if no record has a prefix."""
        found = (
            f"{count} more /{length} fit{'s' * (count == 1)}" if count else f"no /{length}"
            for length, count in self.blocks
        )
        return ", ".join(found)


class Plan(Struct, frozen=True):
    """All decisions by claim key, and the usage of each pool before and after them."""

    decisions: tuple[Decision, ...]
    before: Mapping[Key, Usage]
    after: Mapping[Key, Usage]


class Cause(Struct, frozen=True):
    """The cause of a decision. `place` is None without exactly one location in the change."""

    claim: Key
    place: Location | None
    reason: str = ""
    is_caused: bool = True
    commit: str = ""


CONDITION = "NetworkReady"
"""The type of the condition about growth; its reasons follow."""
BLOCKED = "IPAMGrowthBlocked"
NOT_SERVED = "IPAMServiceNotServed"
REASONS = (BLOCKED, NOT_SERVED)
