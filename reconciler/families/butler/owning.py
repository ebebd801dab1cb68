"""What becomes of a tenant's own claims: made by itself, pinned by it, or stood for by requests."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from reconciler.addresses.notation import format_short
from reconciler.documents.document import Document
from reconciler.families._family import Held
from reconciler.families.butler.balancers import SLOT, Standing, first_size, holding, is_elsewhere
from reconciler.families.butler.kinds import TENANT
from reconciler.families.butler.manual import MANUAL
from reconciler.families.butler.standing_in import Asked, Decided, Own, of_type, stand_in, told
from reconciler.families.butler.tenants import Tenant, tenant_key
from reconciler.findings import Finding, error, few, warning
from reconciler.model.claim import Claim, Refusal
from reconciler.model.key import Key

_SIZE = ("spec", "networking", "lbPoolSize")
Told = tuple[Document, Finding]


class Owned(Struct, frozen=True):
    """A tenant's claims.

    Attributes:
        instead: The claims of the requests that are its own.
        announcer: The claim that its loadBalancerPool goes over to.
        findings: Each with the document that it is told of.
        decided: What is decided of requests.
    """

    claims: tuple[Claim, ...]
    instead: tuple[Claim, ...]
    announcer: Key
    findings: tuple[Told, ...]
    decided: tuple[Decided, ...]


def own_claims(
    tenant: Tenant, held: Held, grown: list[tuple[int, Key]], asked: Sequence[Asked]
) -> Owned:
    """The claims that a tenant makes itself, and what is decided of the requests that name it.

    Args:
        tenant: The tenant.
        held: Records by claim.
        grown: Its further records, as `grown_slots` gives them.
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
    found: list[Told] = []
    decided: list[Decided] = []
    is_new = any(it.asked and it.record is None for it in own.values())
    if is_new or any(not item.is_live for item in asked):
        alone = {claim.key.slot: claim for claim in tenant.claims(held, grown)}
        for kind, item in own.items():
            if kind in alone:
                decided += told(item, chosen[kind], alone[kind], document)
    # Without a size of its own nobody asks for what it has grown by, if it has.
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


def _own(tenant: Tenant, held: Held, asked: list[Asked], kind: str) -> Own:
    document = tenant.document
    record = held.get(_key(document, kind))
    if kind != SLOT:
        return Own(asked, record)
    return Own(asked, record, tenant.stated_size, tenant.pinned)


def _is_stated(tenant: Tenant) -> bool:
    return tenant.stated_size is not None or tenant.pinned is not None


def _sizes(document: Document, standing: Standing) -> Iterator[Finding]:
    """What a tenant holds that it does not ask for any more. It stays."""
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
    ranges = few([format_short(record.range) for record in records if record.range])
    why = "" if stated is not None else ", without lbPoolSize,"
    message = f"{title} asks for {asked}{why} and keeps {held} addresses: {ranges}"
    yield warning("size-smaller", document.at(*_SIZE), message, _way_back(standing, held))


def _asked(standing: Standing) -> int:
    """How many addresses it asks for: what it states, else the default; but all of its first range."""
    if standing.stated is not None:
        return standing.stated
    size = first_size(standing)
    is_by_default = standing.instead is None and standing.pin is None
    return max(size, standing.default) if is_by_default else size


def _way_back(standing: Standing, held: int) -> str:
    """Which of the further ranges may go."""
    asked, going = _asked(standing), list[str]()
    for record in reversed([it for it in standing.more if it.is_live]):
        if held - record.size >= asked:
            going.append(record.path)
            held -= record.size
    if going:
        each = "for it" if len(going) == 1 else "for each"
        return (
            f"when nothing uses it any more, give back by deleting {few(going)}, in a change of its"
            f" own: an Override of kind record {each}, its path as the scope, is merged before"
        )
    return f"no further range can go whole: set lbPoolSize to {held}"


def _conflict(document: Document, own: Own, chosen: Asked | None) -> Iterator[Finding]:
    """Two ranges are each said to be the tenant's own."""
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
