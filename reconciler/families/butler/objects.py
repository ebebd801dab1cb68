"""Cluster objects of Butler: observation, events, listings, and import."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from reconciler import addresses
from reconciler.addresses import IPRange, NotationError
from reconciler.documents.document import Documents
from reconciler.families import importing, interface
from reconciler.families.butler import kinds
from reconciler.families.butler.pools import Providers
from reconciler.families.butler.reading import growers, may_own
from reconciler.families.butler.requests import EXTERNAL, HOLDER
from reconciler.families.butler.tenants import owner_of
from reconciler.families.events import QUIET_SECONDS, event_name, event_on, is_recent, reference
from reconciler.families.importing import Copied, ImportedBody, ImportedList, IntakeKind
from reconciler.families.interface import Listing, ListingColumn, ListingInput, ListingRow
from reconciler.model.claim import Allocation
from reconciler.model.objects import LABEL, NODE, PREFIX, SERVICE, Manifest, Ref
from reconciler.model.objects import RESOURCE as REQUESTS
from reconciler.model.plan import CONDITION, REASONS
from reconciler.model.pool import Pool, Thresholds, Tier

_MAX_LISTED = 1024  # the limit of the CRD
_SOURCES = (
    (kinds.BALANCER.name.lower(), "serviceRef"),
    ("node", "nodeRef"),
    ("machine", "machineRef"),
)


class _User(NamedTuple):
    number: int
    rank: int
    namespace: str
    name: str


def observe(pools: Iterable[Pool], lists: interface.Lists) -> Mapping[Ref, Manifest]:
    """Return the status fields of each NetworkPool about users of its other addresses, ascending."""
    users = [
        user
        for service in lists[SERVICE]
        if (service.get("spec") or {}).get("type") == "LoadBalancer"
        for entry in ((service.get("status") or {}).get("loadBalancer") or {}).get("ingress") or ()
        for user in _user(service, entry.get("ip"), 0)
    ]
    for rank, hosts in enumerate((lists[NODE], lists[kinds.MACHINE]), 1):
        for host in hosts:
            for entry in (host.get("status") or {}).get("addresses") or ():
                if entry.get("type") == "InternalIP":
                    users += _user(host, entry.get("address"), rank)
    users.sort()
    return {
        Ref(kinds.NETWORK_POOL, pool.key.namespace, pool.key.name): _infrastructure(pool, users)
        for pool in pools
        if pool.key.kind == kinds.NETWORK_POOL.kind
    }


def _infrastructure(pool: Pool, users: list[_User]) -> Manifest:
    found: dict[int, dict[str, Any]] = {}
    others = pool.extent - pool.usable  # reserved, or outside the usable ranges
    for extent in pool.extent:
        start = bisect_left(users, (extent.first,))
        end = bisect_left(users, (extent.last + 1,))
        for user in users[start:end]:
            source, field = _SOURCES[user.rank]
            area = pool.reserved if field == "serviceRef" else others
            if area.covers(IPRange(4, user.number, user.number)):
                ip = addresses.format_address(4, user.number)
                entry = found.setdefault(user.number, {"ip": ip, "source": source})
                named = {"name": user.name, "namespace": user.namespace}
                entry.setdefault(field, named if user.namespace else {"name": user.name})
    return {
        "infrastructureAllocations": list(found.values())[:_MAX_LISTED],
        "infrastructureConsumedIPs": len(found),
    }


def _user(manifest: Manifest, address: str | None, rank: int) -> Iterator[_User]:
    try:
        version, number = addresses.parse_address(address or "")
    except NotationError:
        return
    if version == 4:
        metadata = manifest["metadata"]
        yield _User(number, rank, metadata.get("namespace", ""), metadata["name"])


UPDATE_RULES = (
    interface.UpdateRule(
        kinds.NETWORK_POOL,
        {
            "oldCidr": "oldObject.?spec.?cidr.orValue('')",
            "newCidr": "object.?spec.?cidr.orValue('')",
        },
        "!isCIDR(variables.oldCidr) || (isCIDR(variables.newCidr) &&"
        " cidr(variables.newCidr).containsCIDR(variables.oldCidr))",
        "the CIDR of a pool may grow, but must keep every address that it had",
        "'the CIDR may grow, but must keep every address of ' + variables.oldCidr",
    ),
)


def _newcomer(
    name: str, namespace: str, provider: str | None, lb: int | None, nodes: int | None
) -> dict[str, object]:
    spec: dict[str, object] = {"workers": {"replicas": nodes or 1}}
    if provider is not None:
        spec["providerConfigRef"] = {"name": provider}
    if lb is not None:
        spec["networking"] = {"lbPoolSize": lb}
    return _document(kinds.TENANT.kind, namespace, name, spec)


def _tenants(listed: ListingInput) -> Iterator[ListingRow]:
    held: dict[tuple[str, str], list[Allocation]] = {}
    for record in listed.records:
        if record.is_live:
            held.setdefault(record.owner.pair, []).append(record)
    for document in listed.documents.of(kinds.TENANT):
        yield ListingRow(document, held.get((document.namespace, document.name), []))


def _ranges(row: ListingRow, kind: str) -> str:
    found = sorted(record.range for record in row.more if record.type == kind and record.range)
    return ", ".join(addresses.format_short(item) for item in found) or "-"


def _pools_of(row: ListingRow) -> str:
    return ", ".join(sorted({it.pool.name for it in row.more}))


LISTINGS = (
    Listing(
        "pools",
        kinds.POOL,
        interface.pool_rows(kinds.NAME, kinds.POOL),
        (
            interface.NAME_COLUMN,
            ListingColumn("CIDR", lambda row: str(row.document.spec["cidr"])),
            ListingColumn("AVAILABLE", lambda row: str(row.more.available)),
            ListingColumn("ALLOCATED", lambda row: str(row.more.allocated)),
            ListingColumn("TOTAL", lambda row: str(row.more.total)),
        ),
        (
            interface.NAMESPACE_COLUMN,
            ListingColumn("LARGEST", lambda row: str(row.more.largest)),
            ListingColumn("FRAG", lambda row: f"{row.more.fragmentation}%"),
            ListingColumn("USED", lambda row: f"{row.more.percent:.1f}%"),
            ListingColumn("LEVEL", lambda row: str(row.more.tier.value)),
        ),
        ("np",),
    ),
    Listing(
        "tenants",
        kinds.TENANT,
        _tenants,
        (
            interface.NAMESPACE_COLUMN,
            interface.NAME_COLUMN,
            ListingColumn("TEAM", lambda row: owner_of(row.document).team),
            ListingColumn("NODES", lambda row: _ranges(row, kinds.NODES)),
            ListingColumn("LOADBALANCER", lambda row: _ranges(row, kinds.LB)),
        ),
        (ListingColumn("POOLS", _pools_of), interface.SOURCE_COLUMN),
        ("tc",),
    ),
)


TIER = "gitops-ipam.dev/tier"
"""Annotation of an event: the tier that usage reached or fell below."""

RECOVERED = "PoolCapacityRecovered"
_TIERS = (Tier.EXHAUSTED, Tier.CRITICAL, Tier.WARNING)


def event_of(happening: interface.ObjectEvent) -> Manifest | None:
    """Return the Event for a change of a pool or a tenant, or of a record on an existing pool."""
    if happening.ref.resource == kinds.NETWORK_POOL and happening.pool is not None:
        return _capacity_event(happening, happening.pool.thresholds)
    if happening.ref.resource == kinds.TENANT_CLUSTER:
        return _tenant_event(happening)
    return _allocation_event(happening) if happening.is_record else None


def _capacity_event(happening: interface.ObjectEvent, thresholds: Thresholds) -> Manifest | None:
    """Return the Event if a pool crosses a tier without a recent event: the tier that it reached or left."""
    wanted, live, now = happening.wanted, happening.before, happening.now
    status = wanted.get("status") or {}
    total = status.get("totalIPs", 0)
    after, before = _tier(wanted), _tier(live or {})
    if after is before or not total:
        return None
    counts = f"({total - status.get('availableIPs', 0)}/{total} IPs allocated)"
    if after.rank > before.rank:
        tier, kind, reason = after, "Warning", f"PoolCapacity{after.value.capitalize()}"
        message = f"NetworkPool is over {getattr(thresholds, tier)}% utilized {counts}"
    else:
        tier, kind, reason = _TIERS[2 - after.rank], "Normal", RECOVERED
        message = f"NetworkPool utilization recovered below {getattr(thresholds, tier)}% {counts}"
    pool = reference(kinds.NETWORK_POOL, wanted, live)
    recent = _repeated(happening, pool, reason)
    if tier in [(it["metadata"].get("annotations") or {}).get(TIER, tier) for it in recent]:
        return None
    # Events that are further apart than the quiet time never share a window, so their names differ.
    name = event_name(pool, reason, tier, str(now // QUIET_SECONDS))
    return event_on(pool, name, (kind, reason, message), now, {TIER: tier.value})


def _tenant_event(happening: interface.ObjectEvent) -> Manifest | None:
    """Return the Event that explains why a tenant does not grow, at most once in ten minutes."""
    wanted, live, now = happening.wanted, happening.before, happening.now
    reported = [(it["reason"], it.get("message")) for it in _network(live or {})]
    about = reference(kinds.TENANT_CLUSTER, wanted, live)
    for it in _network(wanted):
        reason, message = it["reason"], it["message"]
        if reason not in REASONS or (reason, message) in reported:
            continue
        if not any(_repeated(happening, about, reason)):
            name = event_name(about, reason, str(now // QUIET_SECONDS))
            return event_on(about, name, ("Warning", reason, message), now, {})
    return None


def _network(tenant: Manifest) -> list[Manifest]:
    conditions = (tenant.get("status") or {}).get("conditions") or ()
    return [it for it in conditions if it.get("type") == CONDITION and it.get("reason")]


def _repeated(
    happening: interface.ObjectEvent, about: Mapping[str, str], reason: str
) -> Iterator[Manifest]:
    for event in happening.recent:
        involved = event.get("involvedObject") or {}
        is_same = all(involved.get(key) == about.get(key) for key in ("kind", "name", "namespace"))
        if is_same and event.get("reason") == reason and is_recent(event, happening.now):
            yield event


def _allocation_event(happening: interface.ObjectEvent) -> Manifest | None:
    """Return the Event, on its pool, of an IPAllocation that got addresses or was refused."""
    record = happening.wanted
    named, status = record["spec"]["poolRef"], record["status"]
    if named.get("kind", kinds.NETWORK_POOL.kind) != kinds.NETWORK_POOL.kind:
        return None  # a pool of another family
    pool = happening.there(Ref(kinds.NETWORK_POOL, happening.ref.namespace, named["name"]))
    phase = status["phase"]
    if pool is None or phase == ((happening.before or {}).get("status") or {}).get("phase"):
        return None
    name = record["metadata"]["name"]
    (ready,) = status["conditions"]
    match phase:
        case "Allocated":
            span = f"{status['startAddress']} - {status['endAddress']}"
            message = f"Allocated {status['allocatedCount']} IPs ({span}) for {name}"
            event = ("Normal", "IPsAllocated", message)
        case "Failed":
            message = f"Failed to allocate IPs for {name}: {ready['message']}"
            event = ("Warning", "AllocationFailed", message)
        case _:
            return None
    involved = reference(kinds.NETWORK_POOL, pool)
    unique = event_name(involved, event[1], name, ready["lastTransitionTime"])
    return event_on(involved, unique, event, happening.now, {})


def _tier(pool: Manifest) -> Tier:
    conditions = (pool.get("status") or {}).get("conditions") or ()
    reached = [item.get("type") for item in conditions if item.get("status") == "True"]
    return next(
        (tier for tier in _TIERS if f"Capacity{tier.value.capitalize()}" in reached), Tier.OK
    )


def _left(manifest: Manifest, _: ImportedList) -> str:
    status, spec = manifest.get("status") or {}, manifest.get("spec") or {}
    if why := importing.made_of_record(manifest):
        return why
    if status.get("phase") == "Released":
        return "released"
    owner = spec.get(kinds.OWNER) or {}
    name = kinds.own_name((owner.get("namespace", ""), owner.get("name", "")), spec.get("type", ""))
    if manifest["metadata"]["name"] == name and not _is_given(manifest):
        return "no addresses yet, and its tenant requests them itself"
    return importing.being_deleted(manifest)


def _is_given(request: Manifest) -> bool:
    return bool((request.get("status") or {}).get("startAddress"))


def _pinned(body: ImportedBody, manifest: Manifest, _: ImportedList) -> ImportedBody:
    if not _is_given(manifest):
        return body
    status = manifest["status"]
    pin = {"startAddress": status["startAddress"], "endAddress": status.get("endAddress")}
    spec = {key: value for key, value in body["spec"].items() if key != "count"}
    return {**body, "spec": {**spec, "pinnedRange": pin}}


_GETS = ("gets no addresses", "get no addresses")
_TENANT_INTAKE = IntakeKind(kinds.TENANT_CLUSTER, kinds.KINDS, _GETS)
_REQUEST_INTAKE = IntakeKind(REQUESTS, kinds.KINDS, _GETS, is_others=_is_given)

COPIED = (
    Copied(IntakeKind(kinds.NETWORK_POOL, kinds.KINDS), "pools", importing.being_deleted),
    Copied(IntakeKind(kinds.PROVIDER_CONFIG, kinds.KINDS), "providers", importing.being_deleted),
    Copied(IntakeKind(kinds.TEAMS, kinds.KINDS), "teams", importing.being_deleted),
    Copied(_TENANT_INTAKE, "tenants", importing.being_deleted),
    Copied(_REQUEST_INTAKE, "tenants", _left, _pinned),
)


def _document(
    kind: str, namespace: str, name: str, spec: ImportedBody, **metadata: dict[str, str]
) -> ImportedBody:
    more = {key: value for key, value in metadata.items() if value}
    named = {"name": name, "namespace": namespace, **more}
    return {"apiVersion": kinds.API_VERSION, "kind": kind, "metadata": named, "spec": spec}


def _pool(network: importing.ImportedNetwork) -> ImportedBody:
    annotations = {}
    if network.is_full:
        annotations[f"{PREFIX}gate"] = "never"
    if network.space != "default":
        annotations[f"{PREFIX}address-space"] = network.space
    windows = [addresses.ends(it) for it in network.windows if it != network.extent]
    spec: ImportedBody = {"cidr": addresses.format_cidr(network.extent)}
    if network.reserved:
        blocks = (block for item in network.reserved for block in addresses.cidrs_of(item))
        spec["reserved"] = [{"cidr": block} for block in blocks]
    if windows:
        spec["tenantAllocation"] = windows[0] if len(windows) == 1 else {"ranges": windows}
    return _document(kinds.POOL.kind, kinds.SYSTEM, network.name, spec, annotations=annotations)


def _request(held: importing.ImportedRange, name: str) -> ImportedBody:
    spec = {
        "pinnedRange": addresses.ends(held.item, "Address"),
        "poolRef": {"name": held.pool},
        kinds.OWNER: {"name": held.name, "namespace": held.namespace},
        "type": held.type,
    }
    labels = {f"{LABEL}team": held.team} if held.team not in ("", held.namespace) else {}
    return _document(kinds.REQUEST.kind, kinds.SYSTEM, name, spec, labels=labels)


def _tenant(held: importing.ImportedRange, provider: str, pool_name: str) -> ImportedBody:
    spec: ImportedBody = {"providerConfigRef": {"name": provider}}
    if held.type == kinds.LB:
        spec["networking"] = {"lbPoolSize": held.item.size}
    if held.team not in ("", held.namespace):
        spec["teamRef"] = {"name": held.team}
    annotations = {kinds.NAMED: pool_name} if pool_name else {}
    return _document(kinds.TENANT.kind, *held.owner, spec, annotations=annotations)


def _provider(name: str, pools: Iterable[str]) -> ImportedBody:
    network = {"mode": "ipam", "poolRefs": [{"name": pool} for pool in pools]}
    return _document(kinds.PROVIDER.kind, kinds.SYSTEM, name, {"network": network})


def _provider_of(documents: Documents, pools: Iterable[str]) -> str:
    wanted = {kinds.pool_key(kinds.SYSTEM, pool) for pool in pools}
    found = (
        it.document.name
        for it in Providers(documents).all()
        if it.is_ipam and it.team is None and wanted <= {*it.pools}
        and it.document.namespace == kinds.SYSTEM
    )  # fmt: skip
    return min(found, default="")


def _unserved(documents: Documents, held: Iterable[importing.ImportedRange]) -> Iterator[str]:
    providers = Providers(documents)
    for item in held:
        tenant = documents.find(kinds.TENANT, *item.owner)
        provider = providers.of(tenant)[0] if tenant is not None else None
        is_served = provider is None or kinds.pool_key(kinds.SYSTEM, item.pool) in provider.pools
        if provider is not None and provider.is_ipam and not is_served:
            text = f"{item.place}{item.place.pointer}: {addresses.format_short(item.item)} of {item.title}"
            yield f"{text} is in {item.pool}, which {provider.document.title} does not serve"


WRITING = importing.Writing(
    kind=kinds.TENANT,
    versions=(4,),
    pool_key=partial(kinds.pool_key, kinds.SYSTEM),
    pool=_pool,
    pin=_request,
    request_name=kinds.own_name,
    folder="tenants",
    limit=f"{PREFIX}gate",
    ranges="spec.tenantAllocation.ranges",
    cluster=_tenant,
    provider=_provider,
    provider_of=_provider_of,
    annotation=kinds.NAMED,
    external=(HOLDER, EXTERNAL),
    unserved=_unserved,
)

OBJECTS = interface.Objects(
    resources=kinds.RESOURCES,
    owned=(kinds.NETWORK_POOL,),
    needed=(kinds.NETWORK_POOL,),
    crds=kinds.CRDS,
    rights=kinds.RIGHTS,
    intake=(_TENANT_INTAKE, _REQUEST_INTAKE),
    update_rules=UPDATE_RULES,
    event=event_of,
    observes=kinds.OBSERVED,
    observe=observe,
    listings=LISTINGS,
    newcomer=interface.Newcomer(kinds.TENANT, kinds.PROVIDER, _newcomer),
    growers=growers,
    may_own=may_own,
    copied=COPIED,
    writing=WRITING,
)
