"""Which of two documents of one object counts: the one that was there before the other came."""

from collections.abc import Callable, Mapping, Sequence

from reconciler.documents.document import Identity
from reconciler.documents.load import Loaded
from reconciler.ports import Entry, Source, Step


def originals(
    source: Source,
    folders: Sequence[str],
    load: Callable[[str, bytes], Loaded],
    loaded: Sequence[Loaded],
    observed: str,
) -> dict[Identity, str]:
    """The file that counts for each object that several files describe.

    What people describe comes before what was observed of it, in the folder of that name.

    Along the revision's line, newest first: a file that did not describe the object before a
    commit came later than those that did. Where all came at once the first by path counts.
    """
    places: dict[Identity, dict[str, None]] = {}
    for file in loaded:
        for document in file.documents:
            places.setdefault(document.identity, {})[file.path] = None
    several = {
        identity: _written(sorted(paths), f"{observed}/")
        for identity, paths in places.items()
        if len(paths) > 1
    }
    found = {identity: paths[0] for identity, paths in several.items()}
    open_ = {identity: paths for identity, paths in several.items() if len(paths) > 1}
    for step in source.past(folders) if open_ else ():
        if step.is_cut or not open_:
            break
        before = _before(source, load, step, {path for paths in open_.values() for path in paths})
        for identity, paths in list(open_.items()):
            left = [path for path in paths if identity in before.get(path, (identity,))]
            if left:
                found[identity], open_[identity] = left[0], left
            if len(left) < 2:
                del open_[identity]
    return found


def _written(paths: list[str], observed: str) -> list[str]:
    """Those of some paths that people write; all of them where people write none."""
    return [path for path in paths if not path.startswith(observed)] or paths


def _before(
    source: Source, load: Callable[[str, bytes], Loaded], step: Step, paths: set[str]
) -> Mapping[str, Sequence[Identity]]:
    """What the files that a commit changed described before it; of what was unclear nothing."""
    found: dict[str, Sequence[Identity]] = {}
    old: list[Entry] = []
    for item in step.changed:
        if item.path in paths and item.old is not None:
            old.append(item.old)
        elif item.path in paths:
            found[item.path] = ()
    for entry, data in zip(old, source.read(old), strict=True):
        file = load(entry.path, data)
        if not file.unclear:
            found[entry.path] = (*(item.identity for item in file.documents), *file.broken)
    return found
