"""Values of repositories, and the interface of their files."""

import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from msgspec import Struct

from reconciler.documents.findings import Finding
from reconciler.gitio.files import CacheFile
from reconciler.model.change import FileChange
from reconciler.model.errors import UsageError
from reconciler.model.settings import Limits

T = TypeVar("T")

_ROOT_HINT = "pass the path from the top of the Git repository, for example --root infra/ipam"
_PLAN_LINE = "Ipam-Plan: sha256:[0-9a-f]{64}"
_SAYS = re.compile(f"^({_PLAN_LINE})((?: [^\n]*)?)$", re.MULTILINE | re.ASCII)
# Marks the plan of the top when the message is read from another root.
_OF_TOP = " ."
_SLUG = 40


class RootFolder(Struct, frozen=True):
    """Root folder, as its path from the top of the repository. An empty path is the top."""

    path: str = ""

    def inside(self, paths: Sequence[str]) -> list[str]:
        """Return paths of the root as repository paths. Without paths, return the root itself."""
        if not self.path:
            return list(paths)
        return [f"{self.path}/{path.removeprefix('./')}" for path in paths] or [self.path]

    def outside(self, path: str) -> str:
        """Return a repository path relative to the root."""
        return path.removeprefix(f"{self.path}/") if self.path else path

    def holds(self, path: str) -> bool:
        """Report whether a repository path is in the root."""
        return not self.path or path.startswith(f"{self.path}/")

    def reference(self, name: str) -> str:
        """Return the name of an ipam reference for this root."""
        if not self.path:
            return f"refs/ipam/{name}"
        slug = re.sub(r"[^A-Za-z0-9]+", "-", self.path).strip("-")[:_SLUG].strip("-")
        told_apart = sha256(self.path.encode()).hexdigest()[:8]
        return f"refs/ipam/{'-'.join(filter(None, (name, slug, told_apart)))}"

    def top(self, place: Path) -> Path:
        """Return the top of the work tree that has the root at `place`."""
        return place.parents[self.path.count("/")] if self.path else place

    def signed(self, message: str) -> str:
        """Return a message whose plan trailer names this root."""
        return _SAYS.sub(lambda it: f"{it[1]}{self._mark}", message) if self.path else message

    def own(self, message: str) -> str:
        """Return a message without the name of this root. The names of other roots stay."""
        return _SAYS.sub(self._own, message) if self.path else message

    @property
    def _mark(self) -> str:
        return f" {self.path}" if self.path else ""

    def _own(self, found: re.Match[str]) -> str:
        plan, mark = found.groups()
        return plan if mark == self._mark else f"{plan}{mark or _OF_TOP}"


TOP = RootFolder()
"""The top of a repository."""


def root_folder(text: str) -> RootFolder:
    """Return the folder of `--root`: empty or `.` is the top; raise UsageError if it is invalid."""
    if text.startswith("/"):
        raise UsageError(f"--root {text!r} is an absolute path", _ROOT_HINT)
    parts = [part for part in text.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise UsageError(f"--root {text!r} contains ..", _ROOT_HINT)
    if any(part.casefold() == ".git" for part in parts):
        raise UsageError(f"--root {text!r} is reserved by Git", _ROOT_HINT)
    path = "/".join(parts)
    if not path.isprintable() or "\\" in path or "\ufffd" in path or path != path.strip():
        raise UsageError(f"--root {text!r} contains invalid characters", _ROOT_HINT)
    return RootFolder(path)


def found_root(start: Path, top: Path, settings: str) -> RootFolder:
    """Return the nearest folder with Settings from `start` up to the top, or else the top."""
    for place in (start, *start.parents):
        if place == top or top not in place.parents:
            break
        file = place / settings
        if file.is_file() and not file.is_symlink():
            return root_folder(place.relative_to(top).as_posix())
    return TOP


class Revision(Struct, frozen=True):
    """Commit: its id and its committer date in seconds since 1970."""

    id: str
    clock: int


class DefaultBranch(Struct, frozen=True):
    """Authoritative branch, or an empty name if it is unknown, and the reason."""

    branch: str
    why: str


class Made(Struct, frozen=True):
    """Commit object. The clock is None, and the author is empty, if Git cannot parse them."""

    id: str
    parents: tuple[str, ...]
    clock: int | None
    message: str
    author: str = ""
    tree: str = ""


class Entry(Struct, frozen=True, order=True, gc=False):
    """File or folder of a revision: path, mode as Git writes it, and object id."""

    path: str
    mode: str
    oid: str

    @property
    def is_folder(self) -> bool:
        """Whether the entry is a folder. Its id covers all of its content."""
        return self.mode == "040000"

    @property
    def is_file(self) -> bool:
        """Whether the entry is a regular file, not a link or a submodule."""
        return self.mode.startswith("100")


class Commit(Struct, frozen=True):
    """Commit to create on a base, dated one second later. Equal values give equal commit ids."""

    base: Revision
    changes: Sequence[FileChange]
    message: str
    committer: tuple[str, str]
    sign: str = ""


class Changed(Struct, frozen=True):
    """File that differs between two revisions. A side is None if the file does not exist there."""

    path: str
    old: Entry | None
    new: Entry | None


class BranchCommit(Struct, frozen=True):
    """Commit of a branch, or uncommitted changes if the id is empty.

    `is_reconcile` means a plan line of this root, `is_cut` the end of a shallow clone.
    """

    id: str
    changed: tuple[Changed, ...]
    is_reconcile: bool = False
    is_cut: bool = False


class Parsed(dict[Hashable, dict[Entry, Any]]):
    """Parsed files: by parser options, then by path and blob id. Entries never become stale."""

    kept: CacheFile | None = None  # what earlier processes parsed, until a large revision is read


class Source(Protocol):
    """Files of one revision, or of a work tree. Reading can raise a `GitError` or `LimitError`."""

    @property
    def parsed(self) -> Parsed:
        """Files that were parsed before."""

    def revision(self) -> Revision | None:
        """Return the revision, or None for a work tree."""

    def clock(self) -> int:
        """Return the clock of plans: the newest committer date that is not ahead."""

    def clock_ahead(self) -> int | None:
        """Return the committer date if over an hour ahead of the machine's clock, else None."""

    def passed(self) -> int:
        """Return a time that has passed, by all dates of the line: commits can be backdated."""

    def bound(self, limits: Limits) -> Limits:
        """Apply limits to later listings and reads, first the default. Return the rest."""

    def entries(self, folders: Sequence[str]) -> list[Entry]:
        """Return all files below the folders, or with these names, by path."""

    def require(self, file: str, folders: Sequence[str]) -> None:
        """Record findings for entries of the wrong kind at or above paths, in any letter case."""

    def entries_at(self, paths: Sequence[str]) -> list[Entry] | None:
        """Return the entries at some paths. None if folders have no ids, as in a work tree."""

    def folders(self, parents: Sequence[str]) -> list[Entry] | None:
        """Return the direct children of folders. None if folders have no ids."""

    def read(self, entries: Sequence[Entry]) -> list[bytes]:
        """Return the bytes of files in the given order, or `Unread` if a file is too large."""

    def findings(self) -> tuple[Finding, ...]:
        """Return findings about the files themselves, not about their content."""

    def past(self, paths: Sequence[str]) -> Iterator[BranchCommit]:
        """Yield the commits that changed these files and folders, newest first.

        The commits are on the first-parent line. At a merge whose first parent does not contain the
        newest reconcile commit, the line continues with the first parent that does.
        """

    def reconciled(self, path: str) -> Entry | None:
        """Return a file as it is in the newest reconcile commit, or None."""

    def brought(self, paths: Sequence[str]) -> BranchCommit:
        """Return the files that the revision itself changed below some paths, or anywhere.

        A work tree is compared with its HEAD. Without a parent, all files count.
        """

    def each(self, entries: Sequence[Entry], work: Callable[[str, bytes], T]) -> list[T]:
        """Return `work(path, bytes)` for each file, in order."""


# How forges name a change in merge messages, most reliable pattern first.
_REQUESTS = (
    (re.compile(r"\AMerge pull request (#[0-9]+) from "), "{}"),
    (re.compile(r"^See merge request \S*?(![0-9]+)$", re.MULTILINE), "{}"),
    (re.compile(r"\AMerged in .* \(pull request (#[0-9]+)\)$", re.MULTILINE), "{}"),
    (re.compile(r"\AMerged PR ([0-9]+): "), "#{}"),
    (re.compile(r"\A[^\n]*\(([#!][0-9]+)\)$", re.MULTILINE), "{}"),
)


class Touch(NamedTuple):
    """File that a commit touched: path, and ids before and after. An id is empty for no file."""

    path: str
    old: str
    new: str


class CommitRow(NamedTuple):
    """Commit of the first-parent line; `is_plan` is only for display, `request` is `#12` or `!12`.

    If a shallow clone ends here (`is_cut`), the touched files are unknown.
    """

    id: str
    clock: int
    author: str
    subject: str
    request: str
    is_plan: bool
    is_cut: bool
    touched: tuple[Touch, ...]


def request_of(message: str) -> str:
    """Return the pull request or merge request that a message names, or empty."""
    text = message.strip()
    for pattern, form in _REQUESTS:
        if found := pattern.search(text):
            return form.format(found.group(1))
    return ""


class ReplayVerdict(StrEnum):
    """Result of planning the base of a commit again. `SAME` means equal bytes.

    `NOT_COMPARABLE`: made by another version, with other bytes. `FOREIGN`: not made by reconcile.
    `NOT_HERE`: a shallow clone ends before the base.
    """

    SAME = "same"
    DIFFERENT = "different"
    NOT_COMPARABLE = "not-comparable"
    FOREIGN = "foreign"
    NOT_HERE = "not-here"
