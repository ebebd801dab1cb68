"""Plans: one decision for each claim, and for each record whose claim is gone."""

from collections.abc import Mapping

from msgspec import Struct

from reconciler.findings import Location
from reconciler.model.allocation import Allocation
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
