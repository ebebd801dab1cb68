"""Cluster objects of NovaEdge: import and listings."""

from collections.abc import Iterator
from typing import NamedTuple

from reconciler.addresses import format_count
from reconciler.documents.document import Document
from reconciler.families.importing import (
    Copied,
    ImportedBody,
    ImportedList,
    IntakeKind,
    being_deleted,
)
from reconciler.families.interface import (
    NAME_COLUMN,
    SOURCE_COLUMN,
    Listing,
    ListingColumn,
    ListingInput,
    ListingRow,
    Objects,
)
from reconciler.families.novaedge import kinds
from reconciler.families.novaedge.reading import (
    FIELDS,
    address_family,
    auto_assign,
    host_text,
    read_vip,
)
from reconciler.model.claim import Allocation, current_records
from reconciler.model.instant import age
from reconciler.model.objects import NAMED, Manifest

_NONE = "-"


def _with_own_addresses(body: ImportedBody, manifest: Manifest) -> ImportedBody:
    spec, status = dict(body.get("spec") or {}), manifest.get("status") or {}
    for field in FIELDS if "poolRef" in spec else ():
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
    Copied(IntakeKind(kinds.POOLS, kinds.KINDS), "pools", being_deleted, _with_others),
    Copied(_VIP_INTAKE, "tenants", being_deleted),
)


class _Vip(NamedTuple):
    addresses: str
    pool: str
    bound: str
    age: str


def _pools(listed: ListingInput) -> Iterator[ListingRow]:
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


def _vips(listed: ListingInput) -> Iterator[ListingRow]:
    """Yield VIPs, each with the addresses of its records, or its own addresses without a pool."""
    records = current_records(listed.records)
    for document in listed.documents.of(kinds.VIP):
        vip = read_vip(document, [])
        found = [records.get(kinds.vip_key(document.name, version)) for version in vip.versions]
        held = [item.range for item in found if item and item.is_live and item.range]
        if not vip.pool:
            held = [named.item for named in vip.named.values()]
        texts = ", ".join(map(host_text, held)) or _NONE
        since = _created(document) or next((it.allocated_at for it in found if it), "")
        row = _Vip(texts, vip.pool or _NONE, _bound(vip.pool, found), _age(since, listed))
        yield ListingRow(document, row)


def _bound(pool: str, records: list[Allocation | None]) -> str:
    """Return `True` or the reason why it is not bound; VIPs without a pool are never bound."""
    if not pool:
        return _NONE
    refused = next((item.reason for item in records if item and item.reason), "")
    return "True" if all(item and item.is_live for item in records) else refused or "pending"


def _created(document: Document) -> str:
    created = document.copied.get("creationTimestamp")
    return created if isinstance(created, str) else ""


def _age(since: str, listed: ListingInput) -> str:
    return age(since, listed.clock) if since else _NONE


def _bfd(row: ListingRow) -> str:
    return "Yes" if (row.document.spec.get("bfd") or {}).get("enabled") else "No"


def _cidrs(row: ListingRow) -> str:
    return ",".join(row.document.spec.get("cidrs") or ()) or _NONE


LISTINGS = (
    Listing(
        "ippools",
        kinds.POOL,
        _pools,
        (
            NAME_COLUMN,
            ListingColumn("ALLOCATED", lambda row: format_count(row.more[0].allocated)),
            ListingColumn("AVAILABLE", lambda row: format_count(row.more[0].available)),
            ListingColumn("AUTO-ASSIGN", lambda row: str(auto_assign(row.document)).lower()),
            ListingColumn("AGE", lambda row: str(row.more[1])),
        ),
        (
            ListingColumn("TOTAL", lambda row: str(row.more[0].total)),
            ListingColumn("FREE", lambda row: str(row.more[0].available)),
            ListingColumn("CIDRS", _cidrs),
            ListingColumn("TIER", lambda row: str(row.more[0].tier.value)),
        ),
    ),
    Listing(
        "vips",
        kinds.VIP,
        _vips,
        (
            NAME_COLUMN,
            ListingColumn("ADDRESS", lambda row: str(row.more.addresses)),
            ListingColumn("MODE", lambda row: str(row.document.spec["mode"])),
            ListingColumn("FAMILY", lambda row: address_family(row.document)),
            ListingColumn("BFD", _bfd),
            ListingColumn("POOL", lambda row: str(row.more.pool)),
            ListingColumn("AGE", lambda row: str(row.more.age)),
        ),
        (ListingColumn("BOUND", lambda row: str(row.more.bound)), SOURCE_COLUMN),
    ),
)


OBJECTS = Objects(
    resources=kinds.RESOURCES,
    owned=(kinds.POOLS,),
    shapes=kinds.SHAPES,
    record_spec={"claimRef": NAMED},
    crds=kinds.crds,
    rights=kinds.RIGHTS,
    intake=(_VIP_INTAKE,),
    listings=LISTINGS,
    copied=COPIED,
)
