"""Repository for reconcile."""

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
    """A repository and the branch that is reconciled.

    Attributes:
        remote: URL or path that commits are pushed to, or None when this repository is the truth.
        worktree: The checkout, or None.
        is_checked_out: The branch is what the work tree shows.
        followed: The remote-tracking branch of a checkout, or empty.
        is_mirror: It is ours alone, and we keep it tidy.
        now: The machine's clock, which only tells whether a committer date can be true.
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
        """The files of a revision.

        Raises:
            GitError: There is no such revision.
            UsageError: It cannot be one, or several references bear its name.
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
        """The commit that a name means."""
        return named(self.git, rev)[0]

    def made(self, rev: str) -> Made:
        """How a commit was made."""
        return read_made(self.git, whole_name(self.git, rev))

    def changed(
        self, base: str, rev: str, paths: Sequence[str] = (), limits: Limits | None = None
    ) -> tuple[list[Changed], bool]:
        """Files at or below some paths that differ since the two parted; is all of `base` in `rev`."""
        return changed_since(self.git, (base, rev), paths, limits or Limits())

    @property
    def roots(self) -> Roots:
        """What is known of files outside of the root."""
        return GitRoots(self.git)

    def alone(self) -> AbstractContextManager[None]:
        """Keep other runs on this very folder waiting; old locks of git in a mirror go meanwhile."""
        return alone(self.git.git_dir, self.now if self.is_mirror else None)

    def fetch(self) -> Revision:
        """The newest revision of the branch."""
        local = f"refs/heads/{self.branch}"
        head = local
        if self.remote is not None:
            head = self._tracking
            truth = self.standing.default_branch()  # first: what it names was on the branch by then
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
        """What the remote says of itself."""
        return GitRemoteState(
            self.git, self.branch, self.remote, self.worktree is None, self.seen.asked
        )

    @property
    def remote_name(self) -> str:
        """The name of the remote, or its URL; empty if the repository has none."""
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
        """Whether a revision contains another; a `GitError` where that cannot be told."""
        return is_in(self.git, ancestor, revision)

    def require_pushed(self, revision: Revision, accepted: str = "") -> None:
        """Refuse a checkout whose branch has commits that the remote lacks.

        Args:
            revision: Where the branch of the remote is.
            accepted: A commit that a person accepts as lost, with all that it contains.

        Raises:
            UsageError: This checkout has commits that never were on the remote.
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
        """Part of the history is not here."""
        return is_shallow(self.git)

    @property
    def newest(self) -> dict[str, str]:
        """The newest reconcile commits that are known already, by revision."""
        return self.seen.newest

    def plan_commits(self, revision: str, without: Sequence[str] = ()) -> Iterator[str]:
        """Return the commits with one parent and an `Ipam-Plan` line of this root, newest first."""
        return plan_commits(self.git, revision, without)

    def changes_only(self, commit: str, folders: Sequence[str]) -> bool:
        """Whether a commit changes at least one file, and none outside of some folders."""
        return changes_only(self.git, commit, folders)

    def nearest(self, commits: Sequence[str], revision: str) -> str:
        """Return the commit that no other contains; of several the nearest by first parents."""
        return nearest(self.git, commits, revision)

    def touching(self, revision: str, without: str, paths: Sequence[str], most: int) -> list[str]:
        """Return the newest commits between two revisions that changed some paths."""
        return touching(self.git, revision, without, paths, most)

    def is_whole(self, revision: str, without: Sequence[str] = ()) -> bool:
        """Whether all commits up to a revision are here, except for those that others contain."""
        return is_whole(self.git, revision, without)

    def require_clean(self, folders: Sequence[str], target: Revision) -> None:
        """Refuse a checkout with changes that are not committed.

        Args:
            folders: Where untracked files count, because reconcile would read them.
            target: What the work tree is to become; it may be that already.

        Raises:
            UsageError: Something is not committed, or another git is at work.
        """
        if (checkout := self._checkout) is not None:
            checkout.require_clean(folders, target)

    def commit(self, commit: Commit) -> Revision:
        """Make a commit, without moving any branch."""
        made = make_commit(self.git, commit)
        self.seen.roots[made.id] = (made, None)
        return made

    def publish(self, base: Revision, revision: Revision) -> None:
        """Move the branch from `base` to `revision`: at the remote first, if there is one.

        Raises:
            LostRaceError: The branch is no longer at `base`.
            GitError: The remote refuses, or cannot be reached.
        """
        if self.remote is not None:
            try:
                push(self.git, self.remote, self.branch, base, revision)
            except LostRaceError:
                # Somebody else made the very same commit, or an earlier push of ours won.
                if self.fetch().id != revision.id:
                    raise
        self.follow(revision)

    def follow(self, revision: Revision) -> None:
        """Bring this repository to a revision that is published.

        Raises:
            LostRaceError: The branch moved meanwhile, in a repository that is the truth itself.
            GitError: The work tree cannot follow.
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
            # As after `git push`, or a person's next --base origin/main is old.
            lines += [f"update {it} {revision.id}" for it in (self._tracking, self.followed) if it]
        if lines:
            self._move(lines, revision)

    def tidy(self) -> None:
        """Pack a mirror that has piled up objects. Takes a while, and never fails."""
        if self.is_mirror:
            tidy(self.git, self.alone)

    @property
    def _checkout(self) -> Checkout | None:
        """The checkout, if it shows the branch."""
        if self.worktree is None or not self.is_checked_out:
            return None
        return Checkout(self.git, self.worktree)

    @property
    def _tracking(self) -> str:
        return f"refs/ipam/remote/{self.branch}"

    def _move(self, lines: Sequence[str], revision: Revision) -> None:
        """Move references, all or none."""
        result = self.git.run("update-ref", "--stdin", data="\n".join([*lines, ""]).encode())
        if result.status == 0:
            return
        branch = f"refs/heads/{self.branch}"
        local = find_revisions(self.git, [branch]).revisions[0]
        if local == revision and any(branch in line for line in lines):
            # Another run brought the branch here.
            self._move([line for line in lines if branch not in line], revision)
            return
        if self.remote is None and local != self.seen.local:
            if self._checkout is not None and self.seen.local is not None:
                self._checkout.follow(revision, self.seen.local)  # back to where it was
            raise LostRaceError(f"branch {self.branch} moved while this was planned")
        raise failure("update-ref", result, "run it again when no other git is at work here")


_WORK = b"refs/ipam/work"


def make_commit(git: GitProcess, commit: Commit) -> Revision:
    """Make a commit: no index, no work tree, no hook, and no ref that stays.

    Raises:
        GitError: Git cannot write, or not sign.
    """
    clock = commit.base.clock + 1
    name, email = commit.committer
    stream = b"".join(_stream(git, commit, f"{name} <{email}> {clock} +0000"))
    out = git.check("fast-import", "--quiet", "--date-format=raw", "--force", data=stream)
    revision = Revision(out.decode("ascii").strip(), clock)
    return _signed(git, commit, revision) if commit.sign else revision


def _stream(git: GitProcess, commit: Commit, who: str) -> Iterable[bytes]:
    """The stream of one commit that prints its id; paths go in by their bytes.

    A commit of fast-import needs a ref. It is taken away in the same stream, so that none leaks
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
    """A path as fast-import reads it: one that begins with a quote would be the end of another."""
    escaped = path.replace('"', '\\"')
    return f'"{escaped}"' if path.startswith('"') else path


def _signed(git: GitProcess, commit: Commit, revision: Revision) -> Revision:
    """The same commit with a signature: `commit-tree` on the tree that was imported."""
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
"""Seconds after which a lock of git is no living one's: it holds each for moments."""

_OURS = "ipam.lock"
_PLACES = ("*.lock", "refs/**/*.lock", "reftable/*.lock", "objects/info/**/*.lock",
           "objects/pack/*.lock")  # fmt: skip

_log = logging.getLogger(__name__)


@contextmanager
def alone(git_dir: Path, now: Callable[[], float] | None = None) -> Iterator[None]:
    """Keep other runs on this very folder waiting; the system lets go of it, even by a kill.

    Args:
        git_dir: The folder.
        now: This machine's clock, by which a lock of git is an old one, of a mirror that is ours;
            None for what is not: then none is removed.
    """
    with (git_dir / _OURS).open("wb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
        except OSError as error:
            # Some network file systems have no locks; the branch is the lock that counts.
            _log.info("no lock on %s: %s", git_dir, error)
        else:
            if now is not None:
                _tidy(git_dir, now())
        yield


def _tidy(git_dir: Path, now: float) -> None:
    """Remove locks of git that are old; one that cannot be removed is told by who needs it."""
    for place in _PLACES:
        for lock in git_dir.glob(place):
            with suppress(OSError):
                # One from tomorrow is of a clock that was set back since.
                if lock.name != _OURS and abs(now - lock.lstat().st_mtime) >= OLD:
                    lock.unlink()
                    _log.warning("%s, which a git that was killed has left, is removed", lock)


# Loose objects in one of 256 folders, and packs, from which on a mirror is packed anew.
LOOSE = 16
PACKS = 40

_log_of_tidy = logging.getLogger(__name__)


def tidy(git: GitProcess, alone: Callable[[], AbstractContextManager[None]]) -> None:
    """Pack a mirror when it has piled up objects. Never fails: it is for the next run's sake.

    Args:
        git: Git on the mirror.
        alone: Keeps other runs on it waiting meanwhile.
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
