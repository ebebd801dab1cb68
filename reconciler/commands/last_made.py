"""Which commit reconcile made last: the newest that says so, and that a replay bears out.

First the newest on the line of first parents. What holds that one may be newer: who merged the
branch into a change, and pushed that as the branch, has the branch beside the line. What does not
hold it was made elsewhere, and says nothing of this branch.

Whose trailer is not borne out is told, and what it did counts as done by people.
"""

from collections.abc import Iterable, Sequence
from functools import partial

from msgspec import Struct, field

from reconciler.commands.message import read_message
from reconciler.commands.reading.settings import read_own_settings
from reconciler.commands.replay import judged
from reconciler.commands.verdicts import judged_before
from reconciler.documents.suffix import is_yaml
from reconciler.findings import Finding, Location, warning
from reconciler.model.settings import Settings
from reconciler.model.verdict import Verdict
from reconciler.ports import Changed, GateError, GitError, Repository, Revision

# So many commits with a trailer are planned anew by one run, and so many are looked at, the newest
# first.
MOST_PLANNED, MOST = 16, 256
# So many that are doubted are named one by one.
MOST_TOLD = 16
# What these show costs no plan, or nothing more to ask.
_UNPLANNED = (Verdict.FOREIGN, Verdict.NOT_YET, Verdict.SAME)


class LastMade(Struct, frozen=True):
    """The newest commit that reconcile made.

    Attributes:
        commit: Its id, or that of what stood before all that were doubted; None where there is no
            such commit at all.
        findings: Commits whose trailer is not true.
        is_proven: A replay bears the commit out.
    """

    commit: str | None
    findings: tuple[Finding, ...] = ()
    is_proven: bool = False


def said_last(repository: Repository, revision: Revision | None, settings: Settings) -> str | None:
    """The newest commit that says so of itself, and wrote nothing but what reconcile writes.

    It is not planned anew, as a check of the base does. Anybody's message may say so, that of a
    squashed change, too; but whoever changes records alone is looked at when the change is made.

    Where people merge what reconcile commits (`--to-branch`), it is beside the line. In a clone that
    ends before it, or where a newer one may be behind the end, none is at hand.

    Args:
        repository: Where it is.
        revision: The newest revision.
        settings: Those of the revision.
    """
    if revision is None:
        return None
    wrote = partial(wrote_records, repository, settings)
    line = next(filter(wrote, repository.saying(revision.id, on_line=True)), "")
    beside = repository.saying(revision.id, holding=line)
    found = next(filter(wrote, beside), line)
    if found and repository.is_shallow() and not repository.is_whole(revision.id, found):
        return None
    return found or None


def _is_here(repository: Repository, commit: str) -> bool:
    """A commit is not behind the end of the clone."""
    try:
        repository.made(commit)
    except GitError:
        if not repository.is_shallow():
            raise
        return False
    return True


def wrote_records(repository: Repository, settings: Settings, commit: str) -> bool:
    """A commit changed no file that people write.

    One whose parent is behind the end of the clone is taken as it is, if it has reconcile's form.
    """
    made = repository.made(commit)
    if not made.parents:
        return False
    if not _is_here(repository, made.parents[0]):
        return read_message(made.message) is not None
    changes, _ = repository.changed(made.parents[0], commit, (), settings.limits)
    # The folders of the newest Settings mostly are those of the commit, too.
    if _are_records(changes, settings):
        return True
    return _are_records(changes, read_own_settings(repository.source(commit), settings).settings)


def _are_records(changes: Sequence[Changed], settings: Settings) -> bool:
    """All that differs is content of files that a check of a change lets nobody else write."""
    folders = (f"{settings.records}/", f"{settings.observed}/")
    return all(
        it.path.startswith(folders)
        and is_yaml(it.path)
        and (it.old and it.old.oid) != (it.new and it.new.oid)
        for it in changes
    )


def last_made(repository: Repository, revision: Revision) -> LastMade:
    """The newest commit up to a revision that reconcile made.

    One whose base is behind the end of the clone cannot be replayed, and is taken as it is: without
    it nothing could be compared at all.

    Raises:
        GateError: There are more that say so, and are not, than are asked. What was done before
            them cannot be told then, so nothing may follow.
    """
    search = _Search(repository)
    search.seek(repository.saying(revision.id, on_line=True))
    if search.found is not None:
        search.seek(repository.saying(revision.id, holding=search.found))
    elif not search.is_over:
        search.seek(repository.saying(revision.id))
    doubted = list(search.doubted)
    told = _told(doubted)
    if search.found is not None:  # beside the line more may say so than are asked: then it leads
        return LastMade(search.found, told, search.is_proven)
    if search.is_over:
        raise GateError(
            f"{len(doubted)} commits up to {doubted[0][:12]} say that reconcile made them, and"
            " did not: what people did to records before them is not known yet",
            "find out who pushed them (git log --grep Ipam-Plan); run it again with the same"
            " cache, and it goes on from here",
        )
    if not doubted:
        return LastMade(None)
    before = repository.made(doubted[-1]).parents
    return LastMade(before[0] if before and _is_here(repository, before[0]) else None, told)


class _Search(Struct):
    """One search for the newest commit that is believed.

    Attributes:
        found: Its id.
        is_proven: A replay bears it out.
        doubted: Those that are not, in the order in which they were met last.
        planned: How many were planned anew.
        asked: How many were looked at that the cache did not know.
    """

    repository: Repository
    found: str | None = None
    is_proven: bool = False
    doubted: dict[str, None] = field(default_factory=dict)
    planned: int = 0
    asked: int = 0

    @property
    def is_over(self) -> bool:
        """No more of them are asked."""
        return self.planned > MOST_PLANNED or self.asked > MOST

    def seek(self, commits: Iterable[str]) -> None:
        """Ask commits, the newest first, until one is believed or enough were asked."""
        for commit in commits:
            if self.is_over:
                return
            if commit in self.doubted:
                self.doubted[commit] = self.doubted.pop(commit)
                continue
            verdict = self._judged(commit)
            if verdict in (Verdict.SAME, Verdict.NOT_HERE):
                self.found, self.is_proven = commit, verdict is Verdict.SAME
                return
            self.doubted[commit] = None

    def _judged(self, commit: str) -> Verdict:
        if (known := judged_before(self.repository, commit)) is not None:
            return known
        if read_message(self.repository.made(commit).message) is None:
            return Verdict.FOREIGN  # a text that quotes a trailer costs no more than to read it

        verdict = judged(self.repository, commit)
        self.planned += verdict not in _UNPLANNED
        self.asked += 1
        return verdict


def _told(doubted: Sequence[str]) -> tuple[Finding, ...]:
    found = [
        _doubt(
            f"commit {commit[:12]} says that reconcile made it, but a plan of its base does not"
            " make its files: what it did to records counts as done by hand",
            f"git show --stat {commit[:12]}",
        )
        for commit in doubted[:MOST_TOLD]
    ]
    if more := len(doubted[MOST_TOLD:]):
        message = f"{more} more commits say so, and reconcile did not make them, either"
        found.append(_doubt(message, "git log --grep Ipam-Plan"))
    return tuple(found)


def _doubt(message: str, hint: str) -> Finding:
    return warning("commit-unproven", Location("."), message, hint)
