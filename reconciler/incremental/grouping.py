"""Parts to groups: what shares a node, a name or an address is one group."""

from collections.abc import Iterable, Mapping

from reconciler.addresses import IPRange
from reconciler.documents.document import EVERY, anywhere, is_anywhere
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
    _join_spans(union, bearing)
    found: dict[str, Group] = {}
    for path, oid in parts.items():
        group = found.setdefault(union.root(path), Group())
        group.parts[path] = oid
        group.provides.update(bearing.provides.get(path, {}))
        group.asks.update(bearing.asks.get(path, {}))
        group.names.update(bearing.names.get(path, {}))
        group.spans += bearing.spans.get(path, ())
        group.inside.update(bearing.inside.get(path, {}))
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
        {path: group.inside for path, group in by_path.items()},
    )
    _join_nodes(union, bearing)
    _join_spans(union, bearing)
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
        self._anywhere = _lookup(item for items in by_space.values() for item in items)
        # Beside the others, and not among those of each space: there may be many of both.
        self._everywhere = _lookup(by_space.pop(EVERYWHERE, []))
        self._spaces = {space: _lookup(items) for space, items in by_space.items()}

    def overlap(self, span: Span) -> bool:
        """One of the spans shares an address with it."""
        if span.space == EVERYWHERE:
            return _is_met(self._anywhere, span.range)
        own = self._spaces.get(span.space)
        return _is_met(self._everywhere, span.range) or (
            own is not None and _is_met(own, span.range)
        )


class Reach:
    """What some parts bear on, to be asked whether a group of others bears on it by an address."""

    def __init__(self, bearing: Bearing) -> None:
        """Take what the parts bear on."""
        self._spans = Spans(item for mine in bearing.spans.values() for item in mine)
        self._inside = Spans(item for mine in bearing.inside.values() for item in mine)
        self._has_inside = bool(bearing.inside)

    def meets(self, group: Group) -> bool:
        """They share an address that is not inside clusters on both sides."""
        return (
            any(map(self._spans.overlap, group.spans))
            or any(map(self._spans.overlap, group.inside))
            or (self._has_inside and any(map(self._inside.overlap, group.spans)))
        )


def _lookup(items: Iterable[IPRange]) -> Lookup[None]:
    return Lookup((item, None) for item in items)


def _is_met(lookup: Lookup[None], item: IPRange) -> bool:
    return lookup.first(item, lambda _: True) is not None


def _join_nodes(union: "_Union", bearing: Bearing) -> None:
    asked: dict[str, str] = {}
    for path, nodes in bearing.asks.items():
        for item in nodes:
            union.join(asked.setdefault(item, path), path)
    described: dict[str, str] = {}
    is_sought = any(map(is_anywhere, asked))  # seldom: what is named is nearly always there
    for path, nodes in bearing.provides.items():
        for item in nodes:
            if item in asked:
                union.join(asked[item], path)
            if is_sought and (sought := anywhere(item)) in asked:
                union.join(asked[sought], path)
            if not item.endswith(f"/{EVERY}"):  # of one kind is no reason; of one name is
                union.join(described.setdefault(item, path), path)


def _join_spans(union: "_Union", bearing: Bearing) -> None:
    """Join what shares an address in one space: one sweep over all, however many spaces there are."""
    spans, inside = bearing.spans, bearing.inside
    entries = [(item, path, space, False) for path, mine in spans.items() for space, item in mine]
    entries += [(item, path, space, True) for path, mine in inside.items() for space, item in mine]
    sweep = _Sweep(union)
    for item, path, space, is_inside in sorted(entries):
        if is_inside:
            sweep.take_inside((item, path), space)
        elif space == EVERYWHERE:
            sweep.admit((item, path))
            sweep.take_everywhere((item, path))
        else:
            sweep.admit((item, path), space)
            sweep.take((item, path), space)


_Reach = tuple[IPRange, str]
"""A range that reaches further than all before it, with its path."""


class _Sweep:
    """Ranges in the order of their first addresses.

    What still reaches to where the sweep is, and met a range of every space on the way, is one set
    all the time: each of them meets the next such range, too. So that joins but one of them, and
    those that met none so far, which are counted once each.

    A range inside clusters waits until one comes that is not. Those of them that met one and still
    reach to where the sweep is are one set, too, so the furthest stands for them.
    """

    def __init__(self, union: "_Union") -> None:
        self._union = union
        self._reach: dict[str, _Reach] = {}
        self._everywhere: _Reach | None = None
        # The furthest of those that met a range of every space; and the spaces whose own did not.
        self._joined: _Reach | None = None
        self._apart: dict[str, None] = {}
        self._waiting: dict[str, list[_Reach]] = {}
        self._inside: _Reach | None = None

    def take(self, entry: _Reach, space: str) -> None:
        """Go on to a range of one space."""
        reach = self._reach.get(space)
        is_joined = self._meet(self._everywhere, entry)
        if self._meet(reach, entry):
            is_joined = is_joined or space not in self._apart
            entry = _further(reach, entry)
        self._reach[space] = entry
        if is_joined:
            self._apart.pop(space, None)
            self._joined = _further(self._joined, entry)
        else:
            self._apart[space] = None

    def take_everywhere(self, entry: _Reach) -> None:
        """Go on to a range that counts in every space."""
        near = [self._joined, *(self._reach[space] for space in self._apart)]
        self._joined = entry
        for reach in near:
            if reach is not None and self._meet(reach, entry):
                self._joined = _further(self._joined, reach)
        self._apart.clear()
        self._everywhere = _further(self._everywhere, entry)

    def take_inside(self, entry: _Reach, space: str) -> None:
        """Go on to a range inside clusters."""
        if self._meet(self._everywhere, entry) or self._meet(self._reach.get(space), entry):
            reaches = self._meet(self._inside, entry)
            self._inside = _further(self._inside if reaches else None, entry)
        else:
            self._waiting.setdefault(space, []).append(entry)

    def admit(self, entry: _Reach, space: str | None = None) -> None:
        """Join a range, of one space or of all, with those inside clusters that reach to it."""
        if not self._meet(self._inside, entry):
            self._inside = None
        for place in list(self._waiting) if space is None else (space,):
            for waiting in self._waiting.pop(place, ()):
                if self._meet(waiting, entry):
                    self._inside = _further(self._inside, waiting)

    def _meet(self, reach: _Reach | None, entry: _Reach) -> bool:
        """Join a range with one that begins before it, if they share an address; whether they do."""
        if reach is None or reach[0].version != entry[0].version:
            return False
        if reach[0].last < entry[0].first:
            return False
        self._union.join(reach[1], entry[1])
        return True


def _further(reach: _Reach | None, entry: _Reach) -> _Reach:
    """The one of two that ends last."""
    return entry if reach is None or _end(reach) < _end(entry) else reach


def _end(entry: _Reach) -> tuple[int, int]:
    return entry[0].version, entry[0].last


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
