"""Owners of claims, and requests that replace a tenant's own claim."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from reconciler.addresses import IPRange, format_short
from reconciler.documents.document import Document
from reconciler.documents.findings import Finding, error, info, join_limited, warning
from reconciler.families.butler.kinds import MANUAL, REQUEST, SYSTEM, TENANT
from reconciler.families.butler.requests import own_name, stands_for
from reconciler.families.butler.tenants import (
    SLOT,
    LoadBalancerState,
    Tenant,
    first_size,
    holding,
    is_elsewhere,
    tenant_key,
)
from reconciler.families.fields import FORMERLY
from reconciler.families.interface import CurrentRecords
from reconciler.model.claim import Allocation, Claim, Refusal
from reconciler.model.key import Key


class TenantRequest(Struct, frozen=True):
    """A request that names a tenant.

    Attributes:
        claim: Its claim.
        record: Its record, or None.
        is_named: Whether its name is the name of the tenant's own record.
        may_stand: Whether its author is permitted to act for the tenant.
    """

    document: Document
    claim: Claim
    record: Allocation | None
    is_named: bool
    may_stand: bool

    @property
    def is_live(self) -> bool:
        """Return whether it holds addresses for its claim."""
        return self.record is not None and self.record.is_live

    @property
    def title(self) -> str:
        """Return `IPAllocation namespace/name`."""
        return self.document.title


class Decided(Struct, frozen=True):
    """A finding about requests, with the document that it is reported on.

    Attributes:
        claims: Claims that must be granted, or the finding does not apply.
    """

    document: Document
    finding: Finding
    claims: frozenset[Key]


class TenantShare(Struct, frozen=True):
    """A tenant's addresses and requests of one type.

    Attributes:
        asked: The requests of that type that name it.
        record: The record of its own claim, with or without addresses; or None.
        stated: The size in its document, or None.
        pin: The range that its document pins, or None.
    """

    asked: Sequence[TenantRequest]
    record: Allocation | None
    stated: int | None = None
    pin: IPRange | None = None


def asked(document: Document, claim: Claim, held: CurrentRecords, observed: str) -> TenantRequest:
    """Return a request that might replace a claim of its tenant.

    As in Butler, only authors in Butler's own namespace act for tenants. An object that was only
    observed in a cluster replaces a claim only by its name.

    Args:
        document: The request.
        claim: Its claim.
        held: Records by claim.
        observed: The observed folder.
    """
    is_ours = document.namespace == SYSTEM and not document.file.startswith(f"{observed}/")
    is_named = stands_for(document) is not None
    return TenantRequest(document, claim, held.get(claim.key), is_named, is_named or is_ours)


def stand_in(own: TenantShare) -> TenantRequest | None:
    """Return the request that replaces the tenant's own claim; None if the tenant makes it itself.

    Existing addresses never change their claim. While the tenant's own record is live, no request
    replaces it. A request that held addresses first keeps replacing the claim.
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
    # The request has another size than the pin, which became the tenant's own claim: this is
    # growth.
    return first if first.is_live and own.record is None else None


def _rank(item: TenantRequest) -> tuple[bool, str, IPRange]:
    """Return the sort key: requests with addresses first, in order of allocation, then by name."""
    since = item.record.allocated_at if item.record is not None and item.is_live else ""
    return not item.is_live, since, item.claim.pin or IPRange(0, 0, 0)


def describe(
    own: TenantShare, chosen: TenantRequest | None, alone: Claim, tenant: Document
) -> Iterator[Decided]:
    """Yield findings about new requests, and about all requests if the tenant gets its first range.

    A request with addresses was reported when it got them. At that time it was unknown that the
    tenant makes an own claim later, for example because the request still uses the old name after a
    rename. Without this finding, the tenant would get a second range silently.

    Args:
        own: Addresses and requests of the tenant.
        chosen: The request that is its own claim, or None.
        alone: The claim of the tenant if no request replaces it.
        tenant: The tenant.
    """
    fresh = [item for item in own.asked if not item.is_live]
    is_first = chosen is None and own.record is None
    rest = [item for item in (own.asked if is_first else fresh) if item is not chosen]
    if chosen is not None and not chosen.is_named and chosen in fresh:
        found = _stands(chosen, rest, tenant)
        yield Decided(chosen.document, found, frozenset({chosen.claim.key}))
        return
    if not alone.is_open:  # a pinned range that it already holds is reported elsewhere
        rest = [item for item in rest if own.pin is not None and item.claim.pin is not None]
    if chosen is None and rest:
        claims = frozenset({alone.key, *(item.claim.key for item in rest)})
        yield Decided(rest[0].document, _beside(own, alone, rest, tenant), claims)


def _stands(chosen: TenantRequest, rest: Sequence[TenantRequest], tenant: Document) -> Finding:
    pin = format_short(chosen.claim.pin) if chosen.claim.pin else ""
    whose = f"{TENANT.kind} {_name(tenant)}'s own {chosen.claim.type} claim"
    message = f"{pin} is {whose}: it gets no other range"
    if rest:
        message += f"; {join_limited([_what(item) for item in rest])} {_are(rest)} additional"
    hint = "to have a range of its own beside it, state another size in the tenant"
    return info("pin-stands-for-claim", chosen.document.at("spec", "pinnedRange"), message, hint)


def _beside(
    own: TenantShare, alone: Claim, rest: Sequence[TenantRequest], tenant: Document
) -> Finding:
    count = sum(item.claim.size for item in rest)
    message = (
        f"{TENANT.kind} {_name(tenant)} gets {alone.size} {alone.type} addresses of its own beside"
        f" {'this' if count == 1 else 'these'} {count} of {join_limited([_what(item) for item in rest])}"
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


def _stood(item: TenantRequest) -> bool:
    """Return whether the request, by its name, was the tenant's own claim before."""
    if item.record is None or not item.is_live or item.is_named or not item.may_stand:
        return False
    owner = item.record.owner
    return item.document.name == own_name((owner.namespace, owner.name), item.claim.type)


def _what(item: TenantRequest) -> str:
    return f"{REQUEST.kind} {item.document.namespace}/{item.document.name}"


def _are(items: Sequence[TenantRequest]) -> str:
    return "is" if len(items) == 1 else "are"


def _name(tenant: Document) -> str:
    return f"{tenant.namespace}/{tenant.name}"


def of_type(asked: Iterable[TenantRequest], kind: str) -> list[TenantRequest]:
    """Return the requests of a type."""
    return [item for item in asked if item.claim.type == kind]


_SIZE = ("spec", "networking", "lbPoolSize")
OwnerNote = tuple[Document, Finding]


class Owned(Struct, frozen=True):
    """A tenant's claims.

    Attributes:
        instead: The claims of requests that replace its own claims.
        announcer: The claim that takes over its loadBalancerPool.
        findings: Findings, each with its document.
        decided: Findings about requests.
    """

    claims: tuple[Claim, ...]
    instead: tuple[Claim, ...]
    announcer: Key
    findings: tuple[OwnerNote, ...]
    decided: tuple[Decided, ...]


def own_claims(
    tenant: Tenant,
    held: CurrentRecords,
    grown: list[tuple[int, Key]],
    asked: Sequence[TenantRequest],
) -> Owned:
    """Return the claims of a tenant, and findings about the requests that name it.

    Args:
        tenant: The tenant.
        held: Records by claim.
        grown: Its further records, as returned by `grown_slots`.
        asked: The requests that name it.
    """
    document = tenant.document
    own = {kind: _own(tenant, held, of_type(asked, kind), kind) for kind in (SLOT, "nodes")}
    chosen = {kind: stand_in(item) for kind, item in own.items()}
    instead = {
        kind: replace(item.claim, stands_for=_key(document, kind))
        for kind, item in chosen.items()
        if item is not None
    }
    claims = tuple(tenant.claims(held, grown, instead))
    found: list[OwnerNote] = []
    decided: list[Decided] = []
    is_new = any(it.asked and it.record is None for it in own.values())
    if is_new or any(not item.is_live for item in asked):
        alone = {claim.key.slot: claim for claim in tenant.claims(held, grown)}
        for kind, item in own.items():
            if kind in alone:
                decided += describe(item, chosen[kind], alone[kind], document)
    # A tenant without a stated size does not request its growth, if it has any.
    is_asked = _is_stated(tenant) or bool(grown)
    standing = tenant.standing(held, grown, instead) if is_asked else None
    if standing is not None:
        found += ((document, it) for it in _sizes(document, standing))
    for conflict in _conflict(document, own[SLOT], chosen[SLOT]):
        found.append((document, conflict))
        refusal = Refusal(conflict.code, conflict.message, conflict.hint)
        instead[SLOT] = replace(instead[SLOT], refusal=refusal)
    announcer = instead[SLOT].key if SLOT in instead else _key(document, SLOT)
    return Owned(claims, tuple(instead.values()), announcer, tuple(found), tuple(decided))


def _key(document: Document, slot: str) -> Key:
    return tenant_key(document.namespace, document.name, slot)


def _own(
    tenant: Tenant, held: CurrentRecords, asked: list[TenantRequest], kind: str
) -> TenantShare:
    document = tenant.document
    record = held.get(_key(document, kind))
    if kind != SLOT:
        return TenantShare(asked, record)
    return TenantShare(asked, record, tenant.stated_size, tenant.pinned)


def _is_stated(tenant: Tenant) -> bool:
    return tenant.stated_size is not None or tenant.pinned is not None


def _sizes(document: Document, standing: LoadBalancerState) -> Iterator[Finding]:
    """Yield findings about addresses that a tenant holds and no longer requests. They stay."""
    title = f"{TENANT.kind} {document.namespace}/{document.name}"
    if is_elsewhere(standing) and standing.first is not None and standing.pin is not None:
        kept, path = standing.first.range, standing.first.path
        message = (
            f"{title} holds {format_short(kept) if kept else ''} ({path}) and keeps it:"
            f" {format_short(standing.pin[1])} is announced by nobody"
        )
        hint = "remove loadBalancerPool; to go over to it, delete the record: what uses the old"
        hint += f" range loses it; an Override of kind record for {path} is merged before"
        yield warning("record-stale", document.at(*MANUAL), message, hint)
    asked, stated = _asked(standing), standing.stated
    records = holding(standing)
    held = sum(record.size for record in records)
    if not records or held <= asked:
        size = first_size(standing)
        is_less = stated is not None and size > stated
        if not records and standing.pin is not None and standing.instead is None and is_less:
            message = f"lbPoolSize: {stated}, but loadBalancerPool holds {size}"
            yield warning("pin-count", document.at(*_SIZE), message, "remove lbPoolSize")
        return
    ranges = join_limited([format_short(record.range) for record in records if record.range])
    why = "" if stated is not None else ", without lbPoolSize,"
    message = f"{title} asks for {asked}{why} and keeps {held} addresses: {ranges}"
    yield warning("size-smaller", document.at(*_SIZE), message, _way_back(standing, held))


def _asked(standing: LoadBalancerState) -> int:
    """Return the requested size: stated or default, but at least its first range."""
    if standing.stated is not None:
        return standing.stated
    size = first_size(standing)
    is_by_default = standing.instead is None and standing.pin is None
    return max(size, standing.default) if is_by_default else size


def _way_back(standing: LoadBalancerState, held: int) -> str:
    """Return which of the further ranges can be given back."""
    asked, going = _asked(standing), list[str]()
    for record in reversed([it for it in standing.more if it.is_live]):
        if held - record.size >= asked:
            going.append(record.path)
            held -= record.size
    if going:
        each = "for it" if len(going) == 1 else "for each"
        return (
            f"when nothing uses it any more, give back by deleting {join_limited(going)}, in a change of its"
            f" own: an Override of kind record {each}, its path as the scope, is merged before"
        )
    return f"no further range can go whole: set lbPoolSize to {held}"


def _conflict(
    document: Document, own: TenantShare, chosen: TenantRequest | None
) -> Iterator[Finding]:
    """Yield the finding for two ranges that are both declared as the tenant's own."""
    if own.pin is None or chosen is None or chosen.is_live or chosen.claim.pin in (None, own.pin):
        return
    pin = format_short(chosen.claim.pin) if chosen.claim.pin else ""
    message = (
        f"{TENANT.kind} {document.namespace}/{document.name}: loadBalancerPool is"
        f" {format_short(own.pin)}, but {chosen.title} ({chosen.document.start}) pins {pin} as the"
        " tenant's own range"
    )
    hint = "let both say one range, or remove one; a further range is a request of another name"
    yield error("pin-conflict", document.at(*MANUAL), message, hint)
