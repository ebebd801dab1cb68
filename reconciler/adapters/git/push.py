"""How we push: by compare-and-swap, and what a remote's refusal means."""

from reconciler.adapters.git.failing import Result, unreachable
from reconciler.adapters.git.process import GitProcess
from reconciler.ports import LostRaceError, PushRefusedError, Revision

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
