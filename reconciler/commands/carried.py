"""What the history of a change holds: commits that say that reconcile made them, and dates.

Once merged, such a commit may be the newest that reconcile made: then records are compared with
what they were there. So a change brings none, but for what reconcile made of the base itself.

A replay shows that reconcile may have made a commit, by what that says of clusters, of a person's
word and of its time. Anybody can say so, and nothing here can be asked. So of a change it is
believed only where the commit is the tip of a branch that nobody but reconcile may push to.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from reconciler.commands.by_hand import with_found
from reconciler.commands.last_made import wrote_records
from reconciler.commands.message import read_message
from reconciler.commands.replay import believes
from reconciler.findings import Finding, Location, Severity, cut_off, error, info
from reconciler.model.instant import format_instant
from reconciler.model.settings import Settings
from reconciler.ports import Repository, Revision, Source
from reconciler.review.result import Compared

# More of them are not looked at.
MOST = 256
# Clocks of people's machines differ by minutes.
_SKEW_SECONDS = 3_600


class Carried(Struct, frozen=True):
    """What the base lacks of the history of a change.

    Attributes:
        own: The newest that reconcile made of the base, and the change left as it is; or empty.
        others: Other commits that say that reconcile made them, newest first.
        is_alone: The change is what reconcile made of the base, or a merge of it, and nothing else.
        is_proposed: And it is the tip of the branch of reconcile's own: all that it says is so.
        is_cut: Part of it is behind the end of the clone.
        dated: The change's own date and the base's, if that is later than clocks differ.
    """

    own: str = ""
    others: tuple[str, ...] = ()
    is_alone: bool = False
    is_proposed: bool = False
    is_cut: bool = False
    dated: tuple[int, int] | None = None

    @property
    def newest(self) -> str:
        """The newest commit that says that reconcile made it, or empty."""
        return next(iter([*self.others, self.own]), "")

    def beside(self, proposed: str | None) -> "Carried":
        """The same where the tip of the branch of reconcile's own is known."""
        return replace(self, is_proposed=self.is_alone and self.own == proposed)


def carried(
    repository: Repository,
    base: Source,
    change: Source,
    settings: Settings,
) -> Carried:
    """Look at the commits of a change.

    Args:
        repository: Where they are.
        base: What the change is made to.
        change: The change; a work tree stands for its HEAD.
        settings: Those to go by.

    Raises:
        LimitError: A commit is too large to be read.
    """
    start, end = base.revision(), change.revision() or repository.resolve("HEAD")
    if start is None or start == end:
        return Carried()
    is_whole = repository.is_whole(end.id, start.id)
    found = list(_saying(repository, settings, start, end))
    chain = list(_made_of_base(repository, found, start))
    own = chain[-1] if chain else ""
    if own and repository.changed(own, end.id, [settings.records, settings.observed])[0]:
        own, chain = "", []
    dated = (change.clock(), base.clock()) if change.revision() is not None else None
    is_dated_back = dated is not None and dated[0] + _SKEW_SECONDS < dated[1]
    others = tuple(it for it in found if it not in chain)
    if others and not repository.is_whole(start.id):
        is_whole, others = False, ()  # the base may have them behind the end of the clone
    is_alone = own != "" and change.revision() is not None and not others
    is_alone = is_alone and not repository.changed(own, end.id)[0]
    dated = dated if is_dated_back else None
    return Carried(own, others, is_alone, is_cut=not is_whole, dated=dated)


def _saying(
    repository: Repository, settings: Settings, start: Revision, end: Revision
) -> Iterator[str]:
    """Commits that may be taken for reconcile's, here or where none is planned anew.

    Those whose message has its form. Of those that quote one, those that write as it does.
    """
    for count, commit in enumerate(repository.saying(end.id, without=start.id)):
        if count == MOST:
            yield commit
            return
        is_of_form = read_message(repository.made(commit).message) is not None
        if is_of_form or wrote_records(repository, settings, commit):
            yield commit


def _made_of_base(repository: Repository, found: Sequence[str], start: Revision) -> Iterator[str]:
    """What reconcile made of the base, and of that again: one run may make several commits."""
    newest = start.id
    for commit in reversed(found):
        if repository.made(commit).parents == (newest,):
            if not believes(repository, commit):
                return
            yield commit
            newest = commit


def told(found: Carried, base: str, *, releases: bool) -> Iterator[Finding]:
    """Findings about the history of a change.

    Args:
        found: What it holds.
        base: The name of the base.
        releases: The change has the whole base, and its plan releases something: that goes by
            the date of the change.
    """
    if found.others:
        more = f" (and {len(found.others) - 1} more)" if found.others[1:] else ""
        message = f"commit {found.others[0][:12]}{more} of this change says that reconcile made it,"
        message += f" and {base} lacks it: once merged, all records might be compared with its own"
        hint = (
            f"if {base} is behind: git fetch, then --base origin/main; else leave out what git log"
        )
        hint += f" --grep Ipam-Plan {base}.. shows (git rebase -i {base}), or squash the change"
        yield error("commit-carried", Location("."), message, hint)
    if found.dated is not None and releases:
        own, before = map(format_instant, found.dated)
        message = f"this revision is dated {own}, and {base} {before}: what it releases would rest"
        message += " from a day that is over, and be free too early"
        hint = "git commit --amend --no-edit dates it anew"
        yield error("commit-dated-back", Location("."), message, hint)
    if found.is_cut:
        message = "the clone is too shallow to tell what the history of this change holds"
        yield cut_off(Location("."), message)


def with_proposal(compared: Compared, found: Carried, base: str) -> Compared:
    """Say of a proposal that is refused how it may be let pass.

    Args:
        compared: The change beside its base, with all that is wrong with it.
        found: What its history holds.
        base: The name of the base.
    """
    evaluation, settings = compared.evaluation, compared.evaluation.tree.settings
    inside = (f"{settings.records}/", f"{settings.observed}/")
    is_refused = any(
        item.severity is Severity.ERROR and item.location.path.startswith(inside)
        for item in evaluation.findings
    )
    if not found.is_alone or found.is_proposed or not is_refused:
        return compared
    message = f"commit {found.own[:12]} may be what reconcile made of {base}: what it says of"
    message += " clusters, of its time and of a person's word cannot be told here"
    hint = "where nobody but reconcile may push to the branch that it is the tip of:"
    hint += " --proposed origin/NAME"
    told = info("proposal-unproven", Location("."), message, hint)
    return replace(compared, evaluation=with_found(evaluation, [told]))
