"""A Repository in memory, under the same contract as the real ones."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from hashlib import sha1
from typing import Any

from reconciler.gitio.interface import (
    BranchCommit,
    Changed,
    Commit,
    DefaultBranch,
    Entry,
    Made,
    Revision,
)
from reconciler.gitio.remote_state import LastSeen
from reconciler.model.errors import GitError, LostRaceError, UsageError
from reconciler.model.settings import Limits
from tests.memory import MemorySource, changes, entry_of
from tests.world import CLOCK

Files = Mapping[str, bytes]


class FakeSource(MemorySource):
    """Files of one commit."""

    def __init__(self, repository: "FakeRepository", rev: str) -> None:
        _, clock, files = repository.commits[rev]
        super().__init__(files, clock)
        self.id = rev
        self.repository = repository
        self.ahead = None if _is_past(clock) else clock

    def clock(self) -> int:
        commits = self.repository.commits
        dates = (commits[it][1] for it in self.repository._line(self.id))
        return self._clock if self.ahead is None else max(filter(_is_past, dates))

    def past(self, paths: Sequence[str]) -> Iterator[BranchCommit]:
        line = self.repository._line(self.id)
        for commit, parent in zip(line, [*line[1:], ""], strict=True):
            old = self.repository.commits[parent][2] if parent else {}
            if changed := changes(old, self.repository.commits[commit][2], paths):
                yield BranchCommit(commit, changed, commit in self.repository.ours)

    def reconciled(self, path: str) -> Entry | None:
        line = self.repository._line(self.id)
        last = next((it for it in line if it in self.repository.ours), "")
        return entry_of(path, self.repository.commits[last][2]) if last else None

    def _blob(self, entry: Entry) -> bytes:
        for _, _, files in self.repository.commits.values():
            if entry_of(entry.path, files) == entry:
                return files[entry.path]
        raise KeyError(entry.path)


# Accepted where a real repository is required.
_Base: Any = object


@dataclass
class FakeRepository(_Base):  # type: ignore[misc]
    """Commits by id, a branch, and the head that was read last."""

    commits: dict[str, tuple[str, int, Files]] = field(default_factory=dict)
    head: str = ""
    ours: set[str] = field(default_factory=set)
    messages: dict[str, str] = field(default_factory=dict)
    branch: str = "main"
    default: str = "main"
    noted: str = ""
    seen: LastSeen = field(default_factory=LastSeen)

    def add(self, parent: str, clock: int, files: Files, message: str = "") -> str:
        """Add a commit, whose id is a hash of its content."""
        listed = sorted((path, _oid(data)) for path, data in files.items())
        oid = _oid(f"{parent} {clock} {message} {listed}".encode())
        self.commits[oid] = (parent, clock, dict(files))
        return oid

    def source(self, rev: str) -> FakeSource:
        if not rev or rev.startswith("-"):
            raise UsageError(f"{rev!r} is not a revision")
        rev = self.head if rev in ("HEAD", "main") else rev
        if rev not in self.commits:
            raise GitError(f"commit {rev!r} does not exist in this repository")
        return FakeSource(self, rev)

    def changed(
        self, base: str, rev: str, paths: Sequence[str] = (), limits: Limits | None = None
    ) -> tuple[list[Changed], bool]:
        ours = self._line(base)
        parted = next((item for item in self._line(rev) if item in ours), base)
        found = list(changes(self.commits[parted][2], self.commits[rev][2]))
        return found, parted == base

    root = ""

    def unusable(self, base: str, rev: str) -> Iterator[tuple[str, str, str]]:
        del base, rev
        return iter(())

    def dropped_files(self, base: str, rev: str) -> Iterator[str]:
        return iter(sorted({*self.commits[base][2]} - {*self.commits[rev][2]}))

    def other_roots(self, revision: str, without: Sequence[str] = ()) -> Iterator[tuple[str, str]]:
        del revision, without
        return iter(())

    def bases_of(self, revision: str, among: object) -> list[str]:
        del revision, among
        return []

    def alone(self) -> AbstractContextManager[None]:
        return nullcontext()

    def fetch(self) -> Revision:
        if self.head not in self.commits:
            raise GitError("branch main does not exist in this repository")
        return Revision(self.head, self.commits[self.head][1])

    def require_pushed(self, revision: Revision, accepted: str = "") -> None:
        del revision, accepted

    @property
    def remote_name(self) -> str:
        return "origin"

    def below(self, root: str) -> "FakeRepository":
        del root
        return self

    def accepting(self, revision: str) -> list[str]:
        return [it for it in self._line(revision) if "Ipam-Accepts: " in self.made(it).message]

    last_reference = "refs/ipam/last"

    def default_branch(self) -> DefaultBranch:
        return DefaultBranch(self.default, "the fake says so")

    def references(self) -> dict[str, str]:
        return {self.last_reference: self.noted} if self.noted else {}

    def forget_remote(self) -> None:
        pass

    def fetch_last(self, last: str) -> Revision | None:
        return Revision(last, self.commits[last][1]) if last in self.commits else None

    def remember(self, revision: Revision) -> None:
        self.noted = revision.id

    def is_in(self, ancestor: str, revision: str) -> bool:
        return ancestor in self._line(revision)

    def is_shallow(self) -> bool:
        return False

    def plan_commits(self, revision: str, without: Sequence[str] = ()) -> Iterator[str]:
        there = {it for commit in without for it in self._line(commit)}
        return (it for it in self._line(revision) if it in self.ours and it not in there)

    def changes_only(self, commit: str, folders: Sequence[str]) -> bool:
        parent, _, files = self.commits[commit]
        changed = [it.path for it in changes(self.commits[parent][2], files)]
        inside = tuple(f"{at}/" for at in folders)
        return bool(changed) and all(it.startswith(inside) for it in changed)

    def has_branch(self, branch: str) -> bool:
        return bool(branch)

    def nearest(self, commits: Sequence[str], revision: str) -> str:
        del revision
        return next(iter(commits), "")

    def touching(self, revision: str, without: str, paths: Sequence[str], most: int) -> list[str]:
        there = self._line(without) if without else []
        del paths
        return [it for it in self._line(revision) if it not in there][:most]

    def is_whole(self, revision: str, without: Sequence[str] = ()) -> bool:
        del revision, without
        return True

    def resolve(self, rev: str) -> Revision:
        if rev not in self.commits:
            raise GitError(f"commit {rev!r} does not exist in this repository")
        return Revision(rev, self.commits[rev][1])

    def made(self, rev: str) -> Made:
        parent, clock, _ = self.commits[rev]
        return Made(rev, (parent,) if parent else (), clock, self.messages.get(rev, ""))

    def require_clean(self, folders: Sequence[str], target: Revision) -> None:
        del folders, target

    def commit(self, commit: Commit) -> Revision:
        files = dict(self.commits[commit.base.id][2])
        for change in commit.changes:
            if change.data is None:
                del files[change.path]
            else:
                files[change.path] = change.data
        who = f"{commit.committer} {commit.message}"
        clock = commit.base.clock + 1
        made = self.add(commit.base.id, clock, files, who)
        if "Ipam-Plan: sha256:" in commit.message:
            self.ours.add(made)
            self.messages[made] = commit.message
        return Revision(made, clock)

    def publish(self, base: Revision, revision: Revision) -> None:
        if self.head not in (base.id, revision.id):
            raise LostRaceError("branch main moved")
        self.head = revision.id

    def follow(self, revision: Revision) -> None:
        del revision

    def _line(self, rev: str) -> list[str]:
        found = []
        while rev:
            found.append(rev)
            rev = self.commits[rev][0]
        return found


def _is_past(date: int) -> bool:
    return date <= CLOCK + 31_536_000


def _oid(data: bytes) -> str:
    return sha1(data, usedforsecurity=False).hexdigest()
