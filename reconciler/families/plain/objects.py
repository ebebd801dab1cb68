"""Listings, and the document that `ipam simulate` adds."""

from collections.abc import Callable, Iterator

from reconciler.addresses import format_count, format_short
from reconciler.documents.document import GroupKind
from reconciler.families.interface import (
    NAME_COLUMN,
    NAMESPACE_COLUMN,
    SOURCE_COLUMN,
    Listing,
    ListingColumn,
    ListingInput,
    ListingRow,
    Newcomer,
    Objects,
    pool_rows,
)
from reconciler.families.plain.importing import WRITING
from reconciler.families.plain.kinds import CLAIM, NAME, POOL, TARGET
from reconciler.families.plain.reading import growers, may_own
from reconciler.model.claim import Allocation
from reconciler.model.objects import API_VERSION


def _rows(kind: GroupKind) -> Callable[[ListingInput], Iterator[ListingRow]]:
    def rows(listed: ListingInput) -> Iterator[ListingRow]:
        held: dict[tuple[str, str], list[Allocation]] = {}
        for record in listed.records:
            claim = record.claim
            if record.is_live and claim.family == NAME and claim.kind == kind.kind:
                held.setdefault((claim.namespace, claim.name), []).append(record)
        for document in listed.documents.of(kind):
            yield ListingRow(document, held.get((document.namespace, document.name), []))

    return rows


def _ranges(row: ListingRow) -> str:
    return ", ".join(map(format_short, sorted(it.range for it in row.more if it.range))) or "-"


def _pools_of(row: ListingRow) -> str:
    return ", ".join(sorted({it.pool.name for it in row.more})) or "-"


def _attributes(row: ListingRow) -> str:
    attributes = row.document.spec.get("attributes") or {}
    return ",".join(f"{name}={attributes[name]}" for name in sorted(attributes)) or "-"


def _entries(row: ListingRow) -> str:
    return ", ".join(it["name"] for it in row.document.spec.get("loadBalancers") or ()) or "-"


def _newcomer(
    name: str, namespace: str, pool: str | None, addresses: int | None, _: int | None
) -> dict[str, object]:
    return {
        "apiVersion": API_VERSION,
        "kind": CLAIM.kind,
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"poolRefs": [{"name": pool or "default"}], "count": addresses or 1},
    }


LISTINGS = (
    Listing(
        "addresspools",
        POOL,
        pool_rows(NAME, POOL),
        (
            NAME_COLUMN,
            ListingColumn("ADDRESSES", lambda row: ", ".join(row.document.spec["addresses"])),
            ListingColumn("AVAILABLE", lambda row: format_count(row.more.available)),
            ListingColumn("ALLOCATED", lambda row: format_count(row.more.allocated)),
            ListingColumn("TOTAL", lambda row: format_count(row.more.total)),
        ),
        (
            ListingColumn("ATTRIBUTES", _attributes),
            ListingColumn("LARGEST", lambda row: format_count(row.more.largest)),
            ListingColumn("BLOCKS", lambda row: row.more.blocks_left or "-"),
            ListingColumn("FRAG", lambda row: f"{row.more.fragmentation}%"),
            ListingColumn("USED", lambda row: f"{row.more.percent:.1f}%"),
            ListingColumn("LEVEL", lambda row: str(row.more.tier.value)),
        ),
        alias="pools",
    ),
    Listing(
        "addressclaims",
        CLAIM,
        _rows(CLAIM),
        (
            NAMESPACE_COLUMN,
            NAME_COLUMN,
            ListingColumn("ADDRESSES", _ranges),
            ListingColumn("POOLS", _pools_of),
        ),
        (SOURCE_COLUMN,),
        alias="claims",
    ),
    Listing(
        "clustertargets",
        TARGET,
        _rows(TARGET),
        (
            NAME_COLUMN,
            ListingColumn("LOADBALANCERS", _entries),
            ListingColumn("ADDRESSES", _ranges),
            ListingColumn("POOLS", _pools_of),
        ),
        (SOURCE_COLUMN,),
        alias="clusters",
    ),
)

OBJECTS = Objects(
    listings=LISTINGS,
    newcomer=Newcomer(CLAIM, POOL, _newcomer, needs_choice=True),
    writing=WRITING,
    growers=growers,
    may_own=may_own,
)
