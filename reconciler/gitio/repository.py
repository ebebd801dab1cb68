"""Repository that reconcile writes."""

import fcntl
import logging
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from reconciler.gitio.annals import GitRoots
from reconciler.gitio.config import RootFolder
from reconciler.gitio.history import (
    changed_since,
    changes_only,
    holds,
    is_in,
    is_shallow,
    is_whole,
    named,
    nearest,
    plan_commits,
    touching,
)
from reconciler.gitio.interface import Changed, Commit, Made, Parsed, Revision, Roots
from reconciler.gitio.objects import find_revisions, read_made, require_root, whole_name
from reconciler.gitio.process import GitProcess, failure
from reconciler.gitio.remote_state import GitRemoteState, LastSeen, fetch, push
from reconciler.gitio.revision import GitSource, clock_of
from reconciler.gitio.worktree import Checkout
from reconciler.model.errors import GitError, LostRaceError, UsageError
from reconciler.model.settings import Limits


def _no_commit(_repository: "GitRepository", _revision: str) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class GitRepository:
    """Repository and the branch that is reconciled.

    Attributes:
        remote: URL or path that commits are pushed to, or None if this repository is authoritative.
        worktree: The checkout, or None.
        is_checked_out: Whether the work tree has the branch checked out.
        followed: The remote-tracking branch of a checkout, or empty.
        is_mirror: Whether ipam owns the repository and packs it.
        now: The machine's clock, used only to detect committer dates in the future.
        leads: Returns the newest reconcile commit in the history of a revision of a repository.
        parsed: Parsed files that its sources share.
    """

    git: GitProcess
    branch: str
    remote: str | None = None
    worktree: Path | None = None
    is_checked_out: bool = False
    followed: str = ""
    is_mirror: bool = False
    seen: LastSeen = field(default_factory=LastSeen, compare=False)
    now: Callable[[], float] = field(default=time.time, compare=False)
    leads: "Callable[[GitRepository, str], str]" = field(default=_no_commit, compare=False)
    parsed: Parsed = field(default_factory=dict, compare=False)

    def source(self, rev: str) -> GitSource:
        """Return the files of a revision.

        Raises:
            GitError: The revision does not exist.
            UsageError: The name is invalid or ambiguous.
        """
        if rev in self.seen.roots:
            revision, root = self.seen.roots[rev]
        else:
            revision, root = named(self.git, rev)
        clock = clock_of(self.git, revision, self.now())
        source = GitSource(self.git, revision, root, clock, partial(self.leads, self))
        source.parsed = self.parsed
        return source

    def resolve(self, rev: str) -> Revision:
        """Return the commit that a name means."""
        return named(self.git, rev)[0]

    def made(self, rev: str) -> Made:
        """Return the commit object of a revision."""
        return read_made(self.git, whole_name(self.git, rev))

    def changed(
        self, base: str, rev: str, paths: Sequence[str] = (), limits: Limits | None = None
    ) -> tuple[list[Changed], bool]:
        """Return the files changed since the merge base, and whether `rev` contains all of `base`."""
        return changed_since(self.git, (base, rev), paths, limits or Limits())

    @property
    def roots(self) -> Roots:
        """Files and reconcile commits outside the root folder."""
        return GitRoots(self.git)

    def alone(self) -> AbstractContextManager[None]:
        """Lock this folder against other runs, and remove old Git locks of a mirror."""
        return alone(self.git.git_dir, self.now if self.is_mirror else None)

    def fetch(self) -> Revision:
        """Return the newest revision of the branch."""
        local = f"refs/heads/{self.branch}"
        head = local
        if self.remote is not None:
            head = self._tracking
            truth = self.standing.default_branch()  # first: the branch must contain its commit
            fetch(self.git, self.remote, self.branch, head, truth)
        found = find_revisions(self.git, [head, local])
        revision, self.seen.local = found.revisions
        if revision is None:
            hint = "make a first commit, or name another with --branch"
            raise GitError(f"branch {self.branch} is not in the repository", hint)
        self.seen.roots = {revision.id: (revision, require_root(self.git, revision, found.root))}
        return revision

    @property
    def standing(self) -> GitRemoteState:
        """State of the remote."""
        return GitRemoteState(
            self.git, self.branch, self.remote, self.worktree is None, self.seen.asked
        )

    @property
    def remote_name(self) -> str:
        """The name of the remote, or its URL. Empty if the repository has none."""
        return self.followed.split("/")[2] if self.followed else self.remote or ""

    def below(self, root: str) -> "GitRepository":
        """Return the same repository with another root."""
        git = replace(self.git, root=RootFolder(root))
        return replace(self, git=git, seen=LastSeen(), leads=_no_commit)

    def accepting(self, revision: str) -> list[str]:
        """Return the commits up to a revision that accept a rewritten history, newest first."""
        how = ("--grep=^Ipam-Accepts: ", "--max-parents=1", revision)
        return self.git.check("rev-list", *how).decode("ascii").split()

    def is_in(self, ancestor: str, revision: str) -> bool:
        """Report whether a revision contains another. Raise a `GitError` if this is unknown."""
        return is_in(self.git, ancestor, revision)

    def require_pushed(self, revision: Revision, accepted: str = "") -> None:
        """Refuse a checkout whose branch has commits that the remote lacks.

        Args:
            revision: Head of the remote branch.
            accepted: A commit that the user accepts as lost, with all of its ancestors.

        Raises:
            UsageError: The checkout has commits that were never on the remote.
        """
        local = self.seen.local
        if local is None or self.worktree is None or holds(self.git, revision, local):
            return
        if accepted and holds(self.git, Revision(accepted, 0), local):
            return
        raise UsageError(
            f"branch {self.branch} of this checkout has commits that are not on the remote",
            "git push (or git reset) first; reconcile works on what the remote has",
        )

    def is_shallow(self) -> bool:
        """Report whether the clone is shallow."""
        return is_shallow(self.git)

    @property
    def newest(self) -> dict[str, str]:
        """The newest reconcile commits that are already known, by revision."""
        return self.seen.newest

    def plan_commits(self, revision: str, without: Sequence[str] = ()) -> Iterator[str]:
        """Yield the commits with one parent and an `Ipam-Plan` line of this root, newest first."""
        return plan_commits(self.git, revision, without)

    def changes_only(self, commit: str, folders: Sequence[str]) -> bool:
        """Report whether a commit changes at least one file, and no file outside some folders."""
        return changes_only(self.git, commit, folders)

    def nearest(self, commits: Sequence[str], revision: str) -> str:
        """Return the commit that no other contains, or the nearest one by first parents."""
        return nearest(self.git, commits, revision)

    def touching(self, revision: str, without: str, paths: Sequence[str], most: int) -> list[str]:
        """Return the newest commits between two revisions that changed some paths."""
        return touching(self.git, revision, without, paths, most)

    def is_whole(self, revision: str, without: Sequence[str] = ()) -> bool:
        """Report whether all commits up to a revision are here, except ancestors of `without`."""
        return is_whole(self.git, revision, without)

    def require_clean(self, folders: Sequence[str], target: Revision) -> None:
        """Refuse a checkout with uncommitted changes.

        Args:
            folders: Folders in which untracked files count, because reconcile would read them.
            target: The revision to check out. The work tree can already have its files.

        Raises:
            UsageError: There are uncommitted changes, or another Git process is running.
        """
        if (checkout := self._checkout) is not None:
            checkout.require_clean(folders, target)

    def commit(self, commit: Commit) -> Revision:
        """Create a commit without moving a branch."""
        made = make_commit(self.git, commit)
        self.seen.roots[made.id] = (made, None)
        return made

    def publish(self, base: Revision, revision: Revision) -> None:
        """Move the branch from `base` to `revision`, first at the remote if there is one.

        Raises:
            LostRaceError: The branch is no longer at `base`.
            GitError: The remote refuses, or cannot be reached.
        """
        if self.remote is not None:
            try:
                push(self.git, self.remote, self.branch, base, revision)
            except LostRaceError:
                # Another run made the identical commit, or an earlier push succeeded.
                if self.fetch().id != revision.id:
                    raise
        self.follow(revision)

    def follow(self, revision: Revision) -> None:
        """Update this repository to a published revision.

        Raises:
            LostRaceError: The branch moved in the meantime, in an authoritative repository.
            GitError: The work tree cannot be updated.
        """
        local, checkout = self.seen.local, self._checkout
        lines = []
        if (
            local is not None
            and local != revision
            and (self.remote is None or checkout is not None)
        ):
            if checkout is not None:
                checkout.follow(local, revision)
            lines.append(f"update refs/heads/{self.branch} {revision.id} {local.id}")
        if self.remote is not None:
            # As `git push` does. Otherwise, a later `--base origin/main` would be outdated.
            lines += [f"update {it} {revision.id}" for it in (self._tracking, self.followed) if it]
        if lines:
            self._move(lines, revision)

    def tidy(self) -> None:
        """Pack a mirror with many loose objects. This takes a while, and never fails."""
        if self.is_mirror:
            tidy(self.git, self.alone)

    @property
    def _checkout(self) -> Checkout | None:
        """The checkout, if it has the branch checked out."""
        if self.worktree is None or not self.is_checked_out:
            return None
        return Checkout(self.git, self.worktree)

    @property
    def _tracking(self) -> str:
        return f"refs/ipam/remote/{self.branch}"

    def _move(self, lines: Sequence[str], revision: Revision) -> None:
        """Move references in one transaction."""
        result = self.git.run("update-ref", "--stdin", data="\n".join([*lines, ""]).encode())
        if result.status == 0:
            return
        branch = f"refs/heads/{self.branch}"
        local = find_revisions(self.git, [branch]).revisions[0]
        if local == revision and any(branch in line for line in lines):
            # Another run already moved the branch to this revision.
            self._move([line for line in lines if branch not in line], revision)
            return
        if self.remote is None and local != self.seen.local:
            if self._checkout is not None and self.seen.local is not None:
                self._checkout.follow(revision, self.seen.local)  # undo the checkout
            raise LostRaceError(f"branch {self.branch} moved while this was planned")
        raise failure("update-ref", result, "run it again when no other git is at work here")


_WORK = b"refs/ipam/work"


def make_commit(git: GitProcess, commit: Commit) -> Revision:
    """Create a commit without an index, a work tree, a hook, or a remaining reference.

    Raises:
        GitError: Git cannot write or sign.
    """
    clock = commit.base.clock + 1
    name, email = commit.committer
    stream = b"".join(_stream(git, commit, f"{name} <{email}> {clock} +0000"))
    out = git.check("fast-import", "--quiet", "--date-format=raw", "--force", data=stream)
    revision = Revision(out.decode("ascii").strip(), clock)
    return _signed(git, commit, revision) if commit.sign else revision


def _stream(git: GitProcess, commit: Commit, who: str) -> Iterable[bytes]:
    """Yield the fast-import stream of one commit that prints its id. Paths are written as bytes.

    A commit of fast-import needs a reference. The same stream deletes it, so that none remains
    however the run ends.
    """
    message = git.root.signed(commit.message).encode()
    yield b"commit %s\nmark :1\nauthor %s\ncommitter %s\n" % (_WORK, who.encode(), who.encode())
    yield b"data %d\n%s\nfrom %s\n" % (len(message), message, commit.base.id.encode())
    for change in commit.changes:
        (inside,) = git.root.inside([change.path])
        path = _quoted(inside).encode()
        if change.data is None:
            yield b"D %s\n" % path
        else:
            yield b"M 100644 inline %s\ndata %d\n%s\n" % (path, len(change.data), change.data)
    yield b"\nget-mark :1\nreset %s\nfrom %s\n\n" % (_WORK, b"0" * len(commit.base.id))


def _quoted(path: str) -> str:
    """Return a path quoted for fast-import, so that a leading quote does not end the name."""
    escaped = path.replace('"', '\\"')
    return f'"{escaped}"' if path.startswith('"') else path


def _signed(git: GitProcess, commit: Commit, revision: Revision) -> Revision:
    """Return the same commit with a signature, made by `commit-tree` on the imported tree."""
    key, form = commit.sign, "openpgp"
    # Git runs elsewhere: a file is named by its whole path.
    file = Path(os.path.expanduser(key))  # noqa: PTH111 - which leaves it as it is without a home
    if key.startswith("ssh-") or file.is_file():
        key, form = (key if key.startswith("ssh-") else str(file.resolve())), "ssh"
    name, email = commit.committer
    extra = dict[str, str]()
    for role in ("AUTHOR", "COMMITTER"):
        extra |= {f"GIT_{role}_NAME": name, f"GIT_{role}_EMAIL": email}
        extra[f"GIT_{role}_DATE"] = f"{revision.clock} +0000"
    result = git.run(
        "-c", f"gpg.format={form}", "commit-tree", f"-S{key}", "-p", commit.base.id,
        f"{revision.id}^{{tree}}", data=git.root.signed(commit.message).encode(), extra=extra,
    )  # fmt: skip
    if result.status != 0:
        hint = "--sign takes a GPG key id, or the path of an SSH key without a passphrase"
        raise GitError(f"cannot sign: {failure('commit-tree', result)}", hint)
    return Revision(result.out.decode("ascii").strip(), revision.clock)


OLD = 60.0
"""Age in seconds of a stale Git lock. Git holds each lock only for moments."""

_OURS = "ipam.lock"
_PLACES = ("*.lock", "refs/**/*.lock", "reftable/*.lock", "objects/info/**/*.lock",
           "objects/pack/*.lock")  # fmt: skip

_log = logging.getLogger(__name__)


@contextmanager
def alone(git_dir: Path, now: Callable[[], float] | None = None) -> Iterator[None]:
    """Lock this folder against other runs. The system releases the lock, even after a kill.

    Args:
        git_dir: The folder.
        now: The machine's clock, which determines the age of Git locks in a mirror. If None, no
            lock is removed.
    """
    with (git_dir / _OURS).open("wb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
        except OSError as error:
            # Some network file systems have no locks. The push of the branch is the decisive lock.
            _log.info("no lock on %s: %s", git_dir, error)
        else:
            if now is not None:
                _tidy(git_dir, now())
        yield


def _tidy(git_dir: Path, now: float) -> None:
    """Remove stale Git locks. A later Git call reports a lock that cannot be removed."""
    for place in _PLACES:
        for lock in git_dir.glob(place):
            with suppress(OSError):
                # A lock from the future was created before the clock was set back.
                if lock.name != _OURS and abs(now - lock.lstat().st_mtime) >= OLD:
                    lock.unlink()
                    _log.warning("%s, which a git that was killed has left, is removed", lock)


# Number of loose objects in one of 256 folders, or of packs, at which a mirror is packed.
LOOSE = 16
PACKS = 40

_log_of_tidy = logging.getLogger(__name__)


def tidy(git: GitProcess, alone: Callable[[], AbstractContextManager[None]]) -> None:
    """Pack a mirror with many loose objects. Never fail: only later runs benefit.

    Args:
        git: Git on the mirror.
        alone: Locks the mirror against other runs.
    """
    try:
        if _is_untidy(git):
            with alone():
                _pack(git)
    except Exception as failed:  # noqa: BLE001 - what is published and applied stays so
        _log_of_tidy.warning("the mirror is not packed: %s", failed)


def _pack(git: GitProcess) -> None:
    result = git.run("gc", "--quiet")
    if result.status != 0:
        raise failure("gc", result)


def _is_untidy(git: GitProcess) -> bool:
    objects = git.git_dir / "objects"
    loose = sum(1 for _ in (objects / "17").glob("*"))
    packs = sum(1 for _ in (objects / "pack").glob("*.pack"))
    return loose >= LOOSE or packs >= PACKS
