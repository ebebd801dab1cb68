"""Some parts of a revision, read and evaluated as if they were all of it."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field

from reconciler.commands.reading.last_good import last_good
from reconciler.commands.reading.reader import reader_of, split
from reconciler.commands.reading.settings import OwnSettings
from reconciler.documents.load import Loaded
from reconciler.documents.names import clashes
from reconciler.evaluate import Evaluation, evaluate
from reconciler.families import pool_kinds
from reconciler.model.contract import Contract
from reconciler.model.override import Overrides
from reconciler.model.settings import Settings
from reconciler.ports import FEW_FOLDERS, Entry, Source
from reconciler.records.layout import PartOf, part_of
from reconciler.records.recall import Recalled
from reconciler.tree import Settled, Tree


class NotPlainError(Exception):
    """The tree has to be read as a whole: there are links, or it cannot be told what was lost."""


class Parts(Struct):
    """Parts of one revision: source files, folders of pools' records, records elsewhere.

    Attributes:
        own: The Settings that the revision itself holds.
        settings: Those to go by.
        overrides: Those to go by.
        contracts: What teams may ask for by the base of a change.
        loaded: Source files that were read, by path.
    """

    source: Source
    own: OwnSettings
    settings: Settings
    allow_release: int | None = None
    retained: Mapping[str, str] = field(default_factory=dict)
    overrides: Overrides = field(default_factory=Overrides)
    left: Mapping[str, str] = field(default_factory=dict)
    contracts: tuple[Contract, ...] = ()
    loaded: dict[str, Loaded] = field(default_factory=dict)
    _listed: dict[str, list[Entry]] = field(default_factory=dict)
    _record_files: dict[str, list[Recalled]] = field(default_factory=dict)

    def evaluate(
        self, parts: Mapping[str, str], settled: Settled, elsewhere: Container[str] = ()
    ) -> Evaluation:
        """Evaluate parts.

        Args:
            parts: Object ids by path.
            settled: What the parts that are left out come to.
            elsewhere: Nodes of the documents in them.

        Raises:
            NotPlainError: Some entry is no plain file, or records vanished that others may hold.
        """
        reader = reader_of(self.source, self.settings)
        loaded = self.load(parts)
        record_files = self._read_records([path for path in parts if reader.is_record(path)], parts)
        before = last_good(reader, loaded, record_files, elsewhere)
        lost = {item.unreadable.path for item in record_files if item.unreadable is not None}
        if not before.records.keys() <= lost:
            raise NotPlainError
        revision = self.source.revision()
        tree = Tree(
            revision=revision.id if revision else None,
            clock=self.source.clock(),
            clock_ahead=self.source.clock_ahead(),
            settings=self.settings,
            sources=tuple(loaded),
            records=tuple(record_files),
            findings=self.own.findings,
            last_good=before,
            settled=settled,
            retained=self.retained,
            left=self.left,
            overrides=self.overrides,
            contracts=self.contracts,
        )
        return evaluate(tree, self.allow_release)

    def load(self, parts: Mapping[str, str]) -> list[Loaded]:
        """The source files among some parts, by path."""
        reader = reader_of(self.source, self.settings)
        paths = sorted(path for path in parts if not reader.is_record(path))
        missing = [Entry(path, "", parts[path]) for path in paths if path not in self.loaded]
        for item in self.source.each(missing, reader.read_source):
            self.loaded[item.path] = item
        self._require_plain()
        return [self.loaded[path] for path in paths]

    def bring(self, parts: Mapping[str, str]) -> None:
        """Fetch what a filter left out of all files of some parts, in one go with their records."""
        records = [entry for found in self.records(parts).values() for entry in found]
        reader = reader_of(self.source, self.settings)
        sources = [Entry(path, "", parts[path]) for path in parts if not reader.is_record(path)]
        self.source.bring([*sources, *records])

    def records(self, parts: Mapping[str, str]) -> dict[str, list[Entry]]:
        """The record files of some parts, by the path of the part."""
        paths = [path for path in parts if path.startswith(f"{self.settings.records}/")]
        missing = [path for path in paths if path not in self._listed]
        folders = [path for path in missing if self._is_folder(path)]
        self._listed |= {path: [] for path in folders}
        for path in missing:
            self._listed.setdefault(path, [Entry(path, "", parts[path])])
        for part, entry in self._below(folders):
            self._listed[part].append(entry)
        if any(clashes(entry.path for entry in self._listed[path]) for path in folders):
            raise NotPlainError
        self._require_plain()
        return {path: self._listed[path] for path in paths}

    def record_parts(self) -> dict[str, str]:
        """Ids of the folders of pools' records, and of each record that stands elsewhere."""
        folder = self.settings.records
        kinds = [f"{folder}/{kind}" for kind in sorted(pool_kinds())]
        found: dict[str, str] = {}
        elsewhere: list[str] = []
        for entry in self.source.folders([folder, *kinds]) or ():
            if entry.path in kinds and entry.is_folder:
                continue
            if entry.is_folder and entry.path.startswith(tuple(f"{kind}/" for kind in kinds)):
                found[entry.path] = entry.oid
            else:
                elsewhere.append(entry.path)
        if elsewhere:
            entries = self.source.entries(elsewhere)
            _, records = split(entries, self.settings)
            if clashes([*kinds, *elsewhere]):  # they may be records of that kind where case is lost
                raise NotPlainError
            found |= {entry.path: entry.oid for entry in records}
        return found

    def _read_records(self, paths: Iterable[str], parts: Mapping[str, str]) -> list[Recalled]:
        # In the order of the records' own paths, as a tree has them.
        ordered = sorted(paths, key=lambda path: f"{path}/" if self._is_folder(path) else path)
        missing = {path: parts[path] for path in ordered if path not in self._record_files}
        listed = self.records(missing)
        entries = [entry for found in listed.values() for entry in found]
        self._record_files |= {path: [] for path in missing}
        reader = reader_of(self.source, self.settings)
        read = self.source.each(entries, reader.read_record)
        parts_of = (part for part, found in listed.items() for _ in found)
        for part, item in zip(parts_of, read, strict=True):
            self._record_files[part].append(item)
        return [item for path in ordered for item in self._record_files[path]]

    def _is_folder(self, path: str) -> bool:
        return part_of(self.settings.records, f"{path}/x") == path

    def _below(self, folders: Sequence[str]) -> Iterator[tuple[str, Entry]]:
        """The records in some pools' folders, each with its folder."""
        if not folders:
            return
        few = len(folders) < FEW_FOLDERS
        listed = self.source.entries(folders if few else [self.settings.records])
        wanted, part_of_file = frozenset(folders), PartOf(self.settings.records)
        _, records = split(listed, self.settings)
        for entry in records:
            if (part := part_of_file(entry.path)) in wanted:
                yield part, entry

    def _require_plain(self) -> None:
        if self.source.findings():
            raise NotPlainError
