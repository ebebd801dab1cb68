"""Everything that a plan is made from, and nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from reconciler.addresses import IPRange
from reconciler.findings import Location
from reconciler.model.allocation import Allocation
from reconciler.model.claim import Claim
from reconciler.model.key import Key
from reconciler.model.pool import Pool


class Blocked(NamedTuple):
    """Addresses that somebody uses without a record, such as a manual loadBalancerPool."""

    range: IPRange
    title: str
    source: Location

    @property
    def owner(self) -> str:
        """`namespace/name` of who uses them: the first word of the title."""
        return self.title.partition(" ")[0]


class Unreadable(NamedTuple):
    """A record that cannot be read: what its path says, and what its text lets guess.

    Attributes:
        claim: The claim that its path names, or None.
        pool: The pool that its path names, or None when any pool could be meant.
        range: The range that its text names, or None. It is held.
    """

    path: str
    claim: Key | None
    pool: Key | None
    range: IPRange | None


@dataclass(frozen=True, slots=True)
class State:
    """The input of a plan.

    Attributes:
        records: In order of their paths.
        clock: Committer date of the revision, in seconds since 1970.
        retention: Seconds for which a released record holds its addresses.
        protected: Owners whose documents are wrong: their records are not released.
        broken: Pools that are described, but wrongly: nothing is known of them.
        unclear: Some document could not be recognised: no record is released at all.
        retained: Paths of released records that hold their addresses longer than retention,
            because some cluster may still announce them.
    """

    pools: Mapping[Key, Pool]
    claims: Mapping[Key, Claim]
    records: tuple[Allocation, ...]
    clock: int
    retention: int
    blocked: tuple[Blocked, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    protected: frozenset[tuple[str, str, str, str]] = field(default_factory=frozenset)
    broken: frozenset[Key] = field(default_factory=frozenset)
    unclear: bool = False
    retained: frozenset[str] = field(default_factory=frozenset)
