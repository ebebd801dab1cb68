"""Which records differ from a base, read on both sides, with what reconcile itself would write."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from msgspec.structs import replace

from reconciler.commands.reading.files import reader_of
from reconciler.commands.reading.settings import has_records
from reconciler.documents.suffix import is_yaml
from reconciler.evaluate import Evaluation, leaving, let_pass
from reconciler.model.key import Key
from reconciler.model.settings import Settings
from reconciler.ports import Changed, Entry, Source
from reconciler.records.by_hand import Records, differing
from reconciler.records.emit import record_text
from reconciler.records.hands import Stated
from reconciler.records.recall import Recalled, recall


def records_since(
    base: tuple[Source, Settings], change: tuple[Source, Settings], changes: Iterable[Changed]
) -> Records:
    """Records that changed since an earlier revision, also where their folder moved.

    Args:
        base: The earlier revision and its own Settings.
        change: The later one and the Settings to go by.
        changes: The files that differ.
    """
    (old, theirs), (new, ours) = base, change
    if theirs.records == ours.records:
        touched = _touched(changes, ours.records)
        was = {item.path: item.old for item in touched}
        entries = {item.path: item.new for item in touched}
        return Records(_stated(old, theirs, was), _stated(new, ours, entries))
    # All that is there now may be what was elsewhere.
    was, entries = _every(old, theirs.records), _every(new, ours.records)
    for path, entry in list(was.items()):
        there = entries.get(_moved(path, theirs, ours))
        if entry and there and (entry.mode, entry.oid) == (there.mode, there.oid):
            del was[path], entries[there.path]
    before = _stated(old, theirs, was)
    moved = {_moved(path, theirs, ours): item for path, item in before.items()}
    return Records(moved, _stated(new, ours, entries))


def records_beside(
    base: tuple[Source, Settings],
    change: tuple[Source, Settings],
    changes: Iterable[Changed],
    planned: Callable[[], Evaluation],
) -> Records:
    """Records of a change that are not, byte for byte, those of its base.

    The base is planned when there are any, and only then.

    Args:
        base: The base and its own Settings.
        change: The change and the Settings to go by.
        changes: The files that differ.
        planned: The evaluation of the base, as reconcile has it.
    """
    begins = not has_records(base[0], base[1].records)
    found = replace(records_since(base, change, changes), is_strict=True, begins=begins)
    if not differing(found):
        return found
    evaluation = planned()
    move = partial(_moved, theirs=evaluation.tree.settings, ours=change[1])
    claims = {move(record.path): record.claim for record in evaluation.state.records}
    expected = {
        claim: {move(path): data for path, data in files.items()}
        for claim, files in _expected(evaluation).items()
    }
    return replace(found, claims=claims, expected=expected)


def _expected(base: Evaluation) -> Mapping[Key, Mapping[str, bytes | None]]:
    """What reconcile writes on a base, claim by claim; and records as they last could be read."""
    folder = base.tree.settings.records
    was = {record.path: record.claim for record in base.state.records}
    found: dict[Key, dict[str, bytes | None]] = {}
    # A cluster may announce it still, and only reconcile asks.
    gone = {item.path for item in leaving(base)}
    for path, data in let_pass(base).changes:
        if data is None and path in gone:
            continue
        made = recall(folder, path, data).allocation if data is not None else None
        if path in was:
            found.setdefault(was[path], {})[path] = None
        if made is not None:
            found.setdefault(made.claim, {})[path] = data
    for path, record in base.tree.last_good.records.items():
        if record.path == path:
            found.setdefault(record.claim, {})[path] = record_text(record).encode()
    return found


def _touched(changes: Iterable[Changed], folder: str) -> list[Changed]:
    """The records among changed files; what is no plain file now is told of as such."""
    return [
        item
        for item in changes
        if item.path.startswith(f"{folder}/")
        and is_yaml(item.path)
        and (item.new is None or item.new.is_file)
    ]


def _every(source: Source, folder: str) -> dict[str, Entry | None]:
    return {entry.path: entry for entry in source.entries([folder]) if is_yaml(entry.path)}


def _moved(path: str, theirs: Settings, ours: Settings) -> str:
    """Where a record of the base would stand in the change's folder."""
    return f"{ours.records}/{path.removeprefix(f'{theirs.records}/')}"


def _stated(
    source: Source, settings: Settings, entries: Mapping[str, Entry | None]
) -> dict[str, Stated | None]:
    there: Sequence[Entry] = [item for item in entries.values() if item and item.is_file]
    reader = reader_of(source, settings)

    def read(path: str, data: bytes) -> tuple[bytes, Recalled]:
        return data, reader.read_record(path, data)

    found = source.each(there, read)
    stated = {item.path: Stated(*both) for item, both in zip(there, found, strict=True)}
    return {path: stated.get(path) for path in entries}
