"""A source that answers as another one does, for those that differ from it in a few answers."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from msgspec import Struct

from reconciler.findings import Finding
from reconciler.model.settings import Limits
from reconciler.ports import Entry, Revision, Source, Step

T = TypeVar("T")


class Through(Struct, frozen=True):
    """What another source says.

    Attributes:
        of: The source.
    """

    of: Source

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

    def bring(self, entries: Sequence[Entry]) -> None:
        """Fetch at once what a filter left out of files that are read soon."""
        self.of.bring(entries)

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

    def spread(self, items: Sequence[str], work: Callable[[Sequence[str]], T]) -> list[T]:
        """`work` on shares of the items."""
        return self.of.spread(items, work)
