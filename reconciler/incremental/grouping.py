"""Parts to groups: what shares a node, a name or an address is one group."""

from collections.abc import Iterable, Mapping, Sequence

from reconciler.addresses import IPRange
from reconciler.documents.document import EVERY
from reconciler.engine.lookup import Lookup
from reconciler.incremental.group import EVERYWHERE, Bearing, Group, Span


def groups(parts: Mapping[str, str], bearing: Bearing) -> list[Group]:
    """The groups of some parts, each in the order of the parts.

    Args:
        parts: Object ids by path.
        bearing: What each part bears on. A part that it does not name bears on nothing.
    """
    union = _Union(parts)
    _join_nodes(union, bearing)
    first: dict[str, str] = {}
    for path, names in bearing.names.items():
        for name in names:
            union.join(first.setdefault(name, path), path)
    _join_spans(union, bearing.spans)
    found: dict[str, Group] = {}
    for path, oid in parts.items():
        group = found.setdefault(union.root(path), Group())
        group.parts[path] = oid
        group.provides.update(bearing.provides.get(path, {}))
        group.asks.update(bearing.asks.get(path, {}))
        group.names.update(bearing.names.get(path, {}))
        group.spans += bearing.spans.get(path, ())
    return list(found.values())


def touching(groups: Mapping[int, Group]) -> dict[int, None]:
    """The numbers of those groups that are not groups of their own: one bears on another."""
    union = _Union(str(number) for number in groups)
    by_path = {str(number): group for number, group in groups.items()}
    bearing = Bearing(
        {path: group.provides for path, group in by_path.items()},
        {path: group.asks for path, group in by_path.items()},
        {},
        {path: group.spans for path, group in by_path.items()},
    )
    _join_nodes(union, bearing)
    _join_spans(union, bearing.spans)
    members: dict[str, list[int]] = {}
    for number in groups:
        members.setdefault(union.root(str(number)), []).append(number)
    return {number: None for found in members.values() if len(found) > 1 for number in found}


class Spans:
    """Spans that others may overlap."""

    def __init__(self, spans: Iterable[Span]) -> None:
        """Take the spans; those of every space count in each."""
        by_space: dict[str, list[IPRange]] = {}
        for space, item in spans:
            by_space.setdefault(space, []).append(item)
        everywhere = by_space.get(EVERYWHERE, [])
        self._anywhere = _lookup(item for items in by_space.values() for item in items)
        self._everywhere = _lookup(everywhere)
        self._spaces = {space: _lookup([*items, *everywhere]) for space, items in by_space.items()}

    def overlap(self, span: Span) -> bool:
        """One of the spans shares an address with it."""
        if span.space == EVERYWHERE:
            return bool(self._anywhere.overlapping(span.range))
        return bool(self._spaces.get(span.space, self._everywhere).overlapping(span.range))


def _lookup(items: Iterable[IPRange]) -> Lookup[None]:
    return Lookup((item, None) for item in items)


def _join_nodes(union: "_Union", bearing: Bearing) -> None:
    asked: dict[str, str] = {}
    for path, nodes in bearing.asks.items():
        for item in nodes:
            union.join(asked.setdefault(item, path), path)
    described: dict[str, str] = {}
    for path, nodes in bearing.provides.items():
        for item in nodes:
            if item in asked:
                union.join(asked[item], path)
            if not item.endswith(f"/{EVERY}"):  # of one kind is no reason; of one name is
                union.join(described.setdefault(item, path), path)


def _join_spans(union: "_Union", spans: Mapping[str, Sequence[Span]]) -> None:
    by_space: dict[str, list[tuple[IPRange, str]]] = {}
    for path, mine in spans.items():
        for space, item in mine:
            by_space.setdefault(space, []).append((item, path))
    everywhere = by_space.setdefault(EVERYWHERE, [])
    for space, entries in by_space.items():
        both = entries if space == EVERYWHERE else [*entries, *everywhere]
        reach: tuple[IPRange, str] | None = None
        for item, path in sorted(both):
            if reach is not None and _meet(reach[0], item):
                union.join(reach[1], path)
                if item.last <= reach[0].last:
                    continue
            reach = (item, path)


def _meet(reach: IPRange, item: IPRange) -> bool:
    return reach.version == item.version and item.first <= reach.last


class _Union:
    """Disjoint sets of paths; each is its own at first."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._parent = {path: path for path in paths}

    def root(self, path: str) -> str:
        """The path that stands for a set."""
        parent = self._parent
        while (above := parent.setdefault(path, path)) != path:
            parent[path] = path = parent.setdefault(above, above)
        return path

    def join(self, left: str, right: str) -> None:
        """Make two sets one."""
        if left == right:  # as nearly always: no use in looking for what stands for it
            return
        left, right = self.root(left), self.root(right)
        if left != right:
            self._parent[max(left, right)] = min(left, right)
