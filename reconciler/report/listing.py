"""Lists in the style of kubectl."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

from msgspec import Struct

from reconciler.addresses import IPRange, asked_range, format_address
from reconciler.documents.document import Document, Identity
from reconciler.documents.findings import nearest
from reconciler.families import families, family_of_kind
from reconciler.families.interface import Listing, ListingInput, ListingRow
from reconciler.model import objects
from reconciler.model.claim import Allocation
from reconciler.model.key import Key
from reconciler.model.objects import MANAGEMENT
from reconciler.model.pool import Pool
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.projection import project
from reconciler.records.emit import record_document

ListedBody = Mapping[str, Any]
ListedOwner = tuple[str, str, str, str]


class ListedItem(Struct, frozen=True):
    """Object of a list.

    Attributes:
        namespace: Namespace, or empty.
        ranges: For a pool, its allocatable ranges. For other objects, the addresses that they hold,
            in order.
        pools: Name of the pool itself, or names of the pools that its addresses belong to.
        team: The owning team, or empty.
        since: Time of the first allocation, `2026-02-15T10:00:30Z`, or empty.
        row: Table row, or None for an object without a table form.
        body: The object, built on demand, or None if it is not a document by itself.
    """

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
    if listing is None:
        records = sorted(evaluation.state.records, key=lambda it: (it.namespace, it.name))
        return [_record(record) for record in records]
    return list(_Documents(evaluation, listing).items())


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
    """Documents of one kind, with the status from their records."""

    def __init__(self, evaluation: Evaluation, listing: Listing) -> None:
        self.evaluation = evaluation
        self.listing = listing
        self.held: dict[ListedOwner, list[Allocation]] = {}
        for record in evaluation.state.records:
            if record.is_live:
                self.held.setdefault(record.claim.owner, []).append(record)
        self.statuses = cache(partial(_statuses, evaluation))

    def items(self) -> Iterator[ListedItem]:
        """Yield the objects with a row first."""
        evaluation, listing = self.evaluation, self.listing
        usage, records = evaluation.plan.before, evaluation.state.records
        standing = ListingInput(evaluation.documents, usage, records, evaluation.tree.clock)
        there = {item.identity: item for item in evaluation.documents.of(listing.kind)}
        for row in listing.rows(standing):
            document = there.pop(row.document.identity, None)
            yield self._item(document or row.document, row, is_whole=document is not None)
        for document in there.values():
            yield self._item(document, None, is_whole=True)

    def _item(self, document: Document, row: ListingRow | None, *, is_whole: bool) -> ListedItem:
        family = family_of_kind(document.kind.id)
        name = family.name if family is not None else ""
        key = Key(name, document.namespace, document.name, "", document.kind.name)
        pool = self.evaluation.state.pools.get(key)
        records = _of_row(row)
        if records is None:
            records = self.held.get(key.owner, [])
        pools = [document.name] if pool is not None else [it.pool.name for it in records]
        return ListedItem(
            namespace=document.namespace,
            name=row.document.name if row is not None else document.name,
            ranges=_ranges(pool, records),
            pools=tuple(sorted(dict.fromkeys(pools))),
            team=records[0].owner.team if records else "",
            since=min((it.allocated_at for it in records), default=""),
            row=row,
            body=partial(self._body, document, records) if is_whole else None,
        )

    def _body(self, document: Document, records: Iterable[Allocation]) -> ListedBody:
        """Return the document with its status and its addresses."""
        namespace = {"namespace": document.namespace} if document.namespace else {}
        body = {**document.body, "metadata": {**document.metadata, **namespace}}
        status = dict(self.statuses().get(document.identity, {}))
        ordered = sorted(records, key=lambda it: it.claim.slot_order)
        if held := [_held(it, it.range) for it in ordered if it.range is not None]:
            status["addresses"] = held
        return {**body, "status": status} if status else body


def _of_row(row: ListingRow | None) -> list[Allocation] | None:
    """Return the records that a row is made from, or None for a row of another source."""
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


def _statuses(evaluation: Evaluation) -> dict[Identity, ListedBody]:
    """Return the status of each object of the management cluster, as apply writes it."""
    found: dict[Identity, ListedBody] = {}
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
"""The resource name of records, which belong to no family."""


def listings() -> Mapping[str, Listing | None]:
    """Return everything that can be listed, by name: pools, records (None), then the rest."""
    theirs = [family.objects.listings for family in families()]
    pools = {listing.name: listing for found in theirs for listing in found[:1]}
    rest = {listing.name: listing for found in theirs for listing in found[1:]}
    return {**pools, RECORDS: None, **rest}


def words() -> dict[str, str]:
    """Map each lower-case name to its listing: plural, singular, kind, short name, or group."""
    found: dict[str, str] = {}
    for name, listing in listings().items():
        for word in _words(name, listing):
            found.setdefault(word, name)
    return found


def _words(name: str, listing: Listing | None) -> Iterator[str]:
    yield name
    yield name.removesuffix("s")
    kind, group = objects.KIND, objects.GROUP
    if listing is not None:
        group, kind = listing.kind
    yield from listing.short if listing is not None else objects.SHORT
    for word in (kind.lower(), f"{kind.lower()}s"):
        yield word
        yield f"{word}.{group}"


Labels = Mapping[str, str]


class ListQuery(Struct, frozen=True):
    """Filter of a list. Empty and None match everything.

    Attributes:
        names: Names of objects, with or without namespaces, addresses, CIDRs, or ranges.
        has_labels: Whether labels match the selector.
    """

    names: tuple[str, ...] = ()
    namespace: str = ""
    has_labels: Callable[[Labels], bool] | None = None
    pool: str = ""
    team: str = ""


class Selection(Struct, frozen=True):
    """Selected objects, and the names without a match, each with the nearest name or empty."""

    items: tuple[ListedItem, ...]
    missing: tuple[tuple[str, str], ...] = ()


def choose(items: Sequence[ListedItem], wish: ListQuery) -> Selection:
    """Return the objects that match a filter."""
    among = [item for item in items if _is_meant(item, wish)]
    if not wish.names:
        return Selection(tuple(among))
    there = {name for item in among for name in item.called}
    asked = {name: asked_range(name) for name in wish.names if name not in there}
    spans = [span for span in asked.values() if span is not None]
    named = frozenset(wish.names)
    found = tuple(it for it in among if not named.isdisjoint(it.called) or _is_at(it, spans))
    missing = [
        name
        for name, span in asked.items()
        if span is None or not any(item.is_at(span) for item in found)
    ]
    return Selection(found, tuple((it, _meant(it, there)) for it in missing))


def _meant(name: str, there: Iterable[str]) -> str:
    """Return the nearest name, in the form of the requested one, or empty."""
    return nearest(name, sorted(it for it in there if ("/" in it) is ("/" in name)))


def _is_at(item: ListedItem, spans: Iterable[IPRange]) -> bool:
    return any(item.is_at(span) for span in spans)


def _is_meant(item: ListedItem, wish: ListQuery) -> bool:
    return (
        (not wish.namespace or item.namespace == wish.namespace)
        and (not wish.pool or wish.pool in item.pools)
        and (not wish.team or item.team == wish.team)
        and (wish.has_labels is None or wish.has_labels(_labels(item)))
    )


def _labels(item: ListedItem) -> Labels:
    return (item.body()["metadata"].get("labels") or {}) if item.body is not None else {}


_ORDERS: dict[str, Callable[[ListedItem], Any]] = {
    "name": lambda item: (item.name, item.namespace),
    "namespace": lambda item: (item.namespace, item.name),
    "address": lambda item: (not item.ranges, item.ranges, item.namespace, item.name),
    "pool": lambda item: (item.pools, item.ranges, item.namespace, item.name),
    "team": lambda item: (item.team, item.namespace, item.name),
    "age": lambda item: (item.since, item.namespace, item.name),
}
ORDERS = tuple(_ORDERS)
"""The names of sort orders."""


def in_order(items: Iterable[ListedItem], by: str) -> list[ListedItem]:
    """Sort objects by one of `ORDERS`."""
    return sorted(items, key=_ORDERS[by])


_KEY = r"(?P<key>[A-Za-z0-9](?:[-\w./]*[A-Za-z0-9])?)"
_SET = re.compile(rf"{_KEY}\s+(?P<how>in|notin)\s*\((?P<values>[^()]*)\)", re.ASCII)
_EQUAL = re.compile(rf"{_KEY}\s*(?P<how>==|=|!=)\s*(?P<values>[-\w.]*)", re.ASCII)
_THERE = re.compile(rf"(?P<how>!?)\s*{_KEY}", re.ASCII)
_PARTS = re.compile(r",(?![^()]*\))")


class SelectorError(ValueError):
    """A text is not a valid selector."""


class _Term(NamedTuple):
    key: str
    holds: Callable[[str | None], bool]


def parse_selector(text: str) -> Callable[[Labels], bool]:
    """Return a function that reports whether labels match a selector.

    Raises:
        SelectorError: The selector is invalid. The message names the invalid part.
    """
    terms = [_term(part.strip()) for part in _PARTS.split(text)] if text.strip() else []
    return lambda labels: _holds(terms, labels)


def _holds(terms: Sequence[_Term], labels: Labels) -> bool:
    return all(term.holds(labels.get(term.key)) for term in terms)


def _term(text: str) -> _Term:
    if found := _SET.fullmatch(text):
        values = frozenset(value.strip() for value in found["values"].split(","))
        is_in = found["how"] == "in"
        return _Term(found["key"], lambda value: (value in values) is is_in)
    if found := _EQUAL.fullmatch(text):
        wanted, is_same = found["values"], found["how"] != "!="
        return _Term(found["key"], lambda value: (value == wanted) is is_same)
    if found := _THERE.fullmatch(text):
        is_there = not found["how"]
        return _Term(found["key"], lambda value: (value is not None) is is_there)
    raise SelectorError(f"{text!r} is no term of a label selector")
