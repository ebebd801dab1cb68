"""Files of a work tree as they are on disk: for `--worktree`, before anything is committed."""

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from reconciler.adapters.git_source import irregular
from reconciler.documents.yaml import MAX_BYTES
from reconciler.findings import Finding, Location, error
from reconciler.ports import Entry

T = TypeVar("T")


class WorktreeSource:
    """Files of a folder. Symlinks are not followed, as in a revision."""

    def __init__(self, root: Path, clock: int, ahead: int | None = None) -> None:
        self._root = root
        self._clock = clock
        self._ahead = ahead
        self._findings: list[Finding] = []

    def revision(self) -> None:
        """A work tree is no revision."""

    def clock(self) -> int:
        """That of HEAD: there is no other clock."""
        return self._clock

    def clock_ahead(self) -> int | None:
        """The committer date of HEAD, when it is too far ahead of the machine's clock."""
        return self._ahead

    def findings(self) -> tuple[Finding, ...]:
        """Entries that are not plain files."""
        return tuple(self._findings)

    def entries(self, folders: Sequence[str]) -> list[Entry]:
        """All files below the folders (or of those names), by path."""
        found: list[Entry] = []
        for folder in folders:
            for path, mode in self._walk(folder):
                wrong = irregular(path, mode)
                if wrong is not None:
                    self._findings.append(wrong)
                else:
                    found.append(Entry(path, mode, ""))
        return sorted(found)

    def folders(self, parents: Sequence[str]) -> None:
        """Folders on disk have no id of their content."""

    def read(self, entries: Sequence[Entry]) -> list[bytes]:
        """The bytes of files; of one that is too large just enough to say so."""
        return [self._read(entry.path) for entry in entries]

    def each(self, entries: Sequence[Entry], work: Callable[[str, bytes], T]) -> list[T]:
        """`work` on each file."""
        return [work(entry.path, self._read(entry.path)) for entry in entries]

    def spread(self, items: Sequence[str], work: Callable[[Sequence[str]], T]) -> list[T]:
        """`work` on all items: a work tree that is being edited is not that large."""
        return [work(items)]

    def _read(self, path: str) -> bytes:
        handle = os.open(self._root / path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as file:
            return file.read(MAX_BYTES + 1)

    def _walk(self, path: str) -> Iterator[tuple[str, str]]:
        try:
            mode = (self._root / path).lstat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            return
        if stat.S_ISLNK(mode):
            yield path, "120000"
        elif stat.S_ISREG(mode):
            yield path, "100644"
        elif stat.S_ISDIR(mode):
            for name in sorted(entry.name for entry in (self._root / path).iterdir()):
                if name != ".git":
                    yield from self._walk(f"{path}/{name}")
        else:
            place = Location(path)
            message = "not a regular file: a device, pipe or socket"
            self._findings.append(error("not-a-file", place, message))
