"""How single files are read: which of them are sources, which are records, and by what function."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from reconciler.documents.load import Loaded
from reconciler.model.settings import Settings
from reconciler.ports import Entry, Source
from reconciler.records.recall import Recalled, recall
from reconciler.sources import source_reader

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
    read_source: Callable[[str, bytes], Loaded]
    read_record: Callable[[str, bytes], Recalled]

    def is_record(self, path: str) -> bool:
        """The path is that of a file that only reconcile writes, or of what is in their place."""
        return path == self.records or path.startswith(f"{self.records}/")


def reader_of(source: Source, settings: Settings) -> Reader:
    """How the files of a source are read."""
    read_record = partial(recall, settings.records)
    return Reader(source, settings.sources, settings.records, source_reader(settings), read_record)


def split(entries: Sequence[Entry], settings: Settings) -> tuple[list[Entry], list[Entry]]:
    """Source files and record files of what stands in the folders that Settings name."""
    folder = f"{settings.records}/"
    sources = [entry for entry in entries if not entry.path.startswith(folder)]
    records = [entry for entry in entries if entry.path.startswith(folder)]
    return (
        [entry for entry in sources if is_yaml(entry.path)],
        [entry for entry in records if entry.path.endswith(".yaml")],
    )
