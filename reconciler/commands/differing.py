"""The files of a commit beside those that a plan makes: which of them differ, and in what."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from reconciler.documents.suffix import is_yaml
from reconciler.records.changes import Change
from reconciler.records.recall import recall


def differences(
    folder: str, wanted: Sequence[Change], theirs: Mapping[str, bytes | None]
) -> dict[str, bool]:
    """Files that differ, each with whether it states something else, or is none that a plan makes."""
    mine = {change.path: change.data for change in wanted}
    mine |= dict.fromkeys(_making_way(theirs.keys() - mine.keys(), mine))
    return {
        path: _stated(folder, path, mine.get(path)) != _stated(folder, path, theirs.get(path))
        for path in sorted(mine.keys() | theirs.keys())
        if path not in mine or path not in theirs or mine[path] != theirs[path]
    }


def _making_way(paths: Iterable[str], wanted: Mapping[str, bytes | None]) -> list[str]:
    """Files, but no records, that a tree cannot hold beside what is wanted.

    In the place of a folder that is made, or in a folder in the place of a file that is.
    """
    made = {path for path, data in wanted.items() if data is not None}
    folders = {above for path in made for above in _above(path)}
    return [
        path
        for path in paths
        if not is_yaml(path) and (path in folders or not made.isdisjoint(_above(path)))
    ]


def _above(path: str) -> Iterator[str]:
    """The folders that a path is in."""
    while path := path.rpartition("/")[0]:
        yield path


def _stated(folder: str, path: str, data: bytes | None) -> object:
    """Who holds what by a record, and for whom; by what is none, or is gone, whatever it is."""
    if data is None:
        return None
    record = recall(folder, path, data).allocation
    if record is None:
        return data
    return record.claim, record.owner[:2], record.pool, record.range, record.phase
