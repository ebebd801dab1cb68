"""What `ipam get` shows of NovaEdge's kinds: the table of seed 003, and the VIPs with what they have."""

from collections.abc import Iterator

from msgspec import Struct

from reconciler.addresses.notation import format_count
from reconciler.documents.document import Document
from reconciler.families._objects import Column, Listing, Row, Standing
from reconciler.families.novaedge.hosts import host_text
from reconciler.families.novaedge.kinds import POOL, VIP
from reconciler.families.novaedge.pools import auto_assign, pool_key
from reconciler.families.novaedge.vips import address_family, read_vip, vip_key
from reconciler.model.allocation import Allocation
from reconciler.model.current import current_records
from reconciler.model.instant import age
from reconciler.model.plan import Usage

_NONE = "-"


class _Pool(Struct, frozen=True):
    usage: Usage
    age: str


class _Vip(Struct, frozen=True):
    addresses: str
    pool: str
    bound: str
    age: str


def _pools(standing: Standing) -> Iterator[Row]:
    """Pools that can be read, each with its usage."""
    first: dict[object, str] = {}
    for record in standing.records:
        if record.allocated_at:
            known = first.setdefault(record.pool, record.allocated_at)
            first[record.pool] = min(known, record.allocated_at)
    for document in standing.documents.of(POOL):
        key = pool_key(document.name)
        if (usage := standing.usage.get(key)) is not None:
            since = _created(document) or first.get(key, "")
            yield Row(document, _Pool(usage, _age(since, standing)))


def _vips(standing: Standing) -> Iterator[Row]:
    """VIPs, each with the addresses that its records hold, or that it names without a pool."""
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
        yield Row(document, row)


def _bound(pool: str, records: list[Allocation | None]) -> str:
    """`True`, or why it is not; a VIP without a pool is never bound to one."""
    if not pool:
        return _NONE
    refused = next((item.reason for item in records if item and item.reason), "")
    return "True" if all(item and item.is_live for item in records) else refused or "pending"


def _created(document: Document) -> str:
    """When its object was made in the cluster that it was copied from; empty when nobody says."""
    created = document.copied.get("creationTimestamp")
    return created if isinstance(created, str) else ""


def _age(since: str, standing: Standing) -> str:
    return age(since, standing.clock) if since else _NONE


def _bfd(row: Row) -> str:
    return "Yes" if (row.document.spec.get("bfd") or {}).get("enabled") else "No"


LISTINGS = (
    Listing(
        "ippools",
        POOL,
        _pools,
        (
            Column("NAME", lambda row: row.document.name),
            Column("ALLOCATED", lambda row: format_count(row.more.usage.allocated)),
            Column("AVAILABLE", lambda row: format_count(row.more.usage.available)),
            Column("AUTO-ASSIGN", lambda row: str(auto_assign(row.document)).lower()),
            Column("AGE", lambda row: str(row.more.age)),
        ),
        (
            Column("TOTAL", lambda row: str(row.more.usage.total)),
            Column("FREE", lambda row: str(row.more.usage.available)),
            Column("CIDRS", lambda row: ",".join(row.document.spec.get("cidrs") or ()) or _NONE),
            Column("TIER", lambda row: str(row.more.usage.tier.value)),
        ),
    ),
    Listing(
        "vips",
        VIP,
        _vips,
        (
            Column("NAME", lambda row: row.document.name),
            Column("ADDRESS", lambda row: str(row.more.addresses)),
            Column("MODE", lambda row: str(row.document.spec["mode"])),
            Column("FAMILY", lambda row: address_family(row.document)),
            Column("BFD", _bfd),
            Column("POOL", lambda row: str(row.more.pool)),
            Column("AGE", lambda row: str(row.more.age)),
        ),
        (
            Column("BOUND", lambda row: str(row.more.bound)),
            Column("SOURCE", lambda row: f"{row.document.path}:{row.document.line}"),
        ),
    ),
)
