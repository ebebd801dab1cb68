"""What `ipam get` shows of Butler's kinds: the columns of `kubectl get` (its CRDs)."""

from collections.abc import Iterator, Sequence

from reconciler.addresses.notation import format_short
from reconciler.families._objects import Column, Listing, Row, Standing
from reconciler.families.butler.kinds import POOL, TENANT
from reconciler.families.butler.pools import pool_key
from reconciler.families.butler.tenants import owner_of
from reconciler.model.allocation import Allocation


def _pools(standing: Standing) -> Iterator[Row]:
    """Pools that can be read, each with its usage."""
    for document in standing.documents.of(POOL):
        usage = standing.usage.get(pool_key(document.namespace, document.name))
        if usage is not None:
            yield Row(document, usage)


def _tenants(standing: Standing) -> Iterator[Row]:
    """Tenants, each with the records by which it holds something."""
    held: dict[tuple[str, str], list[Allocation]] = {}
    for record in standing.records:
        if record.is_live:
            held.setdefault((record.owner.namespace, record.owner.name), []).append(record)
    for document in standing.documents.of(TENANT):
        yield Row(document, held.get((document.namespace, document.name), []))


def _ranges(records: Sequence[Allocation], kind: str) -> str:
    found = sorted(record.range for record in records if record.type == kind and record.range)
    return ", ".join(format_short(item) for item in found) or "-"


LISTINGS = (
    Listing(
        "pools",
        POOL,
        _pools,
        (
            Column("NAME", lambda row: row.document.name),
            Column("CIDR", lambda row: str(row.document.spec["cidr"])),
            Column("AVAILABLE", lambda row: str(row.more.available)),
            Column("ALLOCATED", lambda row: str(row.more.allocated)),
            Column("TOTAL", lambda row: str(row.more.total)),
        ),
        (
            Column("NAMESPACE", lambda row: row.document.namespace),
            Column("LARGEST", lambda row: str(row.more.largest)),
            Column("FRAG", lambda row: f"{row.more.fragmentation}%"),
            Column("USED", lambda row: f"{row.more.percent:.1f}%"),
            Column("TIER", lambda row: str(row.more.tier.value)),
        ),
        ("np",),
    ),
    Listing(
        "tenants",
        TENANT,
        _tenants,
        (
            Column("NAMESPACE", lambda row: row.document.namespace),
            Column("NAME", lambda row: row.document.name),
            Column("TEAM", lambda row: owner_of(row.document).team),
            Column("NODES", lambda row: _ranges(row.more, "nodes")),
            Column("LOADBALANCER", lambda row: _ranges(row.more, "loadbalancer")),
        ),
        (
            Column("POOLS", lambda row: ", ".join(sorted({it.pool.name for it in row.more}))),
            Column("SOURCE", lambda row: f"{row.document.path}:{row.document.line}"),
        ),
        ("tc",),
    ),
)
