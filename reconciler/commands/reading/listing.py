"""Which parts a tree has now, when it is known which it had: only what changed is listed."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from msgspec import Struct

from reconciler.commands.reading.parts import NotPlainError, Parts
from reconciler.commands.reading.reader import split
from reconciler.documents.names import clashes
from reconciler.incremental.group import Group
from reconciler.incremental.snapshot import NOTHING, Head
from reconciler.ports import Changed, Entry

_Ids = Mapping[str, str]
"""Object ids by path."""

Moved = Mapping[str, str | None]
"""Object ids by path, of what is not as it was; None for what is not there any more."""


class Divided(Struct, frozen=True):
    """Which groups of an earlier run may be left out, and what is to be read.

    Attributes:
        left_out: Groups none of whose parts changed, by number.
        to_read: Object ids of all other parts of the tree, by path, in order.
        gone: Parts of the groups that are not there any more, in order.
    """

    left_out: dict[int, Group]
    to_read: dict[str, str]
    gone: list[str]


class Noted(Struct, frozen=True):
    """What an earlier run noted.

    Attributes:
        head: What is known when nothing changed.
        groups: The groups that had nothing to do when they were written.
    """

    head: Head
    groups: Sequence[Group]

    def since(self) -> dict[str, str | None]:
        """What was not any more as in the groups when it was noted, or is in none of them."""
        return {**dict.fromkeys(self.head.gone), **self.head.restless, **self.head.shared}

    def all(self) -> dict[str, str]:
        """The object ids of all parts that were noted, by path."""
        found: dict[str, str | None] = {}
        for group in self.groups:
            found.update(group.parts)
        return _there(found | self.since())

    def has(self, paths: Iterable[str]) -> bool:
        """Whether all of some parts were noted."""
        since = self.since()
        return all(
            since[path] is not None
            if path in since
            else any(path in group.parts for group in self.groups)
            for path in paths
        )

    def divided(self, moved: Moved) -> Divided:
        """The groups, and what of the tree is to be read beside them.

        Args:
            moved: What of the tree is not as it was noted.
        """
        now, shared = {**self.since(), **moved}, self.head.shared.keys()
        left_out, read = dict[int, Group](), dict[str, str | None]()
        kept, gone = dict[str, None](), list[str]()
        for number, group in enumerate(self.groups):
            # Views of dictionaries look at the smaller one alone: nearly always nothing moved.
            mine = now.keys() & group.parts.keys()
            if all(now[path] == group.parts[path] for path in mine) and shared.isdisjoint(mine):
                left_out[number] = group
                kept |= dict.fromkeys(mine)
            else:
                read |= group.parts
            gone += [path for path in mine if now[path] is None]
        read |= {path: oid for path, oid in now.items() if path not in kept}
        return Divided(left_out, dict(sorted(_there(read).items())), sorted(gone))


NOTED_NOTHING = Noted(NOTHING, ())


def moved(parts: Parts, tops: _Ids, noted: Noted) -> dict[str, str | None]:
    """What of a tree is not as it was noted.

    Args:
        parts: How the tree is read.
        tops: Ids of the folders that are read.
        noted: What was noted; of folders that did not change, all is as it was.

    Raises:
        NotPlainError: The tree has to be read as a whole.
    """
    source, settings = parts.source, parts.settings
    found: dict[str, str | None] = {}
    was = cache(noted.all)
    anew, listed = list[str](), False
    for path in dict.fromkeys((*noted.head.tops, *tops)):
        old, now = noted.head.tops.get(path), tops.get(path)
        if old == now:
            continue
        changed = _changed(parts, path, old, now)
        if changed is not None:
            _change(found, changed, parts)
            continue
        inside = f"{path}/"
        found |= dict.fromkeys(it for it in was() if it.startswith(inside))
        listed = True
        if now is not None and path == settings.records:
            found |= parts.record_parts()
        elif now is not None:
            anew.append(path)
    sources, _ = split(source.entries(anew), settings)
    found |= {entry.path: entry.oid for entry in sources}
    if listed:
        found = {path: oid for path, oid in found.items() if was().get(path) != oid}
    # Whoever reads all of it tells what is wrong with its files, and how many there may be.
    if source.findings() or _is_odd(parts, found, noted):
        raise NotPlainError
    return found


def _is_odd(parts: Parts, moved: Moved, noted: Noted) -> bool:
    """New names clash, or there are too many; without a new one all is as it was when it was not."""
    new = [path for path, oid in moved.items() if oid is not None]
    if len(new) < len(noted.groups) and noted.has(new):
        return False
    whole = _there({**noted.all(), **moved})
    return bool(clashes(whole)) or len(whole) > parts.settings.limits.files


def _there(ids: Moved) -> dict[str, str]:
    return {path: oid for path, oid in ids.items() if oid is not None}


def _changed(parts: Parts, path: str, old: str | None, now: str | None) -> list[Changed] | None:
    """What changed in a folder; None where it has to be listed."""
    if old is None or now is None or path == parts.settings.records:
        return None
    return parts.source.changed_below(Entry(path, "040000", now), old)


def _change(found: dict[str, str | None], changed: list[Changed], parts: Parts) -> None:
    """Make the parts of a folder what they are after a change."""
    new = [item.new for item in changed if item.new is not None]
    if not all(entry.is_file for entry in new):
        raise NotPlainError
    found |= dict.fromkeys(item.path for item in changed)
    sources, _ = split(new, parts.settings)
    found |= {entry.path: entry.oid for entry in sources}
