"""Objects that Butler publishes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from reconciler.addresses import IPRange, IPSet, format_address, format_cidr, format_range
from reconciler.documents.document import Document, Documents
from reconciler.families.butler.kinds import NAME, POOL, PROVIDER, REQUEST, SYSTEM, TEAM, TENANT
from reconciler.families.butler.pools import pool_key
from reconciler.families.butler.providers import (
    Providers,
    names_no_pool,
    provider_statuses,
    status_only,
)
from reconciler.families.butler.records import announces
from reconciler.families.butler.requests import stands_for
from reconciler.families.butler.tenants import tenant_key
from reconciler.families.fields import condition
from reconciler.families.interface import Projection, ProjectionInput
from reconciler.families.metallb import NAMED, metallb_objects
from reconciler.model.claim import Allocation, Phase, current_records
from reconciler.model.key import Key
from reconciler.model.objects import MANAGEMENT, tenant_name
from reconciler.model.plan import CONDITION, Usage
from reconciler.model.pool import Pool, Tier

_EXHAUSTED = ("pool-exhausted", "pool-fragmented")
_CLOUD = ("True", "Ready", "cloud networking mode")
_NO_POOLS = ("False", "NetworkNotReady", "IPAM mode but no poolRefs configured on provider")
_SKIPPED = ("True", "Ready", "LB IP allocation skipped (initial pool size 0)")
_WAITING = ("False", "Reconciling", "waiting for LB IP allocation")
_FULL = ("False", "PoolExhausted", "all configured pools are exhausted")
_SLOTS = {"lbAllocationRef": "loadbalancer", "ipAllocationRef": "nodes"}


def tenant_statuses(world: ProjectionInput, providers: Providers) -> Iterator[Projection]:
    """Yield the status of each TenantCluster."""
    standing = {it.key: it.stands_for for it in world.reading.claims.values() if it.stands_for}
    records = _records(world.records, standing)
    stood_for = {**_stood_for(world.documents), **dict.fromkeys(standing.values(), True)}
    further = _further(world.records)
    context = _Context(world, providers, stood_for, _poolless(world.documents))
    for document in world.documents.of(TENANT):
        status: dict[str, Any] = {}
        for field, slot in _SLOTS.items():
            record = records.get(tenant_key(document.namespace, document.name, slot))
            if record is not None:
                status[field] = {"name": record.name}
        balancer = records.get(tenant_key(document.namespace, document.name, "loadbalancer"))
        told = context.network(document, balancer, further.get(_of(document), ()))
        status["conditions"] = [condition(CONDITION, *told, world.clock)]
        yield status_only(document, status)


class _Context(Struct, frozen=True):
    """Input for the readiness of a tenant's network."""

    world: ProjectionInput
    providers: Providers
    stood_for: Mapping[Key, bool]
    poolless: Mapping[tuple[str, str], bool]

    def network(
        self, document: Document, record: Allocation | None, further: Sequence[Allocation]
    ) -> tuple[str, str, str]:
        """Return status, reason, and message of a tenant's network.

        Args:
            document: The tenant.
            record: The record of its first load-balancer claim.
            further: Records of its growth, in order.
        """
        provider, key = self.providers.of(document)
        if provider is not None and not provider.is_ipam:
            return _CLOUD
        if key in self.poolless:
            return _NO_POOLS
        if record is not None:
            return _recorded(record, further)
        return _WAITING if self._is_wanted(document) else _SKIPPED

    def _is_wanted(self, document: Document) -> bool:
        """Return whether addresses are requested, or might be."""
        key = tenant_key(document.namespace, document.name, "loadbalancer")
        if key in self.world.reading.claims or key in self.stood_for:
            return True
        provider, _ = self.providers.of(document)
        return provider is None or key.owner in self.world.reading.protected


def _recorded(record: Allocation, further: Sequence[Allocation]) -> tuple[str, str, str]:
    if record.range is not None:
        ranges = [it.range for it in (record, *further) if it.range is not None]
        told = ", ".join(format_cidr(item) or format_range(item) for item in ranges)
        return "True", "Ready", f"LB IPs allocated: {told}"
    if record.phase is Phase.PENDING:
        return _WAITING
    if record.reason in _EXHAUSTED:
        return _FULL
    status, reason, _ = _FULL  # Butler has one reason for all failures; only the message differs
    return status, reason, record.message


def _records(records: Iterable[Allocation], standing: Mapping[Key, Key]) -> dict[Key, Allocation]:
    """Return the effective record of each tenant and slot; records in retention have no effect.

    Args:
        records: All records.
        standing: Claims of requests that replace tenants' own claims.
    """
    found: dict[Key, Allocation] = {}
    for record in current_records(records).values():
        if record.claim.family != NAME or record.role != "initial" or record.is_released:
            continue
        key = record.claim
        # A record of a request counts under Butler's name if it holds addresses or replaces the own
        # claim.
        if key.kind != TENANT.kind:
            if record.namespace != SYSTEM:
                continue
            short = {"loadbalancer": "lb"}.get(record.type, record.type)
            own_name = f"{record.owner.namespace}-{record.owner.name}-{short}"
            is_own = record.name == own_name or key in standing
            if not record.is_live and not is_own:
                continue
            key = tenant_key(record.owner.namespace, record.owner.name, record.type)
        other = found.get(key)
        if other is None or _speaks_first(record) < _speaks_first(other):
            found[key] = record
    return found


def _further(records: Iterable[Allocation]) -> dict[tuple[str, str], list[Allocation]]:
    """Return live growth records of each tenant's first load-balancer claim, in order."""
    found: dict[tuple[str, str], list[Allocation]] = {}
    for record in sorted(current_records(records).values(), key=lambda it: it.claim.slot_order):
        key = record.claim
        is_tenants = key.family == NAME and key.kind == TENANT.kind and record.role == "initial"
        is_first = key.slot == _SLOTS["lbAllocationRef"]
        if is_tenants and record.is_live and record.type == "loadbalancer" and not is_first:
            found.setdefault((key.namespace, key.name), []).append(record)
    return found


def _of(document: Document) -> tuple[str, str]:
    return document.namespace, document.name


def _speaks_first(record: Allocation) -> tuple[bool, bool, str]:
    """Return the sort key: the tenant's own record first, then records with addresses."""
    return record.claim.kind != TENANT.kind, not record.is_live, record.name


def _stood_for(documents: Documents) -> dict[Key, bool]:
    """Return claims of tenants that requests replace."""
    keys = (stands_for(document) for document in documents.of(REQUEST))
    return {key: True for key in keys if key is not None}


def _poolless(documents: Documents) -> dict[tuple[str, str], bool]:
    """Return the providers of mode `ipam` without a pool."""
    return {
        (document.namespace, document.name): True
        for document in documents.of(PROVIDER)
        if names_no_pool(document)
    }


_CAPACITY = (
    ("CapacityWarning", Tier.WARNING),
    ("CapacityCritical", Tier.CRITICAL),
    ("CapacityExhausted", Tier.EXHAUSTED),
)


def project(world: ProjectionInput) -> tuple[Projection, ...]:
    """Return NetworkPools, status of foreign objects, and each tenant's MetalLB pool.

    Records are projected elsewhere.
    """
    providers = Providers(world.documents)
    others = [*provider_statuses(world, providers), *tenant_statuses(world, providers)]
    return (
        *_pools(world),
        *(_documents(world, others) if world.applies_documents else others),
        *_tenants(world),
    )


def _documents(world: ProjectionInput, statuses: Iterable[Projection]) -> Iterator[Projection]:
    """Yield documents as objects, with the status that is known for them."""
    status = {_identity(item.manifest): item.manifest["status"] for item in statuses}
    for kind in (TEAM, PROVIDER, TENANT):
        for document in world.documents.of(kind):
            metadata = dict(document.metadata)
            if document.namespace:
                metadata["namespace"] = document.namespace
            manifest = {**document.body, "metadata": metadata}
            if (found := status.get((kind.kind, document.namespace, document.name))) is not None:
                manifest["status"] = found
            yield Projection(MANAGEMENT, manifest)


def _identity(manifest: Mapping[str, Any]) -> tuple[str, str, str]:
    metadata = manifest["metadata"]
    return manifest["kind"], metadata.get("namespace", ""), metadata["name"]


def _pools(world: ProjectionInput) -> list[Projection]:
    found = []
    for document in world.documents.of(POOL):
        key = pool_key(document.namespace, document.name)
        pool = world.reading.pools.get(key)
        if pool is None:
            continue
        manifest = {
            "apiVersion": document.kind.api_version,
            "kind": POOL.kind,
            "metadata": {**document.metadata, "namespace": document.namespace},
            "spec": document.spec,
            "status": pool_status(pool, world.usage[key], world.clock),
        }
        found.append(Projection(MANAGEMENT, manifest))
    return found


def pool_status(pool: Pool, usage: Usage, since: str) -> dict[str, Any]:
    """Return counters and conditions of a NetworkPool, without values that only the cluster has.

    Other users of its addresses (`infrastructureAllocations`) are added during apply.

    Args:
        pool: The pool.
        usage: Its counters.
        since: `lastTransitionTime` of conditions that the cluster does not have yet.
    """
    extent = pool.extent.ranges[0]
    outside = pool.extent - IPSet.of(pool.windows) - pool.reserved
    inner = IPSet((IPRange(4, extent.first + 1, extent.last - 1),)) if extent.size > 2 else IPSet()
    unmanaged = outside & inner
    status: dict[str, Any] = {
        "allocatedIPs": usage.allocated,
        "allocationCount": usage.count,
        "availableIPs": usage.available,
        "conditions": _conditions(pool, usage, since),
        "fragmentationPercent": usage.fragmentation,
        "largestFreeBlock": usage.largest,
        "poolSizeIPs": pool.extent.size,
        "reservedIPs": pool.reserved.size,
        "totalIPs": usage.total,
        "unmanagedScopeIPs": unmanaged.size,
    }
    if unmanaged:
        status["unmanagedRanges"] = [
            {"start": format_address(4, item.first), "end": format_address(4, item.last)}
            for item in unmanaged
        ]
    return status


def _conditions(pool: Pool, usage: Usage, since: str) -> list[Mapping[str, str]]:
    used = usage.allocated + usage.held
    # Divide first, as Butler does: 23 of 40 is then 57%, not 58%.
    share = used / usage.total * 100 if usage.total else 100.0
    ready = f"{usage.available}/{usage.total} IPs available ({usage.count} allocations)"
    conditions = [condition("Ready", "True", "Ready", ready, since)]
    for kind, tier in _CAPACITY:
        reached = usage.tier.rank >= tier.rank
        reason = "UtilizationAboveThreshold" if reached else "UtilizationBelowThreshold"
        message = f"Pool utilization is {share:.0f}% ({used}/{usage.total} IPs)"
        conditions.append(condition(kind, str(reached), reason, message, since))
    return conditions


def _tenants(world: ProjectionInput) -> list[Projection]:
    """Return each tenant's ranges, even if its document is missing or unreadable."""
    ranges = announces(world)
    named = {
        tenant_name(document.namespace, document.name): pool
        for document in world.documents.of(TENANT)
        if (pool := document.annotations().get(NAMED)) is not None
    }
    return [
        Projection(cluster, item)
        for cluster in sorted(ranges)
        for item in metallb_objects(ranges[cluster], named.get(cluster, world.metallb_pool))
    ]
