"""Objects of NovaEdge."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from reconciler.documents.document import Document
from reconciler.families.fields import condition
from reconciler.families.interface import Projection, ProjectionInput, projected, status_only
from reconciler.families.novaedge.kinds import NAME, POOL, VIP, pool_key, vip_key
from reconciler.families.novaedge.reading import (
    FIELDS,
    HeldAddress,
    held_in_pool,
    host_text,
    is_of_others,
    read_vip,
)
from reconciler.model.claim import Allocation, current_records
from reconciler.model.key import Key
from reconciler.model.plan import Usage

MAX_COUNTED = (1 << 31) - 1
MAX_LISTED = 4_096
"""Maximum allocations in the status of a pool. More would exceed the object size limit of etcd."""

REASONS = {
    "pool-exhausted": "PoolExhausted",
    "request-too-large": "PoolExhausted",
    "pin-taken": "AddressConflict",
    "pin-outside-pool": "AddressOutsidePool",
    "pin-reserved": "AddressOutsidePool",
    "pool-not-found": "PoolNotFound",
    "auto-assign-disabled": "AutoAssignDisabled",
    "family-mismatch": "AddressFamilyMismatch",
}
"""The reason of `Bound=False` for some refusals; `AllocationFailed` for all others."""


def project(world: ProjectionInput) -> tuple[Projection, ...]:
    """Return pools as owned objects, and only the status of VIPs, which others own."""
    records = [item for item in world.records if item.claim.family == NAME]
    return (*_pools(world, records), *_vips(world, current_records(records)))


def _pools(world: ProjectionInput, records: Iterable[Allocation]) -> Iterator[Projection]:
    given: dict[Key, list[Allocation]] = {}
    for record in records:
        if record.is_live:
            given.setdefault(record.pool, []).append(record)
    for document in world.documents.of(POOL):
        key = pool_key(document.name)
        if key in world.reading.pools:
            others = [
                it for it in held_in_pool(document, [])
                if is_of_others(it, document, world.documents)
            ]  # fmt: skip
            status = _pool_status(world.usage[key], given.get(key, []), world.clock, others)
            yield projected(document, status)


def _pool_status(
    usage: Usage, records: Iterable[Allocation], since: str, others: Iterable[HeldAddress]
) -> dict[str, Any]:
    """NovaEdge would allocate unlisted addresses, so those of other users are listed."""
    listed = {it.item: {"address": host_text(it.item), "vipRef": it.user} for it in others}
    for item in records:
        if item.range is not None:
            listed[item.range] = {
                "address": host_text(item.range),
                "allocatedAt": item.allocated_at,
                "vipRef": item.owner.name,
            }
    message = f"Pool has {usage.available} available addresses"
    return {
        "allocated": min(usage.allocated, MAX_COUNTED),
        "allocations": [listed[it] for it in sorted(listed)[:MAX_LISTED]],
        "available": min(usage.available, MAX_COUNTED),
        "conditions": [condition("Ready", "True", "PoolReady", message, since)],
    }


def _vips(world: ProjectionInput, records: Mapping[Key, Allocation]) -> Iterator[Projection]:
    for document in world.documents.of(VIP):
        status = _status(document, records, world.clock)
        if world.applies_documents:
            yield projected(document, status)
        elif status:
            yield status_only(document, status)


def _status(document: Document, records: Mapping[Key, Allocation], since: str) -> dict[str, Any]:
    vip = read_vip(document, [])
    if not vip.pool:
        return {}
    found = [records.get(vip_key(document.name, version)) for version in vip.versions]
    # NovaEdge announces the first field. The second field is only used in addition to an IPv4
    # address.
    texts = [host_text(it.range) if it and it.is_live and it.range else "" for it in found]
    status: dict[str, Any] = {
        field: text for field, text in zip(FIELDS, texts, strict=False) if text
    }
    status["conditions"] = [condition("Bound", *_bound(vip.pool, texts, found), since)]
    return status


def _bound(
    pool: str, texts: list[str], records: Iterable[Allocation | None]
) -> tuple[str, str, str]:
    if all(texts):
        noun = "Addresses" if len(texts) > 1 else "Address"
        message = f"{noun} {' and '.join(texts)} allocated from pool {pool}"
        return "True", "AddressAllocated", message
    refused = next((item for item in records if item and item.reason), None)
    if refused is None:
        return "False", "AllocationPending", "no address is recorded yet"
    reason = REASONS.get(refused.reason, "AllocationFailed")
    words = "pool exhausted: " if reason == "PoolExhausted" else ""
    return "False", reason, f"{words}{refused.message}"
