"""A Git repository: read by revision, written by one fast-import, published by compare-and-swap.

A commit is a pure function of its base and changes (`reliability.md` §0.6, §4): committed by a
fixed identity one second after its base, so two reconcilers that race on one base make the very
same commit. The branch moves with an explicit lease on that base; who loses reads and plans anew.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from reconciler.adapters.git_process import GitProcess, Result, failure
from reconciler.adapters.git_source import GitSource
from reconciler.ports import (
    Changed,
    Commit,
    Entry,
    GitError,
    HistoryError,
    LostRaceError,
    Revision,
    UsageError,
)

_BRANCH = re.compile(
    r"(?![-./])(?!.*(?:\.\.|//|@\{|\.lock$|/$|\.$))[A-Za-z0-9._/-]{1,200}", re.ASCII
)
_COMMITTED = re.compile(rb"^committer [^\n]*> (\d+) [-+]\d{4}$", re.MULTILINE)
_SCP = re.compile(r"[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:[^-].*", re.ASCII)
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_MOVED = ("stale info", "fetch first", "non-fast-forward", "cannot lock ref", "failed to update ref",
          "incorrect old value")  # fmt: skip
WORK = "refs/ipam/work"


@dataclass(frozen=True, slots=True)
class GitRepository:
    """A repository and the branch that is reconciled.

    Attributes:
        worktree: The checkout that follows the branch, or None.
        remote: URL or path that commits are pushed to, or None when this repository is the truth.
        is_checked_out: The branch is what the work tree shows.
    """

    git: GitProcess
    branch: str
    remote: str | None = None
    worktree: Path | None = None
    is_checked_out: bool = False

    def source(self, rev: str) -> GitSource:
        """The files of a revision.

        Raises:
            GitError: There is no such revision.
        """
        return GitSource(self.git, self.resolve(rev))

    def resolve(self, rev: str) -> Revision:
        """The commit that a name means."""
        if not rev or rev.startswith("-") or not rev.isprintable():
            raise UsageError(f"{rev!r} is not a revision")
        out = self.git.check("cat-file", "--batch", data=f"{rev}^{{commit}}\n".encode())
        head, _, body = out.partition(b"\n")
        parts = head.split(b" ")
        found = _COMMITTED.search(body)
        if len(parts) != 3 or parts[1] != b"commit" or found is None:
            hint = "git log shows the revisions; a new repository needs a first commit"
            raise GitError(f"no commit {rev!r} in the repository", hint)
        return Revision(parts[0].decode("ascii"), int(found.group(1)))

    def changed(self, base: str, rev: str) -> tuple[list[Changed], bool]:
        """Files that differ since the two parted, and whether `rev` contains all of `base`.

        Without a common ancestor at hand (a shallow clone) the base itself is compared with.
        """
        result = self.git.run("merge-base", base, rev)
        parted = result.out.decode().strip() or base
        out = self.git.check("diff-tree", "-r", "-z", "--no-renames", parted, rev)
        parts = out.split(b"\0")
        found = []
        for about, raw in zip(parts[::2], parts[1::2], strict=False):
            path = raw.decode("utf-8", "replace")
            old_mode, new_mode, old_oid, new_oid, _ = about.decode("ascii")[1:].split(" ")
            old = None if old_mode == "000000" else Entry(path, old_mode, old_oid)
            new = None if new_mode == "000000" else Entry(path, new_mode, new_oid)
            found.append(Changed(path, old, new))
        return found, result.status == 0 and parted == base

    def fetch(self) -> Revision:
        """The newest revision of the branch."""
        if self.remote is None:
            return self.resolve(f"refs/heads/{self.branch}")
        tracking = f"refs/ipam/remote/{self.branch}"
        result = self.git.run(
            "fetch", "--no-tags", "--no-write-fetch-head", "--quiet", "--", self.remote,
            f"+refs/heads/{self.branch}:{tracking}", network=True,
        )  # fmt: skip
        if result.status != 0:
            if "couldn't find remote ref" in result.err:
                hint = "name an existing one with --branch"
                raise GitError(f"branch {self.branch} is not on the remote", hint)
            hint = "see that the remote is up and that you may read it"
            raise GitError(f"cannot read the remote: {failure('fetch', result)}", hint)
        revision = self.resolve(tracking)
        self._require_pushed(revision)
        return revision

    def check_history(self, revision: Revision) -> None:
        """Refuse a branch that no longer holds what the last run saw.

        Raises:
            HistoryError: It was rewritten or rolled back.
        """
        result = self.git.run("rev-parse", "--verify", "--quiet", self._seen)
        if result.status != 0:
            return
        seen = result.out.decode().strip()
        if self._is_ancestor(seen, revision.id):
            return
        raise HistoryError(
            f"branch {self.branch} was rewritten: it is at {revision.id}, and no longer holds"
            f" {seen} that was seen before",
            f"if that is meant: ipam reconcile --accept-history {revision.id}",
        )

    def note_history(self, revision: Revision) -> None:
        """Remember the revision as seen."""
        self.git.check("update-ref", self._seen, revision.id)

    def commit(self, commit: Commit) -> Revision:
        """Make a commit by one fast-import stream; no index, no work tree, no hook, no ref."""
        clock = commit.base.clock + 1
        name, email = commit.committer
        stream = _stream(commit, f"{name} <{email}> {clock} +0000")
        out = self.git.check(
            "fast-import", "--quiet", "--date-format=raw", "--force", data=b"".join(stream)
        )
        revision = Revision(out.decode("ascii").strip(), clock)
        if commit.sign:
            return self._signed(commit, revision)
        return revision

    def publish(self, base: Revision, revision: Revision) -> None:
        """Move the branch from `base` to `revision`, and the work tree after it.

        Raises:
            LostRaceError: The branch is no longer at `base`.
            GitError: The remote refuses, or cannot be reached.
        """
        reference = f"refs/heads/{self.branch}"
        if self.remote is not None:
            self._push(base, revision, reference)
            self.git.check("update-ref", f"refs/ipam/remote/{self.branch}", revision.id)
        elif self.worktree is None or not self.is_checked_out:
            self._swap(reference, base, revision)
        self._follow(base, revision, reference)
        self.note_history(revision)
        self.git.check("update-ref", "-d", f"{WORK}/{base.id}")

    def require_clean(self, folders: Iterable[str]) -> None:
        """Refuse a checkout with changes that are not committed.

        Args:
            folders: Where untracked files count, because reconcile would read them.

        Raises:
            UsageError: Something is not committed.
        """
        if self.worktree is None or not self.is_checked_out:
            return
        out = self.git.check(
            f"--work-tree={self.worktree}", "status", "--porcelain", "-z", "--untracked-files=all"
        )
        watched = tuple(f"{folder}/" for folder in folders)
        dirty = [
            line[3:].decode("utf-8", "replace")
            for line in out.split(b"\0")
            if len(line) > 3
            and (
                not line.startswith(b"??")
                or line[3:].decode("utf-8", "replace").startswith(watched)
            )
        ]
        if dirty:
            listed = ", ".join(dirty[:3]) + (
                f" and {len(dirty) - 3} more" if len(dirty) > 3 else ""
            )
            hint = "commit or stash them, or reconcile a clone or the remote: --remote URL"
            raise UsageError(f"the work tree has changes that are not committed: {listed}", hint)

    @property
    def _seen(self) -> str:
        return f"refs/ipam/seen/{self.branch}"

    def _is_ancestor(self, ancestor: str, revision: str) -> bool:
        return self.git.run("merge-base", "--is-ancestor", ancestor, revision).status == 0

    def _require_pushed(self, revision: Revision) -> None:
        """Refuse to reconcile past commits that exist in this checkout only."""
        result = self.git.run("rev-parse", "--verify", "--quiet", f"refs/heads/{self.branch}")
        local = result.out.decode().strip()
        if self.worktree is None or result.status != 0 or self._is_ancestor(local, revision.id):
            return
        raise UsageError(
            f"branch {self.branch} has commits that are not on the remote",
            "git push (or git reset) first; reconcile works on what the remote has",
        )

    def _signed(self, commit: Commit, revision: Revision) -> Revision:
        """The same commit with a signature: `commit-tree` on the tree that was imported."""
        form = "ssh" if "/" in commit.sign or commit.sign.startswith("ssh-") else "openpgp"
        name, email = commit.committer
        # Signing needs the person's own keys; nothing else of their folder is read.
        home = ("HOME", "GNUPGHOME", "GPG_TTY")
        extra = {key: value for key, value in self.git.environment.items() if key in home}
        for role in ("AUTHOR", "COMMITTER"):
            extra |= {f"GIT_{role}_NAME": name, f"GIT_{role}_EMAIL": email}
            extra[f"GIT_{role}_DATE"] = f"{revision.clock} +0000"
        result = self.git.run(
            "-c", f"gpg.format={form}", "commit-tree", f"-S{commit.sign}", "-p", commit.base.id,
            f"{revision.id}^{{tree}}", data=commit.message.encode(), extra=extra,
        )  # fmt: skip
        if result.status != 0:
            raise GitError(f"cannot sign: {failure('commit-tree', result)}", "see --sign")
        return Revision(result.out.decode("ascii").strip(), revision.clock)

    def _push(self, base: Revision, revision: Revision, reference: str) -> None:
        result = self.git.run(
            "push", "--porcelain", "--no-verify", f"--force-with-lease={reference}:{base.id}", "--",
            str(self.remote), f"{revision.id}:{reference}", network=True,
        )  # fmt: skip
        if result.status == 0:
            return
        said = _rejection(result)
        if said and any(word in f"{said} {result.err}" for word in _MOVED):
            if self.fetch().id == revision.id:
                return  # somebody else made the very same commit, or an earlier push of ours won
            raise LostRaceError(f"branch {self.branch} moved while this was planned: {said}")
        if said:
            raise GitError(
                f"the remote refuses the push: {said}",
                f"let {self.branch} take pushes of the reconciler; the server said: {result.err}",
            )
        hint = "see that the remote is up and that you may write to it"
        raise GitError(f"cannot reach the remote: {failure('push', result)}", hint)

    def _swap(self, reference: str, base: Revision, revision: Revision) -> None:
        result = self.git.run("update-ref", reference, revision.id, base.id)
        if result.status != 0 and self.resolve(reference).id != revision.id:
            raise LostRaceError(f"branch {self.branch} moved while this was planned")

    def _follow(self, base: Revision, revision: Revision, reference: str) -> None:
        """Bring the local branch and the work tree of a checkout to what was published."""
        if self.worktree is None:
            return
        result = self.git.run("rev-parse", "--verify", "--quiet", reference)
        local = result.out.decode().strip()
        if result.status != 0 or not self.is_checked_out:
            return
        tree = f"--work-tree={self.worktree}"
        if self.remote is None:
            self._swap(reference, base, revision)
        done = self.git.run(tree, "read-tree", "-m", "-u", local, revision.id)
        if done.status != 0:
            raise GitError(
                f"published, but the work tree cannot follow: {failure('read-tree', done)}",
                f"git reset --hard {revision.id[:12]} brings it there",
            )
        if self.remote is not None:
            self.git.check("update-ref", reference, revision.id, local)


def _stream(commit: Commit, who: str) -> Iterable[bytes]:
    """A fast-import stream of one commit that prints its id; paths go in by their bytes."""
    message = commit.message.encode()
    reference = f"{WORK}/{commit.base.id}".encode()
    yield b"commit %s\nmark :1\nauthor %s\ncommitter %s\n" % (reference, who.encode(), who.encode())
    yield b"data %d\n%s\nfrom %s\n" % (len(message), message, commit.base.id.encode())
    for change in commit.changes:
        path = change.path.encode()
        if change.data is None:
            yield b"D %s\n" % path
        else:
            yield b"M 100644 inline %s\ndata %d\n%s\n" % (path, len(change.data), change.data)
    yield b"\nget-mark :1\n"


def _rejection(result: Result) -> str:
    """What the porcelain output of a push says of the ref, without its names."""
    for line in result.out.decode("utf-8", "replace").splitlines():
        if line.startswith("!"):
            return line.split("\t")[-1]
    return ""


def check_branch(branch: str) -> str:
    """A branch name, if it is one that git takes and that no option hides in.

    Raises:
        UsageError: It is not.
    """
    if not _BRANCH.fullmatch(branch):
        raise UsageError(f"{branch!r} is not a valid branch name")
    return branch


def check_remote(remote: str) -> tuple[str, bool]:
    """A remote that may be reached, and whether it is plain http on the loopback.

    Raises:
        UsageError: Its scheme is not one of https, ssh, file; or it hides an option.
    """
    if remote.startswith("-") or not remote.isprintable() or "::" in remote.partition("/")[0]:
        raise UsageError(f"{remote!r} is not a remote", "use an https, ssh or file URL, or a path")
    if "://" not in remote:
        if _SCP.fullmatch(remote):
            return remote, False
        path = Path(remote)
        if path.is_dir():
            return str(path.resolve()), False
        raise UsageError(f"remote {remote!r} is neither a URL nor a folder")
    parts = urlsplit(remote)
    loopback = parts.scheme == "http" and parts.hostname in _LOOPBACK
    if parts.scheme not in ("https", "ssh", "file") and not loopback:
        raise UsageError(
            f"scheme {parts.scheme!r} of the remote is not allowed", "use https, ssh or file"
        )
    if parts.hostname and parts.hostname.startswith("-"):
        raise UsageError(f"{remote!r} is not a remote")
    return remote, loopback
