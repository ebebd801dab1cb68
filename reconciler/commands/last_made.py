"""Which commit reconcile made last: the newest that says so, and that a replay bears out.

Whose trailer is not borne out is told, and what it did counts as done by people.
"""

from typing import NamedTuple

from reconciler.commands.replay import Outcome, judged, judged_before
from reconciler.findings import Finding, Location, warning
from reconciler.ports import Facts, GateError, Repository, Revision

# So many commits with a trailer are planned anew by one run, and so many are looked at, the newest
# first.
MOST_PLANNED, MOST = 16, 256


class LastMade(NamedTuple):
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


def last_made(repository: Repository, revision: Revision, facts: Facts | None) -> LastMade:
    """The newest commit up to a revision that reconcile made.

    One whose base is behind the end of the clone cannot be replayed, and is taken as it is: without
    it nothing could be compared at all.

    Raises:
        GateError: There are more that say so, and are not, than are asked. What was done before
            them cannot be told then, so nothing may follow.
    """
    doubted: list[str] = []
    planned = asked = 0
    while (commit := repository.last_reconciled(revision, len(doubted))) is not None:
        is_new = judged_before(facts, commit) is None
        outcome = judged(repository, facts, commit)
        if outcome in (Outcome.SAME, Outcome.NOT_HERE):
            return LastMade(commit, _told(doubted), outcome is Outcome.SAME)
        doubted.append(commit)
        planned += is_new and outcome is not Outcome.NOT_OURS
        asked += is_new
        if planned > MOST_PLANNED or asked > MOST:
            raise GateError(
                f"{len(doubted)} commits up to {doubted[0][:12]} say that reconcile made them, and"
                " did not: what people did to records before them is not known yet",
                "find out who pushed them (git log --grep Ipam-Plan); run it again with the same"
                " cache, and it goes on from here",
            )
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
