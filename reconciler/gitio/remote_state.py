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
# Git tells of no commit that it has, or the server would think that all which belongs to one is
# here; and it marks what comes as promised, or it would look for what that leads to. By settings:
# what it is told of a filter it would note in the repository.
_BY_IDS = (
    ("fetch.negotiationAlgorithm", "noop"),
    (f"remote.{REMOTE}.promisor", "true"),
    (f"remote.{REMOTE}.partialclonefilter", "blob:none"),
)


def fetch(
    git: GitProcess, remote: str, branch: str, reference: str, truth: DefaultBranch = _UNKNOWN
) -> None:
    """Bring a branch of a remote to a reference of this repository.

    Args:
        git: The repository.
        remote: URL or path.
        branch: Its branch.
        reference: What is moved here.
        truth: The branch that is the truth there, as far as the remote tells: it may be meant.

    Raises:
        GitError: The remote cannot be read.
        NoBranchError: It has no such branch.
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
    """Bring objects by their ids, as git brings what a filter left out, but all in one go.

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
    """What the ids of a remote are, `sha1` where it has no branch.

    Raises:
        GitError: The remote cannot be reached.
    """
    result = git.run("ls-remote", "--heads", "--", remote, remote=remote)
    if result.status != 0:
        raise unreachable("cannot reach the remote", "ls-remote", result)
    return "sha256" if len(result.out.partition(b"\t")[0]) == _LONG else "sha1"


def default_branch(git: GitProcess, remote: str) -> str:
    """The branch that the remote's HEAD names; `main` where it does not say.

    Raises:
        GitError: The remote cannot be reached.
    """
    result = git.run("ls-remote", "--symref", "--", remote, "HEAD", remote=remote)
    if result.status != 0:
        raise unreachable("cannot reach the remote", "ls-remote", result)
    head = result.out.decode("utf-8", "replace").partition("\t")[0]
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref: ") else "main"


def remote_head(git: GitProcess, remote: str, branch: str) -> str:
    """The id of the commit that a branch of a remote is at. Brings nothing here.

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


# What git, or the server's git, gives as the reason when the branch is not where we think it is.
_MOVED = ("stale info", "fetch first", "non-fast-forward", "cannot lock ref",
          "failed to update ref", "incorrect old value")  # fmt: skip
_SHOWN_CHARACTERS = 1_000
_HEADS = "refs/heads/"


def push(git: GitProcess, remote: str, branch: str, base: Revision, revision: Revision) -> None:
    """Move a branch of the remote from `base` to `revision`.

    That it is there already is success.

    Raises:
        LostRaceError: It is somewhere else.
        PushRefusedError: The remote refuses.
        GitError: It cannot be reached.
    """
    push_reference(git, remote, f"{_HEADS}{branch}", base.id, revision.id)


def push_reference(git: GitProcess, remote: str, reference: str, old: str, new: str) -> None:
    """Move a reference of the remote from an id, or from nothing where that is empty, to another.

    Raises:
        LostRaceError: It is somewhere else.
        PushRefusedError: The remote refuses.
        GitError: It cannot be reached.
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
    """See whether the remote would take a push to a branch. Sends nothing.

    That the branch is somewhere else is no matter: the server was willing to speak of a push. Rules
    of the server for a branch are only told by a real one.

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
    """What the porcelain output of a push says of the ref, without its names."""
    for line in result.out.decode("utf-8", "replace").splitlines():
        if line.startswith("!"):
            return line.split("\t")[-1]
    return ""


def _words(result: Result) -> str:
    """What the server said, in one line."""
    lines = [
        line.removeprefix("remote:").strip()
        for line in result.err.splitlines()
        if line.startswith("remote:")
    ]
    said = " / ".join(line for line in lines if line)[:_SHOWN_CHARACTERS]
    return f"; the server said: {said}" if said else ""


LAST = "last"
# In a repository without a remote: the branch that was reconciled as the truth.
_TRUTH = "truth"
_WORKED = "it is the one that was reconciled here before"

_log = logging.getLogger(__name__)


class RemoteHead(Struct, frozen=True):
    """What a remote says of itself.

    Attributes:
        shown: The branch that its HEAD names; empty when it names none that is there.
        heads: All its branches where it shows none.
        last: The id that `refs/ipam/last` has; empty when it is not there.
        takes: It may be asked to move that.
    """

    shown: str
    heads: tuple[str, ...]
    last: str
    takes: bool = True


class RemoteQuery(Struct):
    """What a remote said when it was asked; None before that.

    Attributes:
        is_marked: Without a remote: it stands here which branch is the truth.
    """

    told: RemoteHead | None = None
    is_marked: bool = False


class LastSeen(Struct):
    """What the last look at the branch showed.

    Attributes:
        local: The branch of this repository; None if there is no such commit.
        newest: The newest reconcile commit in the history of revisions, by id.
        roots: The top of the tree of revisions, by id.
        asked: What the remote says of itself.
    """

    local: Revision | None = None
    newest: dict[str, str] = field(default_factory=dict)
    roots: dict[str, tuple[Revision, Root | None]] = field(default_factory=dict)
    asked: RemoteQuery = field(default_factory=RemoteQuery)


class GitRemoteState(Struct, frozen=True):
    """What the remote of a repository says of itself. It is asked once, before the first fetch.

    Attributes:
        remote: URL or path; None for a repository that is the truth itself.
        is_bare: It has no work tree.
    """

    git: GitProcess
    branch: str
    remote: str | None
    is_bare: bool
    asked: RemoteQuery

    @property
    def reference(self) -> str:
        """The name under which the remote keeps what was reconciled last."""
        return self.git.root.reference(LAST)

    def default_branch(self) -> DefaultBranch:
        """The branch that is the truth where Settings name none, and why."""
        if self.remote is not None:
            return _default_there(self.ask(self.remote))
        return _default_here(self.git, is_bare=self.is_bare)

    def last(self) -> str:
        """Return the id that the reference has; empty if it is not there."""
        if self.remote is not None:
            return self.ask(self.remote).last
        return self.git.run("rev-parse", "--verify", "--quiet", self.reference).out.decode().strip()

    def forget(self) -> None:
        """Ask the remote again, the next time that it is needed."""
        self.asked.told = None

    def bring(self, last: str) -> Revision | None:
        """Return the commit that the reference names, fetched if needed; None if it is no commit.

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
        """Set the reference to a head that is reconciled. Never fails, and never overtakes.

        In a checkout without a remote the branch is noted as the authoritative one.
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
        """What the remote says."""
        if self.asked.told is None:
            self.asked.told = _ask(self.git, remote)
        return self.asked.told


def _ask(git: GitProcess, remote: str) -> RemoteHead:
    """Ask a remote. Brings nothing here.

    Raises:
        GitError: It cannot be reached.
    """
    last = git.root.reference(LAST)
    listed = _listed(git, remote, "HEAD", last)
    shown = listed.get("ref: HEAD", "").removeprefix(_HEADS)
    heads = () if shown else tuple(_listed(git, remote, f"{_HEADS}*"))
    return RemoteHead(shown, tuple(it.removeprefix(_HEADS) for it in heads), listed.get(last, ""))


def _default_there(told: RemoteHead) -> DefaultBranch:
    """The branch that is the truth of a remote."""
    if told.shown:
        return DefaultBranch(told.shown, "it is the remote's default branch")
    if len(told.heads) == 1:
        return DefaultBranch(told.heads[0], "it is the remote's only branch")
    count = f"{len(told.heads)} branches" if told.heads else "no branch"
    return DefaultBranch("", f"the remote has {count}, shows none as its default")


def _default_here(git: GitProcess, *, is_bare: bool) -> DefaultBranch:
    """The branch that is the truth of a repository that has no remote, as far as it tells.

    Args:
        git: The repository.
        is_bare: Others clone it, and get the branch that its HEAD names.

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
    """Move `refs/ipam/last` of a remote to a head; return what the remote says then.

    None if another run moved it in the meantime. A refusal is logged once per process.
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
    """What a remote has, by name; `ref: HEAD` is the name that its HEAD stands for."""
    result = git.run("ls-remote", "--symref", "--", remote, *names, remote=remote)
    if result.status != 0:
        raise unreachable("cannot reach the remote", "ls-remote", result)
    found = {}
    for line in result.out.decode("utf-8", "replace").splitlines():
        what, _, name = line.partition("\t")
        is_symbol = what.startswith("ref: ")
        found[f"ref: {name}" if is_symbol else name] = what.removeprefix("ref: ")
    return found
