"""Objects, announcements, and metrics of Butler."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from reconciler.addresses import IPRange, IPSet, ends, format_cidr, format_range
from reconciler.families.butler import kinds
from reconciler.families.butler.pools import Providers, capacity, nodes_per_tenant
from reconciler.families.butler.requests import stands_for
from reconciler.families.butler.tenants import TenantName, manual_title
from reconciler.families.fields import condition
from reconciler.families.interface import (
    Announcing,
    ClusterKind,
    FamilyMetrics,
    Measured,
    Projection,
    ProjectionInput,
    Turn,
    projected,
    status_only,
)
from reconciler.loadbalancers.interface import LoadBalancerPool
from reconciler.model.claim import Allocation, Phase, current_records
from reconciler.model.key import Key
from reconciler.model.metric import Sample, metric_makers
from reconciler.model.objects import Manifest, tenant_name
from reconciler.model.plan import CONDITION, Grant, Refuse, Usage
from reconciler.model.pool import Pool, Tier

State = tuple[str, str, str]
"""Status, reason, and message of a condition."""


def project(world: ProjectionInput) -> tuple[Projection, ...]:
    """Return NetworkPools, status of foreign objects, and each tenant's load-balancer pool."""
    providers = Providers(world.documents)
    others = [*_provider_statuses(world, providers), *_tenant_statuses(world, providers)]
    documents = _documents(world, others) if world.applies_documents else others
    return (*_pools(world), *documents, *_announced(world))


def _documents(world: ProjectionInput, statuses: Iterable[Projection]) -> Iterator[Projection]:
    status = {
        (it.manifest["kind"], *it.manifest["metadata"].values()): it.manifest["status"]
        for it in statuses
    }
    for kind in (kinds.TEAM, kinds.PROVIDER, kinds.TENANT):
        for document in world.documents.of(kind):
            found = status.get((kind.kind, document.name, document.namespace))
            yield projected(document, found)


def _pools(world: ProjectionInput) -> Iterator[Projection]:
    for document in world.documents.of(kinds.POOL):
        key = kinds.pool_key(document.namespace, document.name)
        pool = world.reading.pools.get(key)
        if pool is not None:
            yield projected(document, _pool_status(pool, world.usage[key], world.clock))


def _pool_status(pool: Pool, usage: Usage, since: str) -> dict[str, Any]:
    extent = pool.extent.ranges[0]
    outside = pool.extent - IPSet.of(pool.windows) - pool.reserved
    inner = IPSet((IPRange(4, extent.first + 1, extent.last - 1),)) if extent.size > 2 else IPSet()
    unmanaged = outside & inner
    status: dict[str, Any] = {
        "allocatedIPs": usage.allocated,
        "allocationCount": usage.count,
        "availableIPs": usage.available,
        "conditions": _pool_conditions(usage, since),
        "fragmentationPercent": usage.fragmentation,
        "largestFreeBlock": usage.largest,
        "poolSizeIPs": pool.extent.size,
        "reservedIPs": pool.reserved.size,
        "totalIPs": usage.total,
        "unmanagedScopeIPs": unmanaged.size,
    }
    if unmanaged:
        status["unmanagedRanges"] = list(map(ends, unmanaged))
    return status


def _pool_conditions(usage: Usage, since: str) -> list[Mapping[str, str]]:
    used = usage.allocated + usage.held
    # Divide first, as Butler does: 23 of 40 is then 57%, not 58%.
    share = used / usage.total * 100 if usage.total else 100.0
    ready = f"{usage.available}/{usage.total} IPs available ({usage.count} allocations)"
    conditions = [condition("Ready", "True", "Ready", ready, since)]
    for tier in (Tier.WARNING, Tier.CRITICAL, Tier.EXHAUSTED):
        reached = usage.tier.rank >= tier.rank
        reason = "UtilizationAboveThreshold" if reached else "UtilizationBelowThreshold"
        message = f"Pool utilization is {share:.0f}% ({used}/{usage.total} IPs)"
        kind = f"Capacity{tier.value.capitalize()}"
        conditions.append(condition(kind, str(reached), reason, message, since))
    return conditions


_AVAILABLE = "PoolAvailable"


def _provider_statuses(world: ProjectionInput, providers: Providers) -> Iterator[Projection]:
    nodes = nodes_per_tenant(world.documents)
    for provider in providers.all():
        if provider.names_no_pool:
            message = "network.mode is 'ipam' but no poolRefs configured"
            failed = condition(_AVAILABLE, "False", "ValidationFailed", message, world.clock)
            yield status_only(provider.document, {"conditions": [failed]})
        elif provider.is_ipam:
            available, tenants = capacity(world.usage, provider, nodes)
            state: State = ("True", _AVAILABLE, f"{available} IPs available (~{tenants} tenants)")
            if available == 0:
                state = ("False", "PoolExhausted", "all configured pools are exhausted")
            status = {
                "capacity": {"availableIPs": available, "estimatedTenants": tenants},
                "conditions": [condition(_AVAILABLE, *state, world.clock)],
            }
            yield status_only(provider.document, status)


_CLOUD = ("True", "Ready", "cloud networking mode")
_NO_POOLS = ("False", "NetworkNotReady", "IPAM mode but no poolRefs configured on provider")
_SKIPPED = ("True", "Ready", "LB IP allocation skipped (initial pool size 0)")
_WAITING = ("False", "Reconciling", "waiting for LB IP allocation")
_FULL = ("False", "PoolExhausted", "all configured pools are exhausted")
_FIELDS = {"lbAllocationRef": kinds.LB, "ipAllocationRef": kinds.NODES}


def _tenant_statuses(world: ProjectionInput, providers: Providers) -> Iterator[Projection]:
    current = current_records(world.records).values()
    replacing = {it.key: it.stands_for for it in world.reading.claims.values() if it.stands_for}
    records = _effective(current, replacing)
    replaced = {*map(stands_for, world.documents.of(kinds.REQUEST)), *replacing.values()}
    growth = _growth(current)
    for document in world.documents.of(kinds.TENANT):
        name = document.namespace, document.name
        status: dict[str, Any] = {}
        for field, slot in _FIELDS.items():
            if (record := records.get(kinds.tenant_key(*name, slot))) is not None:
                status[field] = {"name": record.name}
        key = kinds.tenant_key(*name, kinds.LB)
        provider, _ = providers.of(document)
        if provider is not None and not provider.is_ipam:
            state: State = _CLOUD
        elif provider is not None and provider.names_no_pool:
            state = _NO_POOLS
        elif (record := records.get(key)) is not None:
            state = _recorded(record, growth.get(name, ()))
        else:
            reading = world.reading
            is_unknown = provider is None or key.owner in reading.protected
            state = _WAITING if key in reading.claims or key in replaced or is_unknown else _SKIPPED
        status["conditions"] = [condition(CONDITION, *state, world.clock)]
        yield status_only(document, status)


def _recorded(record: Allocation, further: Sequence[Allocation]) -> State:
    if record.range is not None:
        ranges = [it.range for it in (record, *further) if it.range is not None]
        texts = ", ".join(format_cidr(item) or format_range(item) for item in ranges)
        return "True", "Ready", f"LB IPs allocated: {texts}"
    if record.phase is Phase.PENDING:
        return _WAITING
    if record.reason in ("pool-exhausted", "pool-fragmented"):
        return _FULL
    # Butler has one reason for all failures; only the message differs.
    return *_FULL[:2], record.message


def _effective(
    records: Iterable[Allocation], replacing: Mapping[Key, Key]
) -> dict[Key, Allocation]:
    found: dict[Key, Allocation] = {}
    for record in records:
        if record.claim.family != kinds.NAME or record.role != "initial" or record.is_released:
            continue
        key = record.claim
        # A record of a request counts if it holds addresses or replaces the own claim.
        if key.kind != kinds.TENANT.kind:
            own_name = kinds.own_name(record.owner.pair, record.type)
            is_own = record.name == own_name or key in replacing
            if record.namespace != kinds.SYSTEM or not (record.is_live or is_own):
                continue
            key = kinds.tenant_key(record.owner.namespace, record.owner.name, record.type)
        other = found.get(key)
        if other is None or _precedence(record) < _precedence(other):
            found[key] = record
    return found


def _precedence(record: Allocation) -> tuple[bool, bool, str]:
    return record.claim.kind != kinds.TENANT.kind, not record.is_live, record.name


def _growth(records: Iterable[Allocation]) -> dict[TenantName, list[Allocation]]:
    found: dict[TenantName, list[Allocation]] = {}
    for record in sorted(records, key=lambda it: it.claim.slot_order):
        key = record.claim
        is_tenants = (
            key.family == kinds.NAME and key.kind == kinds.TENANT.kind and record.role == "initial"
        )
        if is_tenants and record.is_live and record.type == kinds.LB and key.slot != kinds.LB:
            found.setdefault((key.namespace, key.name), []).append(record)
    return found


def _announcer(manifest: Manifest) -> str | None:
    spec = manifest.get("spec") or {}
    owner = spec.get(kinds.OWNER) or {}
    if spec.get("type") != kinds.LB or not owner.get("name"):
        return None
    return tenant_name(owner.get("namespace", ""), owner["name"])


def _homes(live: Manifest | None, namespace: str) -> Iterator[str]:
    inner = ((live or {}).get("status") or {}).get("tenantNamespace")
    if not isinstance(inner, str | None):
        raise ValueError("status.tenantNamespace is not a text")
    if inner:
        yield inner
    yield namespace


def announces(world: ProjectionInput) -> dict[str, list[IPRange]]:
    """Return the ranges that each tenant's cluster announces, by cluster name."""
    ranges: dict[str, list[IPRange]] = {}
    live = {record.claim for record in world.records if record.is_live}
    for record in world.records:
        if record.claim.family != kinds.NAME or record.type != kinds.LB:
            continue
        if (record.is_live or record.announced) and record.range is not None:
            ranges.setdefault(tenant_name(*record.owner.pair), []).append(record.range)
    manual = {blocked.title: blocked for blocked in world.reading.blocked}
    for document in world.documents.of(kinds.TENANT):
        blocked = manual.get(manual_title(document))
        if blocked is None or blocked.by_hand is None:
            continue
        there = ranges.setdefault(tenant_name(document.namespace, document.name), [])
        claim = blocked.by_hand.claim
        if (claim is None and not there) or (claim is not None and claim not in live):
            there.append(blocked.range)
    return ranges


ANNOUNCING = Announcing(
    ClusterKind(kinds.TENANT_CLUSTER, _homes),
    lambda it: tenant_name(*it.owner.pair),
    _announcer,
    announces,
)


def _announced(world: ProjectionInput) -> Iterator[Projection]:
    ranges = announces(world)
    named = {
        tenant_name(document.namespace, document.name): pool
        for document in world.documents.of(kinds.TENANT)
        if (pool := document.annotations().get(kinds.NAMED)) is not None
    }
    for cluster in sorted(ranges):
        made = LoadBalancerPool(
            named.get(cluster, world.pool_name),
            tuple(ranges[cluster]),
            advertisement={"type": "None" if world.advertisement == "none" else "L2"},
            advertisement_name="default",
        )
        for item in kinds.BALANCER.objects((made,), ""):
            yield Projection(cluster, item)


_gauge, _counter, _ = metric_makers("butler_")
_OF_POOL, _OF_PROVIDER = ("pool", "namespace"), ("provider", "namespace")
_POOL, _PROVIDER = "network_pool", "provider_config"
_FREE_HELP = "Free addresses: neither allocated nor held after release"
_FRAGMENTATION_HELP = "Percentage of free addresses outside the largest free block"
_LARGEST_HELP = "Size of the largest free block, in addresses"
_OF_POOLS = {
    "total": _gauge(f"{_POOL}_total_ips", "Addresses that the pool can allocate", *_OF_POOL),
    "allocated": _gauge(f"{_POOL}_allocated_ips", "Addresses that tenants hold", *_OF_POOL),
    "available": _gauge(f"{_POOL}_available_ips", _FREE_HELP, *_OF_POOL),
    "count": _gauge(f"{_POOL}_allocation_count", "Allocations of the pool", *_OF_POOL),
    "fragmentation": _gauge(f"{_POOL}_fragmentation_percent", _FRAGMENTATION_HELP, *_OF_POOL),
    "largest": _gauge(f"{_POOL}_largest_free_block", _LARGEST_HELP, *_OF_POOL),
}
_PROCESSED = _counter(
    "ip_allocation_processed_total",
    "Processed allocations, by result: success, or failed (newly refused)",
    *(*_OF_POOL, "result"),
)
_READY_HELP = "1 when the provider names pools that have addresses left, else 0"
_READY = _gauge(f"{_PROVIDER}_ready", _READY_HELP, *_OF_PROVIDER, "type", "scope")
_LEFT_HELP = "Addresses that the provider's pools have left"
_LEFT = _gauge(f"{_PROVIDER}_available_ips", _LEFT_HELP, *_OF_PROVIDER)
_TENANTS_HELP = "Tenants that the provider's pools have room for"
_TENANTS = _gauge(f"{_PROVIDER}_estimated_tenants", _TENANTS_HELP, *_OF_PROVIDER)


def _of_pools(usage: Mapping[Key, Usage]) -> Iterator[Sample]:
    for key, used in usage.items():
        if key.family == kinds.NAME and key.kind == kinds.POOL.kind:
            for field, metric in _OF_POOLS.items():
                yield Sample(metric, (key.name, key.namespace), getattr(used, field))


def _of_documents(measured: Measured) -> Iterator[Sample]:
    nodes = nodes_per_tenant(measured.documents)
    for provider in Providers(measured.documents).all():
        if not provider.is_ipam:
            continue
        spec, labels = provider.document.spec, (provider.document.name, provider.document.namespace)
        left, tenants = capacity(measured.usage, provider, nodes)
        type_ = str(spec.get("provider") or "")
        scope = str((spec.get("scope") or {}).get("type") or "platform")
        yield Sample(_READY, (*labels, type_, scope), int(left > 0))
        yield Sample(_LEFT, labels, left)
        yield Sample(_TENANTS, labels, tenants)


def _of_turn(turn: Turn) -> Iterator[Sample]:
    for decision in turn.decisions:
        if decision.claim.family != kinds.NAME:
            continue
        if isinstance(decision, Grant):
            pool = decision.allocation.pool
            yield Sample(_PROCESSED, (pool.name, pool.namespace, "success"), 1)
        elif isinstance(decision, Refuse) and decision.claim in turn.newly_refused:
            claim = turn.claims.get(decision.claim)
            # A claim without an existing pool is not counted for any pool.
            first = claim.candidates[0] if claim is not None and claim.candidates else None
            names = (first.name, first.namespace) if first is not None else ("", "")
            yield Sample(_PROCESSED, (*names, "failed"), 1)


METERING = FamilyMetrics(
    (*_OF_POOLS.values(), _PROCESSED, _READY, _LEFT, _TENANTS), _of_pools, _of_documents, _of_turn
)
