"""State of the remote."""

import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from shlex import quote

from msgspec import Struct, field, structs

from reconciler.gitio.interface import DefaultBranch, Revision
from reconciler.gitio.objects import shown_branch
from reconciler.gitio.process import REMOTE, GitProcess, Result, unreachable
from reconciler.model.errors import GitError, LostRaceError, NoBranchError, PushRefusedError

HEADS = "refs/heads/"
_NO_BRANCH = "push a first commit to it, or choose another branch with --branch"
_OTHER = "run git switch {0}, or pass --branch {0}: the authoritative branch is {0}, because {1}"
_UNKNOWN = DefaultBranch("", "")
# Git must not report its own commits, or the server assumes that all of their objects are here. It
# must mark the received objects as promised, or it checks everything that they refer to. These are
# settings, because Git would store a `--filter` option in the repository.
_BY_IDS = (
    ("fetch.negotiationAlgorithm", "noop"),
    (f"remote.{REMOTE}.promisor", "true"),
    (f"remote.{REMOTE}.partialclonefilter", "blob:none"),
)
FETCH = ("fetch", "--no-tags", "--no-write-fetch-head", "--quiet")


def fetch(
    git: GitProcess, remote: str, branch: str, reference: str, truth: DefaultBranch = _UNKNOWN
) -> None:
    """Fetch a branch of a remote into a reference, or raise NoBranchError with `truth`."""
    if not fetch_reference(git, remote, f"+refs/heads/{branch}:{reference}"):
        hint = _OTHER.format(truth.branch, truth.why) if truth.branch else _NO_BRANCH
        raise NoBranchError(f"branch {branch} is not on the remote", hint)


def fetch_reference(git: GitProcess, remote: str, reference: str) -> bool:
    """Fetch a reference of a remote, and return whether it is there, or raise GitError."""
    result = git.run(*FETCH, "--", remote, reference, remote=remote)
    is_gone = "couldn't find remote ref" in result.err
    if result.status != 0 and not is_gone:
        raise unreachable("cannot read the remote", "fetch", result)
    return not is_gone


def fetch_objects(git: GitProcess, remote: str, oids: Sequence[str]) -> None:
    """Fetch objects by id in a single request, or raise GitError."""
    listed = "".join(f"{oid}\n" for oid in oids).encode()
    guarded = replace(git, guards=(*git.guards, *_BY_IDS), objects={})
    result = guarded.run(
        *FETCH, "--filter=blob:none", "--stdin", "--", remote, data=listed, remote=remote
    )
    if result.status != 0:
        raise unreachable("cannot fetch objects that a filter excluded", "fetch", result)


def list_remote(git: GitProcess, remote: str, *names: str) -> dict[str, str]:
    """Return ids by reference or pattern, else all; `ref: HEAD` has the target of HEAD."""
    result = git.run("ls-remote", "--symref", "--", remote, *names, remote=remote)
    if result.status != 0:
        raise unreachable("cannot reach the remote", "ls-remote", result)
    found = {}
    for line in result.out.decode("utf-8", "replace").splitlines():
        what, _, name = line.partition("\t")
        is_symbol = what.startswith("ref: ")
        found[f"ref: {name}" if is_symbol else name] = what.removeprefix("ref: ")
    return found


def remote_head(git: GitProcess, remote: str, branch: str) -> str:
    """Return the commit id of a remote branch without fetching it, or raise GitError."""
    name = f"{HEADS}{branch}"
    found = list_remote(git, remote, name).get(name)
    if found is None:
        raise GitError(f"branch {branch} is not on the remote", _NO_BRANCH)
    return found


# Reasons that Git, local or on the server, reports if the branch is not at the expected commit.
_MOVED = ("stale info", "fetch first", "non-fast-forward", "cannot lock ref",
          "failed to update ref", "incorrect old value")  # fmt: skip
_REMOTE = re.compile(r"^remote:[ \t]*(\S.*?)\s*$", re.MULTILINE)
_SHOWN_CHARACTERS = 1_000
_MAX_SHOWN = 20


def push_reference(git: GitProcess, remote: str, reference: str, old: str, new: str) -> None:
    """Move a remote's reference from an id, or from nothing; raise LostRaceError at another id."""
    result = git.run(
        "push", "--porcelain", "--no-verify", f"--force-with-lease={reference}:{old}", "--",
        remote, f"{new}:{reference}", remote=remote,
    )  # fmt: skip
    if result.status == 0:
        return
    reason = _reason(result)
    name = reference.removeprefix(HEADS)
    if reason:
        require_free(list_remote(git, remote), remote, reference)
    if any(word in reason for word in _MOVED):
        title = f"branch {name}" if name != reference else reference
        raise LostRaceError(f"{title} moved during planning: {reason}")
    if reason:
        hint = f"permit the reconciler to push to {name}, or propose on another branch: --to-branch NAME"
        said = " / ".join(_REMOTE.findall(result.err))[:_SHOWN_CHARACTERS]
        words = f"; the server said: {said}" if said else ""
        raise PushRefusedError(f"the remote refuses the push: {reason}{words}", hint)
    raise unreachable("cannot push to the remote", "push", result)


def require_free(names: Iterable[str], remote: str, reference: str) -> None:
    """Raise PushRefusedError if a reference blocks the name of another."""
    if blocking := conflicting(names, reference):
        message = f"the remote cannot create {reference}, because it has {quote(blocking[0])}"
        raise PushRefusedError(
            message, f"choose another branch, or run {deleting(remote, blocking)}"
        )


def conflicting(names: Iterable[str], reference: str) -> list[str]:
    """Return the first references whose names Git does not permit next to a reference."""
    below = f"{reference}/"
    found = (it for it in names if it.startswith(below) or reference.startswith(f"{it}/"))
    return sorted(found)[:_MAX_SHOWN]


def deleting(remote: str, references: Sequence[str]) -> str:
    """Return the command that deletes references, at the remote if there is one."""
    if remote:
        return f"git push {remote} {' '.join(quote(f':{it}') for it in references)}"
    return " && ".join(f"git update-ref -d {quote(it)}" for it in references)


def try_push(git: GitProcess, remote: str, branch: str, revision: Revision) -> None:
    """Raise GitError if a dry run of a push is refused."""
    # A branch at another commit is not an error. Protection rules appear only in a real push.
    result = git.run(
        "push", "--dry-run", "--porcelain", "--no-verify", "--", remote,
        f"{revision.id}:refs/heads/{branch}", remote=remote,
    )  # fmt: skip
    if result.status != 0 and not any(word in _reason(result) for word in _MOVED):
        raise unreachable("cannot push to the remote", "push", result)


def _reason(result: Result) -> str:
    for line in result.out.decode("utf-8", "replace").splitlines():
        if line.startswith("!"):
            return line.split("\t")[-1]
    return ""


LAST = "last"
IPAM = "refs/ipam"
# In a repository without a remote: the branch that was reconciled as the authoritative one.
TRUTH = "truth"
_WORKED = "it was reconciled here earlier"

_log = logging.getLogger(__name__)


class RemoteHead(Struct, frozen=True):
    """A remote, and ids by reference; `takes` is false if it refused a push of `refs/ipam/last`."""

    shown: str
    heads: tuple[str, ...]
    references: Mapping[str, str]
    takes: bool = True


class LastSeen(Struct):
    """Cached state at the last fetch; `is_marked` if a local repository records its branch."""

    local: Revision | None = None
    newest: dict[str, str] = field(default_factory=dict)
    remote: RemoteHead | None = None
    is_marked: bool = False


def ask_remote(git: GitProcess, remote: str) -> RemoteHead:
    """Query a remote without fetching anything."""
    listed = list_remote(git, remote, "HEAD", f"{IPAM}*")
    shown = listed.get("ref: HEAD", "").removeprefix(HEADS)
    heads = () if shown else tuple(list_remote(git, remote, f"{HEADS}*"))
    return RemoteHead(shown, tuple(it.removeprefix(HEADS) for it in heads), listed)


def default_there(known: RemoteHead) -> DefaultBranch:
    """Return the authoritative branch of a remote, if it can be determined."""
    if known.shown:
        return DefaultBranch(known.shown, "it is the remote's default branch")
    if len(known.heads) == 1:
        return DefaultBranch(known.heads[0], "it is the remote's only branch")
    count = f"{len(known.heads)} branches" if known.heads else "no branch"
    return DefaultBranch("", f"the remote has {count}, and no default branch")


def default_here(git: GitProcess, *, is_bare: bool) -> DefaultBranch:
    """Return the authoritative branch of a repository without a remote, if it can be determined."""
    form = "--format=%(refname) %(symref)"
    truth = git.root.reference(TRUTH)
    out = git.check("for-each-ref", form, HEADS, truth).decode("utf-8", "replace")
    names = dict(line.split(" ") for line in out.splitlines())
    heads = [name.removeprefix(HEADS) for name in names if name.startswith(HEADS)]
    shown = shown_branch(git) if is_bare else names.get(truth, "").removeprefix(HEADS)
    if shown in heads:
        why = "HEAD of this bare repository names it" if is_bare else _WORKED
        return DefaultBranch(shown, why)
    if len(heads) == 1:
        return DefaultBranch(heads[0], "it is the only branch of this clone")
    why = f"the clone has {len(heads)} branches, no remote, and no reconciled branch"
    return DefaultBranch("", why)


def note_reconciled(
    git: GitProcess, remote: str, revision: Revision, known: RemoteHead
) -> RemoteHead | None:
    """Move `refs/ipam/last`, and return the remote's state; None if another run moved it."""
    name = git.root.reference(LAST)
    last = known.references.get(name, "")
    if not known.takes or last == revision.id:
        return known
    try:
        push_reference(git, remote, name, last, revision.id)
    except LostRaceError:
        return None
    except GitError as refused:
        _log.warning(
            "%s cannot be updated, so ipam cannot detect a rewritten history: %s", name, refused
        )
        return structs.replace(known, takes=not isinstance(refused, PushRefusedError))
    return structs.replace(known, references={**known.references, name: revision.id})
