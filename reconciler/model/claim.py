"""Claims: what somebody asks for, resolved to sizes and pools by its family."""

from typing import NamedTuple

from msgspec import Struct

from reconciler.addresses import IPRange
from reconciler.findings import Location
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
