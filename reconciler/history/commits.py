"""Commits that changed allocations."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from reconciler.documents.text import Unread, is_yaml
from reconciler.gitio.interface import Annals, CommitRow, Entry, Source, Touch
from reconciler.history.events import Fact, RecordEvent, What, fact_of, happenings
from reconciler.model.settings import OVERRIDES, Override, OverrideKind, Settings
from reconciler.planning.settings import is_override, read_override
from reconciler.records.parse import parse_record


class Approval(NamedTuple):
    """Override that permitted a change: the commit that added it, and its file."""

    row: CommitRow
    path: str


class CommitCause(NamedTuple):
    """User commit that caused an event, and the document that names the claim.

    Attributes:
        path: The file, or empty if no document names the claim.
        line: The line that names it, or 0 without a file.
        approval: The Override that applied, or None.
    """

    row: CommitRow
    path: str = ""
    line: int = 0
    approval: Approval | None = None


def may_tell(row: CommitRow, records: str, most: int) -> list[Touch]:
    """Return the documents that a commit touched, or none if it touched too many."""
    inside = f"{records}/"
    found = [touch for touch in row.touched if not touch.path.startswith(inside)]
    return found if len(found) <= most else []


def cause_in(
    item: RecordEvent, rows: Sequence[tuple[CommitRow, Sequence[Touch]]], texts: Mapping[str, bytes]
) -> CommitCause | None:
    """Return the cause of an event.

    The cause is the newest commit that touched a document with the claim's name, or else the newest
    user commit. A record that a user wrote is its own cause.

    Args:
        item: The event.
        rows: The commit and its predecessors back to the last reconcile commit, newest first. Each
            has the relevant documents, as `may_tell` returns them.
        texts: Documents by id.
    """
    named = _naming(item)
    people = [(row, told) for row, told in rows if not row.is_plan and not row.is_cut]
    for row, told in people:
        for touch in told:
            for oid in (touch.new, touch.old):
                found = named.search(texts.get(oid, b""))
                if found is not None:
                    text = texts[oid]
                    return CommitCause(row, touch.path, text.count(b"\n", 0, found.start()) + 1)
    return CommitCause(people[0][0]) if people else None


def taken_out(
    item: RecordEvent,
    rows: Iterable[CommitRow],
    records: str,
    texts: Mapping[str, bytes],
    most: int,
) -> CommitCause | None:
    """Return the user commit that removed the document of a claim, however old it is.

    The release limit can delay a release while reconcile commits everything else. Return None if no
    commit removed the document, or if a newer commit added it again.

    Args:
        item: The release.
        rows: The commit and its predecessors, newest first.
        records: The records folder.
        texts: Documents by id.
        most: Maximum number of documents read per commit.
    """
    named = _naming(item)
    for row in rows:
        told = may_tell(row, records, most) if not (row.is_plan or row.is_cut) else []
        was = [(touch, it) for touch in told if (it := named.search(texts.get(touch.old, b"")))]
        is_there = any(named.search(texts.get(touch.new, b"")) for touch in told)
        if was and not is_there:
            touch, found = was[0]
            line = texts[touch.old].count(b"\n", 0, found.start()) + 1
            return CommitCause(row, touch.path, line)
        if is_there and not was:
            return None
    return None


def _naming(item: RecordEvent) -> re.Pattern[bytes]:
    """Return a pattern of the line that names an object, in block or flow YAML."""
    name = (item.heir or item.fact).claim.split("/")[3].encode()
    return re.compile(rb"\bname:[ \t]*[\"']?" + re.escape(name) + rb"[\"']?[ \t]*(?=[,}#\r\n]|\Z)")


_MOVES = (What.MOVED, What.TRANSFERRED, What.LEFT, What.RELEASED, What.ALLOCATED)


@dataclass(slots=True)
class Approvals:
    """Overrides of the branch, read on first use.

    Attributes:
        start: Id of the newest commit.
    """

    annals: Annals
    source: Source
    start: str
    _rows: Sequence[CommitRow] | None = None
    _known: dict[tuple[str, str], Override | None] = field(default_factory=dict)

    def of(self, item: RecordEvent) -> Approval | None:
        """Return the Override that permitted a claim's move, or else its release."""
        if item.what not in _MOVES:
            return None
        brake = None
        for approval, override in self._standing(item.row):
            if override.kind is OverrideKind.MOVE and override.scope == item.fact.claim:
                return approval
            if override.kind is OverrideKind.BRAKE and item.what is What.RELEASED:
                brake = brake or approval
        return brake

    def _standing(self, row: CommitRow) -> Iterator[tuple[Approval, Override]]:
        """Yield the Overrides that existed before a commit and had not expired, newest first."""
        seen: set[str] = set()
        for older in self._read():
            if older.id == row.id or older.clock > row.clock:
                continue
            for touch in older.touched:
                if touch.path in seen or not is_override(touch.path):
                    continue
                seen.add(touch.path)
                override = self._override(touch.path, touch.new) if touch.new else None
                if override is not None and override.expires > row.clock:
                    yield Approval(older, touch.path), override

    def _read(self) -> Sequence[CommitRow]:
        if self._rows is None:
            self._rows = tuple(self.annals.line(self.start, [OVERRIDES]))
        return self._rows

    def _override(self, path: str, oid: str) -> Override | None:
        if (path, oid) not in self._known:
            (data,) = self.source.read([Entry(path, "100644", oid)])
            found = None if isinstance(data, Unread) else read_override(path, data)[0]
            self._known[path, oid] = found
        return self._known[path, oid]


_FIRST = 64
_MAX_ANNALS = 4_096
# A change and its reconcile commit are rarely more than one or two commits apart.
_NEAR = 50
_MAX_FILES = 50
# How many commits back to look for the cause of a delayed release.
_FAR = 500

Caused = tuple[RecordEvent, CommitCause | None]


@dataclass(slots=True)
class History:
    """History of a revision.

    Attributes:
        annals: The first-parent line of the branch.
        source: The files of the revision. It also reads versions from other commits.
        settings: Locations of records and documents.
        start: Id of the newest commit.
        rows: The commits read so far, newest first.
        known: Facts of record versions, by id and path.
    """

    annals: Annals
    source: Source
    settings: Settings
    start: str
    rows: list[CommitRow] = field(default_factory=list)
    known: dict[tuple[str, str], Fact | None] = field(default_factory=dict)
    _more: Iterator[CommitRow] | None = None
    _approvals: Approvals | None = None

    def told(
        self,
        wanted: Callable[[RecordEvent], bool] = lambda _: True,
        only: Callable[[str], bool] = lambda _: True,
        *,
        has_causes: bool = True,
    ) -> Iterator[Caused]:
        """Yield the events with their causes, newest first.

        Args:
            wanted: Filter of events.
            only: Filter of record paths. Other records are not read.
            has_causes: Whether to determine causes.
        """
        at, size = 0, _FIRST
        while rows := list(islice(self._from(at), size)):
            self._learn(rows, only)
            found = [it for row in rows for it in happenings(row, self.known) if wanted(it)]
            places = {row.id: at + number for number, row in enumerate(rows)}
            yield from self._caused(found, places) if has_causes else ((it, None) for it in found)
            at, size = at + len(rows), min(size * 4, _MAX_ANNALS)

    def oldest_before(self, clock: int) -> int | None:
        """Return the date of the newest commit up to `clock`, or else of the oldest one here.

        Return None if there is no commit.
        """
        oldest = None
        for row in self._from(0):
            oldest = row.clock
            if row.clock <= clock:
                break
        return oldest

    def _from(self, at: int) -> Iterator[CommitRow]:
        """Yield the commits from a position on, and read more as needed."""
        while True:
            if at < len(self.rows):
                yield self.rows[at]
                at += 1
                continue
            if self._more is None:
                self._more = self.annals.line(
                    self.start, [self.settings.records, *self.settings.folders]
                )
            row = next(self._more, None)
            if row is None:
                return
            self.rows.append(row)

    def _learn(self, rows: Iterable[CommitRow], only: Callable[[str], bool]) -> None:
        """Read the versions of records that some commits touched."""
        inside = f"{self.settings.records}/"
        wanted = dict.fromkeys(
            (oid, touch.path)
            for row in rows
            for touch in row.touched
            if touch.path.startswith(inside) and is_yaml(touch.path) and only(touch.path)
            for oid in (touch.old, touch.new)
            if oid and (oid, touch.path) not in self.known
        )
        entries = [Entry(path, "100644", oid) for oid, path in wanted]
        for entry, data in zip(entries, self.source.read(entries), strict=True):
            is_read = not isinstance(data, Unread)
            found = (
                parse_record(self.settings.records, entry.path, data).allocation
                if is_read
                else None
            )
            self.known[entry.oid, entry.path] = fact_of(found)

    def _caused(self, found: Sequence[RecordEvent], places: dict[str, int]) -> Iterator[Caused]:
        """Yield events with their causes. All relevant documents are read in one batch."""
        near = {row: self._near(places[row]) for row in dict.fromkeys(it.row.id for it in found)}
        texts = self._texts(row for rows in near.values() for row in rows)
        # For commits that touched many files this is slow, so do it once, not per claim.
        told = {row.id: self._telling(row) for rows in near.values() for row in rows}
        telling = {at: [(row, told[row.id]) for row in rows] for at, rows in near.items()}
        causes = [cause_in(it, telling[it.row.id], texts) for it in found]
        held = [it for it, cause in zip(found, causes, strict=True) if _may_be_held(it, cause)]
        far = {
            row: list(islice(self._from(places[row]), _FAR))
            for row in {it.row.id: 0 for it in held}
        }
        texts |= self._texts(row for rows in far.values() for row in rows)
        for it, cause in zip(found, causes, strict=True):
            rows = far.get(it.row.id, []) if _may_be_held(it, cause) else []
            why = taken_out(it, rows, self.settings.records, texts, _MAX_FILES) or cause
            yield it, why and why._replace(approval=self._approvals_at_hand().of(it))

    def _approvals_at_hand(self) -> Approvals:
        """Return the Overrides of the branch, read on first use."""
        if self._approvals is None:
            self._approvals = Approvals(self.annals, self.source, self.start)
        return self._approvals

    def _near(self, at: int) -> list[CommitRow]:
        """Return the commits that a reconcile commit can carry out, back to the previous one."""
        near: list[CommitRow] = []
        for row in islice(self._from(at), _NEAR):
            if row.is_plan and near:
                break
            near.append(row)
        return near

    def _telling(self, row: CommitRow) -> list[Touch]:
        return may_tell(row, self.settings.records, _MAX_FILES)

    def _texts(self, rows: Iterable[CommitRow]) -> dict[str, bytes]:
        """Return the documents before and after each commit, by id."""
        once = {row.id: row for row in rows}.values()
        touches = (it for row in once for it in self._telling(row))
        oids = dict.fromkeys(it for touch in touches for it in (touch.new, touch.old) if it)
        entries = [Entry("", "100644", oid) for oid in oids]
        read = self.source.read(entries)
        return {
            entry.oid: data
            for entry, data in zip(entries, read, strict=True)
            if not isinstance(data, Unread)
        }


def _may_be_held(item: RecordEvent, cause: CommitCause | None) -> bool:
    """Report whether the release limit can have delayed a release without a nearby cause."""
    return item.what is What.RELEASED and (cause is None or not cause.path)
