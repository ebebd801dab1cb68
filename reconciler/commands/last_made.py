"""Which commit reconcile made last: the newest that says so, and that a replay bears out.

Whose trailer is not borne out is told, and what it did counts as done by people.
"""

from typing import NamedTuple

from reconciler.commands.replay import judged
from reconciler.findings import Finding, Location, warning
from reconciler.ports import Facts, Repository, Revision

# So many commits with a trailer are asked, the newest first. Who forges more has what all of them
# did compared.
MOST = 8


class LastMade(NamedTuple):
    """The newest commit that reconcile made.

    Attributes:
        commit: Its id, or that of what stood before all that were doubted; None where there is no
            such commit at all.
        findings: Commits whose trailer is not true.
    """

    commit: str | None
    findings: tuple[Finding, ...] = ()


def last_made(repository: Repository, revision: Revision, facts: Facts | None) -> LastMade:
    """The newest commit up to a revision that reconcile made.

    One whose base is behind the end of the clone cannot be replayed, and is taken as it is: without
    it nothing could be compared at all.
    """
    doubted: list[str] = []
    while len(doubted) < MOST:
        commit = repository.last_reconciled(revision, len(doubted))
        if commit is None:
            break
        if judged(repository, facts, commit) is not False:
            return LastMade(commit, _told(doubted))
        doubted.append(commit)
    if not doubted:
        return LastMade(None)
    before = repository.made(doubted[-1]).parents
    return LastMade(before[0] if before else None, _told(doubted))


def _told(doubted: list[str]) -> tuple[Finding, ...]:
    return tuple(
        warning(
            "commit-unproven",
            Location("."),
            f"commit {commit[:12]} says that reconcile made it, but a plan of its base does not"
            " make its files: what it did to records counts as done by hand",
            f"git show --stat {commit[:12]}",
        )
        for commit in doubted
    )
