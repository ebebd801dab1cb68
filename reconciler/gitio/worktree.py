"""Files of a checkout."""

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from errno import ENAMETOOLONG
from functools import partial
from hashlib import sha1, sha256
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from reconciler.documents.findings import Finding, Location, error, join_limited
from reconciler.documents.load import case_clashes, upwards
from reconciler.documents.text import MAX_BYTES, Unread
from reconciler.gitio.history import changed_file, fields
from reconciler.gitio.interface import BranchCommit, Changed, Entry, Parsed, Revision
from reconciler.gitio.process import GitProcess, failure, guarded
from reconciler.gitio.revision import Budget, GitSource, irregular, out_of_place
from reconciler.model.errors import GitError, UsageError
from reconciler.model.settings import Limits

T = TypeVar("T")
_LINK, _SUBMODULE, _FILE, _FOLDER = "120000", "160000", "100644", "040000"
_CRLF, _LF = b"\r\n", b"\n"
_AT_ONCE = 1 << 20
_MARKED_HINT = "run git sparse-checkout disable, or git update-index --no-skip-worktree --no-assume-unchanged FILE; or omit --worktree"


class WorktreeSource:
    """Files of a folder, as described in `Source`. Symbolic links are not followed."""

    def __init__(self, root: Path, head: GitSource | None, git: GitProcess) -> None:
        self._root = root
        self._git = git
        self._head = head
        # Requested folders, and those whose index was read for line endings.
        self._listed: dict[str, None] = {}
        self._converted: set[str] = set()
        self._ids: dict[str, str] = {}
        self._findings: dict[Finding, None] = {}
        self._budget = Budget("the work tree", git.reader)
        self.parsed = head.parsed if head is not None else Parsed()

    def bound(self, limits: Limits) -> Limits:
        if self._head is not None:
            self._head.bound(limits)
        return self._budget.bound(limits)

    def revision(self) -> None:
        return None

    def clock(self) -> int:
        return self._head.clock() if self._head is not None else 0

    def clock_ahead(self) -> int | None:
        return self._head.clock_ahead() if self._head is not None else None

    def passed(self) -> int:
        return self._head.passed() if self._head is not None else 0

    def findings(self) -> tuple[Finding, ...]:
        return tuple(self._findings)

    def entries(self, folders: Sequence[str]) -> list[Entry]:
        found: list[Entry] = []
        self._require_seen(folders)
        for path, mode in (it for folder in folders for it in self._walk(folder)):
            wrong = irregular(path, mode)
            if wrong is not None:
                self._findings[wrong] = None
            else:
                found.append(Entry(path, mode, ""))
        return sorted(found)

    def require(self, file: str, folders: Sequence[str]) -> None:
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
        self._findings.update(dict.fromkeys(case_clashes(meant, there)))

    def entries_at(self, paths: Sequence[str]) -> None:
        del paths

    def folders(self, parents: Sequence[str]) -> None:
        del parents

    def read(self, entries: Sequence[Entry]) -> list[bytes]:
        committed = [entry for entry in entries if entry.oid]
        blobs = dict(zip(committed, self._head.read(committed), strict=True)) if self._head else {}
        return [blobs[item] if item in blobs else self._read(item.path) for item in entries]

    def past(self, paths: Sequence[str]) -> Iterator[BranchCommit]:
        if self._head is None:
            return
        if (step := self.brought(paths)).changed:
            yield step
        yield from self._head.past(paths)

    def reconciled(self, path: str) -> Entry | None:
        return self._head.reconciled(path) if self._head is not None else None

    def brought(self, paths: Sequence[str]) -> BranchCommit:
        self._require_seen(paths)
        old = {entry.path: entry for entry in self._head.everything(paths)} if self._head else {}
        new = {path: mode for folder in paths for path, mode in self._walk(folder)}
        changed = []
        for path in sorted(old | new):
            before, mode = old.get(path), new.get(path)
            after = Entry(path, mode, "") if mode is not None else None
            if before is None or after is None or not self._holds(before, after):
                changed.append(Changed(path, before, after))
        return BranchCommit("", tuple(changed))

    def each(self, entries: Sequence[Entry], work: Callable[[str, bytes], T]) -> list[T]:
        return [work(entry.path, self._read(entry.path)) for entry in entries]

    def _require_seen(self, paths: Sequence[str]) -> None:
        """Refuse files that Git skips, as in a sparse checkout: they would not be committed."""
        new = [path for path in paths if path not in self._listed]
        if not new:
            return
        lines = self._indexed(self._git, new, "-v")
        marked = [line[2:] for line in lines if line[0] == "S" or line[0].islower()]
        if marked:
            message = "the index excludes files of the work tree (skip-worktree, assume-unchanged)"
            raise UsageError(f"{message}: {join_limited(marked)}", _MARKED_HINT)
        self._listed.update(dict.fromkeys(new))

    def _indexed(self, git: GitProcess, folders: Iterable[str], option: str) -> Iterator[str]:
        # Without both options, Git lists only the content of `.git`.
        work = (f"--work-tree={git.root.top(self._root)}", "-C", str(self._root))
        tally = self._budget.tally()
        with closing(fields(git, *work, "ls-files", "-z", option, "--", *folders)) as lines:
            for line in lines:
                tally.add(line)
                yield line

    def _holds(self, committed: Entry, entry: Entry) -> bool:
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
        with open(self._root / path, "rb", opener=_plainly) as file:
            data = file.read(MAX_BYTES + 1)
            if len(data) <= MAX_BYTES:
                return self._stored(path, data)
            return Unread(max(os.fstat(file.fileno()).st_size, len(data)))

    def _stored(self, path: str, data: bytes) -> bytes:
        """Return the bytes as Git would store them."""
        # CRLF counts as made by Git if it reports no change and only line endings differ. With
        # other times, as in a copy, Git compares the content as it would be stored.
        if _CRLF not in data:
            return data
        if new := [folder for folder in self._listed if folder not in self._converted]:
            self._converted.update(new)
            git = guarded(self._git)
            for line in self._indexed(git, new, "-s"):
                about, _, indexed = line.partition("\t")
                self._ids[indexed] = about.split(" ")[1]
            converting = replace(git, guards=(*git.guards, ("core.autocrlf", "true")))
            for edited in self._indexed(converting, new, "-m"):
                self._ids.pop(edited, None)
        plain, oid = data.replace(_CRLF, _LF), self._ids.get(path, "")
        return plain if oid == blob_id(plain, oid) else data

    def _walk(self, path: str) -> Iterator[tuple[str, str]]:
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
        place = Location(path)
        try:
            found = (self._root / path).lstat()
        except (FileNotFoundError, NotADirectoryError):
            return "", 0
        except OSError as failed:
            if failed.errno != ENAMETOOLONG:
                raise
            message = "the path is too long"
            self._findings[error("not-a-file", place, message, "shorten it")] = None
            return "", 0
        if stat.S_ISLNK(found.st_mode):
            return _LINK, found.st_size
        if stat.S_ISREG(found.st_mode):
            return _FILE, found.st_size
        if stat.S_ISDIR(found.st_mode):
            return (_SUBMODULE if self._is_submodule(path) else _FOLDER), 0
        message = "the path is a device, pipe, or socket, expected a regular file"
        self._findings[error("not-a-file", place, message)] = None
        return "", 0

    def _is_submodule(self, path: str) -> bool:
        folder = self._root / path
        if (folder / ".git").exists():
            return True
        if self._head is None or any(folder.iterdir()):
            return False
        return any(entry.mode == _SUBMODULE for entry in self._head.entries_at([path]))

    def _names(self, path: str) -> list[str]:
        tally = self._budget.tally()
        names = []
        with os.scandir(self._root / path) as inside:
            for entry in inside:
                tally.add(entry.name)
                names.append(entry.name)
        return sorted(names)


def blob_id(data: bytes, like: str) -> str:
    """Return the blob id of content, in the object format of the id `like`."""
    return _id(len(data), [data], like)


def file_id(path: Path, like: str) -> str:
    """Return the blob id of a file of any size, or empty if it cannot be read."""
    try:
        with open(path, "rb", opener=_plainly) as file:
            parts = iter(partial(file.read, _AT_ONCE), b"")
            return _id(os.fstat(file.fileno()).st_size, parts, like)
    except OSError:
        return ""


def _plainly(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _id(size: int, parts: Iterable[bytes], like: str) -> str:
    found = sha256() if len(like) == 64 else sha1(usedforsecurity=False)
    found.update(b"blob %d\0" % size)
    for part in parts:
        found.update(part)
    return found.hexdigest()


# The index matches HEAD, the file does not.
_EDITED = " M "


class Checkout(Struct, frozen=True):
    """Index and files of a checkout that has the branch checked out."""

    git: GitProcess
    root: Path

    def require_clean(self, folders: Sequence[str], target: Revision) -> None:
        """Raise UsageError at changes, untracked files in `folders`, or another Git process."""
        lock = self.git.git_dir / "index.lock"
        if lock.exists():
            hint = f"remove {lock}, if no Git command is running in this checkout"
            raise UsageError("another Git command is running in this checkout, or was killed", hint)
        changed, unknown = self._dirty()
        inside = tuple(f"{folder}/" for folder in self.git.root.inside(folders))
        unknown = [path for path in unknown if path.startswith(inside)]
        if changed and not unknown and not self._differing(target.id):
            return  # a killed run had already updated the files
        if dirty := [*changed, *unknown]:
            hint = "commit or stash them, or pass --remote URL to reconcile without this checkout"
            message = f"the work tree has uncommitted changes: {join_limited(dirty)}"
            raise UsageError(message, hint)

    def follow(self, old: Revision, new: Revision) -> None:
        """Update index and files to another revision, or raise GitError with nothing changed."""
        # A copied checkout has other file times than its index, which read-tree takes for edits.
        self.git.run(self._tree, "update-index", "-q", "--refresh")
        done = self.git.run(self._tree, "read-tree", "-m", "-u", old.id, new.id)
        if done.status != 0:
            hint = f"fix the problem, then run the command again; the target is {new.id}"
            raise GitError(f"the work tree cannot be updated: {failure('read-tree', done)}", hint)

    def uncommitted(self, paths: Sequence[str]) -> list[str]:
        """Return the files at or below some paths that differ from HEAD."""
        changed, unknown = self._dirty(*self.git.root.inside(paths))
        return sorted(map(self.git.root.outside, [*changed, *unknown]))

    @property
    def _tree(self) -> str:
        return f"--work-tree={self.root}"

    def _dirty(self, *paths: str) -> tuple[list[str], list[str]]:
        out = self.git.check(
            self._tree, "-C", str(self.root), "status", "--porcelain", "-z", "--no-renames",
            "--untracked-files=all", "--ignore-submodules=all", "--", *paths,
        )  # fmt: skip
        lines = [line.decode("utf-8", "replace") for line in out.split(b"\0") if line]
        changed = [line for line in lines if not line.startswith("??")]
        if any(line.startswith(_EDITED) for line in changed):
            edited = set(self._differing("HEAD", *paths))
            changed = [it for it in changed if not it.startswith(_EDITED) or it[3:] in edited]
        return [it[3:] for it in changed], [line[3:] for line in lines if line.startswith("??")]

    def _differing(self, revision: str, *paths: str) -> list[str]:
        """Return files with other bytes. A newer attribute for line endings makes no difference."""
        # Unlike diff-index, diff rereads files with changed times.
        out = self.git.check(
            self._tree, "-C", str(self.root), "diff", "--raw", "-z", "--no-abbrev",
            "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all",
            revision, "--", *paths,
        )  # fmt: skip
        parts = iter(out.removesuffix(b"\0").decode("utf-8", "replace").split("\0"))
        found = [changed_file(about, next(parts)) for about in parts if about]
        return [item.path for item in found if not self._is_held(item)]

    def _is_held(self, item: Changed) -> bool:
        old, new = item.old, item.new
        if old is None or new is None or old.mode != new.mode or not new.is_file:
            return False
        return file_id(self.root / item.path, old.oid) == old.oid
