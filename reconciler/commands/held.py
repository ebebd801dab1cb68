"""The addresses that the records of a revision hold."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

from reconciler.net.clashes import Line, Span
from reconciler.net.reading import Holding, holding_of, is_record, ranges_of
from reconciler.ports import Entry, Source


@dataclass(slots=True)
class Held:
    """The records of a revision.

    Attributes:
        source: The files of the revision.
        folder: The records folder.
        entries: Records that hold some of the addresses that `spans` was asked for, by path.
    """

    source: Source
    folder: str
    entries: dict[str, Entry] = field(default_factory=dict)

    def spans(self, line: Line, without: Collection[str]) -> list[Span]:
        """Return the ranges of records that touch a line, except the records of some paths."""
        files = self._records()
        held = self.source.each(files, ranges_of)
        found = []
        for entry, ranges in zip(files, held, strict=True):
            if line.touches(ranges) and entry.path not in without:
                self.entries[entry.path] = entry
                found += [Span(first, last, entry.path) for first, last in ranges]
        return found

    def found(self, paths: Iterable[str]) -> list[Holding]:
        """Return records that `spans` found, by path."""
        return self._read([self.entries[path] for path in paths if path in self.entries])

    def read(self, paths: Collection[str]) -> list[Holding]:
        """Return the records of some paths that exist."""
        return self._read([entry for entry in self._records() if entry.path in paths])

    def _read(self, entries: Sequence[Entry]) -> list[Holding]:
        return self.source.each(entries, partial(holding_of, self.folder))

    def _records(self) -> list[Entry]:
        listed = self.source.entries([self.folder])
        return [entry for entry in listed if is_record(self.folder, entry.path)]
