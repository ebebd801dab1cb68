"""The objects that `ipam get` lists: documents with the status that an apply gives them, and records."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from typing import Any

from msgspec import Struct

from reconciler.addresses import IPRange
from reconciler.addresses.notation import format_address
from reconciler.documents.document import Document, Identity
from reconciler.evaluate import Evaluation
from reconciler.families import families, family_of_kind
from reconciler.families._objects import Listing, Row, Standing
from reconciler.model import record_kind
from reconciler.model.allocation import Allocation
from reconciler.model.cluster import MANAGEMENT
from reconciler.model.key import Key
from reconciler.model.pool import Pool
from reconciler.projecting import project
from reconciler.records.emit import record_document

Body = Mapping[str, Any]
Owner = tuple[str, str, str, str]


class Item(Struct, frozen=True):
    """One object.

    Attributes:
        namespace: Empty for what has none.
        ranges: Of a pool what it gives out from, of all else the addresses that it holds, in order.
        pools: Names of the pool that it is, or of those that it holds addresses of.
        team: Whose it is; empty for what belongs to nobody.
        since: When it got its addresses first, `2026-02-15T10:00:30Z`; empty for never.
        row: Its row in a table; None where it can be shown as a whole only.
        body: The object, made when it is asked for; None where it is no document by itself.
    """

    namespace: str
    name: str
    ranges: tuple[IPRange, ...]
    pools: tuple[str, ...]
    team: str
    since: str
    row: Row | Allocation | None
    body: Callable[[], Body] | None

    @property
    def called(self) -> tuple[str, ...]:
        """What a person may call it: its name, and `namespace/name` where it has a namespace."""
        return (self.name, f"{self.namespace}/{self.name}") if self.namespace else (self.name,)

    def is_at(self, asked: IPRange) -> bool:
        """It has one of these addresses."""
        return any(item.overlaps(asked) for item in self.ranges)


def items(evaluation: Evaluation, listing: Listing | None) -> list[Item]:
    """All that is listed, in the order of its table, then what has no row; None lists records."""
    if listing is None:
        records = sorted(evaluation.state.records, key=lambda it: (it.namespace, it.name))
        return [_record(record) for record in records]
    return list(_Documents(evaluation, listing).items())


def _record(record: Allocation) -> Item:
    return Item(
        namespace=record.namespace,
        name=record.name,
        ranges=(record.range,) if record.range is not None else (),
        pools=(record.pool.name,),
        team=record.owner.team,
        since=record.allocated_at or record.since,
        row=record,
        body=partial(record_document, record),
    )


class _Documents:
    """Documents of one kind, with what their records say."""

    def __init__(self, evaluation: Evaluation, listing: Listing) -> None:
        self.evaluation = evaluation
        self.listing = listing
        self.held: dict[Owner, list[Allocation]] = {}
        for record in evaluation.state.records:
            if record.is_live:
                self.held.setdefault(record.claim.owner, []).append(record)
        self.statuses = cache(partial(_statuses, evaluation))

    def items(self) -> Iterator[Item]:
        """Those with a row first."""
        evaluation, listing = self.evaluation, self.listing
        usage, records = evaluation.plan.before, evaluation.state.records
        standing = Standing(evaluation.documents, usage, records, evaluation.tree.clock)
        there = {item.identity: item for item in evaluation.documents.of(listing.kind)}
        for row in listing.rows(standing):
            document = there.pop(row.document.identity, None)
            yield self._item(document or row.document, row, is_whole=document is not None)
        for document in there.values():
            yield self._item(document, None, is_whole=True)

    def _item(self, document: Document, row: Row | None, *, is_whole: bool) -> Item:
        family = family_of_kind(document.kind.id)
        name = family.name if family is not None else ""
        key = Key(name, document.namespace, document.name, "", document.kind.name)
        pool = self.evaluation.state.pools.get(key)
        records = _of_row(row)
        if records is None:
            records = self.held.get(key.owner, [])
        pools = [document.name] if pool is not None else [it.pool.name for it in records]
        return Item(
            namespace=document.namespace,
            name=row.document.name if row is not None else document.name,
            ranges=_ranges(pool, records),
            pools=tuple(sorted(dict.fromkeys(pools))),
            team=records[0].owner.team if records else "",
            since=min((it.allocated_at for it in records), default=""),
            row=row,
            body=partial(self._body, document, records) if is_whole else None,
        )

    def _body(self, document: Document, records: Iterable[Allocation]) -> Body:
        """The document with its status, and the addresses that it holds."""
        namespace = {"namespace": document.namespace} if document.namespace else {}
        body = {**document.body, "metadata": {**document.metadata, **namespace}}
        status = dict(self.statuses().get(document.identity, {}))
        ordered = sorted(records, key=lambda it: it.claim.slot_order)
        if held := [_held(it, it.range) for it in ordered if it.range is not None]:
            status["addresses"] = held
        return {**body, "status": status} if status else body


def _of_row(row: Row | None) -> list[Allocation] | None:
    """The records that a row is made from; None for one that is made from something else."""
    more = row.more if row is not None else None
    if isinstance(more, Allocation):
        return [more]
    is_listed = isinstance(more, list) and all(isinstance(it, Allocation) for it in more)
    return more if is_listed else None


def _ranges(pool: Pool | None, records: Iterable[Allocation]) -> tuple[IPRange, ...]:
    if pool is not None:
        return tuple(pool.windows)
    return tuple(sorted(it.range for it in records if it.range is not None))


def _held(record: Allocation, item: IPRange) -> dict[str, Any]:
    return {
        "slot": record.claim.slot,
        "name": record.name,
        "pool": record.pool.name,
        "startAddress": format_address(item.version, item.first),
        "endAddress": format_address(item.version, item.last),
        "count": item.size,
    }


def _statuses(evaluation: Evaluation) -> dict[Identity, Body]:
    """The status of each object of the management cluster, as an apply writes it."""
    found: dict[Identity, Body] = {}
    for item in project(evaluation):
        body = item.manifest
        if item.cluster == MANAGEMENT and "status" in body:
            group, _, _ = body["apiVersion"].rpartition("/")
            metadata = body["metadata"]
            found[group, body["kind"], metadata.get("namespace", ""), metadata["name"]] = body[
                "status"
            ]
    return found


RECORDS = "allocations"
"""The word for records, which are no family's."""


def listings() -> Mapping[str, Listing | None]:
    """All that can be listed, by its word: pools, then records (None), then the rest."""
    theirs = [family.objects.listings for family in families()]
    pools = {listing.name: listing for found in theirs for listing in found[:1]}
    rest = {listing.name: listing for found in theirs for listing in found[1:]}
    return {**pools, RECORDS: None, **rest}


def words() -> dict[str, str]:
    """Each word, in lower case, with what it means: plural, singular, kind, short names, groups."""
    found: dict[str, str] = {}
    for name, listing in listings().items():
        for word in _words(name, listing):
            found.setdefault(word, name)
    return found


def _words(name: str, listing: Listing | None) -> Iterator[str]:
    yield name
    yield name.removesuffix("s")
    kind, group = record_kind.KIND, record_kind.GROUP
    if listing is not None:
        group, kind = listing.kind
    yield from listing.short if listing is not None else record_kind.SHORT
    for word in (kind.lower(), f"{kind.lower()}s"):
        yield word
        yield f"{word}.{group}"
