"""What the authoritative repository says of itself: its default branch, and the last reconciled head.

That head is `refs/ipam/last`. Whoever may push can set it, so it permits nothing: it only serves to
notice a rewritten history (ADR 0016).
"""

import logging

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.adapters.git.ancestry import DEEPEN, is_shallow
from reconciler.adapters.git.exchange import push_reference
from reconciler.adapters.git.naming import shown_branch
from reconciler.adapters.git.objects import Root, find_revisions
from reconciler.adapters.git.process import GitProcess, unreachable
from reconciler.ports import (
    DefaultBranch,
    GitError,
    LostRaceError,
    PushRefusedError,
    Revision,
)

LAST = "last"
_HEADS = "refs/heads/"
# In a repository without a remote: the branch that was reconciled as the truth.
_TRUTH = "truth"
_WORKED = "it is the one that was reconciled here before"

_log = logging.getLogger(__name__)


class Told(Struct, frozen=True):
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


class Asked(Struct):
    """What a remote said when it was asked; None before that.

    Attributes:
        is_marked: Without a remote: it stands here which branch is the truth.
    """

    told: Told | None = None
    is_marked: bool = False


class Seen(Struct):
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
    asked: Asked = field(default_factory=Asked)


class Standing(Struct, frozen=True):
    """What the remote of a repository says of itself. It is asked once, before the first fetch.

    Attributes:
        remote: URL or path; None for a repository that is the truth itself.
        is_bare: It has no work tree.
    """

    git: GitProcess
    branch: str
    remote: str | None
    is_bare: bool
    asked: Asked

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

    def ask(self, remote: str) -> Told:
        """What the remote says."""
        if self.asked.told is None:
            self.asked.told = _ask(self.git, remote)
        return self.asked.told


def _ask(git: GitProcess, remote: str) -> Told:
    """Ask a remote. Brings nothing here.

    Raises:
        GitError: It cannot be reached.
    """
    last = git.root.reference(LAST)
    listed = _listed(git, remote, "HEAD", last)
    shown = listed.get("ref: HEAD", "").removeprefix(_HEADS)
    heads = () if shown else tuple(_listed(git, remote, f"{_HEADS}*"))
    return Told(shown, tuple(it.removeprefix(_HEADS) for it in heads), listed.get(last, ""))


def _default_there(told: Told) -> DefaultBranch:
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


def _note(git: GitProcess, remote: str, revision: Revision, told: Told) -> Told | None:
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
        return replace(told, takes=not isinstance(refused, PushRefusedError))
    return replace(told, last=revision.id)


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
