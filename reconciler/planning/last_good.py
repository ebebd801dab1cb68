"""Last readable versions of documents."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from msgspec import Struct, field

from reconciler.documents.document import Document, Identity
from reconciler.documents.findings import (
    Finding,
    Location,
    Severity,
    cut_off,
    join_limited,
    warning,
)
from reconciler.documents.load import Loaded
from reconciler.documents.text import Unread, is_yaml
from reconciler.families import is_pool
from reconciler.gitio.interface import BranchCommit, Entry, Source
from reconciler.planning.documents import LastGood
from reconciler.planning.files import FileReader
from reconciler.records.parse import Recalled


def originals(
    source: Source,
    folders: Sequence[str],
    load: Callable[[str, bytes], Loaded],
    loaded: Sequence[Loaded],
    observed: str,
) -> dict[Identity, str]:
    """Return the effective file for each object that several files describe.

    A source file takes precedence over an observed file.

    The history is searched newest first: a file that did not describe the object before a commit is
    newer than a file that did. If all files appeared in one commit, the first path is effective.
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
    """Return the source files among some paths; all paths if there are none."""
    return [path for path in paths if not path.startswith(observed)] or paths


def _before(
    source: Source, load: Callable[[str, bytes], Loaded], step: BranchCommit, paths: set[str]
) -> Mapping[str, Sequence[Identity]]:
    """Return the identities in changed files before a commit; none for ambiguous files."""
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


# Search at most this many older versions of one file.
MAX_VERSIONS = 100


def last_good(
    reader: FileReader,
    loaded: Sequence[Loaded],
    record_files: Sequence[Recalled],
) -> LastGood:
    """Return the last readable versions of all broken files. Without broken files, return at once.

    Args:
        reader: The file parser.
        loaded: The source files.
        record_files: The record files.
    """
    findings = reader.source.findings()
    broken = [found.location.path for found in findings if found.severity is Severity.ERROR]
    broken += [file.path for file in loaded if file.is_broken]
    # Only reconcile writes records, so an unreadable record comes from a newer version of `ipam`.
    newer = next((it.unreadable.path for it in record_files if it.unreadable is not None), "")
    folder = reader.settings.observed
    first = originals(reader.source, reader.folders, reader.read_source, loaded, folder)
    if not broken:
        return LastGood(originals=first, halted=newer)
    unread = [file.path for file in loaded if isinstance(file.text, Unread)]
    search = _Search(reader, dict.fromkeys(sorted(broken), 0))
    search.run()
    readable = {document.identity for file in loaded for document in file.documents}
    documents = tuple(item for key, item in search.documents.items() if key not in readable)
    return LastGood(
        files=tuple(search.files),
        documents=documents,
        originals=first,
        # The content of a file that is too large was not read, so it can be anything.
        halted=newer or search.halted or next((it for it in unread if it not in search.files), ""),
        findings=(*_as_findings(documents), *_cut(search.halted)),
    )


def _as_findings(documents: Sequence[Document]) -> list[Finding]:
    """Return a finding for each broken file that an older version replaces."""
    by_file: dict[str, list[str]] = {}
    # Report documents at their own path before moved documents, and pools first.
    for document in sorted(documents, key=_rank):
        by_file.setdefault(document.file, []).append(document.title)
    found = []
    for path, titles in by_file.items():
        counts = "count as they were" if len(titles) > 1 else "counts as it was"
        message = (
            f"until this can be read, {join_limited(titles)} {counts}; nothing new is given for it"
        )
        found.append(warning("last-good", Location(path, 1, 1), message))
    return found


def _rank(document: Document) -> tuple[bool, bool]:
    return document.path != document.file, not is_pool(document.kind.id)


def _cut(path: str) -> list[Finding]:
    if not path:
        return []
    message = "the history of this clone is cut off before this could be read: nothing new is given"
    return [cut_off(Location(path, 1, 1), message)]


class _Search(Struct):
    """One walk through the first-parent history.

    Attributes:
        pending: Files whose last readable version is not found yet, with the number of versions
            seen.
        behind: Files of `pending` that were broken when they were deleted or fixed, next to a file
            that is broken now: their older versions replace it.
        files: Files with a readable version.
        halted: The file whose history the clone does not contain, or empty.
    """

    reader: FileReader
    pending: dict[str, int]
    behind: dict[str, str] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    documents: dict[Identity, Document] = field(default_factory=dict)
    halted: str = ""

    def run(self) -> None:
        """Walk until each file is found, or did not exist yet."""
        above = [path for path in self.pending if not self.reader.is_read(path)]
        paths = dict.fromkeys([*self.reader.folders, *above])
        for step in self.reader.source.past(list(paths)):
            first = self._now(next(iter(self.pending)))
            if step.is_cut:
                self.halted = first
                break
            wanted = self._wanted(step)
            for entry, data in zip(wanted, self.reader.source.read(wanted), strict=True):
                self._file(entry.path, data, first)
            self._follow_links(step, first)
            self._give_up(step)
            if not self.pending:
                break

    def _wanted(self, step: BranchCommit) -> list[Entry]:
        """Return the old versions to read at a step: pending files, and deleted files."""
        return [
            item.old
            for item in step.changed
            if item.old is not None
            and item.old.is_file
            and (item.path in self.pending or self.reader.is_read(item.path))
            and (item.path in self.pending or not self._is_output(step, item.path))
            and is_yaml(item.path)
        ]

    def _is_output(self, step: BranchCommit, path: str) -> bool:
        """Return whether a reconcile commit changed a file that reconcile owns."""
        return step.is_reconcile and self.reader.is_written(path)

    def _file(self, path: str, data: bytes, first: str) -> None:
        loaded = self.reader.read_source(path, data)
        is_own = path in self.pending
        counted = [replace(item, unread=self._now(path, first)) for item in loaded.documents]
        if is_own and loaded.is_broken:
            self.pending[path] += 1
            return
        if is_own:
            self._found(path)
        elif loaded.is_broken:
            self._follow(path, first)
        for document in counted:
            self.documents.setdefault(document.identity, document)

    def _found(self, path: str) -> None:
        del self.pending[path]
        if self.behind.pop(path, None) is None:
            self.files.append(path)

    def _follow(self, path: str, first: str) -> None:
        """Add files that were broken at the parent and were deleted or fixed in this commit.

        Their last readable versions were deleted with them, as readable documents are (for example
        `git mv` of a file that broke some commits earlier).
        """
        self.pending[path] = 0
        self.behind[path] = first

    def _follow_links(self, step: BranchCommit, first: str) -> None:
        """Add files that a symlink or submodule replaced."""
        for item in step.changed:
            is_link = item.old is not None and not item.old.is_file
            if is_link and item.path not in self.pending:
                self._follow(item.path, first)

    def _now(self, path: str, first: str = "") -> str:
        """Return the file of the tree that an older file replaces."""
        return self.behind.get(path, path if path in self.pending else first)

    def _give_up(self, step: BranchCommit) -> None:
        """Drop files that did not exist before."""
        brought = [item.path for item in step.changed if item.old is None]
        given_up = [path for path in brought if path in self.pending]
        given_up += [path for path, seen in self.pending.items() if seen >= MAX_VERSIONS]
        for path in dict.fromkeys(given_up):
            del self.pending[path]
            self.behind.pop(path, None)
