"""How a work tree is read: its files as they are on disk, before anything is committed."""

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from hashlib import sha1, sha256
from pathlib import Path
from typing import TypeVar

from reconciler.adapters.git.revision import GitSource, irregular, out_of_place, upwards
from reconciler.documents.yaml import MAX_BYTES
from reconciler.findings import Finding, Location, error
from reconciler.ports import Changed, Entry, Step

T = TypeVar("T")
_LINK, _SUBMODULE, _FILE, _FOLDER = "120000", "160000", "100644", "040000"


class WorktreeSource:
    """Files of a folder. Symlinks are not followed, as in a revision."""

    def __init__(self, root: Path, head: GitSource | None) -> None:
        """Take the folder, and what HEAD holds; None before the first commit."""
        self._root = root
        self._head = head
        self._findings: dict[Finding, None] = {}

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
                    self._findings[wrong] = None
                else:
                    found.append(Entry(path, mode, ""))
        return sorted(found)

    def require(self, file: str, folders: Sequence[str]) -> None:
        """Find what is no plain file or no folder although it stands where one belongs, or above."""
        above = dict.fromkeys(path for folder in folders for path in upwards(folder))
        for path in [file, *above]:
            mode = self._mode(path)
            wrong = out_of_place(path, mode, is_folder=path != file) if mode else None
            if wrong is not None:
                self._findings[wrong] = None

    def standing(self, paths: Sequence[str]) -> None:
        """Folders on disk have no id of their content."""

    def folders(self, parents: Sequence[str]) -> None:
        """Folders on disk have no id of their content."""

    def read(self, entries: Sequence[Entry]) -> list[bytes]:
        """The bytes of files, of HEAD where an id says so; of a large one enough to say so."""
        committed = [entry for entry in entries if entry.oid]
        blobs = dict(zip(committed, self._head.read(committed), strict=True)) if self._head else {}
        return [blobs[item] if item in blobs else self._read(item.path) for item in entries]

    def past(self, paths: Sequence[str]) -> Iterator[Step]:
        """What the work tree changes of HEAD, if anything, then the commits of its line."""
        if self._head is None:
            return
        old = {entry.path: entry for entry in self._head.everything(paths)}
        new = {path: mode for folder in paths for path, mode in self._walk(folder)}
        changed = []
        for path in sorted(old | new):
            before, mode = old.get(path), new.get(path)
            after = Entry(path, mode, "") if mode is not None else None
            if before is None or after is None or not self._holds(before, after):
                changed.append(Changed(path, before, after))
        if changed:
            yield Step("", tuple(changed))
        yield from self._head.past(paths)

    def believes(self, commit: str) -> bool:
        """Whether reconcile made a commit that says so."""
        return self._head is not None and self._head.believes(commit)

    def each(self, entries: Sequence[Entry], work: Callable[[str, bytes], T]) -> list[T]:
        """`work` on each file."""
        return [work(entry.path, self._read(entry.path)) for entry in entries]

    def spread(self, items: Sequence[str], work: Callable[[Sequence[str]], T]) -> list[T]:
        """`work` on all items: a work tree that is being edited is not that large."""
        return [work(items)]

    def _holds(self, committed: Entry, entry: Entry) -> bool:
        """An entry of the work tree is, byte for byte, that of HEAD."""
        if entry.is_file != committed.is_file or _SUBMODULE in (entry.mode, committed.mode):
            return entry.mode == committed.mode
        if entry.is_file:
            data = self._read(entry.path)
        else:
            data = os.fsencode((self._root / entry.path).readlink())
        make = sha256 if len(committed.oid) == 64 else partial(sha1, usedforsecurity=False)
        return make(b"blob %d\0" % len(data) + data).hexdigest() == committed.oid

    def _read(self, path: str) -> bytes:
        handle = os.open(self._root / path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as file:
            return file.read(MAX_BYTES + 1)

    def _walk(self, path: str) -> Iterator[tuple[str, str]]:
        """Files and links of a folder, by path, each with its mode; a link is never followed."""
        if all(self._mode(folder) == _FOLDER for folder in upwards(path)[:-1]):
            yield from self._below(path)

    def _below(self, path: str) -> Iterator[tuple[str, str]]:
        mode = self._mode(path)
        if mode == _FOLDER:
            for name in sorted(entry.name for entry in (self._root / path).iterdir()):
                yield from self._below(f"{path}/{name}")
        elif mode:
            yield path, mode

    def _mode(self, path: str) -> str:
        """The mode of what stands at a path, as Git has it; empty where nothing can be read."""
        try:
            mode = (self._root / path).lstat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            return ""
        if stat.S_ISLNK(mode):
            return _LINK
        if stat.S_ISREG(mode):
            return _FILE
        if stat.S_ISDIR(mode):
            return _SUBMODULE if self._is_submodule(path) else _FOLDER
        message = "not a regular file: a device, pipe or socket"
        self._findings[error("not-a-file", Location(path), message)] = None
        return ""

    def _is_submodule(self, path: str) -> bool:
        """A folder that is a repository of its own; or shall be one, and is empty until then."""
        folder = self._root / path
        if (folder / ".git").exists():
            return True
        if self._head is None or any(folder.iterdir()):
            return False
        return any(entry.mode == _SUBMODULE for entry in self._head.standing([path]))
