"""A revision with one folder of another: what was looked at, laid over what it is committed on.

A plan of what was looked at and the replay of its commit read the same files so, and the folder has
the id that it has in the commit. All else, the history too, is that of the revision below.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from reconciler.commands.reading.through import Through
from reconciler.findings import Finding
from reconciler.model.settings import Limits
from reconciler.ports import Entry, Source

T = TypeVar("T")


class Laid(Through, frozen=True):
    """A source of which one folder is that of another one.

    Attributes:
        above: The other one; bytes of both are found by their ids in either.
        folder: The folder that is taken from it.
    """

    above: Source
    folder: str

    def bound(self, limits: Limits) -> None:
        """Hold what is listed and read to these limits."""
        self.of.bound(limits)
        self.above.bound(limits)

    def entries(self, folders: Sequence[str]) -> list[Entry]:
        """All files below the folders."""
        found = [it for it in self.of.entries(folders) if not self._is_inside(it.path)]
        inside = self._inside(folders)
        return sorted([*found, *self.above.entries(inside)]) if inside else found

    def require(self, file: str, folders: Sequence[str]) -> None:
        """Find what is no plain file or no folder where one belongs."""
        inside = self._inside(folders)
        self.of.require(file, [item for item in folders if item not in inside])
        if inside:
            self.above.require(file, inside)

    def standing(self, paths: Sequence[str]) -> list[Entry] | None:
        """What stands at some paths itself."""
        inside = [path for path in paths if self._is_inside(path)]
        outside = [path for path in paths if path not in inside]
        found = self.of.standing(outside) if outside else []
        there = self.above.standing(inside) if inside else []
        return None if found is None or there is None else sorted([*found, *there])

    def folders(self, parents: Sequence[str]) -> list[Entry] | None:
        """What stands directly in the parents: of the folder too, where it stands in one."""
        found = self.of.folders(parents)
        there = self.above.folders(parents)
        if found is None or there is None:
            return None
        kept = [item for item in found if not self._is_inside(item.path)]
        return sorted([*kept, *(item for item in there if self._is_inside(item.path))])

    def read(self, entries: Sequence[Entry]) -> list[bytes]:
        """The bytes of files."""
        inside = [item for item in entries if self._is_inside(item.path)]
        if not inside:
            return self.of.read(entries)
        outside = [item for item in entries if not self._is_inside(item.path)]
        known = dict(zip(inside, self.above.read(inside), strict=True))
        known |= dict(zip(outside, self.of.read(outside), strict=True))
        return [known[item] for item in entries]

    def findings(self) -> tuple[Finding, ...]:
        """What is wrong with the files as such."""
        found = [it for it in self.of.findings() if not self._is_inside(it.location.path)]
        there = (it for it in self.above.findings() if self._is_inside(it.location.path))
        return tuple(dict.fromkeys([*found, *there]))

    def bring(self, entries: Sequence[Entry]) -> None:
        """Fetch at once what a filter left out of files that are read soon."""
        self.of.bring([item for item in entries if not self._is_inside(item.path)])
        self.above.bring([item for item in entries if self._is_inside(item.path)])

    def each(self, entries: Sequence[Entry], work: Callable[[str, bytes], T]) -> list[T]:
        """`work(path, bytes)` for each file."""
        inside = [item for item in entries if self._is_inside(item.path)]
        if not inside:
            return self.of.each(entries, work)
        outside = [item for item in entries if not self._is_inside(item.path)]
        known = dict(zip(inside, self.above.each(inside, work), strict=True))
        known |= dict(zip(outside, self.of.each(outside, work), strict=True))
        return [known[item] for item in entries]

    def _is_inside(self, path: str) -> bool:
        return f"{path}/".startswith(f"{self.folder}/")

    def _inside(self, folders: Sequence[str]) -> list[str]:
        return [path for path in folders if self._is_inside(path)]
