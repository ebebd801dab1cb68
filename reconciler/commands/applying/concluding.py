"""How the work on a cluster ends: saved, and told."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from reconciler.clusters.outcome import Applied, State
from reconciler.commands.applying.enrolment import Enrolment, save
from reconciler.commands.applying.ledger import Ledger
from reconciler.ports import (
    BugError,
    ClusterError,
    IdentityError,
    ReconcilerError,
    UnreachableError,
)

LAST_SECONDS = 10.0
"""For what was done to be remembered: without that a run that is too long begins anew for ever."""

_log = logging.getLogger(__name__)


@contextmanager
def contained() -> Iterator[None]:
    """Keep a bug of ours in the cluster that it was met in: the others are worked on all the same.

    Raises:
        BugError: In place of whatever is raised that is no failure of the world.
    """
    try:
        yield
    except (ReconcilerError, OSError):
        raise
    except Exception as bug:
        _log.debug("a bug", exc_info=bug)
        raise BugError(bug) from bug


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
        is_bug=isinstance(failure, BugError),
    )


def refused(name: str, failure: ClusterError, revision: str = "") -> Applied:
    """A cluster that nothing could be done in."""
    return Applied(
        name,
        state_of(failure),
        revision=revision,
        error=str(failure),
        hint=failure.hint,
        is_bug=isinstance(failure, BugError),
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
