"""Which parts of a tree can bear on each other: components that are planned on their own.

Two files belong together when something that one names may change what is decided for the other:
a tenant and its provider, a provider and its pools, pools that share addresses, a pool and the
owners of its records, owners whose records could bear one name. What no chain of such links joins
is independent, so a plan of one component is the plan of the whole tree, cut to that component.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import NamedTuple

from reconciler.addresses import IPRange
from reconciler.documents.load import Loaded
from reconciler.families import families
from reconciler.families._family import EVERYWHERE, Links, name_node, owner_node, pool_node
from reconciler.records.layout import place_of
from reconciler.records.recall import Recalled


class Part(NamedTuple):
    """A source file, or the folder of a pool's records, with the object id of its content.

    Attributes:
        links: What it bears on.
        is_pool: It is a folder of records.
    """

    path: str
    oid: str
    links: Links
    is_pool: bool


def file_links(loaded: Loaded) -> Links | None:
    """What a source file bears on; None when it cannot be told, so that all belongs together.

    That is so for a file with mistakes, and for one that holds both a document that bears on
    everything and one that does not.
    """
    if loaded.unclear or loaded.broken or not loaded.documents:
        return None
    by_kind = {kind.name: family for family in families() for kind in family.kinds}
    found = [
        by_kind[document.kind.name].links(document)
        if document.kind.name in by_kind
        else Links((), is_shared=True)
        for document in loaded.documents
    ]
    shared = [links.is_shared for links in found]
    if any(shared) and not all(shared):
        return None
    return Links(
        tuple(node for links in found for node in links.nodes),
        tuple(item for links in found for item in links.ranges),
        next((links.default for links in found if links.default), None),
        any(shared),
    )


def pool_links(recalled: Iterable[Recalled]) -> Links:
    """What the records of one pool's folder bear on: pools, owners, names, the span they cover."""
    nodes: dict[str, None] = {}
    spans: dict[int, tuple[int, int]] = {}
    for item in recalled:
        if item.unreadable is not None:
            if item.unreadable.claim is not None:
                nodes[owner_node(item.unreadable.claim)] = None
            continue
        record = item.allocation
        if record is None:
            continue
        nodes[owner_node(record.claim)] = None
        nodes[pool_node(record.pool)] = None
        owner = f"{record.claim.namespace}-{record.claim.name}"
        if record.name not in (f"{owner}-lb", f"{owner}-nodes"):
            nodes[name_node(record.name)] = None
        if record.range is not None:
            version, first, last = record.range
            low, high = spans.get(version, (first, last))
            spans[version] = min(low, first), max(high, last)
    ranges = tuple((EVERYWHERE, IPRange(version, *spans[version])) for version in sorted(spans))
    return Links(tuple(nodes), ranges)


def links_by_path(folder: str, paths: Iterable[str]) -> Links:
    """What the records of a pool's folder bear on as far as their paths tell: to be verified."""
    # Many records have one owner: one of them tells it.
    owners: dict[tuple[str, bool], str] = {}
    for path in paths:
        owner, _, slot = path.removesuffix(".yaml").rpartition(".")
        owners[owner, slot == "request"] = path
    claims = [place_of(folder, path).claim for path in owners.values()]
    return Links(tuple(dict.fromkeys(owner_node(claim) for claim in claims if claim)))


def within(links: Links, component: Sequence[Part]) -> bool:
    """All that a folder of records bears on is in a component, whose pools cover its ranges."""
    nodes = {node for part in component for node in part.links.nodes}
    extents = [entry for part in component if not part.is_pool for entry in part.links.ranges]
    return nodes.issuperset(links.nodes) and all(
        _is_inside(item, extents) for _, item in links.ranges
    )


def components(parts: Sequence[Part]) -> list[list[Part]]:
    """The parts, divided into components; each in the order of the parts."""
    union = _Union(len(parts))
    first_of: dict[str, int] = {}
    spaces: dict[str, list[tuple[IPRange, int]]] = {}
    extents: dict[int, list[tuple[str, IPRange]]] = {}
    for index, part in enumerate(parts):
        for node in part.links.nodes:
            union.join(first_of.setdefault(node, index), index)
        if not part.is_pool:
            extents.setdefault(index, []).extend(part.links.ranges)
            for space, item in part.links.ranges:
                spaces.setdefault(space, []).append((item, index))
    _join_defaults(parts, union, first_of)
    _join_strays(parts, union, extents, spaces)
    anywhere = spaces.setdefault(EVERYWHERE, [])
    for entries in spaces.values():
        # A pool may call its own address space that, so `anywhere` is joined by itself, too.
        _join_overlapping([*entries, *anywhere], union)
    grouped: dict[int, list[Part]] = {}
    for index, part in enumerate(parts):
        grouped.setdefault(union.root(index), []).append(part)
    return list(grouped.values())


def fingerprint(component: Iterable[Part], common: str) -> str:
    """The identity of all that a component is planned from.

    Args:
        component: Its parts.
        common: The identity of what bears on every component: program, Settings, teams.
    """
    text = "\n".join(f"{part.oid} {part.path}" for part in component)
    return sha256(f"{common}\n{text}".encode()).hexdigest()


def _join_defaults(parts: Sequence[Part], union: "_Union", first_of: dict[str, int]) -> None:
    undecided: dict[tuple[str, str], int] = {}
    for index, part in enumerate(parts):
        if part.links.default is None:
            continue
        preferred, _ = part.links.default
        if preferred in first_of:
            union.join(first_of[preferred], index)
        else:
            union.join(undecided.setdefault(part.links.default, index), index)
    for (_, beginning), index in undecided.items():
        for node, other in first_of.items():
            if node.startswith(beginning):
                union.join(other, index)


def _join_strays(
    parts: Sequence[Part],
    union: "_Union",
    extents: dict[int, list[tuple[str, IPRange]]],
    spaces: dict[str, list[tuple[IPRange, int]]],
) -> None:
    """Records that reach outside their pool bear on whatever is there, in any address space."""
    described: dict[int, list[tuple[str, IPRange]]] = {}
    for index, ranges in extents.items():
        if ranges:
            described.setdefault(union.root(index), []).extend(ranges)
    for index, part in enumerate(parts):
        if not part.is_pool:
            continue
        inside = described.get(union.root(index), [])
        for _, span in part.links.ranges:
            if _is_inside(span, inside):
                continue
            for entries in spaces.values():
                entries.append((span, index))


def _is_inside(span: IPRange, extents: Sequence[tuple[str, IPRange]]) -> bool:
    """A component's pools cover a span of its records in the address space that it counts in.

    Whose span it is does not matter here, so where there are two spaces nothing is certain.
    """
    if len({space for space, _ in extents if space != EVERYWHERE}) > 1:
        return False
    return any(item.covers(span) for _, item in extents)


def _join_overlapping(entries: list[tuple[IPRange, int]], union: "_Union") -> None:
    reach: tuple[IPRange, int] | None = None
    for item, index in sorted(entries):
        if reach is not None and reach[0].version == item.version and item.first <= reach[0].last:
            union.join(reach[1], index)
            if item.last <= reach[0].last:
                continue
        reach = (item, index)


class _Union:
    """Disjoint sets of the numbers below a size."""

    def __init__(self, size: int) -> None:
        self._parent = list(range(size))

    def root(self, index: int) -> int:
        """The number that stands for a set: its least."""
        parent = self._parent
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    def join(self, left: int, right: int) -> None:
        """Make two sets one."""
        left, right = self.root(left), self.root(right)
        if left != right:
            self._parent[max(left, right)] = min(left, right)
