"""How the work on a cluster ends: saved, and told."""

from collections.abc import Sequence

from reconciler.clusters.outcome import Applied, State
from reconciler.commands.applying.enrolment import Enrolment, save
from reconciler.commands.applying.ledger import Ledger
from reconciler.ports import ClusterError, IdentityError, UnreachableError

LAST_SECONDS = 10.0
"""For what was done to be remembered: without that a run that is too long begins anew for ever."""


def saved(ledger: Ledger, enrolment: Enrolment) -> ClusterError | None:
    """Write the inventory; returns why that failed. A dry run writes nothing."""
    if ledger.wish.dry_run:
        return None
    ledger.cluster.extend(LAST_SECONDS)
    try:
        save(ledger.cluster, enrolment, ledger.revision, ledger.entries)
    except ClusterError as failed:
        return failed
    return None


def concluded(
    name: str,
    enrolment: Enrolment,
    ledger: Ledger,
    failure: ClusterError | None,
    notes: Sequence[str],
) -> Applied:
    """What was done in a cluster that was recognised."""
    old = enrolment.inventory.revision
    return Applied(
        name,
        State.APPLIED if failure is None else state_of(failure),
        enrolment.uid,
        ledger.revision if failure is None and not ledger.wish.dry_run else old,
        tuple(ledger.outcomes),
        ledger.cluster.requests(),
        str(failure or ""),
        failure.hint if failure else "",
        tuple(notes),
    )


def refused(name: str, failure: ClusterError, revision: str = "") -> Applied:
    """A cluster that nothing could be done in."""
    return Applied(
        name, state_of(failure), revision=revision, error=str(failure), hint=failure.hint
    )


def state_of(failure: ClusterError) -> State:
    """The state that a failure leaves a cluster in."""
    match failure:
        case UnreachableError():
            return State.UNREACHABLE
        case IdentityError():
            return State.REFUSED
        case _:
            return State.FAILED
