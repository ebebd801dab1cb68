"""Files of a revision."""

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from reconciler.documents.load import Loaded, is_meant, reserved, unfit, unread
from reconciler.documents.text import is_yaml
from reconciler.gitio.interface import Entry, Source
from reconciler.model.settings import Settings
from reconciler.planning.documents import is_observed, source_reader
from reconciler.records.parse import Recalled, parse_record

T = TypeVar("T")


class FileReader(Struct, frozen=True):
    """Parser of a revision's files, by path and bytes.

    Attributes:
        settings: Settings that name the folders.
    """

    source: Source
    settings: Settings
    read_source: Callable[[str, bytes], Loaded]
    read_record: Callable[[str, bytes], Recalled]

    def sources(self, entries: Sequence[Entry]) -> list[Loaded]:
        """Parse source files."""
        return _parsed(self.source, entries, self.settings, self.read_source)

    def recalled(self, entries: Sequence[Entry]) -> list[Recalled]:
        """Parse record files."""
        return _parsed(self.source, entries, self.records, self.read_record)

    def forget_others(self, sources: Sequence[Entry], records: Sequence[Entry]) -> None:
        """Drop cached files of earlier revisions once they outnumber the files of this one."""
        for how, entries in ((self.settings, sources), (self.records, records)):
            known = self.source.parsed.get(how, {})
            if len(known) > 2 * len(entries) + 1_000:
                keys = ((entry.path, entry.oid) for entry in entries if entry.oid)
                self.source.parsed[how] = {key: known[key] for key in keys}

    @property
    def folders(self) -> Sequence[str]:
        """The folders of documents."""
        return self.settings.folders

    @property
    def records(self) -> str:
        """The records folder."""
        return self.settings.records

    def is_record(self, path: str) -> bool:
        """Return whether a path is a record, or is at the path of the records folder."""
        return path.startswith(f"{self.records}/") or f"{self.records}/".startswith(f"{path}/")

    def is_written(self, path: str) -> bool:
        """Return whether a path is a file that only reconcile writes."""
        return self.is_record(path) or is_observed(self.settings, path)

    def is_read(self, path: str) -> bool:
        """Return whether a path is below a folder that `ipam` reads."""
        return path.startswith(tuple(f"{folder}/" for folder in [*self.folders, self.records]))


def reader_of(source: Source, settings: Settings) -> FileReader:
    """Return the file parser for a source."""
    read_record = partial(_record, settings.records)
    read_source = partial(_source, source_reader(settings))
    return FileReader(source, settings, read_source, read_record)


def _parsed(
    source: Source, entries: Sequence[Entry], how: Hashable, work: Callable[[str, bytes], T]
) -> list[T]:
    """Return parsed files, each parsed once.

    Files of a work tree have no id and are parsed every time.
    """
    known = source.parsed.setdefault(how, {})
    missing = [it for it in entries if not it.oid or (it.path, it.oid) not in known]
    new = zip(missing, source.each(missing, work), strict=True) if missing else ()
    fresh = {(entry.path, entry.oid): item for entry, item in new}
    known.update((key, item) for key, item in fresh.items() if key[1])
    keys = ((entry.path, entry.oid) for entry in entries)
    return [fresh[key] if key in fresh else known[key] for key in keys]


def _source(read: Callable[[str, bytes], Loaded], path: str, data: bytes) -> Loaded:
    """Parse a source file and check its name."""
    if not is_yaml(path):
        return Loaded(path, (), (unread(path),))
    loaded = read(path, data)
    odd = (*unfit(path), *reserved(loaded.documents))
    return replace(loaded, findings=(*loaded.findings, *odd)) if odd else loaded


def _record(folder: str, path: str, data: bytes) -> Recalled:
    """Parse a record and check its name."""
    if not is_yaml(path):
        return Recalled(None, findings=(unread(path),))
    recalled = parse_record(folder, path, data)
    odd = unfit(path)
    return replace(recalled, findings=(*recalled.findings, *odd)) if odd else recalled


def split(entries: Sequence[Entry], settings: Settings) -> tuple[list[Entry], list[Entry]]:
    """Split the files of the folders in Settings into source files and record files.

    Files that only look like source or record files are included, so that findings can report them.
    """
    folder = f"{settings.records}/"
    read = [entry for entry in entries if is_yaml(entry.path) or is_meant(entry.path)]
    return (
        [entry for entry in read if not entry.path.startswith(folder)],
        [entry for entry in read if entry.path.startswith(folder)],
    )
