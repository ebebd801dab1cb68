"""Cluster objects of NovaEdge."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from reconciler.addresses import format_count
from reconciler.documents.document import Document
from reconciler.families.importing import Copied, ImportedBody, ImportedList, IntakeKind
from reconciler.families.interface import Listing, ListingColumn, ListingInput, ListingRow, Objects
from reconciler.families.novaedge.kinds import (
    KINDS,
    POOL,
    POOLS,
    RESOURCES,
    RIGHTS,
    SHAPES,
    VIP,
    VIPS,
    crds,
    host_text,
)
from reconciler.families.novaedge.pools import (
    FIELDS,
    address_family,
    auto_assign,
    pool_key,
    read_vip,
    vip_key,
)
from reconciler.model.claim import Allocation, current_records
from reconciler.model.instant import age
from reconciler.model.objects import NAMED, Manifest
from reconciler.model.plan import Usage


def _with_its_own(body: dict[str, Any], manifest: Manifest) -> dict[str, Any]:
    """Return the copy with the addresses that NovaEdge gave a ProxyVIP, because they are in use."""
    spec, status = dict(body.get("spec") or {}), manifest.get("status") or {}
    for field in FIELDS if "poolRef" in spec else ():
        if text := status.get(field):
            named = "ipv6Address" if ":" in str(text) else "address"
            spec.setdefault(named, text)
    return {**body, "spec": spec} if spec else body


INTAKE = (
    IntakeKind(
        VIPS,
        tuple(kind for kind in KINDS if kind.id == VIP),
        ("gets no address", "get no address"),
        amend=_with_its_own,
    ),
)


_POOL_INTAKE = IntakeKind(POOLS, tuple(kind for kind in KINDS if kind.id == POOL))


def _left(manifest: Manifest, there: ImportedList) -> str:
    del there
    return "it is being deleted" if "deletionTimestamp" in manifest["metadata"] else ""


def _with_others(body: ImportedBody, manifest: Manifest, there: ImportedList) -> ImportedBody:
    """Return a pool with the status entries of users other than its ProxyVIPs."""
    del there
    given = (manifest.get("status") or {}).get("allocations")
    others = [
        {key: item[key] for key in ("address", "vipRef") if key in item}
        for item in given or ()
        if isinstance(item, dict)
    ]
    return {**body, "status": {"allocations": others}} if others else body


COPIED = (
    Copied(_POOL_INTAKE, "pools", _left, _with_others),
    *(Copied(item, "tenants", _left) for item in INTAKE),
)


_NONE = "-"


class _Pool(Struct, frozen=True):
    usage: Usage
    age: str


class _Vip(Struct, frozen=True):
    addresses: str
    pool: str
    bound: str
    age: str


def _pools(standing: ListingInput) -> Iterator[ListingRow]:
    """Yield valid pools, each with its usage."""
    first: dict[object, str] = {}
    for record in standing.records:
        if record.allocated_at:
            known = first.setdefault(record.pool, record.allocated_at)
            first[record.pool] = min(known, record.allocated_at)
    for document in standing.documents.of(POOL):
        key = pool_key(document.name)
        if (usage := standing.usage.get(key)) is not None:
            since = _created(document) or first.get(key, "")
            yield ListingRow(document, _Pool(usage, _age(since, standing)))


def _vips(standing: ListingInput) -> Iterator[ListingRow]:
    """Yield VIPs, each with the addresses of its records, or its own addresses without a pool."""
    records = current_records(standing.records)
    for document in standing.documents.of(VIP):
        wish = read_vip(document, [])
        found = [records.get(vip_key(document.name, version)) for version in wish.versions]
        held = [item.range for item in found if item and item.is_live and item.range]
        if not wish.pool:
            held = [named.item for named in wish.named.values()]
        texts = ", ".join(map(host_text, held)) or _NONE
        since = _created(document) or next((it.allocated_at for it in found if it), "")
        row = _Vip(texts, wish.pool or _NONE, _bound(wish.pool, found), _age(since, standing))
        yield ListingRow(document, row)


def _bound(pool: str, records: list[Allocation | None]) -> str:
    """Return `True` or the reason why it is not bound; VIPs without a pool are never bound."""
    if not pool:
        return _NONE
    refused = next((item.reason for item in records if item and item.reason), "")
    return "True" if all(item and item.is_live for item in records) else refused or "pending"


def _created(document: Document) -> str:
    """Return the creation time of the imported object; empty if unknown."""
    created = document.copied.get("creationTimestamp")
    return created if isinstance(created, str) else ""


def _age(since: str, standing: ListingInput) -> str:
    return age(since, standing.clock) if since else _NONE


def _bfd(row: ListingRow) -> str:
    return "Yes" if (row.document.spec.get("bfd") or {}).get("enabled") else "No"


LISTINGS = (
    Listing(
        "ippools",
        POOL,
        _pools,
        (
            ListingColumn("NAME", lambda row: row.document.name),
            ListingColumn("ALLOCATED", lambda row: format_count(row.more.usage.allocated)),
            ListingColumn("AVAILABLE", lambda row: format_count(row.more.usage.available)),
            ListingColumn("AUTO-ASSIGN", lambda row: str(auto_assign(row.document)).lower()),
            ListingColumn("AGE", lambda row: str(row.more.age)),
        ),
        (
            ListingColumn("TOTAL", lambda row: str(row.more.usage.total)),
            ListingColumn("FREE", lambda row: str(row.more.usage.available)),
            ListingColumn(
                "CIDRS", lambda row: ",".join(row.document.spec.get("cidrs") or ()) or _NONE
            ),
            ListingColumn("TIER", lambda row: str(row.more.usage.tier.value)),
        ),
    ),
    Listing(
        "vips",
        VIP,
        _vips,
        (
            ListingColumn("NAME", lambda row: row.document.name),
            ListingColumn("ADDRESS", lambda row: str(row.more.addresses)),
            ListingColumn("MODE", lambda row: str(row.document.spec["mode"])),
            ListingColumn("FAMILY", lambda row: address_family(row.document)),
            ListingColumn("BFD", _bfd),
            ListingColumn("POOL", lambda row: str(row.more.pool)),
            ListingColumn("AGE", lambda row: str(row.more.age)),
        ),
        (
            ListingColumn("BOUND", lambda row: str(row.more.bound)),
            ListingColumn("SOURCE", lambda row: f"{row.document.path}:{row.document.line}"),
        ),
    ),
)


OBJECTS = Objects(
    resources=RESOURCES,
    owned=(POOLS,),
    shapes=SHAPES,
    record_spec={"claimRef": NAMED},
    crds=crds,
    rights=RIGHTS,
    intake=INTAKE,
    listings=LISTINGS,
    copied=COPIED,
)
