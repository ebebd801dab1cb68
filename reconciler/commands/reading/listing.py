"""Which parts a tree has now, when it is known which it had: only what changed is listed."""

from collections.abc import Mapping

from reconciler.commands.reading.parts import NotPlainError, Parts
from reconciler.commands.reading.reader import split
from reconciler.documents.names import clashes
from reconciler.ports import Changed, Entry

_Ids = Mapping[str, str]
"""Object ids by path."""


def listed(parts: Parts, tops: _Ids, old_tops: _Ids, was: _Ids) -> dict[str, str]:
    """All parts of the tree, in no order; of folders that did not change, as they were.

    Args:
        parts: How the tree is read.
        tops: Ids of the folders that are read.
        old_tops: What they were when the parts were noted; empty if nothing is known.
        was: The parts that were noted.

    Raises:
        NotPlainError: The tree has to be read as a whole.
    """
    source, settings = parts.source, parts.settings
    found = dict(was)
    anew = []
    for path in dict.fromkeys((*old_tops, *tops)):
        old, now = old_tops.get(path), tops.get(path)
        if old == now:
            continue
        changed = _changed(parts, path, old, now)
        if changed is not None:
            _change(found, changed, parts)
            continue
        inside = f"{path}/"
        found = {it: oid for it, oid in found.items() if not it.startswith(inside)}
        if now is not None and path == settings.records:
            found |= parts.record_parts()
        elif now is not None:
            anew.append(path)
    sources, _ = split(source.entries(anew), settings)
    found |= {entry.path: entry.oid for entry in sources}
    # Whoever reads all of it tells what is wrong with its files, and how many there may be.
    if source.findings() or clashes(found) or len(found) > settings.limits.files:
        raise NotPlainError
    return found


def _changed(parts: Parts, path: str, old: str | None, now: str | None) -> list[Changed] | None:
    """What changed in a folder; None where it has to be listed."""
    if old is None or now is None or path == parts.settings.records:
        return None
    return parts.source.changed_below(Entry(path, "040000", now), old)


def _change(found: dict[str, str], changed: list[Changed], parts: Parts) -> None:
    """Make the parts of a folder what they are after a change."""
    new = [item.new for item in changed if item.new is not None]
    if not all(entry.is_file for entry in new):
        raise NotPlainError
    for item in changed:
        found.pop(item.path, None)
    sources, _ = split(new, parts.settings)
    found |= {entry.path: entry.oid for entry in sources}
