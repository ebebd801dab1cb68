"""Input of the planner."""

from collections.abc import Mapping
from typing import NamedTuple

from msgspec import Struct, field

from reconciler.addresses.ranges import IPRange
from reconciler.documents.findings import Location
from reconciler.model.claim import Allocation, Claim, Owner, Quota
from reconciler.model.key import Key
from reconciler.model.pool import Pool


class ByHand(Struct, frozen=True):
    """What a range that a person set by hand must keep.

    Attributes:
        pools: One of these must give it out; none are there for somebody who gets no addresses from
            pools. None when it cannot be told which they are.
        quota: The quota that it counts towards, with the claims of the same group.
        anywhere: It may lie in a pool or not. A pool that it lies in is told.
        claim: The claim that pins it: who announces it goes on until that claim holds something.
            None where nobody does.
    """

    pools: tuple[Key, ...] | None
    quota: Quota | None = None
    anywhere: bool = False
    claim: Key | None = None


class Blocked(Struct, frozen=True):
    """Addresses that somebody uses without a record, such as a manual loadBalancerPool.

    Attributes:
        by_hand: Of a range that a person set by hand; None of what nobody may have, as a gateway.
        field: The field in which it stands.
    """

    range: IPRange
    title: str
    source: Location
    by_hand: ByHand | None = None
    field: str = "loadBalancerPool"

    @property
    def owner(self) -> str:
        """`namespace/name`, or the name alone, of who uses them: the first word of the title."""
        return self.title.partition(" ")[0]


class Gateway(NamedTuple):
    """A router's address, which nobody may have.

    Attributes:
        pools: The pools of the network that it is of; none when nobody knows which that is.
    """

    range: IPRange
    title: str
    pools: tuple[Key, ...]
    source: Location

    def spaces(self, pools: Mapping[Key, Pool]) -> tuple[str, ...]:
        """The address spaces of its pools, each once; none when no pool of it is there."""
        return tuple(dict.fromkeys(pools[key].space for key in self.pools if key in pools))

    def beside(self, pools: Mapping[Key, Pool]) -> tuple[str, ...]:
        """Those of its address spaces where it lies in the network of none of its pools.

        Elsewhere the network stands for it.
        """
        there = [pools[key] for key in self.pools if key in pools]
        within = [pool.space for pool in there if pool.extent.covers(self.range)]
        return tuple(space for space in self.spaces(pools) if space not in within)


class ClusterNetwork(Struct, frozen=True):
    """Addresses of pods or services: their own cluster alone knows them, and another may have the same.

    Attributes:
        use: What has them: `pods` or `services`.
        owner: `namespace/name` of the cluster.
        spaces: Address spaces of the networks that the cluster stands in.
    """

    range: IPRange
    use: str
    owner: str
    spaces: tuple[str, ...]
    source: Location


class Unreadable(Struct, frozen=True):
    """A record that cannot be read now, and never could be.

    Attributes:
        claim: The claim that its path names, or None.
        pool: The pool that its path names, or None when any pool could be meant.
        ranges: The addresses that stand in its text. They are held.
    """

    path: str
    claim: Key | None
    pool: Key | None
    ranges: tuple[IPRange, ...]


class FormerRecord(Struct, frozen=True):
    """What a record is called before it goes on under another name; None where that stays."""

    claim: Key | None = None
    pool: Key | None = None


class State(Struct, frozen=True):
    """The input of a plan.

    Attributes:
        records: In order of their paths. One that cannot be read counts as it last could be read.
        clock: Committer date of the revision, in seconds since 1970.
        retention: Seconds for which a released record holds its addresses.
        growth_retention: The same for a growth record.
        blocked: Ranges that somebody uses without a record.
        gateways: Addresses of routers: no range that a person sets by hand may hold one.
        inside: Networks inside clusters.
        off_limits: Ranges that stand in what cannot be read.
        protected: Owners whose claims cannot be told: their records are neither released nor
            expired.
        frozen: Pools that give nothing new, with the path of what cannot be read. One that never
            could be read is not among `pools`.
        unclear: Some file cannot be read that may describe anything: no record is released, and
            none expires.
        unknown: Such a file never could be read, so that what seems to be missing may be there.
        halted: Why nothing is granted, released or expired at all; empty when something may be.
        retained: Paths of released records that hold their addresses longer than retention,
            because some cluster may still announce them.
        grown: Paths of records of growth whose owners are there: when nobody needs one any more it
            is given back, which is no loss.
        growth_retention: The same as `retention`, of those.
        movable: Claims that a person lets move when their record does not answer them.
        unused: Paths of released records that clusters announced for a claim that moved, and that
            nobody uses any more.
        former: What records were called that go on under another name, by path.
        givers: Whom live records name that are for another owner by now, by path.
        along: Paths of those whose owner is the same, under another name.
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
    growth_retention: int = 0
    movable: frozenset[Key] = field(default_factory=frozenset)
    unused: frozenset[str] = field(default_factory=frozenset)
    former: Mapping[str, FormerRecord] = field(default_factory=dict)
    givers: Mapping[str, Owner] = field(default_factory=dict)
    along: frozenset[str] = field(default_factory=frozenset)

    def is_left_alone(self, record: Allocation) -> bool:
        """Nothing may be released or expired of a record: what it follows from cannot be read.

        Or somebody has paused its pool.
        """
        pool = self.pools.get(record.pool)
        return (
            self.unclear
            or (pool is not None and pool.is_paused)
            or bool(self.halted)
            or record.claim.owner in self.protected
        )

    def may_be_there(self, pool: Key) -> bool:
        """A pool that is not known, but that something which cannot be read may describe."""
        return pool not in self.pools and (self.unknown or bool(self.halted) or pool in self.frozen)
