"""How a work tree is read: its files as they are on disk, before anything is committed."""

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from errno import ENAMETOOLONG
from functools import partial
from hashlib import sha1, sha256
from pathlib import Path
from typing import TypeVar

from reconciler.adapters.git.bounds import Budget
from reconciler.adapters.git.revision import GitSource, irregular
from reconciler.documents.text import MAX_BYTES, Unread
from reconciler.findings import Finding, Location, error
from reconciler.model.settings import Limits
from reconciler.ports import Changed, Entry, Step

T = TypeVar("T")


class WorktreeSource:
    """Files of a folder. Symlinks are not followed, as in a revision."""

    def __init__(self, root: Path, head: GitSource | None) -> None:
        """Take the folder, and what HEAD holds; None before the first commit."""
        self._root = root
        self._head = head
        self._findings: list[Finding] = []
        self._budget = Budget("the work tree")

    def bound(self, limits: Limits) -> None:
        """Hold what is listed and read to these limits."""
        self._budget.bound(limits)
        if self._head is not None:
            self._head.bound(limits)

    def revision(self) -> None:
        """A work tree is no revision."""

    def clock(self) -> int:
        """The committer date of HEAD: there is no other clock."""
        return self._head.clock() if self._head is not None else 0

    def clock_ahead(self) -> int | None:
        """The committer date of HEAD, when it is too far ahead of the machine's clock."""
        return self._head.clock_ahead() if self._head is not None else None

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

    def standing(self, paths: Sequence[str]) -> None:
        """Folders on disk have no id of their content."""

    def folders(self, parents: Sequence[str]) -> None:
        """Folders on disk have no id of their content."""

    def read(self, entries: Sequence[Entry]) -> list[bytes]:
        """The bytes of files, of HEAD where an id says so."""
        committed = [entry for entry in entries if entry.oid]
        blobs = dict(zip(committed, self._head.read(committed), strict=True)) if self._head else {}
        return [blobs[item] if item in blobs else self._read(item.path) for item in entries]

    def past(self, paths: Sequence[str]) -> Iterator[Step]:
        """What the work tree changes of HEAD, then the commits of its line."""
        if self._head is None:
            return
        old = {entry.path: entry for entry in self._head.entries(paths)}
        new = {path: mode for folder in paths for path, mode in self._walk(folder)}
        changed = []
        for path in sorted(old | new):
            before, mode = old.get(path), new.get(path)
            after = Entry(path, mode, "") if mode is not None else None
            if before is None or after is None or not self._holds(before, after):
                changed.append(Changed(path, before, after))
        yield Step("", tuple(changed))
        yield from self._head.past(paths)

    def each(self, entries: Sequence[Entry], work: Callable[[str, bytes], T]) -> list[T]:
        """`work` on each file."""
        return [work(entry.path, self._read(entry.path)) for entry in entries]

    def spread(self, items: Sequence[str], work: Callable[[Sequence[str]], T]) -> list[T]:
        """`work` on all items: a work tree that is being edited is not that large."""
        return [work(items)]

    def _holds(self, committed: Entry, entry: Entry) -> bool:
        """A file of the work tree is, byte for byte, that of HEAD."""
        if not entry.is_file:
            return False
        data = self._read(entry.path)
        if isinstance(data, Unread):
            return False
        make = sha256 if len(committed.oid) == 64 else partial(sha1, usedforsecurity=False)
        return make(b"blob %d\0" % len(data) + data).hexdigest() == committed.oid

    def _read(self, path: str) -> bytes:
        handle = os.open(self._root / path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as file:
            data = file.read(MAX_BYTES + 1)
            if len(data) <= MAX_BYTES:
                return data
            return Unread(max(os.fstat(handle).st_size, len(data)))

    def _walk(self, folder: str) -> Iterator[tuple[str, str]]:
        """Files below a folder, or the file itself, with their modes; however deep they are."""
        left = [folder]
        while left:
            path = left.pop()
            try:
                found = (self._root / path).lstat()
                inside = self._names(path) if stat.S_ISDIR(found.st_mode) else []
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as failed:
                if failed.errno != ENAMETOOLONG:
                    raise
                message = "the path is too long to be read"
                self._findings.append(error("not-a-file", Location(path), message, "shorten it"))
                continue
            if stat.S_ISDIR(found.st_mode):
                left += (f"{path}/{name}" for name in reversed(inside) if name != ".git")
                continue
            self._budget.count(path, found.st_size)
            if stat.S_ISLNK(found.st_mode):
                yield path, "120000"
            elif stat.S_ISREG(found.st_mode):
                yield path, "100644"
            else:
                place = Location(path)
                message = "not a regular file: a device, pipe or socket"
                self._findings.append(error("not-a-file", place, message))

    def _names(self, path: str) -> list[str]:
        """What stands in a folder.

        Raises:
            LimitError: There is more than is read.
        """
        tally = self._budget.tally()
        names = []
        with os.scandir(self._root / path) as inside:
            for entry in inside:
                tally.add(entry.name)
                names.append(entry.name)
        return sorted(names)
