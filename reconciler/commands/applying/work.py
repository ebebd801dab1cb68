"""The work on a cluster from what was read to what is told of it: planned, carried out, saved."""

import logging
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from msgspec import Struct

from reconciler.clusters.options import ApplyOptions
from reconciler.clusters.outcome import Applied, State
from reconciler.clusters.plan import ClusterPlan
from reconciler.clusters.progress import Progress, foreseen
from reconciler.clusters.snapshot import Snapshot
from reconciler.clusters.steps import MakeNamespace
from reconciler.commands.applying.enrolment import Enrolment, save
from reconciler.commands.applying.executor import Executor
from reconciler.commands.applying.reading import Lists, read_and_plan
from reconciler.ports import (
    BugError,
    Cluster,
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
        ClusterError: This machine failed at the work on the cluster.
    """
    try:
        yield
    except ReconcilerError:
        raise
    except OSError as failed:
        raise ClusterError(f"this machine failed at it: {failed.strerror or failed}") from failed
    except MemoryError as failed:
        raise ClusterError("it takes more memory than there is") from failed
    except RecursionError as failed:
        raise ClusterError("what it holds is nested too deeply") from failed
    except Exception as bug:
        _log.debug("a bug", exc_info=bug)
        raise BugError(bug) from bug


class Run(Struct, frozen=True):
    """What is applied to all clusters.

    Attributes:
        options: What a person asks for.
        only: The clusters that are worked on; None for all.
    """

    revision: str
    options: ApplyOptions
    only: Container[str] | None = None


@dataclass(slots=True)
class Work:
    """The work on one cluster that was recognised.

    Attributes:
        plan: What was to be done; None when the cluster could not be read.
        failure: What ended it.
        unsaved: Why the inventory could not be written.
    """

    cluster: Cluster
    enrolment: Enrolment
    run: Run
    progress: Progress
    plan: ClusterPlan | None = None
    failure: ClusterError | None = None
    unsaved: ClusterError | None = None

    def applied(self, name: str) -> Applied:
        """What became of the cluster."""
        failure = self.unsaved or self.failure
        is_done = failure is None and not self.run.options.dry_run
        notes = self.plan.notes if self.plan is not None else ()
        error = self.progress.error or (self.plan.error if self.plan is not None else "")
        state = State.APPLIED if failure is None else state_of(failure)
        return Applied(
            name,
            State.FAILED if error and failure is None else state,
            self.enrolment.uid,
            self.run.revision if is_done else self.enrolment.inventory.revision,
            tuple(self.progress.outcomes),
            self.cluster.requests(),
            error if failure is None else str(failure),
            failure.hint if failure else "",
            (*notes, *self.progress.notes),
            is_bug=isinstance(failure, BugError),
        )


def worked(
    cluster: Cluster,
    enrolment: Enrolment,
    run: Run,
    plan: Callable[[Snapshot], ClusterPlan],
    lists: Lists | None = None,
) -> Work:
    """Plan what is done in a cluster, do it, and write the inventory.

    A dry run ends with the plan: what it would do is what its steps lead to.

    Args:
        cluster: The cluster.
        enrolment: As it was recognised.
        run: What is applied.
        plan: Makes the plan of what was read.
        lists: All objects of a kind, where some were read before.
    """
    entries = enrolment.inventory.objects
    executor = Executor(cluster, run.revision, Progress(dict(entries)))
    work = Work(cluster, enrolment, run, executor.progress)
    try:
        with contained():
            work.plan = read_and_plan(cluster, plan, lists)
            if run.options.dry_run:
                work.progress = foreseen(entries, work.plan.steps)
            else:
                for step in work.plan.steps:
                    executor.run(step)
            if work.plan.stop is not None:
                raise ClusterError(work.plan.stop.message, work.plan.stop.hint)
    except ClusterError as failed:
        work.failure = failed
    if work.plan is not None and not run.options.dry_run and _is_kept(work.plan, executor):
        work.unsaved = _saved(work)
    return work


def _is_kept(plan: ClusterPlan, executor: Executor) -> bool:
    """There is a place for the inventory by now."""
    made = [step.ref for step in plan.steps if isinstance(step, MakeNamespace)]
    return plan.keeps_inventory and made == executor.made


def _saved(work: Work) -> ClusterError | None:
    """Write the inventory; returns why that failed."""
    work.cluster.extend(LAST_SECONDS)
    try:
        run = work.run
        save(work.cluster, work.enrolment, run.revision, work.progress.entries, run.options.root)
    except ClusterError as failed:
        return failed
    return None


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
