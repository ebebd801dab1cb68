"""Claims and their allocations."""

from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct

from reconciler.addresses import IPRange
from reconciler.documents.findings import Location
from reconciler.model.key import Key


class Owner(Struct, frozen=True, order=True, gc=False):
    """The tenant that addresses are for."""

    namespace: str
    name: str
    team: str

    @property
    def pair(self) -> tuple[str, str]:
        """Return the namespace and the name."""
        return self.namespace, self.name

    @property
    def short(self) -> str:
        """Return `namespace/name`, or only the name without a namespace."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


class Quota(Struct, frozen=True):
    """The most addresses that the claims of one group can hold together."""

    group: tuple[str, ...]
    limit: int
    source: Location


class Refusal(Struct, frozen=True):
    """The reason why a claim gets nothing: a finding code, message, and hint."""

    reason: str
    message: str
    hint: str


NO_RECORD = Refusal(
    "limit-exceeded",
    "the record of this claim would exceed spec.limits of Settings, so later runs could not read the repository",
    "merge a change that raises spec.limits in ipam.yaml, or remove requests",
)


class Near(Struct, frozen=True):
    """The last range of the owner of a claim, and the number of addresses without the claim."""

    pool: Key
    range: IPRange
    held: int


class Claim(Struct, frozen=True, gc=False):
    """A claim.

    Attributes:
        candidates: Existing pools, in order of preference.
        wanted: Names of the requested pools, existing or not, for messages.
        fixed: Whether the claim itself requests size and pool: a record that differs is stale.
        name: Name of the record, unless another owner's record has it.
        doubt: An unreadable file that might change the claim: it keeps its range, gets nothing new.
        doubt_line: 0 if the document is from another revision.
        refusal: Why its family permits nothing new, or None. An existing range stays.
        requires: The claim that must have addresses too: other IP version, or the one it extends.
        is_open: Whether it holds nothing yet, so that a request of any name can replace it.
        stands_for: The tenant's own claim that a manual request replaces.
        prefix: The prefix length of the aligned block that it requests; None for a range.
        object: The name of its object in the cluster, if it has one.
        is_announced: Whether a cluster announces its addresses, until no Service uses them.
        moved_size: Its size if it moves: what its document requests, 0 for nothing. None for `size`.
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
    requires: Key | None = None
    adjacent_to: Near | None = None
    is_open: bool = False
    stands_for: Key | None = None
    moved_size: int | None = None
    prefix: int | None = None
    object: str = ""
    is_announced: bool = True


class Phase(StrEnum):
    """Phases of a record (Butler). Allocated and Released records hold addresses."""

    ALLOCATED = "Allocated"
    RELEASED = "Released"
    FAILED = "Failed"
    PENDING = "Pending"


# Every record is compared with these, and Python 3.11 looks up a member of an enum slowly.
_LIVE, _RELEASED = Phase.ALLOCATED, Phase.RELEASED


class Allocation(Struct, frozen=True, gc=False):
    """A record. `range` is None exactly if Failed or Pending, `path` is empty if not written yet.

    Attributes:
        since: When the phase was entered, `2026-02-15T10:00:30Z`.
        pristine: Whether its bytes are exactly as `ipam` would write them.
        adopted: Whether it names no claim, such as a copy from a cluster.
        prefix: Its prefix length if its claim requests an aligned block.
        object: The name of its object in the cluster, if it has one.
        announced: Released by a move and still announced: retention has not begun.
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
    prefix: int | None = None
    object: str = ""

    @property
    def is_live(self) -> bool:
        """Return whether it holds addresses for its claim."""
        return self.phase is _LIVE

    @property
    def is_released(self) -> bool:
        """Return whether it holds addresses without a claim, until its retention ends."""
        return self.phase is _RELEASED


def granted(claim: Claim, pool: Key, item: IPRange | None, now: str) -> Allocation:
    """Return the record of a claim after it gets a range of a pool."""
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
        prefix=claim.prefix,
        object=claim.object,
    )


def current_records(records: Iterable[Allocation]) -> dict[Key, Allocation]:
    """Return the live record of each claim, or its last released record (ties: first by path)."""
    found: dict[Key, Allocation] = {}
    for record in records:
        other = found.get(record.claim)
        if other is None or (_weight(record), other.path) > (_weight(other), record.path):
            found[record.claim] = record
    return found


def _weight(record: Allocation) -> tuple[int, str]:
    if record.is_released:
        return 1, record.since
    return 2 if record.is_live else 0, ""
