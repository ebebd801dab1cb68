"""What a remote says of itself: which branch it shows, and which head was reconciled last.

That head is noted at the remote as `refs/ipam/last`, where every clone sees it. Whoever may push
may move it, so it proves nothing by itself (`docs/adr/0013`); and what it is noted for is done by
then, so nothing that befalls it fails a run.
"""

import logging

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.adapters.git.ancestry import DEEPEN, holds, is_shallow
from reconciler.adapters.git.failing import unreachable
from reconciler.adapters.git.heads import shown_branch
from reconciler.adapters.git.objects import Root, find_revisions
from reconciler.adapters.git.process import GitProcess
from reconciler.adapters.git.push import push_reference
from reconciler.ports import (
    DefaultBranch,
    GitError,
    LimitError,
    LostRaceError,
    PushRefusedError,
    Revision,
)

LAST = "last"
# Here it stands that the remote does not take it, and that this was told.
_REFUSED = "refused"
_HEADS, _SEEN = "refs/heads/", "seen"
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
    """What the last look at the branch showed; None where there is no such commit.

    Attributes:
        local: The branch of this repository.
        last: The revision that the last run saw.
        roots: The top of the tree of revisions, by id.
        asked: What the remote says of itself.
    """

    local: Revision | None = None
    last: Revision | None = None
    roots: dict[str, tuple[Revision, Root | None]] = field(default_factory=dict)
    asked: Asked = field(default_factory=Asked)


class Standing(Struct, frozen=True):
    """What the remote of a repository says of itself. It is asked once, before the first fetch.

    Attributes:
        remote: URL or path; None for a repository that is the truth itself.
        is_bare: It has no work tree.
        seen: What was seen of the branch itself, which `check_history` asks about.
    """

    git: GitProcess
    branch: str
    remote: str | None
    is_bare: bool
    asked: Asked
    seen: str = ""

    @property
    def reference(self) -> str:
        """The name under which the remote keeps what was reconciled last."""
        return self.git.root.reference(LAST)

    def default_branch(self) -> DefaultBranch:
        """The branch that is the truth where Settings name none, and why."""
        if self.remote is not None:
            return _default_there(self.ask(self.remote))
        return _default_here(self.git, is_bare=self.is_bare)

    def remembered(self, revision: Revision) -> str:
        """The head that was reconciled last by whomever, if the revision lacks it; else empty.

        Raises:
            GitError: The clone is too shallow to tell.
        """
        if self.remote is None or self.ask(self.remote).last == self.seen:
            return ""
        return _lacking(self.git, self.remote, revision, self.ask(self.remote).last)

    def remember(self, revision: Revision) -> None:
        """Note at the remote that this head is reconciled. Never fails, and never overtakes.

        Of a checkout without one: that its branch is the truth, should it get others one day.
        """
        if self.remote is not None:
            self.asked.told = _note(self.git, self.remote, revision, self.ask(self.remote))
        elif not self.is_bare and not self.asked.is_marked:
            self.git.run("symbolic-ref", self.git.root.reference(_TRUTH), f"{_HEADS}{self.branch}")
            self.asked.is_marked = True

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
    seen_by, truth = f"{git.root.reference(_SEEN)}/", git.root.reference(_TRUTH)
    out = git.check("for-each-ref", form, _HEADS, seen_by, truth).decode("utf-8", "replace")
    names = dict(line.split(" ") for line in out.splitlines())
    heads = [name.removeprefix(_HEADS) for name in names if name.startswith(_HEADS)]
    shown = shown_branch(git) if is_bare else names.get(truth, "").removeprefix(_HEADS)
    if shown in heads:
        why = "HEAD of this bare repository names it" if is_bare else _WORKED
        return DefaultBranch(shown, why)
    if len(heads) == 1:
        return DefaultBranch(heads[0], "it is the only branch here")
    seen = [name.removeprefix(seen_by) for name in names if name.startswith(seen_by)]
    worked_on = [name for name in seen if name in heads]
    if len(worked_on) == 1:
        return DefaultBranch(worked_on[0], _WORKED)
    which = (
        f"several were reconciled ({', '.join(worked_on)})" if worked_on else "none was reconciled"
    )
    return DefaultBranch("", f"there are {len(heads)} branches and no remote, {which}")


def _lacking(git: GitProcess, remote: str, revision: Revision, last: str) -> str:
    """The head that was noted last, brought here, if it is a commit that a revision lacks.

    What cannot be brought, or is no commit, is told and counts for nothing: anybody may have put it
    there.

    Raises:
        GitError: The clone is too shallow to tell.
    """
    if not last or last == revision.id:
        return ""
    try:
        found = find_revisions(git, [last]).revisions[0]
        if found is None and is_shallow(git):
            message = f"the clone is too shallow to tell whether {revision.id} holds {last}"
            raise GitError(f"{message}, which was reconciled", DEEPEN)
        found = found or _brought(git, remote, last)
    except LimitError as heavy:
        _log.warning("%s of the remote is left out: %s", git.root.reference(LAST), heavy)
        return ""
    return "" if found is None or holds(git, revision, found) else found.id


def _brought(git: GitProcess, remote: str, last: str) -> Revision | None:
    """What was noted last, fetched; nothing of it is kept by a name."""
    how = ("--no-tags", "--no-write-fetch-head", "--quiet")
    name = git.root.reference(LAST)
    done = git.run("fetch", *how, "--", remote, name, remote=remote)
    found = find_revisions(git, [last]).revisions[0] if done.status == 0 else None
    if found is None:
        _log.warning("%s of the remote is no commit that can be read, and is left out", name)
    return found


def _note(git: GitProcess, remote: str, revision: Revision, told: Told) -> Told | None:
    """Move `refs/ipam/last` of a remote from where it was to a head; what it says then.

    Where it is somewhere else by now another run was quicker, and knows better: None, the remote
    has to be asked anew. A remote that refuses is told of once: a mark here remembers it.
    """
    if not told.takes or told.last == revision.id:
        return told
    try:
        push_reference(git, remote, git.root.reference(LAST), told.last, revision.id)
    except LostRaceError as lost:
        _log.debug("%s", lost)
        return None
    except GitError as refused:
        _tell_once(git, revision, refused)
        return replace(told, takes=not isinstance(refused, PushRefusedError))
    return replace(told, last=revision.id)


def _tell_once(git: GitProcess, revision: Revision, refused: GitError) -> None:
    mark = git.root.reference(_REFUSED)
    is_known = find_revisions(git, [mark]).revisions[0] is not None
    level = logging.DEBUG if is_known else logging.WARNING
    message = "%s cannot be moved, so a fresh clone will not notice a rewritten history: %s"
    _log.log(level, message, git.root.reference(LAST), refused)
    git.run("update-ref", mark, revision.id)


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
