"""Lists in the style of kubectl."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Any

from msgspec import Struct

from reconciler.addresses import IPRange, asked_range, ends
from reconciler.documents.document import Document, Documents, Identity
from reconciler.documents.findings import nearest
from reconciler.families import families, key_of
from reconciler.families.interface import Listing, ListingInput, ListingRow
from reconciler.model import objects
from reconciler.model.claim import Allocation
from reconciler.model.objects import MANAGEMENT
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.projection import project
from reconciler.records.emit import record_document

ListedBody = Mapping[str, Any]
ListedOwner = tuple[str, str, str, str]


class ListedItem(Struct, frozen=True):
    """Object of a list. `ranges` are in order. `body` is None if the row is not a document."""

    namespace: str
    name: str
    ranges: tuple[IPRange, ...]
    pools: tuple[str, ...]
    team: str
    since: str
    row: ListingRow | Allocation | None
    body: Callable[[], ListedBody] | None

    @property
    def called(self) -> tuple[str, ...]:
        """The names of the object: its name, and `namespace/name` if it has a namespace."""
        return (self.name, f"{self.namespace}/{self.name}") if self.namespace else (self.name,)

    def is_at(self, asked: IPRange) -> bool:
        """Report whether the object has one of these addresses."""
        return any(item.overlaps(asked) for item in self.ranges)


def items(evaluation: Evaluation, listing: Listing | None) -> list[ListedItem]:
    """Return the listed objects in table order, then objects without a row. None lists records."""
    records = evaluation.state.records
    if listing is None:
        return list(map(_record, sorted(records, key=lambda it: (it.namespace, it.name))))
    documents = _Documents(evaluation)
    usage, clock = evaluation.plan.before, evaluation.tree.clock
    there = {item.identity: item for item in evaluation.documents.of(listing.kind)}
    found = []
    for row in listing.rows(ListingInput(evaluation.documents, usage, records, clock)):
        document = there.pop(row.document.identity, None)
        is_whole = document is not None
        found.append(documents.item(document or row.document, row, is_whole=is_whole))
    return found + [documents.item(it, None, is_whole=True) for it in there.values()]


def _record(record: Allocation) -> ListedItem:
    return ListedItem(
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
    def __init__(self, evaluation: Evaluation) -> None:
        self.pools = evaluation.state.pools
        self.held: dict[ListedOwner, list[Allocation]] = {}
        for record in evaluation.state.records:
            if record.is_live:
                self.held.setdefault(record.claim.owner, []).append(record)
        self.statuses = cache(partial(_statuses, evaluation))

    def item(self, document: Document, row: ListingRow | None, *, is_whole: bool) -> ListedItem:
        key = key_of(document)
        pool = self.pools.get(key)
        more = row.more if row is not None else None  # the records that the row is made from
        records = [more] if isinstance(more, Allocation) else more
        if not isinstance(records, list) or not all(isinstance(it, Allocation) for it in records):
            records = self.held.get(key.owner, [])
        if pool is not None:
            names, ranges = [document.name], tuple(pool.windows)
        else:
            names = [it.pool.name for it in records]
            ranges = tuple(sorted(it.range for it in records if it.range is not None))
        return ListedItem(
            namespace=document.namespace,
            name=row.document.name if row is not None else document.name,
            ranges=ranges,
            pools=tuple(sorted(set(names))),
            team=records[0].owner.team if records else "",
            since=min((it.allocated_at for it in records), default=""),
            row=row,
            body=partial(self._body, document, records) if is_whole else None,
        )

    def _body(self, document: Document, records: Iterable[Allocation]) -> ListedBody:
        namespace = {"namespace": document.namespace} if document.namespace else {}
        body = {**document.body, "metadata": {**document.metadata, **namespace}}
        status = dict(self.statuses().get(document.identity, {}))
        held = [
            {
                "slot": it.claim.slot,
                "name": it.name,
                "pool": it.pool.name,
                **ends(it.range, "Address"),
                "count": it.range.size,
            }
            for it in sorted(records, key=lambda it: it.claim.slot_order)
            if it.range is not None
        ]
        if held:
            status["addresses"] = held
        return {**body, "status": status} if status else body


def _statuses(evaluation: Evaluation) -> dict[Identity, ListedBody]:
    found: dict[Identity, ListedBody] = {}
    for item in project(evaluation):
        body = item.manifest
        if item.cluster == MANAGEMENT and "status" in body:
            group, _, _ = body["apiVersion"].rpartition("/")
            namespace, name = body["metadata"].get("namespace", ""), body["metadata"]["name"]
            found[group, body["kind"], namespace, name] = body["status"]
    return found


RECORDS = "allocations"
"""The resource name of records, which belong to no family."""


def listings() -> Mapping[str, Listing | None]:
    """Return everything that can be listed, by name: pools, records (None), then the rest."""
    theirs = [family.objects.listings for family in families()]
    pools = {listing.name: listing for found in theirs for listing in found[:1]}
    rest = {listing.name: listing for found in theirs for listing in found[1:]}
    return {**pools, RECORDS: None, **rest}


def meant(name: str, documents: Documents) -> str:
    """Return the listing that a name means: another one of this alias if only that has documents."""
    every = listings()
    listed = every[name]
    if listed is None or next(documents.of(listed.kind), None) is not None:
        return name
    others = (it for it in every.values() if it is not None and it.alias == name)
    return next((it.name for it in others if next(documents.of(it.kind), None)), name)


def words() -> dict[str, str]:
    """Map each lower-case name to its listing: plural, singular, kind, short name, or group."""
    found: dict[str, str] = {}
    for name, listing in listings().items():
        group, kind = (objects.GROUP, objects.KIND) if listing is None else listing.kind
        short = objects.SHORT if listing is None else listing.short
        kinds = [kind.lower(), f"{kind.lower()}s"]
        grouped = [f"{it}.{group}" for it in kinds]
        for word in (name, name.removesuffix("s"), *short, *kinds, *grouped):
            found.setdefault(word, name)
    return found


Labels = Mapping[str, str]


class ListQuery(Struct, frozen=True):
    """Filter of a list by names, addresses, labels, and more. Empty and None match everything."""

    names: tuple[str, ...] = ()
    namespace: str = ""
    has_labels: Callable[[Labels], bool] | None = None
    pool: str = ""
    team: str = ""


class Selection(Struct, frozen=True):
    """Selected objects, and the names without a match, each with the nearest name or empty."""

    items: tuple[ListedItem, ...]
    missing: tuple[tuple[str, str], ...] = ()


def choose(items: Sequence[ListedItem], query: ListQuery) -> Selection:
    """Return the objects that match a filter."""
    among = [item for item in items if _matches(item, query)]
    if not query.names:
        return Selection(tuple(among))
    there = {name for item in among for name in item.called}
    asked = {name: asked_range(name) for name in query.names if name not in there}
    spans = [span for span in asked.values() if span is not None]
    named = frozenset(query.names)
    found = tuple(
        it for it in among if not named.isdisjoint(it.called) or any(map(it.is_at, spans))
    )
    missing = [
        # The nearest name is in the form of the requested one.
        (name, nearest(name, sorted(it for it in there if ("/" in it) is ("/" in name))))
        for name, span in asked.items()
        if span is None or not any(item.is_at(span) for item in found)
    ]
    return Selection(found, tuple(missing))


def _matches(item: ListedItem, query: ListQuery) -> bool:
    def labels() -> Labels:
        return (item.body()["metadata"].get("labels") or {}) if item.body is not None else {}

    return (
        (not query.namespace or item.namespace == query.namespace)
        and (not query.pool or query.pool in item.pools)
        and (not query.team or item.team == query.team)
        and (query.has_labels is None or query.has_labels(labels()))
    )


ORDERS: dict[str, Callable[[ListedItem], Any]] = {
    "name": lambda item: (item.name, item.namespace),
    "namespace": lambda item: (item.namespace, item.name),
    "address": lambda item: (not item.ranges, item.ranges, item.namespace, item.name),
    "pool": lambda item: (item.pools, item.ranges, item.namespace, item.name),
    "team": lambda item: (item.team, item.namespace, item.name),
    "age": lambda item: (item.since, item.namespace, item.name),
}
"""Keys of sort orders, by name."""


_KEY = r"(?P<key>[A-Za-z0-9](?:[-\w./]*[A-Za-z0-9])?)"
_SET = re.compile(rf"{_KEY}\s+(?P<how>in|notin)\s*\((?P<values>[^()]*)\)", re.ASCII)
_EQUAL = re.compile(rf"{_KEY}\s*(?P<how>==|=|!=)\s*(?P<values>[-\w.]*)", re.ASCII)
_THERE = re.compile(rf"(?P<how>!?)\s*{_KEY}", re.ASCII)
_PARTS = re.compile(r",(?![^()]*\))")


_Term = tuple[str, Callable[[str | None], bool]]


def parse_selector(text: str) -> Callable[[Labels], bool]:
    """Return a function that reports whether labels match, or raise a ValueError."""
    terms = [_term(part.strip()) for part in _PARTS.split(text)] if text.strip() else []
    return lambda labels: all(holds(labels.get(key)) for key, holds in terms)


def _term(text: str) -> _Term:
    if found := _SET.fullmatch(text):
        values = frozenset(value.strip() for value in found["values"].split(","))
        is_in = found["how"] == "in"
        return found["key"], lambda value: (value in values) is is_in
    if found := _EQUAL.fullmatch(text):
        wanted, is_same = found["values"], found["how"] != "!="
        return found["key"], lambda value: (value == wanted) is is_same
    if found := _THERE.fullmatch(text):
        is_there = not found["how"]
        return found["key"], lambda value: (value is not None) is is_there
    raise ValueError(f"{text!r} is not a term of a label selector")
