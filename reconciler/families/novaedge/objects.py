"""Cluster objects of NovaEdge: projection, import, and listings."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from reconciler.addresses import format_count
from reconciler.documents.document import Document
from reconciler.families import importing, interface
from reconciler.families.fields import condition
from reconciler.families.importing import Copied, ImportedBody, ImportedList, IntakeKind
from reconciler.families.interface import Listing, ListingColumn, ListingRow, Projection
from reconciler.families.novaedge import kinds, reading
from reconciler.model.claim import Allocation, current_records
from reconciler.model.instant import age
from reconciler.model.key import Key
from reconciler.model.objects import Manifest
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


def project(world: interface.ProjectionInput) -> tuple[Projection, ...]:
    """Return pools as owned objects, and only the status of VIPs, which others own."""
    records = [item for item in world.records if item.claim.family == kinds.NAME]
    return (*_pool_objects(world, records), *_vip_objects(world, current_records(records)))


def _pool_objects(
    world: interface.ProjectionInput, records: Iterable[Allocation]
) -> Iterator[Projection]:
    given: dict[Key, list[Allocation]] = {}
    for record in records:
        if record.is_live:
            given.setdefault(record.pool, []).append(record)
    for document in world.documents.of(kinds.POOL):
        key = kinds.pool_key(document.name)
        if key in world.reading.pools:
            others = [
                it for it in reading.held_in_pool(document, [])
                if reading.is_of_others(it, document, world.documents)
            ]  # fmt: skip
            status = _pool_status(world.usage[key], given.get(key, []), world.clock, others)
            yield interface.projected(document, status)


def _pool_status(
    usage: Usage, records: Iterable[Allocation], since: str, others: Iterable[reading.HeldAddress]
) -> dict[str, Any]:
    """NovaEdge would allocate unlisted addresses, so the addresses of other users are listed."""
    listed = {it.item: {"address": reading.host_text(it.item), "vipRef": it.user} for it in others}
    for item in records:
        if item.range is not None:
            listed[item.range] = {
                "address": reading.host_text(item.range),
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


def _vip_objects(
    world: interface.ProjectionInput, records: Mapping[Key, Allocation]
) -> Iterator[Projection]:
    for document in world.documents.of(kinds.VIP):
        status = _status(document, records, world.clock)
        if world.applies_documents:
            yield interface.projected(document, status)
        elif status:
            yield interface.status_only(document, status)


def _status(document: Document, records: Mapping[Key, Allocation], since: str) -> dict[str, Any]:
    vip = reading.read_vip(document, [])
    if not vip.pool:
        return {}
    found = [records.get(kinds.vip_key(document.name, version)) for version in vip.versions]
    # NovaEdge announces the first field. The second field is only used in addition to an IPv4
    # address.
    texts = [reading.host_text(it.range) if it and it.is_live and it.range else "" for it in found]
    status: dict[str, Any] = {
        field: text for field, text in zip(reading.FIELDS, texts, strict=False) if text
    }
    status["conditions"] = [condition("Bound", *_bound_state(vip.pool, texts, found), since)]
    return status


def _bound_state(
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


_NONE = "-"


def _with_own_addresses(body: ImportedBody, manifest: Manifest) -> ImportedBody:
    spec, status = dict(body.get("spec") or {}), manifest.get("status") or {}
    for field in reading.FIELDS if "poolRef" in spec else ():
        if text := status.get(field):
            spec.setdefault("ipv6Address" if ":" in str(text) else "address", text)
    return {**body, "spec": spec} if spec else body


def _with_others(body: ImportedBody, manifest: Manifest, _: ImportedList) -> ImportedBody:
    given = (manifest.get("status") or {}).get("allocations")
    others = [
        {key: item[key] for key in ("address", "vipRef") if key in item}
        for item in given or ()
        if isinstance(item, dict)
    ]
    return {**body, "status": {"allocations": others}} if others else body


_GETS = ("gets no address", "get no address")
_VIP_INTAKE = IntakeKind(kinds.VIPS, kinds.KINDS, _GETS, amend=_with_own_addresses)

COPIED = (
    Copied(IntakeKind(kinds.POOLS, kinds.KINDS), "pools", importing.being_deleted, _with_others),
    Copied(_VIP_INTAKE, "tenants", importing.being_deleted),
)


def _pools(listed: interface.ListingInput) -> Iterator[ListingRow]:
    first: dict[object, str] = {}
    for record in listed.records:
        if record.allocated_at:
            known = first.setdefault(record.pool, record.allocated_at)
            first[record.pool] = min(known, record.allocated_at)
    for document in listed.documents.of(kinds.POOL):
        key = kinds.pool_key(document.name)
        if (usage := listed.usage.get(key)) is not None:
            since = _created(document) or first.get(key, "")
            yield ListingRow(document, (usage, _age(since, listed)))


def _vips(listed: interface.ListingInput) -> Iterator[ListingRow]:
    records = current_records(listed.records)
    for document in listed.documents.of(kinds.VIP):
        vip = reading.read_vip(document, [])
        found = [records.get(kinds.vip_key(document.name, version)) for version in vip.versions]
        held = [item.range for item in found if item and item.is_live and item.range]
        if not vip.pool:
            held = [named.item for named in vip.named.values()]
        texts = ", ".join(map(reading.host_text, held)) or _NONE
        since = _created(document) or next((it.allocated_at for it in found if it), "")
        bound = _bound(vip.pool, found)
        yield ListingRow(document, (texts, vip.pool or _NONE, bound, _age(since, listed)))


def _bound(pool: str, records: list[Allocation | None]) -> str:
    if not pool:
        return _NONE
    refused = next((item.reason for item in records if item and item.reason), "")
    return "True" if all(item and item.is_live for item in records) else refused or "pending"


def _created(document: Document) -> str:
    created = document.copied.get("creationTimestamp")
    return created if isinstance(created, str) else ""


def _age(since: str, listed: interface.ListingInput) -> str:
    return age(since, listed.clock) if since else _NONE


def _bfd(row: ListingRow) -> str:
    return "Yes" if (row.document.spec.get("bfd") or {}).get("enabled") else "No"


LISTINGS = (
    Listing(
        "ippools",
        kinds.POOL,
        _pools,
        (
            interface.NAME_COLUMN,
            ListingColumn("ALLOCATED", lambda row: format_count(row.more[0].allocated)),
            ListingColumn("AVAILABLE", lambda row: format_count(row.more[0].available)),
            ListingColumn(
                "AUTO-ASSIGN", lambda row: str(reading.auto_assign(row.document)).lower()
            ),
            ListingColumn("AGE", lambda row: str(row.more[1])),
        ),
        (
            ListingColumn("TOTAL", lambda row: str(row.more[0].total)),
            ListingColumn("FREE", lambda row: str(row.more[0].available)),
            ListingColumn(
                "CIDRS", lambda row: ",".join(row.document.spec.get("cidrs") or ()) or _NONE
            ),
            ListingColumn("LEVEL", lambda row: str(row.more[0].tier.value)),
        ),
    ),
    Listing(
        "vips",
        kinds.VIP,
        _vips,
        (
            interface.NAME_COLUMN,
            ListingColumn("ADDRESS", lambda row: str(row.more[0])),
            ListingColumn("MODE", lambda row: str(row.document.spec["mode"])),
            ListingColumn("FAMILY", lambda row: reading.address_family(row.document)),
            ListingColumn("BFD", _bfd),
            ListingColumn("POOL", lambda row: str(row.more[1])),
            ListingColumn("AGE", lambda row: str(row.more[3])),
        ),
        (ListingColumn("BOUND", lambda row: str(row.more[2])), interface.SOURCE_COLUMN),
    ),
)


OBJECTS = interface.Objects(
    resources=kinds.RESOURCES,
    owned=(kinds.POOLS,),
    crds=tuple(f"{it.group}_{it.plural}.yaml" for it in kinds.RESOURCES),
    rights=kinds.RIGHTS,
    intake=(_VIP_INTAKE,),
    listings=LISTINGS,
    copied=COPIED,
)
