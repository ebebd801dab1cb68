"""Commits that changed allocations."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from reconciler.documents.document import Document
from reconciler.documents.text import Unread, is_yaml
from reconciler.gitio.history import CommitLog
from reconciler.gitio.interface import CommitRow, Entry, Source, Touch
from reconciler.history.events import RecordEvent, What, events_of
from reconciler.model.claim import Allocation
from reconciler.model.settings import OVERRIDES, Override, OverrideKind, Settings
from reconciler.planning.documents import source_reader
from reconciler.planning.settings import is_override, read_override
from reconciler.records.parse import parse_record


class Approval(NamedTuple):
    """Override that permitted a change: the commit that added it, and its file."""

    row: CommitRow
    path: str


class CommitCause(NamedTuple):
    """User commit that caused an event, and the place of the claim's name in a document, if any."""

    row: CommitRow
    path: str = ""
    line: int = 0
    approval: Approval | None = None


def documents_of(row: CommitRow, records: str, most: int) -> list[Touch]:
    """Return the documents that a commit touched, or none if it touched too many."""
    inside = f"{records}/"
    found = [touch for touch in row.touched if not touch.path.startswith(inside)]
    return found if len(found) <= most else []


Documents = Sequence[tuple[CommitRow, Sequence[Touch]]]
"""Commits, newest first, with the documents that they touched."""


def cause_in(item: RecordEvent, rows: Documents, texts: Mapping[str, bytes]) -> CommitCause | None:
    """Return the newest commit that touched the claim's document, or a user's record itself.

    `rows` reach back to the last reconcile commit.
    """
    people = [it for it in rows if not it[0].is_plan and not it[0].is_cut]
    by_name = None
    for row, documents in people:
        for touch in documents:
            for oid in (touch.new, touch.old):
                line, is_own = _line_in(item, touch.path, texts.get(oid, b""))
                if line and is_own:
                    return CommitCause(row, touch.path, line)
                by_name = by_name or (CommitCause(row, touch.path, line) if line else None)
    return by_name or (CommitCause(people[0][0]) if people else None)


@lru_cache(maxsize=256)
def _documents_in(path: str, text: bytes) -> Sequence[Document]:
    return source_reader(Settings())(path, text).documents


def _line_in(item: RecordEvent, path: str, text: bytes) -> tuple[int, bool]:
    """Return the line of a claim's name (0: only a namesake), and whether the file is its document."""
    found, key = _naming(item).search(text), (item.heir or item.record).claim
    if found is None:
        return 0, False
    documents = _documents_in(path, text)
    alike = [it for it in documents if (it.kind.name, it.name) == (key.kind, key.name)]
    if own := [it for it in alike if it.namespace == key.namespace]:
        return own[0].at("metadata", "name").line, True
    return (0 if alike else _line(text, found)), False


def removal_in(
    item: RecordEvent, rows: Documents, texts: Mapping[str, bytes]
) -> CommitCause | None:
    """Return the user commit, however old, that removed a claim's document for good, or None."""
    named = _naming(item)
    for row, documents in rows:
        touched = documents if not (row.is_plan or row.is_cut) else []
        was = [(touch, it) for touch in touched if (it := named.search(texts.get(touch.old, b"")))]
        is_there = any(named.search(texts.get(touch.new, b"")) for touch in touched)
        if was and not is_there:
            touch, found = was[0]
            return CommitCause(row, touch.path, _line(texts[touch.old], found))
        if is_there and not was:
            return None
    return None


def _line(text: bytes, found: re.Match[bytes]) -> int:
    return text.count(b"\n", 0, found.start()) + 1


def _naming(item: RecordEvent) -> re.Pattern[bytes]:
    name = (item.heir or item.record).claim.name.encode()
    return re.compile(rb"\bname:[ \t]*[\"']?" + re.escape(name) + rb"[\"']?[ \t]*(?=[,}#\r\n]|\Z)")


_PERMITTED = (What.MOVED, What.TRANSFERRED, What.LEFT, What.RELEASED, What.ALLOCATED)
_FIRST, _MAX_BATCH = 64, 4_096
# A change and its reconcile commit are rarely more than one or two commits apart.
_NEAR = 50
_MAX_FILES = 50
# How many commits back to look for the cause of a delayed release.
_FAR = 500

Caused = tuple[RecordEvent, CommitCause | None]


@dataclass(slots=True)
class History:
    """History along first parents, newest first. `known` are versions of records by id and path."""

    log: CommitLog
    source: Source
    settings: Settings
    start: str
    rows: list[CommitRow] = field(default_factory=list)
    known: dict[tuple[str, str], Allocation | None] = field(default_factory=dict)
    _more: Iterator[CommitRow] | None = None
    _overrides: Sequence[CommitRow] | None = None
    _read_overrides: dict[tuple[str, str], Override | None] = field(default_factory=dict)

    def events(
        self,
        wanted: Callable[[RecordEvent], bool] = lambda _: True,
        only: Callable[[str], bool] = lambda _: True,
        *,
        has_causes: bool = True,
    ) -> Iterator[Caused]:
        """Yield the events with their causes, newest first. `only` filters record paths."""
        at, size = 0, _FIRST
        while rows := list(islice(self._from(at), size)):
            self._learn(rows, only)
            found = [it for row in rows for it in events_of(row, self.known) if wanted(it)]
            places = {row.id: at + number for number, row in enumerate(rows)}
            yield from self._caused(found, places) if has_causes else ((it, None) for it in found)
            at, size = at + len(rows), min(size * 4, _MAX_BATCH)

    def oldest_before(self, clock: int) -> int | None:
        """Return the date of the newest commit up to `clock`, or else of the oldest one here."""
        oldest = None
        for row in self._from(0):
            oldest = row.clock
            if row.clock <= clock:
                break
        return oldest

    def _from(self, at: int) -> Iterator[CommitRow]:
        if self._more is None:
            folders = [self.settings.records, *self.settings.folders]
            self._more = self.log.line(self.start, folders)
        while True:
            if at == len(self.rows):
                row = next(self._more, None)
                if row is None:
                    return
                self.rows.append(row)
            yield self.rows[at]
            at += 1

    def _learn(self, rows: Iterable[CommitRow], only: Callable[[str], bool]) -> None:
        folder = self.settings.records
        wanted = dict.fromkeys(
            (oid, touch.path)
            for row in rows
            for touch in row.touched
            if touch.path.startswith(f"{folder}/") and is_yaml(touch.path) and only(touch.path)
            for oid in (touch.old, touch.new)
            if oid and (oid, touch.path) not in self.known
        )
        entries = [Entry(path, "100644", oid) for oid, path in wanted]
        for entry, data in zip(entries, self.source.read(entries), strict=True):
            record = None
            if not isinstance(data, Unread):
                record = parse_record(folder, entry.path, data).allocation
            self.known[entry.oid, entry.path] = record

    def _caused(self, found: Sequence[RecordEvent], places: Mapping[str, int]) -> Iterator[Caused]:
        commits = dict.fromkeys(it.row.id for it in found)
        near = self._documents({it: self._near(places[it]) for it in commits})
        texts = self._texts(near.values())
        causes = [cause_in(it, near[it.row.id], texts) for it in found]
        # The release limit can have delayed a release without a nearby cause.
        delayed = [
            it.what is What.RELEASED and (cause is None or not cause.path)
            for it, cause in zip(found, causes, strict=True)
        ]
        commits = dict.fromkeys(
            it.row.id for it, is_late in zip(found, delayed, strict=True) if is_late
        )
        far = self._documents({it: islice(self._from(places[it]), _FAR) for it in commits})
        texts |= self._texts(far.values())
        for it, cause, is_late in zip(found, causes, delayed, strict=True):
            why = removal_in(it, far[it.row.id], texts) if is_late else None
            why = why or cause
            yield it, why and why._replace(approval=self._approval(it))

    def _near(self, at: int) -> Iterator[CommitRow]:
        for number, row in enumerate(islice(self._from(at), _NEAR)):
            if row.is_plan and number:
                break
            yield row

    def _documents(self, rows: Mapping[str, Iterable[CommitRow]]) -> dict[str, Documents]:
        listed = {name: list(commits) for name, commits in rows.items()}
        # Each once, because some touch many files.
        every = {row.id: row for commits in listed.values() for row in commits}
        known = {
            it: documents_of(row, self.settings.records, _MAX_FILES) for it, row in every.items()
        }
        return {name: [(row, known[row.id]) for row in found] for name, found in listed.items()}

    def _texts(self, found: Iterable[Documents]) -> dict[str, bytes]:
        touches = (touch for rows in found for _, touched in rows for touch in touched)
        oids = dict.fromkeys(it for touch in touches for it in (touch.new, touch.old) if it)
        entries = [Entry("", "100644", oid) for oid in oids]
        read = zip(entries, self.source.read(entries), strict=True)
        return {entry.oid: data for entry, data in read if not isinstance(data, Unread)}

    def _approval(self, item: RecordEvent) -> Approval | None:
        if item.what not in _PERMITTED:
            return None
        brake = None
        for approval, override in self._overrides_before(item.row):
            if override.kind is OverrideKind.MOVE and override.scope == str(item.record.claim):
                return approval
            if override.kind is OverrideKind.BRAKE and item.what is What.RELEASED:
                brake = brake or approval
        return brake

    def _overrides_before(self, row: CommitRow) -> Iterator[tuple[Approval, Override]]:
        """Yield the Overrides that existed before a commit and had not expired, newest first."""
        if self._overrides is None:
            self._overrides = tuple(self.log.line(self.start, [OVERRIDES]))
        seen: set[str] = set()
        for older in self._overrides:
            if older.id == row.id or older.clock > row.clock:
                continue
            for touch in older.touched:
                if touch.path in seen or not is_override(touch.path):
                    continue
                seen.add(touch.path)
                override = self._override(touch.path, touch.new) if touch.new else None
                if override is not None and override.expires > row.clock:
                    yield Approval(older, touch.path), override

    def _override(self, path: str, oid: str) -> Override | None:
        if (path, oid) not in self._read_overrides:
            (data,) = self.source.read([Entry(path, "100644", oid)])
            found = None if isinstance(data, Unread) else read_override(path, data)[0]
            self._read_overrides[path, oid] = found
        return self._read_overrides[path, oid]
