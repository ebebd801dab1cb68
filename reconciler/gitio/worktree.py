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

from reconciler.documents.findings import Finding, Location, error
from reconciler.documents.load import beside, upwards
from reconciler.documents.text import MAX_BYTES, Unread
from reconciler.gitio.history import changed_file
from reconciler.gitio.interface import BranchCommit, Changed, Entry, Parsed, Revision
from reconciler.gitio.limits import Budget, Tally, fields
from reconciler.gitio.process import GitProcess, failure
from reconciler.gitio.revision import GitSource, irregular, out_of_place
from reconciler.model.errors import GitError, UsageError
from reconciler.model.settings import Limits


class Conversion:
    """Ends of lines of a work tree. Git is asked when a file has others, once.

    Only where git itself takes a file for unchanged, and its content is what the index has but for
    the ends of lines, these were made by git: `core.autocrlf`, or an attribute. Git looks at the
    content of files whose times are others than it noted, as in a copy; then as it would be stored.
    """

    def __init__(self, open_git: Callable[[], GitProcess], root: Path) -> None:
        """Take what opens git with its filters off, and the work tree."""
        self._open = open_git
        self._root = root
        self._ids: dict[str, str] = {}
        self._asked: set[str] = set()

    def stored(
        self, path: str, data: bytes, folders: Iterable[str], tally: Callable[[], Tally]
    ) -> bytes:
        """The bytes of a file as git would store them.

        Args:
            path: The file.
            data: Its bytes.
            folders: What is read of the work tree; the file is among it.
            tally: Counts the files of the index there.

        Raises:
            GitError: The index cannot be read.
            LimitError: It has more files there than are read.
            UsageError: The configuration has what cannot be beaten.
        """
        if _CRLF not in data:
            return data
        if new := [folder for folder in folders if folder not in self._asked]:
            self._asked.update(new)
            self._ids |= self._unchanged(new, tally)
        plain, oid = data.replace(_CRLF, _LF), self._ids.get(path, "")
        return plain if oid == blob_id(plain, oid) else data

    def _unchanged(self, folders: Sequence[str], tally: Callable[[], Tally]) -> dict[str, str]:
        git, found = self._open(), dict[str, str]()
        for line in listed_files(git, self._root, tally(), ["-s"], folders):
            about, _, path = line.partition("\t")
            found[path] = about.split(" ")[1]
        converting = replace(git, guards=(*git.guards, ("core.autocrlf", "true")))
        for path in listed_files(converting, self._root, tally(), ["-m"], folders):
            found.pop(path, None)
        return found


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
        self.parsed: Parsed = head.parsed if head is not None else {}

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

    def past(self, paths: Sequence[str]) -> Iterator[BranchCommit]:
        """What the work tree changes of HEAD, if anything, then the commits of its line."""
        if self._head is None:
            return
        if (step := self.brought(paths)).changed:
            yield step
        yield from self._head.past(paths)

    def brought(self, paths: Sequence[str]) -> BranchCommit:
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
        return BranchCommit("", tuple(changed))

    def each(self, entries: Sequence[Entry], work: Callable[[str, bytes], T]) -> list[T]:
        """`work` on each file."""
        return [work(entry.path, self._read(entry.path)) for entry in entries]

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


_CRLF, _LF = b"\r\n", b"\n"
_AT_ONCE = 1 << 20


def blob_id(data: bytes, like: str) -> str:
    """The id of a file's content in a repository that has such ids."""
    return _id(len(data), [data], like)


def file_id(path: Path, like: str) -> str:
    """The id of the bytes of a file, however large; empty when it cannot be read."""
    try:
        with open(path, "rb", opener=_plainly) as file:
            parts = iter(partial(file.read, _AT_ONCE), b"")
            return _id(os.fstat(file.fileno()).st_size, parts, like)
    except OSError:
        return ""


def _plainly(path: str, flags: int) -> int:
    """Open a file, but no link and nothing that waits."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _id(size: int, parts: Iterable[bytes], like: str) -> str:
    found = sha256() if len(like) == 64 else sha1(usedforsecurity=False)
    found.update(b"blob %d\0" % size)
    for part in parts:
        found.update(part)
    return found.hexdigest()


_SHOWN = 3
_HINT = (
    "git sparse-checkout disable brings all files back; git update-index --no-skip-worktree"
    " --no-assume-unchanged FILE takes a mark away; or read a revision, without --worktree"
)


def listed_files(
    git: GitProcess, root: Path, tally: Tally, options: Sequence[str], folders: Sequence[str]
) -> Iterator[str]:
    """Lines of `git ls-files -z` about the files at or below some folders of a root in a work tree.

    Raises:
        GitError: The index cannot be read.
        LimitError: It has more files there than are read.
    """
    # Without both git lists what is in `.git` alone.
    work = (f"--work-tree={git.root.top(root)}", "-C", str(root))
    with closing(fields(git, tally, *work, "ls-files", "-z", *options, "--", *folders)) as lines:
        for line in lines:
            tally.add(line)
            yield line


def require_seen(git: GitProcess, root: Path, tally: Tally, folders: Sequence[str]) -> None:
    """Refuse files that git does not look at: what is on disk is not what would be committed.

    A sparse checkout leaves them out; a person may have marked others as unchanged.

    Raises:
        UsageError: The index marks some so.
        GitError: The index cannot be read.
        LimitError: It has more files there than are read.
    """
    lines = listed_files(git, root, tally, ["-v"], folders)
    marked = [line[2:] for line in lines if line[0] == "S" or line[0].islower()]
    if marked:
        more = f" and {len(marked) - _SHOWN} more" if len(marked) > _SHOWN else ""
        message = "the index marks files as not to be looked at (skip-worktree, assume-unchanged)"
        raise UsageError(f"{message}: {', '.join(marked[:_SHOWN])}{more}", _HINT)


_SHOWN_CHECKOUT = 3
# The index is as HEAD, the file is not.
_EDITED = " M "


class Checkout(Struct, frozen=True):
    """Index and files of a checkout that shows the branch."""

    git: GitProcess
    root: Path

    def require_clean(self, folders: Sequence[str], target: Revision) -> None:
        """Refuse changes that are not committed.

        Args:
            folders: Where untracked files count, because reconcile would read them.
            target: What index and files are to become; they may be that already.

        Raises:
            UsageError: Something is not committed, or another git is at work.
        """
        lock = self.git.git_dir / "index.lock"
        if lock.exists():
            hint = f"if no git is running here, remove {lock}"
            raise UsageError("another git is at work in this checkout, or was killed in it", hint)
        changed, unknown = self._dirty()
        inside = tuple(f"{folder}/" for folder in self.git.root.inside(folders))
        unknown = [path for path in unknown if path.startswith(inside)]
        if changed and not unknown and self._shows(target):
            return  # so far had a run come that was killed
        dirty = [*changed, *unknown]
        if dirty:
            more = (
                f" and {len(dirty) - _SHOWN_CHECKOUT} more" if len(dirty) > _SHOWN_CHECKOUT else ""
            )
            hint = "commit or stash them, or reconcile a clone or the remote: --remote URL"
            listed = ", ".join(dirty[:_SHOWN_CHECKOUT])
            raise UsageError(
                f"the work tree has changes that are not committed: {listed}{more}", hint
            )

    def follow(self, old: Revision, new: Revision) -> None:
        """Bring index and files from one revision to another.

        Raises:
            GitError: Git refuses, and nothing was changed.
        """
        done = self.git.run(self._tree, "read-tree", "-m", "-u", old.id, new.id)
        if done.status != 0:
            hint = f"mend that and run it again; it is to become {new.id}"
            raise GitError(f"the work tree cannot follow: {failure('read-tree', done)}", hint)

    def uncommitted(self, paths: Sequence[str]) -> list[str]:
        """Return the files at or below some paths that HEAD does not have like this."""
        changed, unknown = self._dirty(*self.git.root.inside(paths))
        return sorted(map(self.git.root.outside, [*changed, *unknown]))

    @property
    def _tree(self) -> str:
        return f"--work-tree={self.root}"

    def _dirty(self, *paths: str) -> tuple[list[str], list[str]]:
        """Return paths that differ from HEAD, and paths that Git does not know; of all, or below some."""
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

    def _shows(self, revision: Revision) -> bool:
        """Whether index and files are those of a revision."""
        return not self._differing(revision.id)

    def _differing(self, revision: str, *paths: str) -> list[str]:
        """Files that are not those of a revision; of all, or below some paths.

        One that is so byte for byte is, although git would store other ends of lines of it: an
        attribute may have come after it.
        """
        # Unlike diff-index, diff looks again at files whose times alone have changed.
        out = self.git.check(
            self._tree, "-C", str(self.root), "diff", "--raw", "-z", "--no-abbrev",
            "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all",
            revision, "--", *paths,
        )  # fmt: skip
        parts = iter(out.removesuffix(b"\0").decode("utf-8", "replace").split("\0"))
        found = [changed_file(about, next(parts)) for about in parts if about]
        return [item.path for item in found if not self._is_held(item)]

    def _is_held(self, item: Changed) -> bool:
        """A file has the mode and the bytes that it has in a revision."""
        old, new = item.old, item.new
        if old is None or new is None or old.mode != new.mode or not new.is_file:
            return False
        return file_id(self.root / item.path, old.oid) == old.oid
