"""Allocations: the fact, stated by a record, that a claim holds a range of a pool."""

from enum import StrEnum

from msgspec import Struct

from reconciler.addresses import IPRange
from reconciler.model.claim import Claim, Owner
from reconciler.model.key import Key


class Phase(StrEnum):
    """Phases of a record (Butler). Allocated and Released hold addresses."""

    ALLOCATED = "Allocated"
    RELEASED = "Released"
    FAILED = "Failed"
    PENDING = "Pending"


class Allocation(Struct, frozen=True):
    """What one record states.

    Attributes:
        range: None exactly when the record holds nothing (Failed, Pending).
        since: When the phase was entered, `2026-02-15T10:00:30Z`.
        allocated_at: When the range was given; empty for a record that never had one.
        size: Addresses asked for: the size of the range when there is one.
        wanted: Name of the pool, which may not exist, for a record without a place.
        path: Where the record stands in the tree; empty for one that is not written yet.
        pristine: The record's bytes are just what would be written for these facts.
        adopted: The record names no claim, as one copied from a cluster; `claim` is what its
            tenant, type and name stand for.
        announced: It is released because its claim moved, and its cluster announces it until
            nobody uses it: no retention has begun.
    """

    claim: Key
    pool: Key
    range: IPRange | None
    phase: Phase
    since: str
    allocated_at: str
    size: int
    pinned: bool
    type: str
    role: str
    owner: Owner
    name: str
    namespace: str
    reason: str = ""
    message: str = ""
    path: str = ""
    pristine: bool = True
    adopted: bool = False
    announced: bool = False

    @property
    def is_live(self) -> bool:
        """It holds addresses for its claim."""
        return self.phase is Phase.ALLOCATED

    @property
    def is_released(self) -> bool:
        """It holds addresses for nobody, until its retention ends."""
        return self.phase is Phase.RELEASED


def granted(claim: Claim, pool: Key, item: IPRange | None, now: str) -> Allocation:
    """What a claim holds once a range of a pool is given to it."""
    return Allocation(
        claim=claim.key,
        pool=pool,
        range=item,
        phase=Phase.ALLOCATED,
        since=now,
        allocated_at=now,
        size=item.size if item else claim.size,
        pinned=claim.pin is not None,
        type=claim.type,
        role=claim.role,
        owner=claim.owner,
        name=claim.name,
        namespace=claim.namespace,
    )
