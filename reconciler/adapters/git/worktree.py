"""How a work tree is read: its files as they are on disk, before anything is committed."""

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from errno import ENAMETOOLONG
from pathlib import Path
from typing import TypeVar

from reconciler.adapters.git.bounds import Budget
from reconciler.adapters.git.conversion import Conversion, blob_id
from reconciler.adapters.git.index import require_seen
from reconciler.adapters.git.process import GitProcess
from reconciler.adapters.git.revision import GitSource, irregular, out_of_place
from reconciler.documents.names import beside, upwards
from reconciler.documents.text import MAX_BYTES, Unread
from reconciler.findings import Finding, Location, error
from reconciler.model.settings import Limits
from reconciler.ports import Changed, Entry, Step

T = TypeVar("T")
_LINK, _SUBMODULE, _FILE, _FOLDER = "120000", "160000", "100644", "040000"


class WorktreeSource:
    """Files of a folder. Symlinks are not followed, as in a revision."""

    def __init__(
        self, root: Path, head: GitSource | None, git: GitProcess, conversion: Conversion
    ) -> None:
        """Take the folder, what HEAD holds (None before the first commit), and its ends of lines."""
        self._root = root
        self._git = git
        self._conversion = conversion
        self._listed: dict[str, None] = {}
        self._head = head
        self._findings: dict[Finding, None] = {}
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

    def passed(self) -> int:
        """The newest date of HEAD's first-parent line that is not ahead."""
        return self._head.passed() if self._head is not None else 0

    def findings(self) -> tuple[Finding, ...]:
        """Entries that are not plain files."""
        return tuple(self._findings)

    def entries(self, folders: Sequence[str]) -> list[Entry]:
        """All files below the folders (or of those names), by path."""
        found: list[Entry] = []
        self._require_seen(folders)
        for folder in folders:
            for path, mode in self._walk(folder):
                wrong = irregular(path, mode)
                if wrong is not None:
                    self._findings[wrong] = None
                else:
                    found.append(Entry(path, mode, ""))
        return sorted(found)

    def require(self, file: str, folders: Sequence[str]) -> None:
        """Find what is no plain file or no folder although it stands where one belongs, or above.

        And what is the same where upper and lower case are not told apart.
        """
        meant = dict.fromkeys([file, *(path for folder in folders for path in upwards(folder))])
        for path in meant:
            mode, _ = self._look(path)
            wrong = out_of_place(path, mode, is_folder=path != file) if mode else None
            if wrong is not None:
                self._findings[wrong] = None
        above = dict.fromkeys(path.rpartition("/")[0] for path in meant)
        there = [
            f"{path}/{name}" if path else name
            for path in above
            if not path or self._look(path)[0] == _FOLDER
            for name in self._names(path)
        ]
        self._findings.update(dict.fromkeys(beside(meant, there)))

    def standing(self, paths: Sequence[str]) -> None:
        """Folders on disk have no id of their content."""

    def folders(self, parents: Sequence[str]) -> None:
        """Folders on disk have no id of their content."""

    def read(self, entries: Sequence[Entry]) -> list[bytes]:
        """The bytes of files, of HEAD where an id says so."""
        committed = [entry for entry in entries if entry.oid]
        blobs = dict(zip(committed, self._head.read(committed), strict=True)) if self._head else {}
        return [blobs[item] if item in blobs else self._read(item.path) for item in entries]

    def bring(self, entries: Sequence[Entry]) -> None:
        """A work tree has its files."""

    def past(self, paths: Sequence[str]) -> Iterator[Step]:
        """What the work tree changes of HEAD, if anything, then the commits of its line."""
        if self._head is None:
            return
        if (step := self.brought(paths)).changed:
            yield step
        yield from self._head.past(paths)

    def brought(self, paths: Sequence[str]) -> Step:
        """What the work tree changes of HEAD; without one all is new."""
        self._require_seen(paths)
        old = {entry.path: entry for entry in self._head.everything(paths)} if self._head else {}
        new = {path: mode for folder in paths for path, mode in self._walk(folder)}
        changed = []
        for path in sorted(old | new):
            before, mode = old.get(path), new.get(path)
            after = Entry(path, mode, "") if mode is not None else None
            if before is None or after is None or not self._holds(before, after):
                changed.append(Changed(path, before, after))
        return Step("", tuple(changed))

    def each(self, entries: Sequence[Entry], work: Callable[[str, bytes], T]) -> list[T]:
        """`work` on each file."""
        return [work(entry.path, self._read(entry.path)) for entry in entries]

    def spread(self, items: Sequence[str], work: Callable[[Sequence[str]], T]) -> list[T]:
        """`work` on all items: a work tree that is being edited is not that large."""
        return [work(items)]

    def _require_seen(self, paths: Sequence[str]) -> None:
        """Refuse what git does not look at of that is to be read."""
        if new := [path for path in paths if path not in self._listed]:
            require_seen(self._git, self._root, self._budget.tally(), new)
            self._listed.update(dict.fromkeys(new))

    def _holds(self, committed: Entry, entry: Entry) -> bool:
        """An entry of the work tree is, byte for byte, that of HEAD."""
        if entry.is_file != committed.is_file or _SUBMODULE in (entry.mode, committed.mode):
            return entry.mode == committed.mode
        if entry.is_file:
            data = self._read(entry.path)
        else:
            data = os.fsencode((self._root / entry.path).readlink())
        if isinstance(data, Unread):
            return False
        return blob_id(data, committed.oid) == committed.oid

    def _read(self, path: str) -> bytes:
        handle = os.open(self._root / path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as file:
            data = file.read(MAX_BYTES + 1)
            if len(data) <= MAX_BYTES:
                return self._conversion.stored(path, data, self._listed, self._budget.tally)
            return Unread(max(os.fstat(handle).st_size, len(data)))

    def _walk(self, path: str) -> Iterator[tuple[str, str]]:
        """Files and links of a folder, by path, each with its mode; however deep they are.

        A link is never followed.
        """
        left = [path]
        if any(self._look(folder)[0] != _FOLDER for folder in upwards(path)[:-1]):
            return
        while left:
            at = left.pop()
            mode, size = self._look(at)
            if mode == _FOLDER:
                left += (f"{at}/{name}" for name in reversed(self._names(at)))
            elif mode:
                self._budget.count(at, size)
                yield at, mode

    def _look(self, path: str) -> tuple[str, int]:
        """The mode of what stands at a path, as Git has it, and its size.

        The mode is empty where nothing can be read.
        """
        place = Location(path)
        try:
            found = (self._root / path).lstat()
        except (FileNotFoundError, NotADirectoryError):
            return "", 0
        except OSError as failed:
            if failed.errno != ENAMETOOLONG:
                raise
            message = "the path is too long to be read"
            self._findings[error("not-a-file", place, message, "shorten it")] = None
            return "", 0
        if stat.S_ISLNK(found.st_mode):
            return _LINK, found.st_size
        if stat.S_ISREG(found.st_mode):
            return _FILE, found.st_size
        if stat.S_ISDIR(found.st_mode):
            return (_SUBMODULE if self._is_submodule(path) else _FOLDER), 0
        message = "not a regular file: a device, pipe or socket"
        self._findings[error("not-a-file", place, message)] = None
        return "", 0

    def _is_submodule(self, path: str) -> bool:
        """A folder that is a repository of its own; or shall be one, and is empty until then."""
        folder = self._root / path
        if (folder / ".git").exists():
            return True
        if self._head is None or any(folder.iterdir()):
            return False
        return any(entry.mode == _SUBMODULE for entry in self._head.standing([path]))

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
