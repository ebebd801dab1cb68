"""Groups: the parts of a tree that can bear on each other, and what each of them comes to.

What joins parts is what reading them asked for, found or not, and what the plan was made from:
documents that were looked at, owners and pools of records, names of records, ranges of one address
space. Nobody states it a second time (ADR 0007).
"""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.addresses import IPRange
from reconciler.documents.document import EVERY, Document, Documents, node
from reconciler.engine.usage import space_of
from reconciler.evaluate import Evaluation
from reconciler.families import known_as, shared_kinds
from reconciler.families._family import Reading
from reconciler.model.key import Key
from reconciler.model.plan import Grant
from reconciler.records.layout import PartOf, part_of
from reconciler.tree import Settled, Tree

EVERYWHERE = "*"
"""The address space of a range that counts in all of them."""


Nodes = dict[str, dict[str, None]]
"""By the path of a part, each once."""

NodesOf = Mapping[str, Mapping[str, None]]
"""The same, to be read."""


class Span(NamedTuple):
    """A range of an address space."""

    space: str
    range: IPRange


class Group(Struct):
    """Parts that are planned together.

    Attributes:
        parts: Object ids by path: of source files, of folders of pools' records, of other records.
        provides: Nodes of the documents that they describe.
        asks: Nodes that they asked for.
        names: Names of their records, with the namespace.
        spans: Ranges that they bear on.
        inside: Ranges inside clusters: they bear on spans, and not on each other.
        settled: What they come to, when they have nothing to do; else None.
    """

    parts: dict[str, str] = field(default_factory=dict)
    provides: dict[str, None] = field(default_factory=dict)
    asks: dict[str, None] = field(default_factory=dict)
    names: dict[str, None] = field(default_factory=dict)
    spans: list[Span] = field(default_factory=list)
    inside: dict[Span, None] = field(default_factory=dict)
    settled: Settled | None = None


class Provided(Struct, frozen=True):
    """All nodes of the documents that some groups describe, to be asked for a few of them.

    Attributes:
        groups: The groups.
    """

    groups: Sequence[Group]

    def __contains__(self, item: object) -> bool:
        """Whether one of the groups describes it."""
        return any(item in group.provides for group in self.groups)


class Bearing(Struct, frozen=True):
    """What the parts of an evaluated tree bear on, by the path of the part."""

    provides: NodesOf
    asks: NodesOf
    names: NodesOf
    spans: Mapping[str, Sequence[Span]]
    inside: Mapping[str, Mapping[Span, None]] = MappingProxyType({})


def provided(document: Document) -> tuple[str, str]:
    """What a document is found by: its name, and with all of its kind."""
    kind, namespace = document.kind.id, document.namespace
    return node(kind, namespace, document.name), node(kind, namespace, EVERY)


def is_shared(document: Document) -> bool:
    """It bears on everything, so nothing of it is left out."""
    return document.kind.is_shared


def owner_node(key: Key) -> str:
    """What the document of a key is asked for by."""
    return node(known_as(key.family, key.kind), key.namespace, key.name)


def bearing(evaluation: Evaluation) -> Bearing:
    """What each part bears on, told from what reading and planning really used."""
    provides, asks = document_nodes(evaluation.tree, evaluation.documents)
    names = _records(evaluation, asks)
    for claim in evaluation.state.claims.values():
        if claim.name == claim.key.name:  # the record will bear the name of the claim itself
            names.setdefault(claim.source.path, {})[f"{claim.namespace}/{claim.name}"] = None
    spans, inside = _spans(evaluation), inside_spans(evaluation.reading)
    return Bearing(provides, asks, names, spans, inside)


def with_given(bears: Bearing, evaluation: Evaluation) -> Bearing:
    """What parts bear on, and what is given out: it is told where another address space has it."""
    given = [
        Span(EVERYWHERE, it.allocation.range)
        for it in evaluation.plan.decisions
        if isinstance(it, Grant) and it.allocation.range is not None
    ]
    return replace(bears, spans={**bears.spans, "": given}) if given else bears


def _records(evaluation: Evaluation, asks: Nodes) -> Nodes:
    """The names of records; each asks for its owner and its pool."""
    part_of_file = PartOf(evaluation.tree.settings.records)
    names: Nodes = {}
    last: object = None
    for record in evaluation.state.records:
        part, claim = part_of_file(record.path), record.claim
        names.setdefault(part, {})[f"{record.namespace}/{record.name}"] = None
        asked = part, claim.kind, claim.namespace, claim.name, claim.family, record.pool
        if asked != last:  # an owner's records stand side by side
            last = asked
            _ask(asks.setdefault(part, {}), claim, record.pool)
    for item in evaluation.state.unreadable:
        _ask(asks.setdefault(part_of_file(item.path), {}), item.claim, item.pool)
    return names


def _ask(asked: dict[str, None], *keys: Key | None) -> None:
    for key in keys:
        if key is not None:
            asked[owner_node(key)] = None


def document_nodes(tree: Tree, documents: Documents) -> tuple[Nodes, Nodes]:
    """What documents provide and what was asked for, by the path of the part."""
    provides: Nodes = {}
    asks: Nodes = {}
    for document in _documents(tree):
        provides.setdefault(document.file, {}).update(dict.fromkeys(provided(document)))
    shared = tuple(node(kind, "", "").removesuffix("/") for kind in shared_kinds())
    for path, asked in documents.asked.items():
        wanted = (item for item in asked if not item.startswith(shared))
        part = part_of(tree.settings.records, path)
        asks.setdefault(part, {}).update(dict.fromkeys(wanted))
    return provides, asks


def reading_spans(reading: Reading) -> dict[str, list[Span]]:
    """The ranges of pools, and those that somebody uses without a record."""
    spans: dict[str, list[Span]] = {}
    for pool in reading.pools.values():
        mine = spans.setdefault(pool.source.path, [])
        mine += [Span(pool.space, item) for item in (*pool.extent, *(pool.usable - pool.extent))]
    for blocked in reading.blocked:
        spans.setdefault(blocked.source.path, []).append(Span(EVERYWHERE, blocked.range))
    for gateway in reading.gateways:
        is_known = bool(gateway.spaces(reading.pools))
        spaces = gateway.beside(reading.pools) if is_known else (EVERYWHERE,)
        if spaces:
            mine = spans.setdefault(gateway.source.path, [])
            mine += [Span(space, gateway.range) for space in spaces]
    return spans


def inside_spans(reading: Reading) -> dict[str, dict[Span, None]]:
    """The networks inside clusters, each once."""
    spans: dict[str, dict[Span, None]] = {}
    for network in reading.inside:
        mine = spans.setdefault(network.source.path, {})
        mine.update((Span(space, network.range), None) for space in network.spaces)
    return spans


def _documents(tree: Tree) -> Iterator[Document]:
    """All documents, those that stand twice, too."""
    for source in tree.sources:
        yield from source.documents
    yield from tree.last_good.documents


def _spans(evaluation: Evaluation) -> dict[str, list[Span]]:
    state = evaluation.state
    folder = evaluation.tree.settings.records
    spans = reading_spans(evaluation.reading)
    for record in state.records:
        of = state.pools.get(record.pool)
        if record.range is None or (of is not None and of.extent.covers(record.range)):
            continue  # joined with its pool, whose extent stands for it
        space = space_of(state.pools, record)
        span = Span(EVERYWHERE if space is None else space, record.range)
        spans.setdefault(part_of(folder, record.path), []).append(span)
    for item in state.unreadable:
        mine = spans.setdefault(part_of(folder, item.path), [])
        mine += [Span(EVERYWHERE, part) for part in item.ranges]
    return spans
