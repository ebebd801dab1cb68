"""Claims and their allocations."""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct

from reconciler.addresses.ranges import IPRange
from reconciler.documents.findings import Location
from reconciler.model.key import Key


class Owner(NamedTuple):
    """The tenant that addresses are for."""

    namespace: str
    name: str
    team: str

    @property
    def short(self) -> str:
        """`namespace/name`, or the name of what has no namespace."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


class Quota(Struct, frozen=True):
    """The most addresses that the claims of one group may hold together."""

    group: tuple[str, ...]
    limit: int
    source: Location


class Refusal(Struct, frozen=True):
    """Why a claim gets nothing: one of the codes of findings, with its words."""

    reason: str
    message: str
    hint: str


class Near(Struct, frozen=True):
    """What a claim adds to, and where that lies: it is placed touching it where that is free.

    Attributes:
        range: The last range that its owner got.
        held: How many addresses there are without the claim.
    """

    pool: Key
    range: IPRange
    held: int


class Claim(Struct, frozen=True):
    """A claim.

    Attributes:
        candidates: Pools that exist, best first.
        wanted: Names of the pools that were asked for, found or not, for messages.
        size: Addresses in a row; of a pin, its size.
        fixed: Size and pool were asked for by the claim itself. A record that differs is then
            refused as stale; else (defaults changed since) the record stays as it is.
        type: `nodes`, `loadbalancer` and so on: the label and `spec.type` of the record.
        role: `initial` or `growth`.
        name: Name of the record, unless another owner's record has it.
        namespace: Namespace of the record.
        doubt: A file that cannot be read, and that this follows from, or may be stood for in: the
            claim keeps what it holds and gets nothing new. Empty for any other claim.
        doubt_line: The line of the error in it; 0 where it is another revision's document.
        version: The IP version that it needs, or None for whatever a pool has.
        refusal: Why its family lets it have nothing new, or None. What it holds stays: a record is
            a fact.
        beside: The same owner's claim for the other IP version: both get addresses, or neither
            does, while none of the two holds any. Of what only adds to another claim that one: it
            gets nothing without it. None for a claim by itself.
        near: What it adds to; None for a claim that stands for itself.
        is_open: It holds nothing yet, and a request of any name may stand for it.
        stands_for: The tenant's own claim that it is, made by hand; None for one of its own.
    """

    key: Key
    candidates: tuple[Key, ...]
    wanted: tuple[str, ...]
    size: int
    pin: IPRange | None
    fixed: bool
    owner: Owner
    type: str
    role: str
    name: str
    namespace: str
    source: Location
    quota: Quota | None = None
    doubt: str = ""
    doubt_line: int = 0
    version: int | None = None
    refusal: Refusal | None = None
    beside: Key | None = None
    near: Near | None = None
    is_open: bool = False
    stands_for: Key | None = None


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


def current_records(records: Iterable[Allocation]) -> dict[Key, Allocation]:
    """The current record of each claim: a live one, else the one that was released last.

    Of equals the first by path counts, in whatever order they are given.
    """
    found: dict[Key, Allocation] = {}
    for record in records:
        other = found.get(record.claim)
        if other is None or _comes_before(record, other):
            found[record.claim] = record
    return found


def _comes_before(record: Allocation, other: Allocation) -> bool:
    weight, others = _weight(record), _weight(other)
    return weight > others or (weight == others and record.path < other.path)


def _weight(record: Allocation) -> tuple[int, str]:
    if record.is_released:
        return 1, record.since
    return 2 if record.is_live else 0, ""
