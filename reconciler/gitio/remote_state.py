"""State of the remote."""

import logging
from collections.abc import Sequence
from dataclasses import replace

from msgspec import Struct, field
from msgspec.structs import replace as replace_

from reconciler.gitio.history import DEEPEN, is_shallow
from reconciler.gitio.interface import DefaultBranch, Revision
from reconciler.gitio.objects import Root, find_revisions, shown_branch
from reconciler.gitio.process import REMOTE, GitProcess, Result, unreachable
from reconciler.model.errors import GitError, LostRaceError, NoBranchError, PushRefusedError

_LONG = 64
_NO_BRANCH = "push a first commit to it, or name another with --branch"
_OTHER = "the truth is {0}, because {1}: git switch {0}, or reconcile it with --branch {0}"
_UNKNOWN = DefaultBranch("", "")
# Git must not report its own commits, or the server assumes that all of their objects are here. It
# must mark the received objects as promised, or it checks everything that they refer to. These are
# settings, because Git would store a `--filter` option in the repository.
_BY_IDS = (
    ("fetch.negotiationAlgorithm", "noop"),
    (f"remote.{REMOTE}.promisor", "true"),
    (f"remote.{REMOTE}.partialclonefilter", "blob:none"),
)


def fetch(
    git: GitProcess, remote: str, branch: str, reference: str, truth: DefaultBranch = _UNKNOWN
) -> None:
    """Fetch a branch of a remote into a reference of this repository.

    Args:
        git: The repository.
        remote: URL or path.
        branch: Branch of the remote.
        reference: The local reference to update.
        truth: The authoritative branch of the remote, if it is known, for the hint.

    Raises:
        GitError: The remote cannot be read.
        NoBranchError: The remote has no such branch.
    """
    result = git.run(
        "fetch", "--no-tags", "--no-write-fetch-head", "--quiet", "--", remote,
        f"+refs/heads/{branch}:{reference}", remote=remote,
    )  # fmt: skip
    if "couldn't find remote ref" in result.err:
        hint = _OTHER.format(truth.branch, truth.why) if truth.branch else _NO_BRANCH
        raise NoBranchError(f"branch {branch} is not on the remote", hint)
    if result.status != 0:
        raise unreachable("cannot read the remote", "fetch", result)


def fetch_objects(git: GitProcess, remote: str, oids: Sequence[str]) -> None:
    """Fetch objects by their ids in a single request, as Git does for a partial clone.

    Raises:
        GitError: The remote cannot be read, or does not have them.
    """
    told = "".join(f"{oid}\n" for oid in oids).encode()
    asked = ("fetch", "--no-tags", "--no-write-fetch-head", "--quiet", "--filter=blob:none")
    guarded = replace(git, guards=(*git.guards, *_BY_IDS), objects={})
    result = guarded.run(*asked, "--stdin", "--", remote, data=told, remote=remote)
    if result.status != 0:
        raise unreachable("cannot fetch what a filter left out of the clone", "fetch", result)


def object_format(git: GitProcess, remote: str) -> str:
    """Return the object format of a remote, or `sha1` if it has no branch.

    Raises:
        GitError: The remote cannot be reached.
    """
    result = git.run("ls-remote", "--heads", "--", remote, remote=remote)
    if result.status != 0:
        raise unreachable("cannot reach the remote", "ls-remote", result)
    return "sha256" if len(result.out.partition(b"\t")[0]) == _LONG else "sha1"


def default_branch(git: GitProcess, remote: str) -> str:
    """Return the branch that the remote's HEAD names, or `main` if it names none.

    Raises:
        GitError: The remote cannot be reached.
    """
    result = git.run("ls-remote", "--symref", "--", remote, "HEAD", remote=remote)
    if result.status != 0:
        raise unreachable("cannot reach the remote", "ls-remote", result)
    head = result.out.decode("utf-8", "replace").partition("\t")[0]
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref: ") else "main"


def remote_head(git: GitProcess, remote: str, branch: str) -> str:
    """Return the commit id of a remote branch, without fetching it.

    Raises:
        GitError: The remote cannot be reached, or has no such branch.
    """
    reference = f"refs/heads/{branch}"
    result = git.run("ls-remote", "--", remote, reference, remote=remote)
    if result.status != 0:
        raise unreachable("cannot reach the remote", "ls-remote", result)
    for line in result.out.decode("utf-8", "replace").splitlines():
        oid, _, name = line.partition("\t")
        if name == reference:
            return oid
    raise GitError(f"branch {branch} is not on the remote", _NO_BRANCH)


# Reasons that Git, local or on the server, reports if the branch is not at the expected commit.
_MOVED = ("stale info", "fetch first", "non-fast-forward", "cannot lock ref",
          "failed to update ref", "incorrect old value")  # fmt: skip
_SHOWN_CHARACTERS = 1_000
_HEADS = "refs/heads/"


def push(git: GitProcess, remote: str, branch: str, base: Revision, revision: Revision) -> None:
    """Move a branch of the remote from `base` to `revision`.

    A branch that is already at `revision` is a success.

    Raises:
        LostRaceError: The branch is at another commit.
        PushRefusedError: The remote refuses.
        GitError: The remote cannot be reached.
    """
    push_reference(git, remote, f"{_HEADS}{branch}", base.id, revision.id)


def push_reference(git: GitProcess, remote: str, reference: str, old: str, new: str) -> None:
    """Move a reference of the remote from an id, or from nothing if it is empty, to another.

    Raises:
        LostRaceError: The reference has another id.
        PushRefusedError: The remote refuses.
        GitError: The remote cannot be reached.
    """
    result = git.run(
        "push", "--porcelain", "--no-verify", f"--force-with-lease={reference}:{old}", "--",
        remote, f"{new}:{reference}", remote=remote,
    )  # fmt: skip
    if result.status == 0:
        return
    reason = _reason(result)
    name = reference.removeprefix(_HEADS)
    if any(word in reason for word in _MOVED):
        title = f"branch {name}" if name != reference else reference
        raise LostRaceError(f"{title} moved while this was planned: {reason}")
    if reason:
        hint = f"let the reconciler push to {name}, or name another with --branch"
        raise PushRefusedError(f"the remote refuses the push: {reason}{_words(result)}", hint)
    raise unreachable("cannot push to the remote", "push", result)


def try_push(git: GitProcess, remote: str, branch: str, revision: Revision) -> None:
    """Check with a dry run whether the remote accepts a push to a branch.

    A branch at another commit is not an error, because the server answered the push. Branch
    protection rules appear only in a real push.

    Raises:
        GitError: The remote refuses, or cannot be reached.
    """
    result = git.run(
        "push", "--dry-run", "--porcelain", "--no-verify", "--", remote,
        f"{revision.id}:refs/heads/{branch}", remote=remote,
    )  # fmt: skip
    if result.status != 0 and not any(word in _reason(result) for word in _MOVED):
        raise unreachable("cannot push to the remote", "push", result)


def _reason(result: Result) -> str:
    """Return the result of the reference from the porcelain output of a push, without names."""
    for line in result.out.decode("utf-8", "replace").splitlines():
        if line.startswith("!"):
            return line.split("\t")[-1]
    return ""


def _words(result: Result) -> str:
    """Return the messages of the server in one line."""
    lines = [
        line.removeprefix("remote:").strip()
        for line in result.err.splitlines()
        if line.startswith("remote:")
    ]
    said = " / ".join(line for line in lines if line)[:_SHOWN_CHARACTERS]
    return f"; the server said: {said}" if said else ""


LAST = "last"
# In a repository without a remote: the branch that was reconciled as the authoritative one.
_TRUTH = "truth"
_WORKED = "it is the one that was reconciled here before"

_log = logging.getLogger(__name__)


class RemoteHead(Struct, frozen=True):
    """References that a remote advertises.

    Attributes:
        shown: The branch that its HEAD names, or empty if that branch does not exist.
        heads: All branches, if HEAD names none.
        last: The id of `refs/ipam/last`, or empty if it does not exist.
        takes: Whether ipam may move that reference.
    """

    shown: str
    heads: tuple[str, ...]
    last: str
    takes: bool = True


class RemoteQuery(Struct):
    """Answer of a remote, or None before the query.

    Attributes:
        is_marked: Without a remote: whether this repository records its authoritative branch.
    """

    told: RemoteHead | None = None
    is_marked: bool = False


class LastSeen(Struct):
    """Cached state of the branch from the last fetch.

    Attributes:
        local: The branch of this repository, or None if it has no commit.
        newest: The newest reconcile commit in the history of revisions, by id.
        roots: The top of the tree of revisions, by id.
        asked: Answer of the remote.
    """

    local: Revision | None = None
    newest: dict[str, str] = field(default_factory=dict)
    roots: dict[str, tuple[Revision, Root | None]] = field(default_factory=dict)
    asked: RemoteQuery = field(default_factory=RemoteQuery)


class GitRemoteState(Struct, frozen=True):
    """State of the remote of a repository. It is queried once, before the first fetch.

    Attributes:
        remote: URL or path, or None for an authoritative repository.
        is_bare: Whether the repository has no work tree.
    """

    git: GitProcess
    branch: str
    remote: str | None
    is_bare: bool
    asked: RemoteQuery

    @property
    def reference(self) -> str:
        """The reference in which the remote keeps the revision that was reconciled last."""
        return self.git.root.reference(LAST)

    def default_branch(self) -> DefaultBranch:
        """Return the authoritative branch if Settings do not name one, and the reason."""
        if self.remote is not None:
            return _default_there(self.ask(self.remote))
        return _default_here(self.git, is_bare=self.is_bare)

    def last(self) -> str:
        """Return the id of the reference, or empty if it does not exist."""
        if self.remote is not None:
            return self.ask(self.remote).last
        return self.git.run("rev-parse", "--verify", "--quiet", self.reference).out.decode().strip()

    def forget(self) -> None:
        """Drop the cached state, so that the next use queries the remote again."""
        self.asked.told = None

    def bring(self, last: str) -> Revision | None:
        """Return the commit that the reference names, fetched if needed, or None for no commit.

        Raises:
            GitError: The clone is too shallow.
        """
        found = find_revisions(self.git, [last]).revisions[0]
        if found is None and is_shallow(self.git):
            raise GitError(
                f"the clone is too shallow: it lacks {last}, which was reconciled", DEEPEN
            )
        if found is None and self.remote is not None:
            how = ("--no-tags", "--no-write-fetch-head", "--quiet")
            self.git.run("fetch", *how, "--", self.remote, self.reference, remote=self.remote)
            found = find_revisions(self.git, [last]).revisions[0]
        return found

    def remember(self, revision: Revision) -> None:
        """Set the reference to a reconciled head. Never fail, and never move it backwards.

        In a checkout without a remote, record the branch as the authoritative one.
        """
        if self.remote is not None:
            self.asked.told = _note(self.git, self.remote, revision, self.ask(self.remote))
            return
        if not self.is_bare and not self.asked.is_marked:
            self.git.run("symbolic-ref", self.git.root.reference(_TRUTH), f"{_HEADS}{self.branch}")
            self.asked.is_marked = True
        if (last := self.last()) != revision.id:
            self.git.run("update-ref", self.reference, revision.id, last or "0" * len(revision.id))

    def ask(self, remote: str) -> RemoteHead:
        """Return the references of the remote, queried once."""
        if self.asked.told is None:
            self.asked.told = _ask(self.git, remote)
        return self.asked.told


def _ask(git: GitProcess, remote: str) -> RemoteHead:
    """Query a remote without fetching anything.

    Raises:
        GitError: The remote cannot be reached.
    """
    last = git.root.reference(LAST)
    listed = _listed(git, remote, "HEAD", last)
    shown = listed.get("ref: HEAD", "").removeprefix(_HEADS)
    heads = () if shown else tuple(_listed(git, remote, f"{_HEADS}*"))
    return RemoteHead(shown, tuple(it.removeprefix(_HEADS) for it in heads), listed.get(last, ""))


def _default_there(told: RemoteHead) -> DefaultBranch:
    """Return the authoritative branch of a remote."""
    if told.shown:
        return DefaultBranch(told.shown, "it is the remote's default branch")
    if len(told.heads) == 1:
        return DefaultBranch(told.heads[0], "it is the remote's only branch")
    count = f"{len(told.heads)} branches" if told.heads else "no branch"
    return DefaultBranch("", f"the remote has {count}, shows none as its default")


def _default_here(git: GitProcess, *, is_bare: bool) -> DefaultBranch:
    """Return the authoritative branch of a repository without a remote, if it can be determined.

    Args:
        git: The repository.
        is_bare: Whether others clone the repository and get the branch that its HEAD names.

    Raises:
        GitError: Git fails.
    """
    form = "--format=%(refname) %(symref)"
    truth = git.root.reference(_TRUTH)
    out = git.check("for-each-ref", form, _HEADS, truth).decode("utf-8", "replace")
    names = dict(line.split(" ") for line in out.splitlines())
    heads = [name.removeprefix(_HEADS) for name in names if name.startswith(_HEADS)]
    shown = shown_branch(git) if is_bare else names.get(truth, "").removeprefix(_HEADS)
    if shown in heads:
        why = "HEAD of this bare repository names it" if is_bare else _WORKED
        return DefaultBranch(shown, why)
    if len(heads) == 1:
        return DefaultBranch(heads[0], "it is the only branch here")
    return DefaultBranch("", f"there are {len(heads)} branches and no remote, none was reconciled")


def _note(git: GitProcess, remote: str, revision: Revision, told: RemoteHead) -> RemoteHead | None:
    """Move `refs/ipam/last` of a remote to a head, and return the new state of the remote.

    Return None if another run moved it in the meantime. A refusal is logged once per process.
    """
    if not told.takes or told.last == revision.id:
        return told
    name = git.root.reference(LAST)
    try:
        push_reference(git, remote, name, told.last, revision.id)
    except LostRaceError as lost:
        _log.debug("%s", lost)
        return None
    except GitError as refused:
        _log.warning("%s cannot be moved, so a rewritten history is not noticed: %s", name, refused)
        return replace_(told, takes=not isinstance(refused, PushRefusedError))
    return replace_(told, last=revision.id)


def _listed(git: GitProcess, remote: str, *names: str) -> dict[str, str]:
    """Return the references of a remote by name. `ref: HEAD` has the target of its HEAD."""
    result = git.run("ls-remote", "--symref", "--", remote, *names, remote=remote)
    if result.status != 0:
        raise unreachable("cannot reach the remote", "ls-remote", result)
    found = {}
    for line in result.out.decode("utf-8", "replace").splitlines():
        what, _, name = line.partition("\t")
        is_symbol = what.startswith("ref: ")
        found[f"ref: {name}" if is_symbol else name] = what.removeprefix("ref: ")
    return found
