"""Rounds of a daemon for an observer, from small trees."""

from reconciler.daemon.observer import RoundDone, RoundResult
from reconciler.gitio.interface import Revision
from reconciler.model.applied import Applied, ClusterState, ObjectOutcome
from reconciler.model.errors import ExitCode, GitError
from reconciler.planning.evaluate import Evaluation, let_pass
from reconciler.reconcile.reconcile import Reconciled, Round
from reconciler.reconcile.writing import Planned, RunCommit
from tests.world import CLOCK, evaluation_of, reconciled

Files = dict[str, str | bytes]
MANAGEMENT = Applied("management", ClusterState.APPLIED)


def done(
    evaluation: Evaluation | Files,
    *applied: Applied,
    ending: RoundResult = RoundResult.OK,
    committed: bool = True,
    seconds: float = 0.2,
    since: float = 1.5,
) -> RoundDone:
    """A round that read a tree, and committed its plan."""
    found = evaluation_of(evaluation) if isinstance(evaluation, dict) else evaluation
    base = Revision("a" * 40, CLOCK)
    head = Revision("b" * 40, CLOCK + 1) if committed else None
    parts = (
        (RunCommit(Planned(base, found), let_pass(found), head, "allocate 1"),) if committed else ()
    )
    made = Reconciled(base, head, 1, found, ExitCode.OK, parts)
    after = reconciled(evaluation) if isinstance(evaluation, dict) and committed else None
    return RoundDone(
        1,
        ["git"],
        None,
        seconds,
        since,
        ending,
        0,
        [Round(made, list(applied) or None)],
        head=found if after is None else evaluation_of(after),
    )


def failed(error: str = "the remote is not there") -> RoundDone:
    return RoundDone(1, ["git"], None, 0.1, 0.1, RoundResult.FAILED, 4, (), GitError(error))


def applied(
    name: str, *outcomes: ObjectOutcome, state: ClusterState = ClusterState.APPLIED
) -> Applied:
    return Applied(name, state, outcomes=outcomes)
