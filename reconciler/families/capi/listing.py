"""What `ipam get` shows of Cluster API's kinds: the columns of `kubectl get` (`capi.md` §C1)."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from reconciler.addresses.notation import format_count, format_short
from reconciler.documents.document import GroupKind
from reconciler.families._objects import Column, Listing, Row, Standing
from reconciler.families.capi.clusters import class_of
from reconciler.families.capi.kinds import (
    ADDRESS,
    CLAIM,
    CLAIM_NAMES,
    CLUSTER,
    CONTROL_PLANE,
    GLOBAL_POOL,
    INGRESS,
    NAME,
    POOL,
)
from reconciler.families.capi.pools import pool_key
from reconciler.model.allocation import Allocation
from reconciler.model.plan import Usage

Held = dict[tuple[str, str, str], Allocation]


def _pools(kind: GroupKind) -> Callable[[Standing], Iterable[Row]]:
    def rows(standing: Standing) -> Iterator[Row]:
        """Pools that can be read, each with its usage."""
        for document in standing.documents.of(kind):
            key = pool_key(kind.kind, document.namespace, document.name)
            if (usage := standing.usage.get(key)) is not None:
                yield Row(document, usage)

    return rows


def _held(standing: Standing) -> Held:
    """The records that hold something, by namespace, name and slot of who claims."""
    return {
        (item.claim.namespace, item.claim.name, item.claim.slot): item
        for item in standing.records
        if item.is_live and item.claim.family == NAME
    }


def _claims(standing: Standing) -> Iterator[Row]:
    """IPAddressClaims, those of Clusters among them, under the names that they have in a cluster."""
    held = _held(standing)
    rows = [
        Row(replace(document, name=f"{prefix}{document.name}"), record)
        for document in standing.documents.of(CLUSTER)
        for slot, prefix in CLAIM_NAMES.items()
        if (record := held.get((document.namespace, document.name, slot))) is not None
    ]
    there = {(row.document.namespace, row.document.name) for row in rows}
    rows += [
        Row(document, held.get((document.namespace, document.name, ADDRESS)))
        for document in standing.documents.of(CLAIM)
        if (document.namespace, document.name) not in there
    ]
    yield from sorted(rows, key=lambda row: (row.document.namespace, row.document.name))


def _clusters(standing: Standing) -> Iterator[Row]:
    """Clusters, each with what its slots hold."""
    held = _held(standing)
    for document in standing.documents.of(CLUSTER):
        name = document.namespace, document.name
        slots = (held.get((*name, CONTROL_PLANE)), held.get((*name, INGRESS)))
        yield Row(document, [_address(record) for record in slots])


def _address(record: Allocation | None) -> str:
    return format_short(record.range) if record is not None and record.range else "-"


def _pool(row: Row) -> tuple[str, str]:
    """Name and kind of the pool of a claim, by its record, else by what it asks for."""
    if row.more is not None:
        return row.more.pool.name, row.more.pool.kind
    reference = row.document.spec["poolRef"]
    return reference["name"], reference["kind"]


def _class(row: Row) -> str:
    found = class_of(row.document)
    return found.name if found is not None else "-"


def _counted(header: str, count: Callable[[Usage], int]) -> Column:
    """A column of counts that may be as large as IPv6 has them."""
    return Column(
        header, lambda row: format_count(count(row.more)), lambda row: str(count(row.more))
    )


_NAMESPACE = Column("NAMESPACE", lambda row: row.document.namespace)
_NAME = Column("NAME", lambda row: row.document.name)
_COUNTS = (
    Column("ADDRESSES", lambda row: ",".join(row.document.spec["addresses"])),
    _counted("TOTAL", lambda usage: usage.total),
    _counted("FREE", lambda usage: usage.available),
    _counted("USED", lambda usage: usage.allocated + usage.held),
)
_WIDE = (
    Column("PREFIX", lambda row: str(row.document.spec["prefix"])),
    Column("GATEWAY", lambda row: str(row.document.spec.get("gateway") or "-")),
    Column("TIER", lambda row: str(row.more.tier.value)),
)

LISTINGS = (
    Listing("globalinclusterippools", GLOBAL_POOL, _pools(GLOBAL_POOL), (_NAME, *_COUNTS), _WIDE),
    Listing("inclusterippools", POOL, _pools(POOL), (_NAMESPACE, _NAME, *_COUNTS), _WIDE),
    Listing(
        "claims",
        CLAIM,
        _claims,
        (
            _NAMESPACE,
            _NAME,
            Column("POOL NAME", lambda row: _pool(row)[0]),
            Column("POOL KIND", lambda row: _pool(row)[1]),
        ),
        (Column("ADDRESS", lambda row: _address(row.more)),),
    ),
    Listing(
        "clusters",
        CLUSTER,
        _clusters,
        (
            _NAMESPACE,
            _NAME,
            Column("CLASS", _class),
            Column("CONTROL-PLANE", lambda row: str(row.more[0])),
            Column("INGRESS", lambda row: str(row.more[1])),
        ),
    ),
)
