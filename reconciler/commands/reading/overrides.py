"""Which Overrides count for a revision: those that stood before it, told by its base or its line.

By itself a revision is judged by what its parent had, and of a merge each parent that may be the
branch; Overrides that came alone count at once. Where that is behind the end of a clone nothing
counts (ADR 0008).
"""

from collections.abc import Mapping

from reconciler.model.override import Overrides
from reconciler.model.settings import OVERRIDES
from reconciler.overrides import Stood, is_override, overrides_of
from reconciler.ports import LimitError, Source


def read_overrides(source: Source) -> Overrides:
    """The Overrides of a revision, of which those count that it did not bring itself."""
    files = _files(source)
    return overrides_of(files, _stood(source, files)) if files else Overrides()


def overrides_beside(base: Source, source: Source) -> Overrides:
    """The Overrides of a change, of which those count that its base holds, too.

    A committer date is what its committer says: no Override lasts longer for a commit that is
    dated before its base, or before what it stands on.
    """
    files = _files(source)
    if not files:
        return Overrides()
    stood = Stood(_files(base), max(source.passed(), base.passed()), is_base=True)
    return overrides_of(files, stood)


def _files(source: Source) -> Mapping[str, bytes]:
    if source.standing([OVERRIDES]) == []:
        return {}
    entries = [item for item in source.entries([OVERRIDES]) if is_override(item.path)]
    data = source.read(entries)
    return {entry.path: item for entry, item in zip(entries, data, strict=True)}


def _stood(source: Source, files: Mapping[str, bytes]) -> Stood:
    step = source.brought([OVERRIDES])
    changed = {item.path for item in step.changed}
    if changed and step.id and not step.is_cut and _is_all(source, changed):
        changed = set()
    left = {path: data for path, data in files.items() if path not in changed}
    return Stood(left, source.passed(), step.is_cut, is_base=not step.id)


def _is_all(source: Source, changed: set[str]) -> bool:
    """A revision brought Overrides and nothing that they could be for: its parent had all of that."""
    try:
        step = source.brought([])
    except LimitError:
        return False
    return not step.is_cut and {item.path for item in step.changed} == changed
