"""The addresses that the records of a revision hold: all of them, reading as few as it can.

The cache has a row for each folder of records: the addresses that are held below it. A row only
tells whether its folder has to be read. It may name more than the folder holds, never less: what a
commit adds is added to it, and the next reading of the folder puts it right.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from reconciler.net.clashes import Line, Span, read_row, write_row
from reconciler.net.ranges import Range, union
from reconciler.net.reading import Holding, holding_of, is_record, ranges_of
from reconciler.ports import FEW_FOLDERS, Entry, Facts, Source

TABLE = "ranges"


@dataclass(slots=True)
class Held:
    """The records of a revision.

    Attributes:
        source: The files of the revision.
        folder: The records folder.
        kinds: Folders below it that have a folder for each pool.
        facts: The cache.
        entries: Records that hold some of the addresses that were asked for, by path.
        rows: The addresses that each folder holds at most, by path.
        known: The ids of those folders, by path; None where folders have no ids.
    """

    source: Source
    folder: str
    kinds: Sequence[str]
    facts: Facts | None = None
    entries: dict[str, Entry] = field(default_factory=dict)
    rows: dict[str, tuple[Range, ...]] = field(default_factory=dict)
    known: dict[str, str] | None = None

    def spans(self, line: Line, without: Collection[str]) -> list[Span]:
        """The ranges of records that touch a line, without the records of some paths."""
        divided = self._units(self.source)
        units, files = divided or ([], self._records([self.folder]))
        if divided is not None:
            self.known = {unit.path: unit.oid for unit in units}
        self.rows = self._known_rows(units)
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
        """The records of some paths, read in full, as far as `spans` found them."""
        return self._full([self.entries[path] for path in paths if path in self.entries])

    def read(self, paths: Collection[str]) -> list[Holding]:
        """The records of some paths, as far as there are any."""
        few = sorted(paths) if len(paths) <= FEW_FOLDERS else [self.folder]
        return self._full([entry for entry in self._records(few) if entry.path in paths])

    def follow(self, made: Source, records: Iterable[Holding]) -> None:
        """Tell the cache of a commit that was made on this revision, by the records that it writes."""
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
        """The folders of records with their ids, and the records that stand in none of them.

        None where folders have no ids.
        """
        above = [f"{self.folder}/{kind}" for kind in self.kinds]
        listed = source.folders([self.folder, *above])
        if listed is None:
            return None
        units = [it for it in listed if it.is_folder and it.path not in above]
        files = [it for it in listed if it.is_file]
        return units, [entry for entry in files if is_record(self.folder, entry.path)]

    def _known_rows(self, units: Sequence[Entry]) -> dict[str, tuple[Range, ...]]:
        """What folders hold, as far as the cache knows."""
        if self.facts is None:
            return {}
        texts = self.facts.known(TABLE, [_key(unit) for unit in units])
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
        if len(units) <= FEW_FOLDERS:
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
        if kind in self.kinds:
            pool, slash, _ = below.partition("/")
            return f"{self.folder}/{kind}/{pool}" if slash else ""
        return f"{self.folder}/{kind}" if below else ""


def _key(unit: Entry) -> str:
    return f"{unit.path} {unit.oid}"
