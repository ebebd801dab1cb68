"""A committed tree to Butler's objects in the management cluster and MetalLB's in the tenants'.

Status fields, condition types, reasons and messages: `butler.md` §1; thresholds are the pool's.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from reconciler.addresses import IPRange, IPSet
from reconciler.addresses.notation import format_address
from reconciler.families._conditions import condition
from reconciler.families._family import Projection, ProjectionInput
from reconciler.families._metallb import NAMED, metallb_objects
from reconciler.families.butler.announcing import announces
from reconciler.families.butler.kinds import POOL, PROVIDER, TEAM, TENANT
from reconciler.families.butler.pools import pool_key
from reconciler.families.butler.provider_status import provider_statuses
from reconciler.families.butler.providers import Providers
from reconciler.families.butler.tenant_status import tenant_statuses
from reconciler.model.cluster import MANAGEMENT, tenant_name
from reconciler.model.plan import Usage
from reconciler.model.pool import Pool, Tier

_CAPACITY = (
    ("CapacityWarning", Tier.WARNING),
    ("CapacityCritical", Tier.CRITICAL),
    ("CapacityExhausted", Tier.EXHAUSTED),
)


def project(world: ProjectionInput) -> tuple[Projection, ...]:
    """NetworkPools, others' status, and each tenant's MetalLB pool; records come from elsewhere."""
    providers = Providers(world.documents)
    others = [*provider_statuses(world, providers), *tenant_statuses(world, providers)]
    return (
        *_pools(world),
        *(_documents(world, others) if world.applies_documents else others),
        *_tenants(world),
    )


def _documents(world: ProjectionInput, statuses: Iterable[Projection]) -> Iterator[Projection]:
    """Documents as objects, with the status that we have of them."""
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
    """Counters and conditions of a NetworkPool, without what only the cluster can tell.

    Who uses its other addresses (`infrastructureAllocations`) is added when it is applied.

    Args:
        pool: The pool.
        usage: Its counters.
        since: `lastTransitionTime` of conditions that a cluster does not know yet.
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
    # Divided first, as Butler does: 23 of 40 are then 57 %, not 58 %.
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
    """Each tenant's ranges, whether or not its document is there and can be read."""
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
