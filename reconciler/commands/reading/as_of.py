"""A revision as it was read at another time: its files, and the clock that a plan had then."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from reconciler.findings import Finding
from reconciler.model.settings import Limits
from reconciler.ports import Changed, Entry, Revision, Source, Step

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AsOf:
    """A source with a clock of its own; all else is that of the source.

    Attributes:
        of: The source.
        seconds: The clock, since 1970.
        ahead: The committer date, if it was found to be ahead then.
    """

    of: Source
    seconds: int
    ahead: int | None = None

    def bound(self, limits: Limits) -> None:
        """Hold what is listed and read to these limits."""
        self.of.bound(limits)

    def revision(self) -> Revision | None:
        """The revision."""
        return self.of.revision()

    def clock(self) -> int:
        """The clock that is asked for."""
        return self.seconds

    def clock_ahead(self) -> int | None:
        """The committer date, if it was ahead then."""
        return self.ahead

    def passed(self) -> int:
        """The clock that is asked for, or a newer date on the line that was not ahead then."""
        return self.seconds if self.ahead is not None else max(self.seconds, self.of.passed())

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

    def changed_below(self, folder: Entry, since: str) -> list[Changed] | None:
        """Files below a folder that differ from what it held when its content had another id."""
        return self.of.changed_below(folder, since)

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

    def believes(self, commit: str) -> bool:
        """Whether reconcile made a commit that says so."""
        return self.of.believes(commit)

    def each(self, entries: Sequence[Entry], work: Callable[[str, bytes], T]) -> list[T]:
        """`work(path, bytes)` for each file."""
        return self.of.each(entries, work)

    def spread(self, items: Sequence[str], work: Callable[[Sequence[str]], T]) -> list[T]:
        """`work` on shares of the items."""
        return self.of.spread(items, work)
