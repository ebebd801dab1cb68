"""How single files are read: which of them are sources, which are records, and by what function."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from reconciler.documents.load import Loaded, is_yaml
from reconciler.model.settings import Settings
from reconciler.ports import Entry, Source
from reconciler.records.recall import Recalled, recall
from reconciler.sources import source_reader


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
    read_source: Callable[[str, bytes], Loaded]
    read_record: Callable[[str, bytes], Recalled]

    def is_record(self, path: str) -> bool:
        """The path is that of a file that only reconcile writes, or of what is in their place."""
        return path.startswith(f"{self.records}/") or f"{self.records}/".startswith(f"{path}/")

    def is_read(self, path: str) -> bool:
        """The path is below a folder that is read."""
        return path.startswith(tuple(f"{folder}/" for folder in [*self.folders, self.records]))


def reader_of(source: Source, settings: Settings) -> Reader:
    """How the files of a source are read."""
    read_record = partial(recall, settings.records)
    return Reader(source, settings.sources, settings.records, source_reader(settings), read_record)


def split(entries: Sequence[Entry], settings: Settings) -> tuple[list[Entry], list[Entry]]:
    """Source files and record files of what stands in the folders that Settings name."""
    folder = f"{settings.records}/"
    read = [entry for entry in entries if is_yaml(entry.path)]
    return (
        [entry for entry in read if not entry.path.startswith(folder)],
        [entry for entry in read if entry.path.startswith(folder)],
    )
