"""What is broken counts as it last could be read: looked up along the revision's own line.

For each broken file: the documents of its last wholly good version, and the documents that
vanished elsewhere in the commit that broke it or later, because the file may be what they were
moved to. A readable document of the same identity comes before all of them (`contract.md` §4.7,
ADR 0006).
"""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field, replace

from reconciler.documents.document import Document, Identity, node
from reconciler.documents.load import Loaded
from reconciler.findings import Finding, Location, Severity, warning
from reconciler.model.allocation import Allocation
from reconciler.ports import Entry, Source, Step
from reconciler.records.recall import Recalled
from reconciler.tree import LastGood

# Older versions of one file than so many are not looked at.
MOST_VERSIONS = 100
_YAML = (".yaml", ".yml")


def is_yaml(path: str) -> bool:
    """Files of other names are not read."""
    return path.endswith(_YAML)


@dataclass(frozen=True, slots=True)
class Reader:
    """How the files of a revision are read, by path and bytes, and where they are.

    Attributes:
        folders: The source folders.
        records: The records folder.
    """

    source: Source
    folders: Sequence[str]
    records: str
    load: Callable[[str, bytes], Loaded]
    recall: Callable[[str, bytes], Recalled]

    def is_record(self, path: str) -> bool:
        """The path is that of a file that only reconcile writes, or of what is in their place."""
        return path == self.records or path.startswith(f"{self.records}/")


def last_good(
    reader: Reader,
    loaded: Sequence[Loaded],
    recalled: Sequence[Recalled],
    elsewhere: Container[str] = (),
) -> LastGood:
    """What counts in the place of all that is broken; costs nothing where nothing is.

    Args:
        reader: How files are read.
        loaded: The source files.
        recalled: The record files.
        elsewhere: Nodes of documents that can be read, in files that are not among them.
    """
    findings = reader.source.findings()
    broken = [found.location.path for found in findings if found.severity is Severity.ERROR]
    broken += [file.path for file in loaded if file.is_broken]
    broken += [item.unreadable.path for item in recalled if item.unreadable is not None]
    if not broken:
        return LastGood()
    search = _Search(reader, dict.fromkeys(sorted(broken), 0))
    search.run()
    readable = {document.identity for file in loaded for document in file.documents}
    held = {item.allocation.claim for item in recalled if item.allocation is not None}
    documents = tuple(
        item
        for key, item in search.documents.items()
        if key not in readable and node(item.kind.name, item.namespace, item.name) not in elsewhere
    )
    return LastGood(
        files=tuple(search.files),
        documents=documents,
        records={path: item for path, item in search.records.items() if item.claim not in held},
        halted=search.halted,
        findings=(*_told(documents), *_cut(search.halted)),
    )


def _told(documents: Sequence[Document]) -> list[Finding]:
    """What counts as it was, a finding for each file that is in its place now."""
    by_file: dict[str, list[str]] = {}
    # What stands in the file itself is named before what may have been moved to it.
    for document in sorted(documents, key=lambda item: item.path != item.file):
        by_file.setdefault(document.file, []).append(document.title)
    found = []
    for path, titles in by_file.items():
        more = f" and {len(titles) - 1} more" if len(titles) > 1 else ""
        counts = "count as they were" if more else "counts as it was"
        message = f"until this can be read, {titles[0]}{more} {counts}; nothing new is given for it"
        found.append(warning("last-good", Location(path, 1, 1), message))
    return found


def _cut(path: str) -> list[Finding]:
    if not path:
        return []
    message = "the history of this clone is cut off before this could be read: nothing new is given"
    hint = "git fetch --unshallow; in a CI job: fetch-depth: 0"
    return [warning("history-cut", Location(path, 1, 1), message, hint)]


@dataclass(slots=True)
class _Search:
    """One walk along the line.

    Attributes:
        pending: Files whose last good version is still looked for, and how many were seen.
        files: Files that have one.
        halted: The file that the history at hand does not reach back for, or empty.
    """

    reader: Reader
    pending: dict[str, int]
    files: list[str] = field(default_factory=list)
    documents: dict[Identity, Document] = field(default_factory=dict)
    records: dict[str, Allocation] = field(default_factory=dict)
    halted: str = ""

    def run(self) -> None:
        """Walk until each file is found, or was not there yet."""
        vanished: dict[str, Allocation] = {}
        is_record_lost = False
        for step in self.reader.source.past([*self.reader.folders, self.reader.records]):
            first = next(iter(self.pending))
            if step.is_cut:
                self.halted = first
                break
            wanted = self._wanted(step)
            for entry, data in zip(wanted, self.reader.source.read(wanted), strict=True):
                if self.reader.is_record(entry.path):
                    self._record(entry.path, data, vanished)
                else:
                    self._file(entry.path, data, first)
            is_record_lost = self._give_up(step) or is_record_lost
            if not self.pending:
                break
        if is_record_lost:
            self.records = {**vanished, **self.records}

    def _wanted(self, step: Step) -> list[Entry]:
        """Old versions that a step is asked for: of files in question, and of what vanished."""
        return [
            item.old
            for item in step.changed
            if item.old is not None
            and item.old.mode.startswith("100")
            and (item.path in self.pending or not step.is_reconcile)
            and is_yaml(item.path)
        ]

    def _file(self, path: str, data: bytes, first: str) -> None:
        loaded = self.reader.load(path, data)
        is_own = path in self.pending
        if is_own and loaded.is_broken:
            self._count(path)
            return
        if is_own:
            self._found(path)
        for document in loaded.documents:
            counted = replace(document, unread=path if is_own else first)
            self.documents.setdefault(document.identity, counted)

    def _record(self, path: str, data: bytes, vanished: dict[str, Allocation]) -> None:
        allocation = self.reader.recall(path, data).allocation
        if path not in self.pending:
            if allocation is not None:
                vanished.setdefault(path, allocation)
        elif allocation is None:
            self._count(path)
        else:
            self._found(path)
            self.records[path] = allocation

    def _count(self, path: str) -> None:
        self.pending[path] += 1

    def _found(self, path: str) -> None:
        del self.pending[path]
        self.files.append(path)

    def _give_up(self, step: Step) -> bool:
        """Drop files that were not there before; whether a record is among them."""
        brought = [item.path for item in step.changed if item.old is None]
        given_up = [path for path in brought if path in self.pending]
        given_up += [path for path, seen in self.pending.items() if seen >= MOST_VERSIONS]
        for path in dict.fromkeys(given_up):
            del self.pending[path]
        return any(self.reader.is_record(path) for path in given_up)
