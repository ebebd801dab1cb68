"""Revisions."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import TypeVar

from msgspec import Struct

from reconciler.documents.findings import Finding, Location, error
from reconciler.documents.load import beside, upwards
from reconciler.documents.text import MAX_BYTES, Unread
from reconciler.gitio.history import brought, knows, past
from reconciler.gitio.interface import BranchCommit, Entry, Parsed, Revision
from reconciler.gitio.limits import Budget, fields, portions
from reconciler.gitio.objects import Root, present, read_blobs, read_folder
from reconciler.gitio.process import GitProcess, is_filtered
from reconciler.model.settings import Limits


class Clock(Struct, frozen=True):
    """Clock of a revision.

    Attributes:
        seconds: Seconds since 1970.
        ahead: The committer date if it is too far ahead of the machine's clock, or None.
        latest: The latest date that is not ahead.
    """

    seconds: int
    ahead: int | None
    latest: int


T = TypeVar("T")
_TREE = "040000"
_REGULAR = ("100644", "100755", "100664")
_MODES = {"120000": "a symlink", "160000": "a submodule"}
# Maximum bytes of files in memory at once.
_AT_ONCE = 1 << 25
_LIST = ("ls-tree", "-z", "--full-tree")
_REWRITE = "remove it by a new commit, and see which tool added it: git log -p --all -- PATH"
_SHORT = re.compile(r":.*|[. ]+$|[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")


class GitSource:
    """Files of one revision."""

    def __init__(
        self,
        git: GitProcess,
        revision: Revision,
        root: Root | None,
        clock: Clock,
        newest: Callable[[str], str] = lambda _: "",
    ) -> None:
        """Open a revision, with the top of its tree if it is already known.

        `newest` returns the newest reconcile commit in the history of a revision.
        """
        self._git = git
        self._revision = revision
        self._root = root
        self._clock = clock
        self._newest = newest
        self._findings: dict[Finding, None] = {}
        self.parsed: Parsed = {}
        self._budget = Budget(f"revision {revision.id[:12]}")
        self._sizes: dict[str, int] = {}

    @property
    def top(self) -> Root | None:
        """The top of the tree, if it is already known."""
        return self._root

    def bound(self, limits: Limits) -> None:
        """Apply limits to later listings and reads."""
        self._budget.bound(limits)

    def revision(self) -> Revision:
        """Return the revision."""
        return self._revision

    def clock(self) -> int:
        """Return the committer date, or the newest earlier date that is not ahead."""
        return self._clock.seconds

    def clock_ahead(self) -> int | None:
        """Return the committer date if it is too far ahead of the machine's clock, or None."""
        return self._clock.ahead

    def passed(self) -> int:
        """Return the newest date of the first-parent line that is not ahead."""
        return passed(self._git, self._revision, self._clock)

    def findings(self) -> tuple[Finding, ...]:
        """Return findings about entries that are not regular files."""
        return tuple(self._findings)

    def entries(self, folders: Sequence[str]) -> list[Entry]:
        """Return all files below the folders, or with these names, by path."""
        found: list[Entry] = []
        for entry in self.everything(folders):
            wrong = irregular(entry.path, entry.mode)
            if wrong is not None:
                self._findings[wrong] = None
            elif entry.mode in _REGULAR:
                found.append(entry)
        return sorted(found)

    def everything(self, folders: Sequence[str]) -> list[Entry]:
        """Return all entries below the folders, including links and submodules."""
        known, asked = self._known(folders)
        return [*known, *self._files(asked)]

    def require(self, file: str, folders: Sequence[str]) -> None:
        """Record findings for entries of the wrong kind at required paths, or at their parents.

        Entries that match on a case-insensitive file system also count.
        """
        meant = dict.fromkeys([file, *(path for folder in folders for path in upwards(folder))])
        above = dict.fromkeys(path.rpartition("/")[0] for path in meant)
        # The top is already known. Names with a slash need one more listing.
        top = self._root.entries.values() if self._root is not None else self._listed(["./"])
        deeper = self._listed([f"{path}/" for path in above if path])
        there = {entry.path: entry for entry in [*top, *deeper]}
        for path in meant:
            if (entry := there.get(path)) is not None:
                wrong = out_of_place(path, entry.mode, is_folder=path != file)
                if wrong is not None:
                    self._findings[wrong] = None
        self._findings.update(dict.fromkeys(beside(meant, there)))

    def standing(self, paths: Sequence[str]) -> list[Entry]:
        """Return the entries at some paths."""
        if self._root is not None and not any("/" in path for path in paths):
            return [self._root.entries[path] for path in paths if path in self._root.entries]
        return self._listed(paths)

    def folders(self, parents: Sequence[str]) -> list[Entry]:
        """Return the direct children of some folders by path. Folders have the mode 040000."""
        _, asked = self._known(parents)
        top = self._root.entries if self._root is not None else {}
        if len(asked) == 1 and asked[0] in top:
            found, tally = read_folder(self._git, top[asked[0]]), self._budget.tally()
            for entry in found or ():
                tally.add(entry.path)
            if found is not None:
                return found
        return self._listed([f"{parent}/" for parent in asked])

    def read(self, entries: Sequence[Entry]) -> list[bytes]:
        """Return the bytes of files."""
        if self._root is not None and all(entry.oid in self._root.blobs for entry in entries):
            return [self._root.blobs[entry.oid] for entry in entries]
        return [data for _, data in self._read(entries)]

    def past(self, paths: Sequence[str]) -> Iterator[BranchCommit]:
        """Yield the commits that changed these files and folders, newest first."""
        git, revision = self._git, self._revision.id
        # Entries at the top of the tree need no Git call. If the whole history has none of the
        # other paths, no further call is needed.
        top = self._root.entries if self._root is not None else {}
        if any(path in top for path in paths) or knows(git, revision, paths):
            yield from past(git, revision, paths, self._budget.tally, self._newest)

    def brought(self, paths: Sequence[str]) -> BranchCommit:
        """Return the files that the newest user commit changed."""
        tally = self._budget.tally
        return brought(self._git, self._revision.id, paths, tally, self._newest)

    def each(self, entries: Sequence[Entry], work: Callable[[str, bytes], T]) -> list[T]:
        """Apply `work` to each file."""
        return [work(entry.path, data) for entry, data in self._read(entries)]

    def _known(self, names: Sequence[str]) -> tuple[list[Entry], list[str]]:
        """Return the files and blocking entries at the known top, and the names to list."""
        if self._root is None:
            return [], list(names)
        top = {name: self._root.entries.get(name.partition("/")[0]) for name in names}
        files = {entry for entry in top.values() if entry is not None and entry.mode != _TREE}
        asked = [name for name, entry in top.items() if entry is not None and entry.mode == _TREE]
        return sorted(files), asked

    def _listed(self, paths: Sequence[str]) -> list[Entry]:
        """Return the entries at some paths or directly in them. Without paths, return none."""
        if not paths:
            return []
        tally, found = self._budget.tally(), list[Entry]()
        asked = self._git.root.inside(paths)
        with closing(fields(self._git, tally, *_LIST, self._revision.id, "--", *asked)) as lines:
            for line in lines:
                entry, _ = self._entry(line)
                tally.add(entry.path)
                found.append(entry)
        return found

    def _files(self, paths: Sequence[str]) -> list[Entry]:
        """Return all files below some paths, and record their sizes."""
        if not paths:
            return []
        tally, found = self._budget.tally(), dict[str, Entry]()
        asked = self._git.root.inside(paths)
        # Git cannot report the size of a missing object. The size is then checked on reading.
        how = ("-r", "-t") if is_filtered(self._git) else ("-r", "-t", "-l")
        listing = fields(self._git, tally, *_LIST, *how, self._revision.id, "--", *asked)
        twice = dict[str, None]()
        with closing(listing) as lines:
            for line in lines:
                entry, size = self._entry(line)
                if entry.path in found:
                    twice[entry.path] = None
                found[entry.path] = entry
                if entry.mode == _TREE:
                    continue
                self._budget.count(entry.path, max(size, 0))
                if size >= 0:
                    self._sizes[entry.oid] = size
        for path in twice:
            message = "the name occurs twice in its folder, which no checkout can write"
            self._findings[error("path-invalid", Location(path), message, _REWRITE)] = None
        return [entry for path, entry in found.items() if path not in twice and entry.mode != _TREE]

    def _entry(self, line: str) -> tuple[Entry, int]:
        """Parse a line of `ls-tree`: mode, type, id, optional size, tab, path. Size defaults to -1."""
        about, _, path = line.partition("\t")
        mode, _, oid, *size = about.split()
        known = int(size[0]) if size and size[0].isdigit() else -1
        return Entry(self._git.root.outside(path), mode, oid), known

    def _note_sizes(self, entries: Sequence[Entry]) -> None:
        """Determine the unknown sizes of files, and refuse files that exceed the limits."""
        sizes = self._sizes
        oids = list(dict.fromkeys(entry.oid for entry in entries if entry.oid not in sizes))
        for oid, head in zip(oids, present(self._git, oids), strict=True):
            sizes[oid] = head.size if head is not None else 0  # reading reports a missing object
        total = sum(sizes[it.oid] for it in entries if sizes[it.oid] <= MAX_BYTES)
        self._budget.check_bytes(total)

    def _read(self, entries: Sequence[Entry]) -> Iterator[tuple[Entry, bytes]]:
        """Yield files with their bytes, in batches that fit into memory."""
        self._note_sizes(entries)
        sizes = [self._sizes[entry.oid] for entry in entries]
        for portion in portions([size if size <= MAX_BYTES else 0 for size in sizes], _AT_ONCE):
            small = [entries[at].oid for at in portion if sizes[at] <= MAX_BYTES]
            blobs = iter(read_blobs(self._git, small))
            for at in portion:
                is_small = sizes[at] <= MAX_BYTES
                yield entries[at], next(blobs) if is_small else Unread(sizes[at])


def irregular(path: str, mode: str) -> Finding | None:
    """Return a finding about the mode of an entry or the characters of its path, or None."""
    place = Location(path)
    if mode in _MODES:
        message = f"not a regular file: {_MODES[mode]} (mode {mode})"
        return error("not-a-file", place, message, "put the content itself there")
    if wrong := _no_checkout(path):
        return error("path-invalid", place, wrong, _REWRITE)
    if not path.isprintable() or "\ufffd" in path or "\\" in path:
        message = "the path has characters that a file name must not have"
        return error("not-a-file", place, message, "rename the file")
    return None


def _no_checkout(path: str) -> str:
    """Return why a checkout cannot write a path, by Git's rules, or empty if it can."""
    names = path.split("/")
    # NTFS ignores text after a colon, and trailing dots and spaces. Its short name of .git is
    # GIT~1.
    if any(_SHORT.sub("", it).casefold() in (".git", "git~1") for it in names):
        return "the path has a name that Git keeps for itself"
    if any(it in ("", ".", "..") for it in names):
        return "the path has an empty name, . or .."
    if any(len(it.encode()) > 255 for it in names):
        return "the path has a name of more than 255 bytes"
    return "the path has more than 4,000 bytes" if len(path.encode()) > 4_000 else ""


def out_of_place(path: str, mode: str, *, is_folder: bool) -> Finding | None:
    """Return a finding about an entry where a folder or file is required, or None."""
    if mode in _MODES or (mode == _TREE) == is_folder:
        return irregular(path, mode)
    hint = f"git log -p -- {path} tells when it became one"
    if is_folder:
        message = f"a folder required, got a file (mode {mode})"
        return error("not-a-folder", Location(path), message, hint)
    return error("not-a-file", Location(path), f"not a regular file: a folder (mode {mode})", hint)


# Clocks of machines differ by minutes. A clock that is an hour ahead is wrong.
AHEAD_SECONDS = 3_600


def clock_of(git: GitProcess, revision: Revision, now: float) -> Clock:
    """Return the clock of a revision.

    If the committer date is ahead, the clock is the newest date on the first-parent line that is
    not. If all dates are ahead, it is the oldest one: released ranges then stay reserved for too
    long instead of being reused too early.

    Args:
        git: The repository.
        revision: The revision.
        now: The machine's clock in seconds since 1970.

    Raises:
        GitError: The history cannot be read.
    """
    latest = int(now) + AHEAD_SECONDS
    if revision.clock <= latest:
        return Clock(revision.clock, None, latest)
    dates = _dates(git, revision)
    past = [date for date in dates if date <= latest]
    return Clock(max(past) if past else min(dates), revision.clock, latest)


def passed(git: GitProcess, revision: Revision, clock: Clock) -> int:
    """Return a time that has passed: the clock, or a newer date on the first-parent line.

    An author can backdate a commit, but not its ancestors.

    Raises:
        GitError: The history cannot be read.
    """
    dates = _dates(git, revision)
    return max([clock.seconds, *(date for date in dates if date <= clock.latest)])


def _dates(git: GitProcess, revision: Revision) -> list[int]:
    """Return the committer dates of the first-parent line."""
    listed = git.check("rev-list", "--first-parent", "--timestamp", revision.id)
    return [int(line.split(b" ")[0]) for line in listed.splitlines()]
