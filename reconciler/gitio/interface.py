"""Repositories, revisions, and history."""

import re
from collections.abc import Callable, Generator, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager
from enum import StrEnum
from typing import Any, NamedTuple, Protocol, TypeVar

from msgspec import Struct

from reconciler.documents.findings import Finding
from reconciler.model.change import FileChange, Proposed
from reconciler.model.settings import Limits


class Roots(Protocol):
    """What is known of files outside of the root. Any call may raise a `GitError`."""

    @property
    def own(self) -> str:
        """The folder that is the root; empty for the top."""

    def files(self, rev: str) -> Generator[str, None, None]:
        """The files of a revision, wherever they are."""

    def dropped(self, base: str, rev: str) -> Generator[str, None, None]:
        """Files that one revision has, and another has not, but for those of the root.

        Of the top, which all is part of, its own are among them.
        """

    def made(self, revision: str) -> Iterator[tuple[str, str]]:
        """Other roots, each once, with the newest commit that says that reconcile made it there.

        The newest first, as far as a commit contains them. Nothing proves what commits say.
        """


class Revision(Struct, frozen=True):
    """A commit: its id and its committer date in seconds since 1970."""

    id: str
    clock: int


class DefaultBranch(Struct, frozen=True):
    """The branch that is the truth where Settings name none.

    Attributes:
        branch: Its name; empty where that is not clear.
        why: Why it is that one; else why it is not clear.
    """

    branch: str
    why: str


class RemoteState(Protocol):
    """What the remote of a repository says of itself."""

    @property
    def reference(self) -> str:
        """The name under which the remote keeps what was reconciled last."""

    def default_branch(self) -> DefaultBranch:
        """The branch that is the truth where Settings name none, and why.

        It is the default branch of the remote, or of a bare repository; else the only branch; of a
        checkout without a remote else the branch that was reconciled.
        """

    def last(self) -> str:
        """Return the id of the head that was reconciled last; empty if there is none."""

    def forget(self) -> None:
        """Ask the remote again, the next time that it is needed."""

    def bring(self, last: str) -> Revision | None:
        """Return the commit that the reference names, fetched if needed; None if it is no commit."""

    def remember(self, revision: Revision) -> None:
        """Set the reference to a head that is reconciled. Never fails, and never overtakes."""


T = TypeVar("T")


class Made(Struct, frozen=True):
    """A commit as it was made.

    Attributes:
        parents: Ids of its parents.
        clock: Committer date in seconds since 1970; None for one that cannot be read.
        author: Name and address of who wrote it, in one text; empty where that cannot be told.
    """

    id: str
    parents: tuple[str, ...]
    clock: int | None
    message: str
    author: str = ""


SMALL_FOLDERS = 200
"""Git's argument list has an end: for more folders than these one listing of all is as good."""


class Entry(NamedTuple):
    """A file of a revision, or a folder: path, mode as Git writes it, object id."""

    path: str
    mode: str
    oid: str

    @property
    def is_folder(self) -> bool:
        """A folder, whose id is that of all its content."""
        return self.mode == "040000"

    @property
    def is_file(self) -> bool:
        """A plain file: no link and no submodule."""
        return self.mode.startswith("100")


class Commit(Struct, frozen=True):
    """A commit to be made on a base. Equal values give equal commit ids.

    Attributes:
        base: The revision that it follows, with the clock of the plan: the commit is dated one
            second later.
        committer: Name and address.
        sign: Key to sign with, or empty.
    """

    base: Revision
    changes: Sequence[FileChange]
    message: str
    committer: tuple[str, str]
    sign: str = ""


class Changed(Struct, frozen=True):
    """A file that differs between two revisions; None where it is not there."""

    path: str
    old: Entry | None
    new: Entry | None


class BranchCommit(Struct, frozen=True):
    """A commit of a branch's line.

    Attributes:
        id: Its id; empty for what a work tree adds to its HEAD.
        changed: The files that it made, changed or removed, of those that were asked for.
        is_reconcile: Its message has an `Ipam-Plan` line of this root.
        is_cut: The history that is at hand ends here, though it began earlier.
    """

    id: str
    changed: tuple[Changed, ...]
    is_reconcile: bool = False
    is_cut: bool = False


Parsed = dict[Hashable, dict[tuple[str, str], Any]]
"""Parsed files: by how they were parsed, then by path and blob id. An entry is never stale."""


class Source(Protocol):
    """Files of one revision, or of a work tree."""

    @property
    def parsed(self) -> Parsed:
        """Files that were parsed before."""

    def revision(self) -> Revision | None:
        """The revision, or None for a work tree."""

    def clock(self) -> int:
        """The clock of plans made from it: a committer date that is not ahead."""

    def clock_ahead(self) -> int | None:
        """Its committer date, when that is over an hour ahead of the machine's clock; else None.

        The clock is then the newest date on the first-parent line that is not.
        """

    def passed(self) -> int:
        """A time that has passed: its clock, or a newer date on its first-parent line.

        A commit may be dated back. Costs a look at all of the line.
        """

    def bound(self, limits: Limits) -> None:
        """From now on hold what is listed and read to these limits; before, to the default ones.

        Whatever lists or reads raises `LimitError` when there is more.
        """

    def entries(self, folders: Sequence[str]) -> list[Entry]:
        """All files below the folders, by path. A folder that is not there has none."""

    def require(self, file: str, folders: Sequence[str]) -> None:
        """Find what is no plain file or no folder although it stands where one belongs, or above."""

    def standing(self, paths: Sequence[str]) -> list[Entry] | None:
        """What stands at some paths itself, a folder with the id of its content, as in `folders`."""

    def folders(self, parents: Sequence[str]) -> list[Entry] | None:
        """What stands directly in the parents: files, and folders with the id of their content.

        None where folders have no such ids, as in a work tree.
        """

    def read(self, entries: Sequence[Entry]) -> list[bytes]:
        """The bytes of files, in the order asked for; `Unread` for one that is too large."""

    def findings(self) -> tuple[Finding, ...]:
        """What is wrong with the files as such."""

    def past(self, paths: Sequence[str]) -> Iterator[BranchCommit]:
        """The commits that made these files and folders what they are, newest first.

        They are those of the first-parent line; of a merge whose first parent does not contain the
        newest reconcile commit, it continues with the first parent that does.
        """

    def brought(self, paths: Sequence[str]) -> BranchCommit:
        """Return the files that the revision itself changed, below some paths; of no paths, all.

        Of a work tree they are those that differ from its HEAD; without a parent all files.
        """

    def each(self, entries: Sequence[Entry], work: Callable[[str, bytes], T]) -> list[T]:
        """`work(path, bytes)` for each file, in order."""


class Repository(Protocol):
    """A Git repository that plans are read from and records are committed to."""

    @property
    def branch(self) -> str:
        """The branch that is worked on."""

    @property
    def standing(self) -> RemoteState:
        """What the remote says of itself."""

    def changed(
        self, base: str, rev: str, paths: Sequence[str] = (), limits: Limits | None = None
    ) -> tuple[list[Changed], bool]:
        """Files that differ since the two parted, and whether `rev` contains all of `base`.

        At or below some paths; when none are given, all.
        """

    @property
    def roots(self) -> Roots:
        """What is known of files outside of the root."""

    def source(self, rev: str) -> Source:
        """The files of a revision, by its name."""

    def made(self, rev: str) -> Made:
        """How a commit was made."""

    def resolve(self, rev: str) -> Revision:
        """The commit that a name means."""

    def alone(self) -> AbstractContextManager[None]:
        """Keep other runs on this very repository waiting meanwhile."""

    def fetch(self) -> Revision:
        """The newest revision of the branch, from the remote if there is one."""

    def require_pushed(self, revision: Revision, accepted: str = "") -> None:
        """Refuse a checkout whose branch has commits that neither revision contains."""

    @property
    def remote_name(self) -> str:
        """The name of the remote, or its URL; empty if the repository has none."""

    def below(self, root: str) -> "Repository":
        """Return the same repository with another root."""

    def accepting(self, revision: str) -> list[str]:
        """Return the commits up to a revision that accept a rewritten history, newest first."""

    def is_in(self, ancestor: str, revision: str) -> bool:
        """Whether a revision contains another; a `GitError` where that cannot be told."""

    def is_shallow(self) -> bool:
        """Part of the history is not here."""

    @property
    def newest(self) -> dict[str, str]:
        """The newest reconcile commits that are known already, by revision."""

    def plan_commits(self, revision: str, without: Sequence[str] = ()) -> Iterator[str]:
        """Return the commits with one parent and an `Ipam-Plan` line of this root, newest first.

        Args:
            revision: Id of the newest commit.
            without: Commits; whatever they contain is left out.
        """

    def changes_only(self, commit: str, folders: Sequence[str]) -> bool:
        """Whether a commit changes at least one file, and none outside of some folders."""

    def nearest(self, commits: Sequence[str], revision: str) -> str:
        """Return the commit that no other contains; of several the nearest by first parents."""

    def touching(self, revision: str, without: str, paths: Sequence[str], most: int) -> list[str]:
        """Return the newest commits between two revisions that changed some paths."""

    def is_whole(self, revision: str, without: Sequence[str] = ()) -> bool:
        """Whether all commits up to a revision are here, except for those that others contain."""

    def require_clean(self, folders: Sequence[str], target: Revision) -> None:
        """Refuse a checkout with changes that are not committed and not what target holds."""

    def commit(self, commit: Commit) -> Revision:
        """Make a commit, without moving any branch."""

    def publish(self, base: Revision, revision: Revision) -> None:
        """Move the branch from base to revision, at the remote first; LostRaceError if it moved."""

    def follow(self, revision: Revision) -> None:
        """Bring this repository to a revision that is published."""


class Probe(Protocol):
    """A repository that is only looked at. Any call may raise a `GitError`."""

    def version(self) -> str:
        """The version of git, `2.43.0`."""

    def title(self) -> str:
        """What sort of repository it is, and its branch."""

    def remote_head(self) -> str | None:
        """The id of the branch's head at the remote; None when there is no remote."""

    def find(self, oid: str | None) -> Revision | None:
        """A commit by its id, or the head of the branch here; None when it is not here."""

    @property
    def repository(self) -> Repository:
        """The repository that is looked at."""

    def check_push(self, revision: Revision) -> None:
        """Refuse a remote that would take no commit of ours. Sends none."""

    def check_clean(self, folders: Sequence[str], revision: Revision) -> None:
        """Refuse a checkout with changes that are not committed."""

    def source(self, revision: Revision) -> Source:
        """The files of a revision."""


# How forges name a change in the message of its merge, the surest first.
_REQUESTS = (
    (re.compile(r"\AMerge pull request (#[0-9]+) from "), "{}"),
    (re.compile(r"^See merge request \S*?(![0-9]+)$", re.MULTILINE), "{}"),
    (re.compile(r"\AMerged in .* \(pull request (#[0-9]+)\)$", re.MULTILINE), "{}"),
    (re.compile(r"\AMerged PR ([0-9]+): "), "#{}"),
    (re.compile(r"\A[^\n]*\(([#!][0-9]+)\)$", re.MULTILINE), "{}"),
)
_PLAN = re.compile(r"^Ipam-Plan: sha256:[0-9a-f]{64}$", re.MULTILINE | re.ASCII)


class Touch(NamedTuple):
    """A file that a commit touched: its path, and its ids before and after; empty for no file."""

    path: str
    old: str
    new: str


class CommitRow(NamedTuple):
    """A commit of the line of first parents.

    Attributes:
        id: Its id.
        clock: Committer date in seconds since 1970.
        author: Name and address of who wrote it.
        subject: The first line of its message.
        request: The pull request or merge request that its message names, as `#12` or `!12`.
        is_plan: It says that reconcile made it. For display: nothing else follows from it.
        is_cut: The history that is at hand ends here, so what it touched cannot be told.
        touched: Files below the folders that were asked for, by path.
    """

    id: str
    clock: int
    author: str
    subject: str
    request: str
    is_plan: bool
    is_cut: bool
    touched: tuple[Touch, ...]


def row_of(
    about: tuple[str, int, str], message: str, touched: tuple[Touch, ...], *, is_cut: bool
) -> CommitRow:
    """The line of a commit.

    Args:
        about: Its id, its date and its author.
        message: What it says.
        touched: Files, by path.
        is_cut: Its parents are not at hand.
    """
    subject = message.strip().partition("\n")[0].strip()
    is_plan = _PLAN.search(message) is not None
    return CommitRow(
        *about, subject, request_of(message), is_plan, is_cut, () if is_cut else touched
    )


def request_of(message: str) -> str:
    """The pull request or merge request that a message names; empty for none."""
    text = message.strip()
    for pattern, form in _REQUESTS:
        if found := pattern.search(text):
            return form.format(found.group(1))
    return ""


class Annals(Protocol):
    """The line of first parents of a branch."""

    def line(self, start: str, paths: Sequence[str]) -> Iterator[CommitRow]:
        """The commits up to one that touched something below some paths, newest first.

        Told only as far as it is asked for.
        """

    def before(self, start: str, seconds: int) -> Revision | None:
        """The newest commit of the line that is not dated later; None where there is none."""

    def is_cut(self) -> bool:
        """Part of the history is not here."""


class Proposing(Protocol):
    """The branch that a pull request is made of."""

    @property
    def name(self) -> str:
        """Its name."""

    def bring(self, base: Revision, revision: Revision | None) -> Proposed:
        """Let it hold a revision that is made on a base; None for nothing.

        What people committed there is never lost: a `UsageError` tells of it. A `LostRaceError`
        where somebody moved it meanwhile.
        """


class ReplayVerdict(StrEnum):
    """What planning the base of a commit once more shows.

    `SAME`: all bytes are equal. `DIFFERENT`: this version makes others. `NOT_COMPARABLE`: another
    version made it, and this one writes other bytes. `FOREIGN`: reconcile did not make it. `NOT_HERE`:
    its base is behind the end of the clone.
    """

    SAME = "same"
    DIFFERENT = "different"
    NOT_COMPARABLE = "not-comparable"
    FOREIGN = "foreign"
    NOT_HERE = "not-here"
