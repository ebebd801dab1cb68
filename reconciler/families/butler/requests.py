"""Requests, and requests that replace a tenant's own claim."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from reconciler.addresses import IPRange, format_short
from reconciler.documents.document import Document, Documents, text_at
from reconciler.documents.findings import (
    MAX_SUGGESTIONS,
    Finding,
    error,
    info,
    join_limited,
    nearest,
    plural,
    shown,
    warning,
)
from reconciler.families.butler import kinds, tenants
from reconciler.families.butler.pools import NetworkPool, Networks, Provider, Providers
from reconciler.families.fields import FORMERLY, read_range
from reconciler.families.interface import CurrentRecords, FamilyReading, RecordBody
from reconciler.model.claim import Allocation, Claim, Owner, Refusal
from reconciler.model.key import Key, is_label
from reconciler.model.objects import LABEL, PREFIX

_TENANT_NAME = ("spec", kinds.OWNER, "name")
HOLDER, EXTERNAL = f"{PREFIX}holder", "external"
"""The annotation of a request whose holder is not a cluster, and its value."""
_POOL_NAME = ("spec", "poolRef", "name")
_NEAR = 0.8  # names in one namespace are often similar


def tenant_named(document: Document) -> tenants.TenantName:
    """Return the namespace and name of the tenant of a request."""
    reference = document.spec[kinds.OWNER]
    return reference["namespace"], reference["name"]


def _owner_of_request(document: Document, tenant: Document | None) -> Owner:
    if tenant is not None:
        return tenants.owner_of(tenant)
    namespace, name = tenant_named(document)
    return Owner(namespace, name, document.labels().get(f"{LABEL}team", namespace))


def team_of(document: Document, documents: Documents) -> str:
    """Return the team of a tenant, or of the tenant that a request is for."""
    if document.kind.id != kinds.REQUEST:
        return tenants.owner_of(document).team
    tenant = documents.find(kinds.TENANT, *tenant_named(document))
    return _owner_of_request(document, tenant).team


def space_of(document: Document) -> str:
    """Return the namespace that a document claims for; for a request, the tenant's namespace."""
    return tenant_named(document)[0] if document.kind.id == kinds.REQUEST else document.namespace


def stands_for(document: Document) -> Key | None:
    """Return the tenant's own claim that a request in Butler's namespace replaces, else None."""
    if document.namespace != kinds.SYSTEM:
        return None
    name, kind = tenant_named(document), document.spec["type"]
    return kinds.tenant_key(*name, kind) if document.name == kinds.own_name(name, kind) else None


def possible_owner(body: RecordBody) -> tuple[str, str] | None:
    """Return a half-readable reference to a tenant, with the other half empty; else None."""
    if body.get("kind") != kinds.REQUEST.kind:
        return None
    said = [text_at(body, "spec", kinds.OWNER, field) for field in ("namespace", "name")]
    namespace, name = (it if is_label(it) else "" for it in said)
    return (namespace, name) if bool(namespace) != bool(name) else None


def referring(documents: Documents) -> Iterator[tuple[Document, tuple[str, ...], Key]]:
    """Yield requests, each with the field that names its tenant, and that tenant's key."""
    for document in documents.of(kinds.REQUEST):
        namespace, name = tenant_named(document)
        yield document, _TENANT_NAME, Key(kinds.NAME, namespace, name, "", kinds.TENANT.kind)


def read_pin(document: Document, found: list[Finding]) -> IPRange | None:
    """Return the range that a request pins; None if absent or invalid."""
    return read_range(document, *tenants.PINNED, found) if "pinnedRange" in document.spec else None


class TenantRequest(Struct, frozen=True):
    """A request, whether it has the name of the tenant's own record, and may act for the tenant."""

    document: Document
    claim: Claim
    record: Allocation | None
    is_named: bool
    may_stand: bool

    @property
    def is_live(self) -> bool:
        """Return whether it holds addresses for its claim."""
        return self.record is not None and self.record.is_live


def read_requests(
    networks: Networks, providers: Providers, held: CurrentRecords, observed: str
) -> dict[tenants.TenantName, list[TenantRequest]]:
    """Collect the claims of requests; return the requests of existing tenants, by tenant."""
    found: dict[tenants.TenantName, list[TenantRequest]] = {}
    documents, missing = networks.documents, 0
    for document in documents.of(kinds.REQUEST):
        name = tenant_named(document)
        tenant = documents.find(kinds.TENANT, *name)
        is_known = tenant is not None or document.annotations().get(HOLDER) == EXTERNAL
        if not is_known and not documents.unread(kinds.TENANT, *name):
            missing += 1
            _report_missing_tenant(document, documents, networks.reading, missing)
        provider = providers.of(tenant)[0] if tenant is not None else None
        claim = _claim(document, tenant, networks, provider)
        if tenant is not None:
            is_named = stands_for(document) is not None
            is_observed = document.file.startswith(f"{observed}/")
            may_stand = is_named or (document.namespace == kinds.SYSTEM and not is_observed)
            item = TenantRequest(document, claim, held.get(claim.key), is_named, may_stand)
            found.setdefault(name, []).append(item)
    return found


def _report_missing_tenant(
    document: Document, documents: Documents, reading: FamilyReading, count: int
) -> None:
    namespace, name = tenant_named(document)
    message = f"TenantCluster {namespace}/{name} does not exist in this repository"
    hint = f"add the TenantCluster; if the holder is not a cluster, set the annotation {HOLDER}: {EXTERNAL}"
    near = ""
    if (held := document.annotations().get(HOLDER)) is not None:
        hint = f"set {HOLDER} to {EXTERNAL} (now {shown(held)})"
    elif count > MAX_SUGGESTIONS:
        pass
    elif spaces := documents.namesakes(kinds.TENANT, name):
        near = f"{nearest(namespace, spaces) or spaces[0]}/{name}"
    elif other := nearest(name, documents.every(kinds.TENANT, namespace), _NEAR):
        near = f"{namespace}/{other}"
    if near:
        hint = f"did you mean {near}? It gets separate addresses until this is corrected"
    place = document.at(*_TENANT_NAME)
    reading.report(document, warning("reference-not-found", place, message, hint))


def _claim(
    document: Document, tenant: Document | None, networks: Networks, provider: Provider | None
) -> Claim:
    spec, kind, reading = document.spec, document.spec["type"], networks.reading
    pool = kinds.pool_key(document.namespace, spec["poolRef"]["name"])
    network = networks.find(pool)
    found: list[Finding] = []
    pin = read_pin(document, found)
    if pin is not None and spec.get("count", pin.size) != pin.size:
        message = f"spec.count is {spec['count']}, but pinnedRange has {plural(pin.size, 'address')}; count is ignored"
        found.append(warning("pin-count", document.at("spec", "count"), message, "remove count"))
    claim = Claim(
        key=kinds.request_key(document.namespace, document.name),
        candidates=(pool,) if network is not None else (),
        wanted=(pool.name,),
        size=pin.size if pin else _size(document, network),
        pin=pin,
        fixed=pin is not None or "count" in spec,
        owner=_owner_of_request(document, tenant),
        type=kind,
        role="initial",
        name=document.name,
        namespace=document.namespace,
        source=document.start,
        quota=provider.quota(tenant_named(document), kind) if provider else None,
        doubt=document.doubt,
    )
    if network is None and pool in reading.frozen:
        owner = (kinds.NAME, document.kind.name, document.namespace, document.name)
        reading.protected.add(owner)
        return claim
    reading.report(document, *found)
    reading.claims[claim.key] = claim
    if network is None:
        message = f"{kinds.POOL.kind} {pool.short} does not exist in this repository"
        hint = "choose a pool in the namespace of the request, or add the pool"
        reading.report_missing(document, _POOL_NAME, pool, message, hint)
    return claim


def _size(document: Document, network: NetworkPool | None) -> int:
    kind, default = document.spec["type"], None
    if network is not None:
        default = network.nodes_per_tenant if kind == kinds.NODES else network.lb_pool_per_tenant
    return int(document.spec.get("count") or default or kinds.SIZES[kind])


class _Share(Struct, frozen=True):
    asked: Sequence[TenantRequest]
    record: Allocation | None
    stated: int | None = None
    pin: IPRange | None = None

    def replacement(self) -> TenantRequest | None:
        """Return the request that replaces the own claim, unless that is live."""
        if self.record is not None and self.record.is_live:
            return None
        named = next((item for item in self.asked if item.is_named), None)
        if named is not None:
            return named
        pins = [it for it in self.asked if it.may_stand and it.claim.pin is not None]
        pins.sort(key=_rank)
        if self.pin is not None:
            return next((item for item in pins if item.claim.pin == self.pin), None)
        if not pins or self.stated in (None, pins[0].claim.size):
            return pins[0] if pins else None
        # The request has another size than the pin, which became the own claim: this is growth.
        return pins[0] if pins[0].is_live and self.record is None else None


def _rank(item: TenantRequest) -> tuple[bool, str, IPRange]:
    since = item.record.allocated_at if item.record is not None and item.is_live else ""
    return not item.is_live, since, item.claim.pin or IPRange(0, 0, 0)


def own_claims(
    tenant: tenants.Tenant,
    held: CurrentRecords,
    grown: tenants.GrownRecords,
    asked: Sequence[TenantRequest],
    reading: FamilyReading,
) -> Key:
    """Collect a tenant's claims and findings. Return the claim that gets its loadBalancerPool."""
    document = tenant.document
    shares = _shares(tenant, held, asked) if asked else {}
    chosen = {kind: share.replacement() for kind, share in shares.items()}
    instead = {
        kind: replace(item.claim, stands_for=tenant.key(kind))
        for kind, item in chosen.items()
        if item is not None
    }
    state = tenant.state(held, grown, instead)
    for claim in tenant.claims(state, held, grown, instead):
        reading.claims[claim.key] = claim
    # A tenant without a stated size does not request its growth, if it has any.
    if tenant.stated_size is not None or tenant.pinned is not None or grown:
        reading.report(document, *_judge_sizes(document, state))
    if asked:
        itself = tenant.state(held, grown, {})
        alone = {it.key.slot: it for it in tenant.claims(itself, held, grown, {})}
        for kind in (it for it in shares if it in alone):
            _judge_requests(shares[kind], chosen[kind], alone[kind], document, reading)
        lb = shares[kinds.LB]
        reading.report(document, *_judge_first(document, lb, chosen[kinds.NODES], alone))
        if (conflict := _pin_conflict(document, lb, chosen[kinds.LB])) is not None:
            reading.report(document, conflict)
            refusal = Refusal(conflict.code, conflict.message, conflict.hint)
            instead[kinds.LB] = replace(instead[kinds.LB], refusal=refusal)
    for claim in instead.values():
        if claim.key in reading.claims:
            reading.claims[claim.key] = claim
    return instead[kinds.LB].key if kinds.LB in instead else tenant.key(kinds.LB)


def _shares(
    tenant: tenants.Tenant, held: CurrentRecords, asked: Sequence[TenantRequest]
) -> dict[str, _Share]:
    lb, nodes = ([it for it in asked if it.claim.type == kind] for kind in (kinds.LB, kinds.NODES))
    record = held.get(tenant.key(kinds.LB))
    return {
        kinds.LB: _Share(lb, record, tenant.stated_size, tenant.pinned),
        kinds.NODES: _Share(nodes, held.get(tenant.key(kinds.NODES))),
    }


def _judge_first(
    document: Document, lb: _Share, nodes: TenantRequest | None, alone: Mapping[str, Claim]
) -> Iterator[Finding]:
    """Yield a warning if a tenant has addresses only by a request of type nodes, as imported."""
    pin = nodes.claim.pin if nodes is not None and nodes.is_named else None
    claim = alone.get(kinds.LB)
    is_new = claim is not None and claim.pin is None and not lb.asked and lb.record is None
    if claim is not None and is_new and pin is not None:
        message = f"{document.title} has only node addresses ({format_short(pin)}), so it would get a new load-balancer range of {plural(claim.size, 'address')}"
        hint = "if its load balancers already have addresses, describe them as type loadbalancer"
        yield warning("load-balancer-new", document.start, message, hint)


def _judge_requests(
    own: _Share,
    chosen: TenantRequest | None,
    alone: Claim,
    tenant: Document,
    reading: FamilyReading,
) -> None:
    """Report requests that would give a tenant a second range silently, as after a rename."""
    fresh = [item for item in own.asked if not item.is_live]
    is_first = chosen is None and own.record is None
    rest = [item for item in (own.asked if is_first else fresh) if item is not chosen]
    if chosen is not None and not chosen.is_named and chosen in fresh:
        found = _replaces(chosen, rest, tenant)
        reading.report(chosen.document, found)
        reading.presumed[found] = frozenset({chosen.claim.key})
        return
    if not alone.is_open:  # a pinned range that it already holds is reported elsewhere
        rest = [item for item in rest if own.pin is not None and item.claim.pin is not None]
    if chosen is None and rest:
        found = _in_addition(own, alone, rest, tenant)
        reading.report(rest[0].document, found)
        reading.presumed[found] = frozenset({alone.key, *(item.claim.key for item in rest)})


def _replaces(chosen: TenantRequest, rest: Sequence[TenantRequest], tenant: Document) -> Finding:
    pin = format_short(chosen.claim.pin) if chosen.claim.pin else ""
    message = f"pin {pin} is used as the {chosen.claim.type} range of {tenant.title}"
    if rest:
        verb = "is" if len(rest) == 1 else "are"
        message += f"; {join_limited([it.document.title for it in rest])} {verb} additional"
    hint = "to allocate a second range, set a larger lbPoolSize in the tenant"
    return info("pin-stands-for-claim", chosen.document.at("spec", "pinnedRange"), message, hint)


def _in_addition(
    own: _Share, alone: Claim, rest: Sequence[TenantRequest], tenant: Document
) -> Finding:
    count = sum(item.claim.size for item in rest)
    titles = join_limited([it.document.title for it in rest])
    message = f"{tenant.title} gets {plural(alone.size, f'{alone.type} address')} in addition to the {count} of {titles}"
    hint = f"to hold only these, pin them (pinnedRange) in a request of namespace {kinds.SYSTEM}"
    if own.pin is not None:
        message += f"; its loadBalancerPool is {format_short(own.pin)}"
        hint = "if both are the same range, set loadBalancerPool and pinnedRange to one value"
    for item in (it for it in rest if _was_own(it)):
        now = kinds.own_name((tenant.namespace, tenant.name), item.claim.type)
        hint = f"to hold only these, name the request {now}, and add to its metadata.annotations: {FORMERLY}: {kinds.SYSTEM}/{item.document.name}"
        return warning("request-beside-claim", item.document.start, message, hint)
    return info("request-beside-claim", rest[0].document.start, message, hint)


def _was_own(item: TenantRequest) -> bool:
    if item.record is None or not item.is_live or item.is_named or not item.may_stand:
        return False
    return item.document.name == kinds.own_name(item.record.owner.pair, item.claim.type)


def _judge_sizes(document: Document, state: tenants.LoadBalancerState) -> Iterator[Finding]:
    steps = ("spec", "networking", "lbPoolSize")
    if state.is_elsewhere and state.first is not None and state.pin is not None:
        kept, path = state.first.range, state.first.path
        message = f"{document.title} keeps {format_short(kept) if kept else 'its range'} ({path}),"
        message += f" so no cluster announces {format_short(state.pin[1])} of loadBalancerPool"
        hint = "remove loadBalancerPool; to switch to it, merge an Override of kind record for"
        hint += f" {path}, then delete the record; Services that use the old range lose it"
        yield warning("record-stale", document.at(*tenants.MANUAL), message, hint)
    stated, size, records = state.stated, state.first_size, state.holding
    held = sum(record.size for record in records)
    if not records and state.pin is not None and state.instead is None:
        if stated is not None and size > stated:
            message = f"lbPoolSize is {stated}, but loadBalancerPool has {size}, which is used"
            yield warning("pin-count", document.at(*steps), message, "remove lbPoolSize")
    elif held > state.asked and not state.moved_sizes():
        ranges = join_limited([format_short(record.range) for record in records if record.range])
        why = "" if stated is not None else ", without lbPoolSize,"
        message = f"{document.title} asks for {state.asked}{why} but keeps {plural(held, 'address')}: {ranges}"
        yield warning("size-smaller", document.at(*steps), message, _way_back(state, held))


def _way_back(state: tenants.LoadBalancerState, held: int) -> str:
    going: list[str] = []
    for record in reversed([it for it in state.more if it.is_live]):
        if held - record.size >= state.asked:
            going.append(record.path)
            held -= record.size
    if not going:
        claim, hint = state.holding[0].claim, f"set lbPoolSize to {held}"
        if state.pin is not None or (state.instead is not None and state.instead[0].pin):
            return f"{hint}, because a pinned range keeps its size"
        move = f"ipam move {replace(claim, slot='').short}/{claim.slot} --to POOL"
        return f"{hint}, or move it to a pool where it gets {state.asked}: {move}"
    each = f"for {'it' if len(going) == 1 else 'each'}"
    hint = f"if no Service uses it, delete {join_limited(going)} after merging an Override of kind"
    return f"{hint} record {each}"


def _pin_conflict(document: Document, own: _Share, chosen: TenantRequest | None) -> Finding | None:
    pin = chosen.claim.pin if chosen is not None and not chosen.is_live else None
    if own.pin is None or chosen is None or pin in (None, own.pin):
        return None
    message = f"{document.title}: loadBalancerPool is {format_short(own.pin)}, but {chosen.document.title} ({chosen.document.start}) pins"
    message += f" {format_short(pin) if pin else ''} as the tenant's own range"
    hint = "set both to one range, or remove one; for a second range, add a separate request"
    return error("pin-conflict", document.at(*tenants.MANUAL), message, hint)
