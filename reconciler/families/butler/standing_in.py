"""Which request is a tenant's own claim, and which stand beside it: the one place that decides it.

The rule is written in `docs/kinds/IPAllocation.md`.
"""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from reconciler.addresses import IPRange
from reconciler.addresses.notation import format_short
from reconciler.documents.document import Document
from reconciler.families._family import Held
from reconciler.families._former import FORMERLY
from reconciler.families.butler.kinds import REQUEST, SYSTEM, TENANT
from reconciler.families.butler.requests import own_name, stands_for
from reconciler.findings import Finding, few, info, warning
from reconciler.model.allocation import Allocation
from reconciler.model.claim import Claim
from reconciler.model.key import Key


class Asked(Struct, frozen=True):
    """A request that names a tenant.

    Attributes:
        claim: Its claim.
        record: What it holds, or None.
        is_named: It bears the name of the tenant's own record.
        may_stand: Who may write it speaks for the tenant.
    """

    document: Document
    claim: Claim
    record: Allocation | None
    is_named: bool
    may_stand: bool

    @property
    def is_live(self) -> bool:
        """It holds addresses for its claim."""
        return self.record is not None and self.record.is_live

    @property
    def title(self) -> str:
        """`IPAllocation namespace/name`."""
        return self.document.title


class Decided(Struct, frozen=True):
    """What is decided of requests, with the document that it is told of.

    Attributes:
        claims: Those that have to get what they ask for, or it is not true.
    """

    document: Document
    finding: Finding
    claims: frozenset[Key]


class Own(Struct, frozen=True):
    """What a tenant has of one type, and asks for.

    Attributes:
        asked: The requests of that type that name it.
        record: The record of its own claim, whatever it holds; or None.
        stated: The size that its document states, or None.
        pin: The range that its document pins, or None.
    """

    asked: Sequence[Asked]
    record: Allocation | None
    stated: int | None = None
    pin: IPRange | None = None


def asked(document: Document, claim: Claim, held: Held, observed: str) -> Asked:
    """A request as it may stand for a claim of its tenant.

    Only who may write into Butler's own namespace speaks for tenants, as with Butler; and an object
    that was seen in a cluster alone speaks for nobody but by its name.

    Args:
        document: The request.
        claim: Its claim.
        held: Records by claim.
        observed: The folder of what was observed.
    """
    is_ours = document.namespace == SYSTEM and not document.file.startswith(f"{observed}/")
    is_named = stands_for(document) is not None
    return Asked(document, claim, held.get(claim.key), is_named, is_named or is_ours)


def stand_in(own: Own) -> Asked | None:
    """The request that is the tenant's own claim; None where the tenant makes that itself.

    What holds addresses is never attributed anew: while the tenant's own record is live no request
    stands for it, and a request that held addresses before others goes on standing.
    """
    if own.record is not None and own.record.is_live:
        return None
    named = next((item for item in own.asked if item.is_named), None)
    if named is not None:
        return named
    pins = sorted((it for it in own.asked if it.may_stand and it.claim.pin is not None), key=_rank)
    if own.pin is not None:
        return next((item for item in pins if item.claim.pin == own.pin), None)
    if not pins:
        return None
    first = pins[0]
    if own.stated in (None, first.claim.size):
        return first
    # It asks for another size since the pin became its own claim: that is growth.
    return first if first.is_live and own.record is None else None


def _rank(item: Asked) -> tuple[bool, str, IPRange]:
    """What holds addresses comes first, in the order in which it got them; then by its start."""
    since = item.record.allocated_at if item.record is not None and item.is_live else ""
    return not item.is_live, since, item.claim.pin or IPRange(0, 0, 0)


def told(own: Own, chosen: Asked | None, alone: Claim, tenant: Document) -> Iterator[Decided]:
    """What is decided of requests that hold nothing yet, and of all where the tenant gets its first.

    A request that holds addresses was told of when it got them. But that the tenant makes a claim of
    its own only now, as where its request followed a rename and goes by the old name still, nobody
    knew then: it would get a second range in silence.

    Args:
        own: What the tenant has and asks for.
        chosen: The request that is its own claim, or None.
        alone: The claim that the tenant would make if nothing stood for it.
        tenant: The tenant.
    """
    fresh = [item for item in own.asked if not item.is_live]
    is_first = chosen is None and own.record is None
    rest = [item for item in (own.asked if is_first else fresh) if item is not chosen]
    if chosen is not None and not chosen.is_named and chosen in fresh:
        found = _stands(chosen, rest, tenant)
        yield Decided(chosen.document, found, frozenset({chosen.claim.key}))
        return
    if not alone.is_open:  # a range that it pins, and holds by now, is said to be another one
        rest = [item for item in rest if own.pin is not None and item.claim.pin is not None]
    if chosen is None and rest:
        claims = frozenset({alone.key, *(item.claim.key for item in rest)})
        yield Decided(rest[0].document, _beside(own, alone, rest, tenant), claims)


def _stands(chosen: Asked, rest: Sequence[Asked], tenant: Document) -> Finding:
    pin = format_short(chosen.claim.pin) if chosen.claim.pin else ""
    whose = f"{TENANT.kind} {_name(tenant)}'s own {chosen.claim.type} claim"
    message = f"{pin} is {whose}: it gets no other range"
    if rest:
        message += f"; {few([_what(item) for item in rest])} {_are(rest)} additional"
    hint = "to have a range of its own beside it, state another size in the tenant"
    return info("pin-stands-for-claim", chosen.document.at("spec", "pinnedRange"), message, hint)


def _beside(own: Own, alone: Claim, rest: Sequence[Asked], tenant: Document) -> Finding:
    count = sum(item.claim.size for item in rest)
    message = (
        f"{TENANT.kind} {_name(tenant)} gets {alone.size} {alone.type} addresses of its own beside"
        f" {'this' if count == 1 else 'these'} {count} of {few([_what(item) for item in rest])}"
    )
    hint = f"to have the tenant hold these alone, pin them (pinnedRange) by a request in {SYSTEM}"
    if own.pin is not None:
        message += f": its loadBalancerPool is {format_short(own.pin)}"
        hint = "if these are its own, let loadBalancerPool and pinnedRange say one range"
    for item in (it for it in rest if _stood(it)):
        now = own_name((tenant.namespace, tenant.name), item.claim.type)
        hint = f"to have it hold these alone, name the request {now}, and add to its"
        hint += f" metadata.annotations: {FORMERLY}: {SYSTEM}/{item.document.name}"
        return warning("request-beside-claim", item.document.start, message, hint)
    return info("request-beside-claim", rest[0].document.start, message, hint)


def _stood(item: Asked) -> bool:
    """It was the own claim of the tenant that its record names, by its name, and is not any more."""
    if item.record is None or not item.is_live or item.is_named or not item.may_stand:
        return False
    owner = item.record.owner
    return item.document.name == own_name((owner.namespace, owner.name), item.claim.type)


def _what(item: Asked) -> str:
    return f"{REQUEST.kind} {item.document.namespace}/{item.document.name}"


def _are(items: Sequence[Asked]) -> str:
    return "is" if len(items) == 1 else "are"


def _name(tenant: Document) -> str:
    return f"{tenant.namespace}/{tenant.name}"


def of_type(asked: Iterable[Asked], kind: str) -> list[Asked]:
    """The requests of a type."""
    return [item for item in asked if item.claim.type == kind]
