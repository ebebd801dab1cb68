"""Events on NetworkPools: a capacity tier reached or left, addresses given or refused.

Reasons and messages are Butler's (`butler.md` §1.1). What was told lately is read back from the
cluster, so that a restart, or a run elsewhere, repeats nothing.
"""

from collections.abc import Iterable

from reconciler.families._events import (
    QUIET_SECONDS,
    event_name,
    event_on,
    is_recent,
    reference,
)
from reconciler.families._objects import Happening
from reconciler.families.butler.announcing import TENANT_CLUSTER
from reconciler.families.butler.resources import NETWORK_POOL
from reconciler.model.growth import CONDITION, REASONS
from reconciler.model.pool import Thresholds, Tier
from reconciler.model.resource import Manifest, Ref

TIER = "gitops-ipam.dev/tier"
"""Annotation of an event: the tier that was reached, or that usage is below again."""

RECOVERED = "PoolCapacityRecovered"
_TIERS = (Tier.EXHAUSTED, Tier.CRITICAL, Tier.WARNING)


def pool_event(happening: Happening) -> Manifest | None:
    """The Event that a change of a pool, or of a record on a pool, gives cause for.

    Of the pools that were there before alone is told who got what.
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
    """The Event to create because a pool crosses a tier, if it does and nobody told so lately.

    Going up, it names the highest tier; going down, the lowest that usage is below again. A
    crossing within ten minutes of an event on the same tier is not told, not even later: the
    conditions say what is. Create the event before the status is applied: a run that is cut off
    between the two then repeats it, and the name makes that no second event.

    Args:
        wanted: The pool with its new status; its uid is used when it is there.
        live: The pool as it was in the cluster, or None.
        thresholds: The pool's own.
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
    # Two events that are further apart than the quiet time never share a window, so never a name.
    name = event_name(pool, reason, tier, str(now // QUIET_SECONDS))
    return event_on(pool, name, (kind, reason, message), now, {TIER: tier.value})


def tenant_event(
    wanted: Manifest, live: Manifest | None, events: Iterable[Manifest], now: int
) -> Manifest | None:
    """The Event that tells why a tenant does not grow, unless that was told in the last ten minutes.

    Args:
        wanted: The tenant with its new status.
        live: The tenant as it was in the cluster, or None.
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
    """The condition of a tenant's network."""
    conditions = (tenant.get("status") or {}).get("conditions") or ()
    return [it for it in conditions if it.get("type") == CONDITION and it.get("reason")]


def allocation_event(
    record: Manifest, live: Manifest | None, pool: Manifest | None, now: int
) -> Manifest | None:
    """The Event, on its pool, of an IPAllocation that got its addresses or was refused them.

    Args:
        record: The IPAllocation as it shall be.
        live: As it was in the cluster, or None.
        pool: Its NetworkPool in the cluster, or None when there is none.
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
    """The highest tier that the conditions of a pool name."""
    conditions = (pool.get("status") or {}).get("conditions") or ()
    reached = [item.get("type") for item in conditions if item.get("status") == "True"]
    return next(
        (tier for tier in _TIERS if f"Capacity{tier.value.capitalize()}" in reached), Tier.OK
    )


def _tells(event: Manifest, pool: Manifest, told: tuple[str, Tier]) -> bool:
    """The event is on the pool and tells of the same."""
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
