"""What the records of a revision hold, whole, with as little of it read as the cache allows.

The cache has a row for each folder of a pool, and for each that should not be there: the addresses that are held somewhere below it. Rows
only tell which folders need not be read. One may hold more than the folder does, never less: it
follows a commit by what that adds, and is put right when its folder is next read.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from reconciler.net.clashes import Line, Span, read_row, write_row
from reconciler.net.ranges import Range, union
from reconciler.net.reading import KINDS, Holding, holding_of, is_record, ranges_of
from reconciler.ports import Entry, Facts, Source

TABLE = "ranges"
_FOLDER = "040000"
_FILE = "100"
# Git's argument list has an end; beyond some folders one listing of all is as good.
_FEW = 200


@dataclass(slots=True)
class Held:
    """The records of a revision.

    Attributes:
        source: Its files.
        folder: The records folder.
        facts: The cache.
        entries: Records that were found to hold what was asked for, by path.
        rows: What each folder holds at most, by path.
        known: The ids of those folders; None where the records were read without dividing them.
    """

    source: Source
    folder: str
    facts: Facts | None = None
    entries: dict[str, Entry] = field(default_factory=dict)
    rows: dict[str, tuple[Range, ...]] = field(default_factory=dict)
    known: dict[str, str] | None = None

    def spans(self, line: Line, without: Collection[str]) -> list[Span]:
        """What records hold that touches a line, but for those of some paths."""
        divided = self._units(self.source)
        units, files = divided or ([], self._records([self.folder]))
        if divided is not None:
            self.known = {unit.path: unit.oid for unit in units}
        self.rows = self._recalled(units)
        near = {
            unit.path: unit
            for unit in units
            if unit.path not in self.rows or line.touches(self.rows[unit.path])
        }
        files += self._listed(near)
        held = self.source.each(files, ranges_of)
        self._learn(near.values(), zip(files, held, strict=True))
        found = []
        for entry, ranges in zip(files, held, strict=True):
            if line.touches(ranges) and entry.path not in without:
                self.entries[entry.path] = entry
                found += [Span(first, last, entry.path) for first, last in ranges]
        return found

    def found(self, paths: Iterable[str]) -> list[Holding]:
        """Of some paths the records that were among the spans, in full."""
        return self._full([self.entries[path] for path in paths if path in self.entries])

    def read(self, paths: Collection[str]) -> list[Holding]:
        """The records of some paths, as far as there are any."""
        few = sorted(paths) if len(paths) <= _FEW else [self.folder]
        return self._full([entry for entry in self._records(few) if entry.path in paths])

    def follow(self, made: Source, records: Iterable[Holding]) -> None:
        """Let the cache know a commit on this revision, by the records that it writes."""
        known = self.known
        if self.facts is None or known is None or (divided := self._units(made)) is None:
            return
        more: dict[str, list[Range]] = {}
        for record in records:
            more.setdefault(self._unit_of(record.path), []).extend(record.ranges)
        changed = [unit for unit in divided[0] if known.get(unit.path) != unit.oid]
        self._note(
            changed,
            {
                unit.path: union([*self.rows.get(unit.path, ()), *more.get(unit.path, ())])
                for unit in changed
            },
        )

    def _units(self, source: Source) -> tuple[list[Entry], list[Entry]] | None:
        """Folders with the id of all that is below, and the records that stand above them.

        None where folders have no ids.
        """
        above = [f"{self.folder}/{kind}" for kind in KINDS]
        listed = source.folders([self.folder, *above])
        if listed is None:
            return None
        units = [it for it in listed if it.mode == _FOLDER and it.path not in above]
        files = [it for it in listed if it.mode.startswith(_FILE)]
        return units, [entry for entry in files if is_record(self.folder, entry.path)]

    def _recalled(self, units: Sequence[Entry]) -> dict[str, tuple[Range, ...]]:
        """What folders hold, as far as the cache knows."""
        if self.facts is None:
            return {}
        texts = self.facts.recall(TABLE, [_key(unit) for unit in units])
        read = {unit.path: read_row(_key(unit), texts.get(_key(unit), "")) for unit in units}
        return {path: ranges for path, ranges in read.items() if ranges is not None}

    def _learn(
        self, units: Collection[Entry], read: Iterable[tuple[Entry, tuple[Range, ...]]]
    ) -> None:
        """Know of the folders that were read what they hold, and no more."""
        found: dict[str, list[Range]] = {unit.path: [] for unit in units}
        for entry, ranges in read:
            found.get(self._unit_of(entry.path), []).extend(ranges)
        exact = {path: union(ranges) for path, ranges in found.items()}
        news = [unit for unit in units if self.rows.get(unit.path) != exact[unit.path]]
        self.rows |= exact
        self._note(news, exact)

    def _note(self, units: Iterable[Entry], rows: Mapping[str, Sequence[Range]]) -> None:
        if self.facts is not None:
            texts = {_key(unit): write_row(_key(unit), rows[unit.path]) for unit in units}
            self.facts.note(TABLE, texts)

    def _listed(self, units: Mapping[str, Entry]) -> list[Entry]:
        """The records of some folders."""
        if len(units) <= _FEW:
            return self._records(list(units))
        records = self._records([self.folder])
        return [entry for entry in records if self._unit_of(entry.path) in units]

    def _full(self, entries: Sequence[Entry]) -> list[Holding]:
        return self.source.each(entries, partial(holding_of, self.folder))

    def _records(self, folders: Sequence[str]) -> list[Entry]:
        listed = self.source.entries(folders)
        return [entry for entry in listed if is_record(self.folder, entry.path)]

    def _unit_of(self, path: str) -> str:
        """The folder with a row that a record is below, or empty."""
        kind, _, below = path[len(self.folder) + 1 :].partition("/")
        if kind in KINDS:
            pool, slash, _ = below.partition("/")
            return f"{self.folder}/{kind}/{pool}" if slash else ""
        return f"{self.folder}/{kind}" if below else ""


def _key(unit: Entry) -> str:
    return f"{unit.path} {unit.oid}"
