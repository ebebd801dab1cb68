"""A revision as it would be with some files put back: nothing is written to look at it."""

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import TypeVar

from reconciler.commands.reading.through import Through
from reconciler.ports import Entry

T = TypeVar("T")
_FILE = "100644"


class Mended(Through, frozen=True):
    """A source of which some files are others.

    Attributes:
        files: The bytes of those files, by path; None for one that is not there.
    """

    files: Mapping[str, bytes | None]

    def entries(self, folders: Sequence[str]) -> list[Entry]:
        """All files below the folders."""
        inside = tuple(f"{folder}/" for folder in folders)
        found = [item for item in self.of.entries(folders) if item.path not in self.files]
        back = (
            _entry(path, data)
            for path, data in self.files.items()
            if data is not None and (path in folders or path.startswith(inside))
        )
        return sorted([*found, *back])

    def standing(self, paths: Sequence[str]) -> list[Entry] | None:
        """Nothing is told by ids: the folders have others than in the revision."""
        del paths
        return None

    def folders(self, parents: Sequence[str]) -> list[Entry] | None:
        """Nothing is told by ids."""
        del parents
        return None

    def read(self, entries: Sequence[Entry]) -> list[bytes]:
        """The bytes of files."""
        return self._each(entries, self.of.read, lambda _, data: data)

    def each(self, entries: Sequence[Entry], work: Callable[[str, bytes], T]) -> list[T]:
        """`work(path, bytes)` for each file."""
        return self._each(entries, lambda others: self.of.each(others, work), work)

    def _each(
        self,
        entries: Sequence[Entry],
        theirs: Callable[[Sequence[Entry]], list[T]],
        work: Callable[[str, bytes], T],
    ) -> list[T]:
        own = {it: data for it in entries if (data := self._own(it)) is not None}
        others = [it for it in entries if it not in own]
        known = dict(zip(others, theirs(others), strict=True)) if others else {}
        known |= {it: work(it.path, data) for it, data in own.items()}
        return [known[it] for it in entries]

    def _own(self, entry: Entry) -> bytes | None:
        """The bytes of a file that is put back; an earlier version of it is the source's."""
        data = self.files.get(entry.path)
        return data if data is not None and _entry(entry.path, data) == entry else None


def _entry(path: str, data: bytes) -> Entry:
    return Entry(path, _FILE, sha256(data).hexdigest())
