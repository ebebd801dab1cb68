"""Views of a source: with another clock, or with one folder of another revision."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from msgspec import Struct

from reconciler.findings import Finding
from reconciler.model.settings import Limits
from reconciler.ports import Entry, Parsed, Revision, Source, Step

T = TypeVar("T")


class SourceView(Struct, frozen=True):
    """What another source says.

    Attributes:
        of: The source.
    """

    of: Source

    @property
    def parsed(self) -> Parsed:
        """Files that were parsed before."""
        return self.of.parsed

    def bound(self, limits: Limits) -> None:
        """Hold what is listed and read to these limits."""
        self.of.bound(limits)

    def revision(self) -> Revision | None:
        """The revision."""
        return self.of.revision()

    def clock(self) -> int:
        """Its clock."""
        return self.of.clock()

    def clock_ahead(self) -> int | None:
        """Its committer date, if it is ahead."""
        return self.of.clock_ahead()

    def passed(self) -> int:
        """A time that has passed, by its line."""
        return self.of.passed()

    def entries(self, folders: Sequence[str]) -> list[Entry]:
        """All files below the folders."""
        return self.of.entries(folders)

    def require(self, file: str, folders: Sequence[str]) -> None:
        """Find what is no plain file or no folder where one belongs."""
        self.of.require(file, folders)

    def standing(self, paths: Sequence[str]) -> list[Entry] | None:
        """What stands at some paths itself."""
        return self.of.standing(paths)

    def folders(self, parents: Sequence[str]) -> list[Entry] | None:
        """What stands directly in the parents."""
        return self.of.folders(parents)

    def read(self, entries: Sequence[Entry]) -> list[bytes]:
        """The bytes of files."""
        return self.of.read(entries)

    def findings(self) -> tuple[Finding, ...]:
        """What is wrong with the files as such."""
        return self.of.findings()

    def past(self, paths: Sequence[str]) -> Iterator[Step]:
        """The commits that made these files and folders what they are."""
        return self.of.past(paths)

    def brought(self, paths: Sequence[str]) -> Step:
        """What the revision itself changed."""
        return self.of.brought(paths)

    def each(self, entries: Sequence[Entry], work: Callable[[str, bytes], T]) -> list[T]:
        """`work(path, bytes)` for each file."""
        return self.of.each(entries, work)


class AsOf(SourceView, frozen=True):
    """A source with a clock of its own; all else is that of the source.

    Attributes:
        seconds: The clock, since 1970.
        ahead: The committer date, if it was found to be ahead then.
    """

    seconds: int
    ahead: int | None = None

    def clock(self) -> int:
        """The clock that is asked for."""
        return self.seconds

    def clock_ahead(self) -> int | None:
        """The committer date, if it was ahead then."""
        return self.ahead

    def passed(self) -> int:
        """The clock that is asked for, or a newer date on the line that was not ahead then."""
        return self.seconds if self.ahead is not None else max(self.seconds, self.of.passed())


class Overlay(SourceView, frozen=True):
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
