"""Fetches from a remote, pushes to it, and questions to it that bring nothing here."""

from collections.abc import Sequence
from dataclasses import replace

from reconciler.adapters.git.process import REMOTE, GitProcess, Result, unreachable
from reconciler.ports import (
    DefaultBranch,
    GitError,
    LostRaceError,
    NoBranchError,
    PushRefusedError,
    Revision,
)

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
