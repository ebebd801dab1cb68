"""Which parts a tree has now, when it is known which it had: only what changed is listed."""

from collections.abc import Mapping

from reconciler.commands.reading.parts import NotPlainError, Parts
from reconciler.commands.reading.reader import split
from reconciler.documents.names import clashes
from reconciler.ports import Changed, Entry

_Ids = Mapping[str, str]
"""Object ids by path."""


def listed(parts: Parts, tops: _Ids, old_tops: _Ids, was: _Ids) -> dict[str, str]:
    """All parts of the tree, by path; of folders that did not change, as they were.

    Args:
        parts: How the tree is read.
        tops: Ids of the folders that are read.
        old_tops: What they were when the parts were noted; empty if nothing is known.
        was: The parts that were noted.

    Raises:
        NotPlainError: The tree has to be read as a whole.
    """
    source, settings = parts.source, parts.settings
    records = settings.records
    same = [path for path, oid in tops.items() if old_tops.get(path) == oid]
    found = _below(was, same)
    anew = []
    for path in tops:
        if path in same or path == records:
            continue
        changed = _changed(parts, path, tops[path], old_tops.get(path))
        if changed is None:
            anew.append(path)
        else:
            found |= _since(_below(was, [path]), changed, parts)
    sources, _ = split(source.entries(anew), settings)
    found |= {entry.path: entry.oid for entry in sources}
    if records in tops and records not in same:
        found |= parts.record_parts()
    # Whoever reads all of it tells what is wrong with its files, and how many there may be.
    if source.findings() or clashes(found) or len(found) > settings.limits.files:
        raise NotPlainError
    return {path: found[path] for path in sorted(found)}


def _below(was: _Ids, folders: list[str]) -> dict[str, str]:
    inside = tuple(f"{path}/" for path in folders)
    return {path: oid for path, oid in was.items() if path.startswith(inside)}


def _changed(parts: Parts, path: str, now: str, was: str | None) -> list[Changed] | None:
    """What changed in a folder; None where it has to be listed."""
    return parts.source.changed_below(Entry(path, "040000", now), was) if was else None


def _since(was: dict[str, str], changed: list[Changed], parts: Parts) -> dict[str, str]:
    """The parts of a folder, after what changed in it."""
    new = [item.new for item in changed if item.new is not None]
    if not all(entry.is_file for entry in new):
        raise NotPlainError
    for item in changed:
        was.pop(item.path, None)
    sources, _ = split(new, parts.settings)
    return was | {entry.path: entry.oid for entry in sources}
