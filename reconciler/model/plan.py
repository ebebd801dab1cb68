"""Plans, their causes, and growth."""

from collections.abc import Mapping

from msgspec import Struct

from reconciler.documents.findings import Location
from reconciler.model.claim import Allocation
from reconciler.model.key import Key
from reconciler.model.pool import Tier


class Keep(Struct, frozen=True):
    """The record stays; `held`: just as it is, because what it follows from cannot be read."""

    allocation: Allocation
    stale: str = ""
    held: bool = False

    @property
    def claim(self) -> Key:
        """The claim that is decided."""
        return self.allocation.claim


class Grant(Struct, frozen=True):
    """The claim gets a range. `replaces` is its record so far, released or without a place.

    A claim that moves `leaves` its live record: what that is from now on, released, and announced
    until nobody uses it.
    """

    allocation: Allocation
    source: Location
    replaces: Allocation | None = None
    leaves: Allocation | None = None

    @property
    def claim(self) -> Key:
        """The claim that is decided."""
        return self.allocation.claim

    @property
    def is_taken_back(self) -> bool:
        """The claim gets the range again that its released record still holds."""
        return self.replaces is not None and self.replaces.range is not None


class Release(Struct, frozen=True):
    """The claim is gone: the record holds its range until retention ends."""

    allocation: Allocation

    @property
    def claim(self) -> Key:
        """The claim that is decided."""
        return self.allocation.claim


class Expire(Struct, frozen=True):
    """The record goes: its retention has ended, or it held nothing."""

    allocation: Allocation

    @property
    def claim(self) -> Key:
        """The claim that is decided."""
        return self.allocation.claim


class Refuse(Struct, frozen=True):
    """The claim gets nothing new. `allocation` is its record, if it has one.

    `is_left` says that what the claim follows from cannot be read: its record stays as it is.
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
    """The live record that stays: that of a claim that is refused what it asks for now, too."""
    match decision:
        case Keep(allocation):
            return allocation
        case Refuse(allocation=Allocation(is_live=True) as allocation):
            return allocation
    return None


class Usage(Struct, frozen=True):
    """How full a pool is. All counts are exact addresses; IPv6 too.

    Attributes:
        held: Addresses of released records in retention: neither allocated nor available.
        count: Records in phase Allocated that name the pool.
        fragmentation: 0 with at most one free run, else 100 - floor(100 * largest / available).
        largest: Size of the largest free run.
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
    """All decisions, by claim key, and the usage of each pool today and after them."""

    decisions: tuple[Decision, ...]
    before: Mapping[Key, Usage]
    after: Mapping[Key, Usage]


class Cause(Struct, frozen=True):
    """Why a plan decides something.

    Attributes:
        claim: What is decided on.
        place: Where the change causes it; None where it does not, or no one place does.
        reason: Why it is decided all the same, or how the place leads to it; empty where the place
            describes the claim itself.
        is_caused: The change causes it.
        commit: The newest commit of the change that touches the place; empty where there is none.
    """

    claim: Key
    place: Location | None
    reason: str = ""
    is_caused: bool = True
    commit: str = ""

    @property
    def short(self) -> str:
        """The commit, in as many letters as people are shown."""
        return self.commit[:12]


CONDITION = "NetworkReady"
"""The type of the condition."""

BLOCKED = "IPAMGrowthBlocked"
"""Addresses are needed and cannot be had."""

NOT_SERVED = "IPAMServiceNotServed"
"""There are Services that no growth would serve."""

REASONS = (BLOCKED, NOT_SERVED)
