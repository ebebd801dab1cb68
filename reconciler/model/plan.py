"""Plans, their causes, and growth."""

from collections.abc import Mapping

from msgspec import Struct

from reconciler.documents.findings import Location
from reconciler.model.claim import Allocation
from reconciler.model.key import Key
from reconciler.model.pool import Tier


class Keep(Struct, frozen=True):
    """The record stays; with `held`, unchanged because a dependency cannot be read."""

    allocation: Allocation
    stale: str = ""
    held: bool = False

    @property
    def claim(self) -> Key:
        """Return the claim of the decision."""
        return self.allocation.claim


class Grant(Struct, frozen=True):
    """The claim gets a range. `replaces` is its previous record, released or without addresses.

    If the claim moves, `leaves` is its live record in its new state: released, and announced until
    it is unused.
    """

    allocation: Allocation
    source: Location
    replaces: Allocation | None = None
    leaves: Allocation | None = None

    @property
    def claim(self) -> Key:
        """Return the claim of the decision."""
        return self.allocation.claim

    @property
    def is_taken_back(self) -> bool:
        """Return whether the claim gets the range of its released record again."""
        return self.replaces is not None and self.replaces.range is not None


class Release(Struct, frozen=True):
    """The claim was deleted: the record holds its range until retention ends."""

    allocation: Allocation

    @property
    def claim(self) -> Key:
        """Return the claim of the decision."""
        return self.allocation.claim


class Expire(Struct, frozen=True):
    """The record is deleted: its retention has ended, or it held nothing."""

    allocation: Allocation

    @property
    def claim(self) -> Key:
        """Return the claim of the decision."""
        return self.allocation.claim


class Refuse(Struct, frozen=True):
    """The claim gets nothing new. `allocation` is its record, if it has one.

    `is_left` means that a dependency of the claim cannot be read: its record stays unchanged.
    """

    claim: Key
    reason: str
    message: str
    hint: str
    source: Location
    allocation: Allocation | None = None
    is_left: bool = False


Decision = Keep | Grant | Release | Expire | Refuse


def kept_by(decision: Decision) -> Allocation | None:
    """Return the live record that stays, including the record of a refused claim."""
    match decision:
        case Keep(allocation):
            return allocation
        case Refuse(allocation=Allocation(is_live=True) as allocation):
            return allocation
    return None


class Usage(Struct, frozen=True):
    """Usage of a pool. All counts are exact numbers of addresses, also for IPv6.

    Attributes:
        held: Addresses of released records in retention: neither allocated nor available.
        count: Records in phase Allocated that name the pool.
        fragmentation: 0 with at most one free range, else 100 - floor(100 * largest / available).
        largest: Size of the largest free range.
        percent: 100 * (allocated + held) / total, one decimal, half up.
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


class Plan(Struct, frozen=True):
    """All decisions by claim key, and the usage of each pool before and after them."""

    decisions: tuple[Decision, ...]
    before: Mapping[Key, Usage]
    after: Mapping[Key, Usage]


class Cause(Struct, frozen=True):
    """The cause of a decision.

    Attributes:
        claim: The claim of the decision.
        place: The location in the change that causes it; None without exactly one location.
        reason: How the location leads to the decision, or why there is a decision without one;
            empty if the location is the claim itself.
        is_caused: Whether the change causes it.
        commit: The newest commit of the change that touches the location; empty if there is none.
    """

    claim: Key
    place: Location | None
    reason: str = ""
    is_caused: bool = True
    commit: str = ""

    @property
    def short(self) -> str:
        """Return the abbreviated commit id."""
        return self.commit[:12]


CONDITION = "NetworkReady"
"""The type of the condition."""

BLOCKED = "IPAMGrowthBlocked"
"""Condition type: addresses are needed but not available."""

NOT_SERVED = "IPAMServiceNotServed"
"""Condition type: there are Services that growth would not serve."""

REASONS = (BLOCKED, NOT_SERVED)
