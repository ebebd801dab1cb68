"""Cluster objects of Butler."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from reconciler.addresses import IPRange, NotationError, format_address, format_short, parse_address
from reconciler.families.butler.importing import COPIED, INTAKE, WRITING
from reconciler.families.butler.kinds import POOL, PROVIDER, TENANT
from reconciler.families.butler.pools import pool_key
from reconciler.families.butler.reading import growers, may_own
from reconciler.families.butler.records import (
    MACHINE,
    NETWORK_POOL,
    OBSERVED,
    RECORD_SPEC,
    RESOURCES,
    RIGHTS,
    SHAPES,
    TENANT_CLUSTER,
    crds,
)
from reconciler.families.butler.tenants import owner_of
from reconciler.families.events import QUIET_SECONDS, event_name, event_on, is_recent, reference
from reconciler.families.interface import (
    Listing,
    ListingColumn,
    ListingInput,
    ListingRow,
    Lists,
    Newcomer,
    ObjectEvent,
    Objects,
    Sizes,
    UpdateRule,
)
from reconciler.model.claim import Allocation
from reconciler.model.objects import NODE, SERVICE, Manifest, Ref
from reconciler.model.plan import CONDITION, REASONS
from reconciler.model.pool import Pool, Thresholds, Tier

_MAX_LISTED = 1024  # the limit of the CRD
_SOURCES = ("metallb", "node", "machine")
_REFS = {"metallb": "serviceRef", "node": "nodeRef", "machine": "machineRef"}


class _User(NamedTuple):
    """An address in use, sorted by address, then by precedence of its source."""

    number: int
    rank: int
    namespace: str
    name: str


def observe(pools: Iterable[Pool], lists: Lists) -> Mapping[Ref, Manifest]:
    """Return the infrastructure status of each pool, from the management cluster's objects."""
    return infrastructure(pools, lists[SERVICE], lists[NODE], lists[MACHINE])


def infrastructure(
    pools: Iterable[Pool],
    services: Iterable[Manifest],
    nodes: Iterable[Manifest],
    machines: Iterable[Manifest],
) -> Mapping[Ref, Manifest]:
    """Return the infrastructure status fields of each NetworkPool.

    Args:
        pools: Pools of any kind; pools of other kinds are left out.
        services: All Services of the management cluster.
        nodes: All its Nodes.
        machines: All its Machines; empty if it does not have the kind.

    Returns:
        `infrastructureAllocations` by pool, in ascending order of addresses, and their count.
    """
    users = sorted([*_services(services), *_hosts(nodes, 1), *_hosts(machines, 2)])
    return {
        Ref(NETWORK_POOL, pool.key.namespace, pool.key.name): _fields(pool, users)
        for pool in pools
        if pool.key.kind == NETWORK_POOL.kind
    }


def _fields(pool: Pool, users: list[_User]) -> Manifest:
    """Return the status fields of a pool.

    The first source of an address names it; further sources only add their names.
    """
    found: dict[int, dict[str, Any]] = {}
    others = pool.extent - pool.usable  # reserved, or outside the usable ranges
    for extent in pool.extent:
        start = bisect_left(users, (extent.first,))
        end = bisect_left(users, (extent.last + 1,))
        for user in users[start:end]:
            source = _SOURCES[user.rank]
            area = pool.reserved if source == "metallb" else others
            if not area.covers(IPRange(4, user.number, user.number)):
                continue
            ip = format_address(4, user.number)
            entry = found.setdefault(user.number, {"ip": ip, "source": source})
            named = {"name": user.name, "namespace": user.namespace}
            entry.setdefault(_REFS[source], named if user.namespace else {"name": user.name})
    return {
        "infrastructureAllocations": list(found.values())[:_MAX_LISTED],
        "infrastructureConsumedIPs": len(found),
    }


def _services(services: Iterable[Manifest]) -> Iterator[_User]:
    for service in services:
        if (service.get("spec") or {}).get("type") == "LoadBalancer":
            balancer = (service.get("status") or {}).get("loadBalancer") or {}
            for entry in balancer.get("ingress") or ():
                yield from _user(service, entry.get("ip"), 0)


def _hosts(hosts: Iterable[Manifest], rank: int) -> Iterator[_User]:
    for host in hosts:
        for entry in (host.get("status") or {}).get("addresses") or ():
            if entry.get("type") == "InternalIP":
                yield from _user(host, entry.get("address"), rank)


def _user(manifest: Manifest, address: str | None, rank: int) -> Iterator[_User]:
    """Yield the user of an address; nothing if it is not an IPv4 address."""
    try:
        version, number = parse_address(address or "")
    except NotationError:
        return
    if version == 4:
        metadata = manifest["metadata"]
        yield _User(number, rank, metadata.get("namespace", ""), metadata["name"])


UPDATE_RULES = (
    UpdateRule(
        NETWORK_POOL,
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


def _tenant(name: str, namespace: str, provider: str | None, sizes: Sizes) -> dict[str, object]:
    spec: dict[str, object] = {"workers": {"replicas": sizes.nodes or 1}}
    if provider is not None:
        spec["providerConfigRef"] = {"name": provider}
    if sizes.lb is not None:
        spec["networking"] = {"lbPoolSize": sizes.lb}
    return {
        "apiVersion": TENANT_CLUSTER.api_version,
        "kind": TENANT_CLUSTER.kind,
        "metadata": {"name": name, "namespace": namespace},
        "spec": spec,
    }


NEWCOMER = Newcomer(TENANT, PROVIDER, _tenant)


def _pools(standing: ListingInput) -> Iterator[ListingRow]:
    """Yield readable pools, each with its usage."""
    for document in standing.documents.of(POOL):
        usage = standing.usage.get(pool_key(document.namespace, document.name))
        if usage is not None:
            yield ListingRow(document, usage)


def _tenants(standing: ListingInput) -> Iterator[ListingRow]:
    """Yield tenants, each with its records that hold addresses."""
    held: dict[tuple[str, str], list[Allocation]] = {}
    for record in standing.records:
        if record.is_live:
            held.setdefault((record.owner.namespace, record.owner.name), []).append(record)
    for document in standing.documents.of(TENANT):
        yield ListingRow(document, held.get((document.namespace, document.name), []))


def _ranges(records: Sequence[Allocation], kind: str) -> str:
    found = sorted(record.range for record in records if record.type == kind and record.range)
    return ", ".join(format_short(item) for item in found) or "-"


LISTINGS = (
    Listing(
        "pools",
        POOL,
        _pools,
        (
            ListingColumn("NAME", lambda row: row.document.name),
            ListingColumn("CIDR", lambda row: str(row.document.spec["cidr"])),
            ListingColumn("AVAILABLE", lambda row: str(row.more.available)),
            ListingColumn("ALLOCATED", lambda row: str(row.more.allocated)),
            ListingColumn("TOTAL", lambda row: str(row.more.total)),
        ),
        (
            ListingColumn("NAMESPACE", lambda row: row.document.namespace),
            ListingColumn("LARGEST", lambda row: str(row.more.largest)),
            ListingColumn("FRAG", lambda row: f"{row.more.fragmentation}%"),
            ListingColumn("USED", lambda row: f"{row.more.percent:.1f}%"),
            ListingColumn("TIER", lambda row: str(row.more.tier.value)),
        ),
        ("np",),
    ),
    Listing(
        "tenants",
        TENANT,
        _tenants,
        (
            ListingColumn("NAMESPACE", lambda row: row.document.namespace),
            ListingColumn("NAME", lambda row: row.document.name),
            ListingColumn("TEAM", lambda row: owner_of(row.document).team),
            ListingColumn("NODES", lambda row: _ranges(row.more, "nodes")),
            ListingColumn("LOADBALANCER", lambda row: _ranges(row.more, "loadbalancer")),
        ),
        (
            ListingColumn(
                "POOLS", lambda row: ", ".join(sorted({it.pool.name for it in row.more}))
            ),
            ListingColumn("SOURCE", lambda row: f"{row.document.path}:{row.document.line}"),
        ),
        ("tc",),
    ),
)


TIER = "gitops-ipam.dev/tier"
"""Annotation of an event: the tier that usage reached or fell below."""

RECOVERED = "PoolCapacityRecovered"
_TIERS = (Tier.EXHAUSTED, Tier.CRITICAL, Tier.WARNING)


def pool_event(happening: ObjectEvent) -> Manifest | None:
    """Return the Event for a change of a pool, or of a record on a pool.

    For pools that already existed, only allocations cause an Event.
    """
    ref, wanted = happening.ref, happening.wanted
    if ref.resource == NETWORK_POOL and happening.pool is not None:
        thresholds, recent = happening.pool.thresholds, happening.recent
        return capacity_event(wanted, happening.before, thresholds, recent, happening.now)
    if ref.resource == TENANT_CLUSTER:
        return tenant_event(wanted, happening.before, happening.recent, happening.now)
    if not happening.is_record:
        return None
    named = wanted["spec"]["poolRef"]
    if named.get("kind", NETWORK_POOL.kind) != NETWORK_POOL.kind:
        return None  # a pool of another family
    live = happening.there(Ref(NETWORK_POOL, ref.namespace, named["name"]))
    if live is None:
        return None
    return allocation_event(wanted, happening.before, live, happening.now)


def capacity_event(
    wanted: Manifest,
    live: Manifest | None,
    thresholds: Thresholds,
    events: Iterable[Manifest],
    now: int,
) -> Manifest | None:
    """Return the Event to create if a pool crosses a tier without a recent event, else None.

    For rising usage, the event names the highest tier. For falling usage, it names the lowest tier
    that usage is below again. A crossing within ten minutes of an event on the same tier creates no
    event, also not later: conditions show the current state.

    Create the event before the status is applied: a run that is interrupted between the two then
    repeats the event, and its name prevents a duplicate.

    Args:
        wanted: The pool with its new status; its uid is used if present.
        live: The previous pool in the cluster, or None.
        thresholds: The thresholds of the pool.
        events: Events of the pool's namespace.
        now: Seconds since 1970.
    """
    status = wanted.get("status") or {}
    total = status.get("totalIPs", 0)
    after, before = _tier(wanted), _tier(live or {})
    if after is before or not total:
        return None
    told = f"({total - status.get('availableIPs', 0)}/{total} IPs allocated)"
    if after.rank > before.rank:
        tier, kind, reason = after, "Warning", f"PoolCapacity{after.value.capitalize()}"
        message = f"NetworkPool is over {getattr(thresholds, tier)}% utilized {told}"
    else:
        tier, kind, reason = _TIERS[2 - after.rank], "Normal", RECOVERED
        message = f"NetworkPool utilization recovered below {getattr(thresholds, tier)}% {told}"
    if any(_tells(event, wanted, (reason, tier)) and is_recent(event, now) for event in events):
        return None
    pool = reference(NETWORK_POOL, wanted, live)
    # Events that are further apart than the quiet time never share a window, so their names differ.
    name = event_name(pool, reason, tier, str(now // QUIET_SECONDS))
    return event_on(pool, name, (kind, reason, message), now, {TIER: tier.value})


def tenant_event(
    wanted: Manifest, live: Manifest | None, events: Iterable[Manifest], now: int
) -> Manifest | None:
    """Return the Event that explains why a tenant does not grow, at most once in ten minutes.

    Args:
        wanted: The tenant with its new status.
        live: The previous tenant in the cluster, or None.
        events: Events of the tenant's namespace.
        now: Seconds since 1970.
    """
    is_told = [(it["reason"], it.get("message")) for it in _network(live or {})]
    for it in _network(wanted):
        about = reference(TENANT_CLUSTER, wanted, live)
        if it["reason"] not in REASONS or (it["reason"], it["message"]) in is_told:
            continue
        if any(
            event.get("reason") == it["reason"]
            and (event.get("involvedObject") or {}).get("name") == about["name"]
            and is_recent(event, now)
            for event in events
        ):
            continue
        name = event_name(about, it["reason"], str(now // QUIET_SECONDS))
        return event_on(about, name, ("Warning", it["reason"], it["message"]), now, {})
    return None


def _network(tenant: Manifest) -> list[Manifest]:
    conditions = (tenant.get("status") or {}).get("conditions") or ()
    return [it for it in conditions if it.get("type") == CONDITION and it.get("reason")]


def allocation_event(
    record: Manifest, live: Manifest | None, pool: Manifest | None, now: int
) -> Manifest | None:
    """Return the Event, on its pool, of an IPAllocation that got addresses or was refused.

    Args:
        record: The new IPAllocation.
        live: The previous IPAllocation in the cluster, or None.
        pool: Its NetworkPool in the cluster, or None.
        now: Seconds since 1970.
    """
    status = record["status"]
    phase = status["phase"]
    if phase == ((live or {}).get("status") or {}).get("phase"):
        return None
    name = record["metadata"]["name"]
    (ready,) = status["conditions"]
    match phase:
        case "Allocated":
            ends = f"{status['startAddress']} - {status['endAddress']}"
            message = f"Allocated {status['allocatedCount']} IPs ({ends}) for {name}"
            told = ("Normal", "IPsAllocated", message)
        case "Failed":
            message = f"Failed to allocate IPs for {name}: {ready['message']}"
            told = ("Warning", "AllocationFailed", message)
        case _:
            return None
    metadata = {
        "name": record["spec"]["poolRef"]["name"],
        "namespace": record["metadata"]["namespace"],
    }
    involved = reference(NETWORK_POOL, pool or {"metadata": metadata})
    unique = event_name(involved, told[1], name, ready["lastTransitionTime"])
    return event_on(involved, unique, told, now, {})


def _tier(pool: Manifest) -> Tier:
    """Return the highest tier in the conditions of a pool."""
    conditions = (pool.get("status") or {}).get("conditions") or ()
    reached = [item.get("type") for item in conditions if item.get("status") == "True"]
    return next(
        (tier for tier in _TIERS if f"Capacity{tier.value.capitalize()}" in reached), Tier.OK
    )


def _tells(event: Manifest, pool: Manifest, told: tuple[str, Tier]) -> bool:
    """Return whether an event on the pool has the same content."""
    involved = event.get("involvedObject") or {}
    metadata = pool["metadata"]
    annotations = (event.get("metadata") or {}).get("annotations") or {}
    return (
        involved.get("kind") == NETWORK_POOL.kind
        and involved.get("name") == metadata["name"]
        and involved.get("namespace") == metadata["namespace"]
        and event.get("reason") == told[0]
        and annotations.get(TIER, told[1]) == told[1]
    )


OBJECTS = Objects(
    resources=RESOURCES,
    owned=(NETWORK_POOL,),
    needed=(NETWORK_POOL,),
    shapes=SHAPES,
    record_spec=RECORD_SPEC,
    crds=crds,
    rights=RIGHTS,
    intake=INTAKE,
    update_rules=UPDATE_RULES,
    event=pool_event,
    observes=OBSERVED,
    observe=observe,
    listings=LISTINGS,
    newcomer=NEWCOMER,
    growers=growers,
    may_own=may_own,
    copied=COPIED,
    writing=WRITING,
)
