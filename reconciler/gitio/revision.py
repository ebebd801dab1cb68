"""Files of a revision."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from msgspec import Struct

from reconciler.documents.findings import Finding, Location, error
from reconciler.documents.load import case_clashes, upwards
from reconciler.documents.text import MAX_BYTES, Unread, is_yaml
from reconciler.gitio import objects
from reconciler.gitio.history import brought, past
from reconciler.gitio.interface import BranchCommit, Entry, Parsed, Revision
from reconciler.gitio.objects import Tally
from reconciler.gitio.process import GitProcess, ObjectReader, is_filtered
from reconciler.model.errors import LimitError
from reconciler.model.settings import Limits

T = TypeVar("T")
_FOLDER = "040000"
_REGULAR = ("100644", "100755", "100664")
_REWRITE = "remove it in a new commit; to see who added it: git log -p --all -- PATH"
# Names of most files, which need no further check.
_PLAIN_PATH = re.compile(r"(?:\w[\w.-]{0,199}/){0,15}\w[\w.-]{0,199}", re.ASCII)
_DOTGIT = re.compile(r"\.git|git~1")
_SHORT = re.compile(r":.*|[. ]+$|[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")


class Budget:
    """Files listed so far of one revision or work tree, each counted once."""

    def __init__(self, where: str, reader: ObjectReader) -> None:
        self._where = where
        self._reader = reader
        self._seen: dict[str, None] = {}
        self._total = 0
        self.bound(Limits())

    def bound(self, limits: Limits) -> Limits:
        """Apply these limits, or the wider ones of the reader. Return the rest of them."""
        self.limits = limits.widened(self._reader.limits)
        self._tally = self.tally()
        for path in self._seen:
            self._tally.add(path)
        self.check_bytes(self._total)
        return Limits(self.limits.files - len(self._seen), self.limits.bytes - self._total)

    def tally(self) -> Tally:
        """Return a tally for a separate listing."""
        return Tally(self._where, self.limits)

    def count(self, path: str, size: int) -> None:
        """Count a file. A file that is not read, because of its name or size, adds no bytes."""
        if path in self._seen:
            return
        self._tally.add(path)
        self._seen[path] = None
        if size <= MAX_BYTES and is_yaml(path):
            self._total += size
            self.check_bytes(self._total)

    def check_bytes(self, total: int) -> None:
        """Refuse a read that exceeds the limit. Raises LimitError if the total is too large."""
        if total > self.limits.bytes:
            message = f"{self._where} has more than {self.limits.bytes:,} bytes of files to read"
            hint = f"split it, or raise spec.limits.bytes in ipam.yaml; {objects.LIMITS_HINT}"
            raise LimitError(message, hint)


class Clock(Struct, frozen=True):
    """Clock of a revision, the committer date if that is ahead, and the latest date that is not."""

    seconds: int
    ahead: int | None
    latest: int


class GitSource:
    """Files of one revision. The methods are described in `Source`."""

    def __init__(
        self,
        git: GitProcess,
        revision: Revision,
        clock: Clock,
        newest: Callable[[str], str],
        parsed: Parsed,
    ) -> None:
        self._git, self.root = git, git.root.path
        self._revision = revision
        self._clock = clock
        self._newest = newest
        self._findings: dict[Finding, None] = {}
        self.parsed = parsed
        self._budget = Budget(f"revision {revision.id[:12]}", git.reader)

    def bound(self, limits: Limits) -> Limits:
        return self._budget.bound(limits)

    def revision(self) -> Revision:
        return self._revision

    def clock(self) -> int:
        return self._clock.seconds

    def clock_ahead(self) -> int | None:
        return self._clock.ahead

    def passed(self) -> int:
        dates = _dates(self._git, self._revision)
        return max([self._clock.seconds, *(it for it in dates if it <= self._clock.latest)])

    def findings(self) -> tuple[Finding, ...]:
        return tuple(self._findings)

    def entries(self, folders: Sequence[str]) -> list[Entry]:
        found: list[Entry] = []
        for entry in self.everything(folders):
            wrong = irregular(entry.path, entry.mode)
            if wrong is not None:
                self._findings[wrong] = None
            elif entry.mode in _REGULAR:
                found.append(entry)
        return found

    def everything(self, folders: Sequence[str]) -> list[Entry]:
        """Return all entries below the folders, including links and submodules, by path."""
        if not folders:
            return []
        trees, tally = ("", self._tree), self._budget.tally()
        listed, misplaced = objects.differences(self._git, trees, folders, tally)
        for path in misplaced:
            message = "the name occurs twice, or out of order, in its folder"
            self._findings[error("path-invalid", Location(path), message, _REWRITE)] = None
        found = [it.new for it in listed if it.new is not None and it.path not in misplaced]
        sizes = self._git.reader.sizes
        # Git cannot report the size of a missing object. The size is then checked on reading.
        if not is_filtered(self._git):
            self._find_sizes(it.oid for it in found if it.mode in _REGULAR)
        for entry in found:
            self._budget.count(entry.path, sizes.get(entry.oid, 0))
        return found

    def require(self, file: str, folders: Sequence[str]) -> None:
        meant = dict.fromkeys([file, *(path for folder in folders for path in upwards(folder))])
        above = dict.fromkeys(path.rpartition("/")[0] for path in meant)
        there = {it.path: it for it in self.folders(list(above))}
        for path in meant:
            if (entry := there.get(path)) is not None:
                wrong = out_of_place(path, entry.mode, is_folder=path != file)
                if wrong is not None:
                    self._findings[wrong] = None
        self._findings.update(dict.fromkeys(case_clashes(meant, there)))

    def entries_at(self, paths: Sequence[str]) -> list[Entry]:
        found = (objects.entry_at(self._git, self._tree, path) for path in paths)
        return [it for it in found if it is not None]

    def folders(self, parents: Sequence[str]) -> list[Entry]:
        tally, found = self._budget.tally(), list[Entry]()
        for folder in self.entries_at(parents):
            for entry in objects.children(self._git, folder) if folder.is_folder else ():
                tally.add(entry.path)
                found.append(entry)
        return found

    def read(self, entries: Sequence[Entry]) -> list[bytes]:
        return [data for _, data in self._read(entries)]

    def past(self, paths: Sequence[str]) -> Iterator[BranchCommit]:
        return past(self._git, self._revision.id, paths, self._budget.tally, self._newest)

    def reconciled(self, path: str) -> Entry | None:
        last = self._newest(self._revision.id)
        if not last:
            return None
        return objects.entry_at(self._git, objects.root_tree(self._git, last), path)

    def brought(self, paths: Sequence[str]) -> BranchCommit:
        return brought(self._git, self._revision.id, paths, self._budget.tally, self._newest)

    def each(self, entries: Sequence[Entry], work: Callable[[str, bytes], T]) -> list[T]:
        return [work(entry.path, data) for entry, data in self._read(entries)]

    @property
    def _tree(self) -> str:
        return objects.root_tree(self._git, self._revision.id)

    def _find_sizes(self, oids: Iterable[str]) -> None:
        sizes = self._git.reader.sizes
        new = [oid for oid in dict.fromkeys(oids) if oid not in sizes]
        for oid, head in zip(new, objects.present(self._git, new), strict=True):
            sizes[oid] = head.size if head is not None else 0  # reading reports a missing object

    def _read(self, entries: Sequence[Entry]) -> Iterator[tuple[Entry, bytes]]:
        self._find_sizes(entry.oid for entry in entries)
        sizes = [self._git.reader.sizes[entry.oid] for entry in entries]
        small = [size if size <= MAX_BYTES else 0 for size in sizes]
        self._budget.check_bytes(sum(small))
        readable = [it.oid for it, size in zip(entries, sizes, strict=True) if size <= MAX_BYTES]
        blobs = objects.read_blobs(self._git, readable)
        for entry, size in zip(entries, sizes, strict=True):
            yield entry, next(blobs) if size <= MAX_BYTES else Unread(size)


def irregular(path: str, mode: str) -> Finding | None:
    """Return a finding about the mode of an entry or the characters of its path, or None."""
    if mode in _REGULAR and _PLAIN_PATH.fullmatch(path):
        return None
    place = Location(path)
    if mode in objects.KINDS:
        message = f"the path is {objects.KINDS[mode]} (mode {mode}), expected a regular file"
        return error("not-a-file", place, message, "replace it with a regular file")
    if wrong := no_checkout(path):
        return error("path-invalid", place, wrong, _REWRITE)
    if not path.isprintable() or "\ufffd" in path or "\\" in path:
        message = "the path contains invalid characters"
        return error("not-a-file", place, message, "rename the file")
    return None


def no_checkout(path: str) -> str:
    """Return why no checkout can write a path, or an empty text."""
    names = path.split("/")
    # The short name of .git on NTFS is GIT~1.
    if is_named(path, _DOTGIT):
        return "the path contains a name that Git reserves"
    if any(it in ("", ".", "..") for it in names):
        return "the path has an empty name, . or .."
    if any(len(it.encode()) > 255 for it in names):
        return "the path has a name of more than 255 bytes"
    return "the path has more than 4,000 bytes" if len(path.encode()) > 4_000 else ""


def is_named(path: str, name: re.Pattern[str]) -> bool:
    """Report whether a file system could read a part of the path as a name."""
    # NTFS ignores text after a colon, and trailing dots and spaces, and separates at backslashes.
    # HFS ignores invisible characters.
    parts = re.split(r"[/\\]", path)
    return any(name.fullmatch(_SHORT.sub("", it).casefold()) is not None for it in parts)


def out_of_place(path: str, mode: str, *, is_folder: bool) -> Finding | None:
    """Return a finding about an entry where a folder or file is required, or None."""
    if mode in objects.KINDS or (mode == _FOLDER) == is_folder:
        return irregular(path, mode)
    hint = f"replace it with a folder; to see its changes: git log -p -- {path}"
    if is_folder:
        message = f"the path is a file (mode {mode}), expected a folder"
        return error("not-a-folder", Location(path), message, hint)
    return error(
        "not-a-file",
        Location(path),
        f"the path is a folder (mode {mode}), expected a regular file",
        hint,
    )


# Clocks of machines differ by minutes. A clock that is an hour ahead is wrong.
AHEAD_SECONDS = 3_600


def clock_of(git: GitProcess, revision: Revision, now: float) -> Clock:
    """Return the committer date, or the newest first-parent date if that is ahead of `now`."""
    # If all dates are ahead, it is the oldest: ranges then stay reserved too long, not too short.
    latest = int(now) + AHEAD_SECONDS
    if revision.clock <= latest:
        return Clock(revision.clock, None, latest)
    dates = _dates(git, revision)
    past = [date for date in dates if date <= latest]
    return Clock(max(past) if past else min(dates), revision.clock, latest)


def _dates(git: GitProcess, revision: Revision) -> list[int]:
    listed = git.check("rev-list", "--first-parent", "--timestamp", revision.id)
    return [int(line.split(b" ")[0]) for line in listed.splitlines()]
