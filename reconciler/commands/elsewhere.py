"""Files that a change brings or edits where nobody reads them, though what they hold counts elsewhere.

A folder that is mistyped looks like any other: its tenant gets no addresses, and the range that it
pins goes to the next one. The whole of a repository is not looked at for that: it may hold much else,
and what stood there before no change made worse. Nothing that is found there stops a check.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from reconciler.documents.names import upwards
from reconciler.findings import Finding, Location, info
from reconciler.model.settings import PATH, Settings
from reconciler.ports import FEW_FOLDERS, Entry, GitError, LimitError, Repository, Source
from reconciler.sources import elsewhere, is_elsewhere, is_suspect

MOST_FILES = 1_000
"""So many files of a change are looked at, as far as they may hold YAML."""
MOST_READ = 100
"""So many are read that have the name of an API that is known."""
_MOST_DEEP, _LONGEST = 16, 1_024


def not_read(
    repository: Repository, base: Source, source: Source, settings: Settings
) -> Iterator[Finding]:
    """What is said of such files.

    Args:
        repository: Where both are.
        base: The base: a revision.
        source: The change; of a work tree its HEAD is looked at.
        settings: Where files are read.
    """
    head = source if source.revision() is not None else repository.source("HEAD")
    start, end = base.revision(), head.revision()
    if start is None or end is None:
        return
    try:
        changes, _ = repository.changed(start.id, end.id)
        there = [it.new for it in changes if it.new is not None and it.new.is_file]
        outside = [it for it in there if is_elsewhere(it.path, settings)]
        yield from _found(outside, base, head, settings)
    except (GitError, LimitError):
        yield _left_out("what changes outside of the folders that are read")


def _found(
    outside: Sequence[Entry], base: Source, head: Source, settings: Settings
) -> Iterator[Finding]:
    some = outside[:MOST_FILES]
    marks = zip(some, head.each(some, is_suspect), strict=True) if some else ()
    suspects = [entry for entry, is_one in marks if is_one]
    roots = _roots(suspects[:MOST_READ], base, settings) if suspects else ()
    read = [it for it in suspects[:MOST_READ] if not it.path.startswith(tuple(roots))]
    told = head.each(read, partial(elsewhere, settings=settings)) if read else ()
    yield from (found for found in told if found is not None)
    left = len(outside) - len(some) + len(suspects[MOST_READ:])
    if left:
        yield _left_out(f"{left} files that change outside of the folders that are read")


def _roots(entries: Sequence[Entry], base: Source, settings: Settings) -> list[str]:
    """Folders that are roots of their own in the base: what is in them somebody else reads."""
    above = [upwards(it.path)[:-1][:_MOST_DEEP] for it in entries if len(it.path) < _LONGEST]
    folders = list(dict.fromkeys(folder for each in above for folder in each))
    marks = {f"{it}/{name}": it for it in folders for name in (PATH, settings.records)}
    asked, found = list(marks), list[str]()
    for at in range(0, len(asked), FEW_FOLDERS):
        standing = base.standing(asked[at : at + FEW_FOLDERS])
        found += (f"{marks[it.path]}/" for it in standing or ())
    return found


def _left_out(what: str) -> Finding:
    message = f"{what}: not looked at, whether they hold what counts elsewhere"
    return info("file-not-read", Location("."), message)
