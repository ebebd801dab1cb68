"""Values of repositories, and their interfaces."""

import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from msgspec import Struct

from reconciler.documents.findings import Finding
from reconciler.model.change import FileChange
from reconciler.model.errors import UsageError
from reconciler.model.settings import Limits

T = TypeVar("T")

_ROOT_HINT = "name a folder as it is from the top of the Git repository: --root infra/ipam"
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
    """Return the folder that `--root` names. An empty text or `.` is the top.

    Raises UsageError if the path is absolute, leaves the repository, or is not a valid folder name.
    """
    if text.startswith("/"):
        raise UsageError(f"--root {text!r} is an absolute path", _ROOT_HINT)
    parts = [part for part in text.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise UsageError(f"--root {text!r} has .. in it", _ROOT_HINT)
    if any(part.casefold() == ".git" for part in parts):
        raise UsageError(f"--root {text!r} is what Git keeps for itself", _ROOT_HINT)
    path = "/".join(parts)
    if not path.isprintable() or "\\" in path or "\ufffd" in path or path != path.strip():
        raise UsageError(f"--root {text!r} has characters that a path must not have", _ROOT_HINT)
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
    """Authoritative branch of a repository whose Settings do not name one.

    Attributes:
        branch: Name of the branch, or empty if it cannot be determined.
        why: The reason for the choice, or the reason why it cannot be determined.
    """

    branch: str
    why: str


class Made(Struct, frozen=True):
    """Commit object.

    Attributes:
        clock: Committer date in seconds since 1970, or None if it cannot be parsed.
        author: Name and address of the author in one text, or empty if they cannot be parsed.
    """

    id: str
    parents: tuple[str, ...]
    clock: int | None
    message: str
    author: str = ""
    tree: str = ""


class Entry(NamedTuple):
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
    """Commit to create on a base. Equal values give equal commit ids.

    Attributes:
        base: The parent revision, with the clock of the plan. The commit is dated one second later.
        committer: Name and address.
        sign: Signing key, or empty.
    """

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
    """Commit of a branch.

    Attributes:
        id: Commit id, or empty for the uncommitted changes of a work tree.
        changed: The requested files that the commit created, changed, or removed.
        is_reconcile: Whether the message has an `Ipam-Plan` line of this root.
        is_cut: Whether a shallow clone ends here, before the start of the history.
    """

    id: str
    changed: tuple[Changed, ...]
    is_reconcile: bool = False
    is_cut: bool = False


Parsed = dict[Hashable, dict[tuple[str, str], Any]]
"""Parsed files: by parser options, then by path and blob id. Entries never become stale."""


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
        """Return the committer date if it is over an hour ahead of the machine's clock, or None.

        The clock is then the newest date on the first-parent line that is not ahead.
        """

    def passed(self) -> int:
        """Return a time that has passed: the clock, or a newer date on the first-parent line.

        Commits can be backdated. This call reads the dates of the whole line.
        """

    def bound(self, limits: Limits) -> None:
        """Apply limits to later listings and reads. Until then, the default limits apply."""

    def entries(self, folders: Sequence[str]) -> list[Entry]:
        """Return all files below the folders, or with these names, by path."""

    def require(self, file: str, folders: Sequence[str]) -> None:
        """Record findings for entries of the wrong kind at required paths, or at their parents.

        Entries that match on a case-insensitive file system also count.
        """

    def entries_at(self, paths: Sequence[str]) -> list[Entry] | None:
        """Return the entries at some paths. None if folders have no ids, as in a work tree."""

    def folders(self, parents: Sequence[str]) -> list[Entry] | None:
        """Return the direct children of folders. None if folders have no ids."""

    def read(self, entries: Sequence[Entry]) -> list[bytes]:
        """Return the bytes of files in the given order, or `Unread` for a file that is too large."""

    def findings(self) -> tuple[Finding, ...]:
        """Return findings about the files themselves, not about their content."""

    def past(self, paths: Sequence[str]) -> Iterator[BranchCommit]:
        """Yield the commits that changed these files and folders, newest first.

        The commits are on the first-parent line. At a merge whose first parent does not contain the
        newest reconcile commit, the line continues with the first parent that does.
        """

    def brought(self, paths: Sequence[str]) -> BranchCommit:
        """Return the files that the revision itself changed below some paths, or anywhere.

        For a work tree, these are the files that differ from its HEAD. Without a parent, all files.
        """

    def each(self, entries: Sequence[Entry], work: Callable[[str, bytes], T]) -> list[T]:
        """Return `work(path, bytes)` for each file, in order."""


class Repository(Protocol):
    """Git repository that plans are read from and records are committed to."""

    @property
    def branch(self) -> str:
        """The branch that ipam reads and writes."""

    @property
    def root(self) -> str:
        """The path of the root folder, empty for the top of the repository."""

    @property
    def last_reference(self) -> str:
        """The reference, at the remote if there is one, that names the last reconciled head."""

    @property
    def remote_name(self) -> str:
        """The name of the remote, or its URL. Empty if the repository has none."""

    @property
    def newest(self) -> dict[str, str]:
        """The newest reconcile commits that are already known, by revision."""

    def dropped_files(self, base: str, rev: str) -> Iterator[str]:
        """Yield the files outside the root that `base` has and `rev` does not.

        If the root is the top, which contains every file, its own files are included.
        """

    def other_roots(self, revision: str) -> Iterator[tuple[str, str]]:
        """Yield each other root once, with the newest commit that claims to reconcile it.

        Descendants come before their ancestors. The claims in commit messages are not verified.
        """

    def default_branch(self) -> DefaultBranch:
        """Return the authoritative branch if Settings do not name one, and the reason.

        The first of these that exists: the default branch of the remote, or of a bare repository,
        the only branch, the branch that a checkout without a remote reconciled.
        """

    def last_reconciled(self) -> str:
        """Return the id of the head that was reconciled last, or empty. The remote is asked once."""

    def forget_remote(self) -> None:
        """Query the remote again at the next use."""

    def fetch_last(self, last: str) -> Revision | None:
        """Return the last reconciled commit, fetched if needed, or None if it is no commit."""

    def remember(self, revision: Revision) -> None:
        """Record a reconciled head. Never fail, and never move the reference backwards."""

    def changed(
        self, base: str, rev: str, paths: Sequence[str] = (), limits: Limits | None = None
    ) -> tuple[list[Changed], bool]:
        """Return the files changed since the merge base, and whether `rev` contains all of `base`.

        The files are at or below some paths. Without paths, all files are compared.
        """

    def source(self, rev: str) -> Source:
        """Return the files of a named revision.

        Raises GitError if the revision does not exist, UsageError if the name is invalid or
        ambiguous.
        """

    def made(self, rev: str) -> Made:
        """Return the commit object of a revision."""

    def resolve(self, rev: str) -> Revision:
        """Return the commit that a name means."""

    def alone(self) -> AbstractContextManager[None]:
        """Lock the repository against other runs, and remove old Git locks of a mirror."""

    def fetch(self) -> Revision:
        """Return the newest revision of the branch, fetched from the remote if there is one."""

    def require_pushed(self, revision: Revision, accepted: str = "") -> None:
        """Refuse a checkout whose branch has commits that the head of the remote branch lacks.

        Args:
            revision: Head of the remote branch.
            accepted: A commit that the user accepts as lost, with all of its ancestors.
        """

    def below(self, root: str) -> "Repository":
        """Return the same repository with another root."""

    def accepting(self, revision: str) -> list[str]:
        """Return the commits up to a revision that accept a rewritten history, newest first."""

    def is_in(self, ancestor: str, revision: str) -> bool:
        """Report whether a revision contains another. Raise a `GitError` if this is unknown."""

    def is_shallow(self) -> bool:
        """Report whether the clone is shallow."""

    def plan_commits(self, revision: str, without: Sequence[str] = ()) -> Iterator[str]:
        """Yield the commits with one parent and an `Ipam-Plan` line of this root, newest first.

        Args:
            revision: Id of the newest commit.
            without: Commits to exclude, with all of their ancestors.
        """

    def changes_only(self, commit: str, folders: Sequence[str]) -> bool:
        """Report whether a commit changes at least one file, and no file outside some folders."""

    def nearest(self, commits: Sequence[str], revision: str) -> str:
        """Return the commit that no other contains, or the nearest one by first parents."""

    def touching(self, revision: str, without: str, paths: Sequence[str], most: int) -> list[str]:
        """Return the newest commits between two revisions that changed some paths."""

    def is_whole(self, revision: str, without: Sequence[str] = ()) -> bool:
        """Report whether all commits up to a revision are here, except ancestors of `without`."""

    def require_clean(self, folders: Sequence[str], target: Revision) -> None:
        """Refuse a checkout with uncommitted changes that differ from the target.

        Args:
            folders: Folders in which untracked files count, because reconcile would read them.
            target: The revision to check out. The work tree can already have its files.
        """

    def commit(self, commit: Commit) -> Revision:
        """Create a commit without moving a branch."""

    def publish(self, base: Revision, revision: Revision) -> None:
        """Move the branch from base to revision, first at the remote.

        Raises LostRaceError if the branch is no longer at the base.
        """

    def follow(self, revision: Revision) -> None:
        """Update this repository to a published revision.

        Raises LostRaceError if the branch moved in the meantime, in an authoritative repository,
        GitError if the work tree cannot be updated.
        """


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
    """Commit of the first-parent line.

    Attributes:
        author: Name and address of the author.
        subject: First line of the message.
        request: Pull request or merge request that the message names, as `#12` or `!12`.
        is_plan: Whether the message claims to come from reconcile. Used only for display.
        is_cut: Whether a shallow clone ends here, so that the touched files are unknown.
        touched: Files below the requested folders, by path.
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
    """Result of planning the base of a commit again.

    `SAME`: all bytes are equal. `DIFFERENT`: this version produces other bytes. `NOT_COMPARABLE`:
    another version made the commit, and this version produces other bytes. `FOREIGN`: reconcile did
    not make the commit. `NOT_HERE`: a shallow clone ends before the base.
    """

    SAME = "same"
    DIFFERENT = "different"
    NOT_COMPARABLE = "not-comparable"
    FOREIGN = "foreign"
    NOT_HERE = "not-here"
