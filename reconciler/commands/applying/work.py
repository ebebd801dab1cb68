"""Read one cluster, plan it, and carry out the plan."""

import logging
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from msgspec import Struct
from msgspec.structs import replace

from reconciler.addresses import IPSet
from reconciler.clusters.elastic.model import Reading
from reconciler.clusters.elastic.reading import reading_for, uses
from reconciler.clusters.memory import Enrolled
from reconciler.clusters.metallb import NAMESPACE, told, written
from reconciler.clusters.options import ApplyOptions
from reconciler.clusters.outcome import Applied, State
from reconciler.clusters.plan import ClusterPlan, Progress, foreseen
from reconciler.clusters.plan_tenant import plan_tenant
from reconciler.clusters.resources import WHO_AM_I
from reconciler.clusters.snapshot import (
    Answer,
    Live,
    Objects,
    Query,
    Snapshot,
    Tolerates,
    Unanswered,
    live_of,
    objects_of,
)
from reconciler.clusters.steps import MakeNamespace
from reconciler.clusters.target import Target
from reconciler.commands.applying.cluster_identity import ClusterIdentity, identify, save
from reconciler.commands.applying.executor import Executor
from reconciler.model.resource import Ref, Resource
from reconciler.ports import (
    BugError,
    Cluster,
    ClusterError,
    IdentityError,
    NoSuchKindError,
    ReconcilerError,
    UnauthorizedError,
    UnreachableError,
)

Lists = Callable[[Resource], Objects]
"""All objects of a kind in a cluster."""


def read_and_plan(
    cluster: Cluster, plan: Callable[[Snapshot], ClusterPlan], lists: Lists | None = None
) -> ClusterPlan:
    """A plan, with all that it had to know.

    Args:
        cluster: What is read.
        plan: Makes the plan of what was read, or raises `Unanswered`.
        lists: All objects of a kind, where some were read before.

    Raises:
        ClusterError: Something that the plan needs cannot be read.
    """
    snapshot = Snapshot(now=cluster.now())
    while True:
        try:
            return plan(snapshot)
        except Unanswered as asked:
            answers = {query: answer(cluster, query, lists) for query in asked.queries}
        snapshot = snapshot.with_answers(answers, cluster.now())


def answer(cluster: Cluster, query: Query, lists: Lists | None = None) -> Answer:
    """What a cluster says to a question.

    Raises:
        ClusterError: It cannot be asked, or refuses what the query does not tolerate.
    """
    try:
        return Answer(_found(cluster, query, lists))
    except NoSuchKindError:
        return Answer(is_unknown=True)
    except UnreachableError:
        raise
    except ClusterError as failed:
        is_denied = isinstance(failed, UnauthorizedError)
        if query.tolerates is Tolerates.REFUSAL or (
            is_denied and query.tolerates is Tolerates.DENIAL
        ):
            return Answer(problem=str(failed))
        raise


def _found(cluster: Cluster, query: Query, lists: Lists | None) -> Objects:
    resource = query.resource
    if resource == WHO_AM_I:
        told = cluster.create({"apiVersion": resource.api_version, "kind": resource.kind})
        return {Ref(resource, "", ""): Live(Ref(resource, "", ""), told)}
    if query.name:
        found = cluster.get(Ref(resource, query.namespace, query.name))
        return {} if found is None else {(live := live_of(found)).ref: live}
    if lists is not None and not query.namespace and not query.fields:
        return lists(resource)
    found_here = cluster.list(resource, query.namespace, fields=query.fields).items
    return objects_of(found_here, resource)


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
    identity: ClusterIdentity
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
            self.identity.uid,
            self.run.revision if is_done else self.identity.inventory.revision,
            tuple(self.progress.outcomes),
            self.cluster.requests(),
            error if failure is None else str(failure),
            failure.hint if failure else "",
            (*notes, *self.progress.notes),
            is_bug=isinstance(failure, BugError),
        )


def worked(
    cluster: Cluster,
    identity: ClusterIdentity,
    run: Run,
    plan: Callable[[Snapshot], ClusterPlan],
    lists: Lists | None = None,
) -> Work:
    """Plan what is done in a cluster, do it, and write the inventory.

    A dry run ends with the plan: what it would do is what its steps lead to.

    Args:
        cluster: The cluster.
        identity: As it was recognised.
        run: What is applied.
        plan: Makes the plan of what was read.
        lists: All objects of a kind, where some were read before.
    """
    entries = identity.inventory.objects
    executor = Executor(cluster, run.revision, Progress(dict(entries)))
    work = Work(cluster, identity, run, executor.progress)
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
        save(work.cluster, work.identity, run.revision, work.progress.entries, run.options.root)
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


_PIECES = 100


def apply_tenant(
    cluster: Cluster,
    target: Target,
    known: Enrolled | None,
    claim: Callable[[ClusterIdentity], None],
    run: Run,
) -> tuple[Applied, Enrolled]:
    """Bring a tenant cluster to what it shall be.

    Args:
        cluster: The cluster.
        target: What it shall hold.
        known: What the management cluster remembers of it.
        claim: Refuses an identity that another cluster has, and a revision that is too old.
        run: What is applied.

    Returns:
        What was done, and what the management cluster shall remember.

    Raises:
        ClusterError: It cannot be asked, or is not the one that it was.
    """
    uid = known.uid if known else ""
    identity = identify(cluster, target.name, NAMESPACE, uid, accept=target.is_re_enrolled)
    claim(identity)

    read: Reading | None = None

    def plan(snapshot: Snapshot) -> ClusterPlan:
        nonlocal read
        read = reading_for(snapshot, identity.inventory.objects)
        return plan_tenant(target, snapshot, identity.inventory, run.options, identity.home)

    work = worked(cluster, identity, run, plan)
    found = _announced(work, target)
    applied = _with_rogues(work.applied(target.name), found - target.given())
    if read is not None:
        applied = replace(applied, uses=uses(target.records, read))
    announced = _kept(found, target)
    is_failed = (work.unsaved or work.failure) is not None
    revision = known.revision if known and is_failed else applied.revision
    spaces = target.spaces_of(announced, known.spaces if known else ())
    return applied, Enrolled(identity.uid, revision, spaces, written(announced))


def _with_rogues(applied: Applied, rogues: IPSet) -> Applied:
    """What is told of a cluster, with what it announces although no record gave it."""
    if not rogues:
        return applied
    note = f"rogue: it announces {told(rogues)}, which no record gave it; nobody is kept from that"
    return replace(applied, notes=(*applied.notes, note))


def _kept(found: IPSet, target: Target) -> IPSet:
    """What is remembered of all that a cluster announces: no more than it was ever given.

    A cluster that makes many small pieces of it is taken to announce all that it was given.
    """
    given = target.given()
    kept = found & given
    records = IPSet.of([*target.addresses(), *target.released])
    return kept if len(kept.ranges) <= len(records.ranges) + _PIECES else given


def _announced(work: Work, target: Target) -> IPSet:
    """What the cluster announces by us; where the work was not ended, all that it may."""
    if work.plan is not None and work.failure is None:
        return work.plan.announced(work.progress)
    if work.plan is not None:
        return work.plan.at_most
    # It was not even read: what it announced before, it announces still.
    return IPSet.of([*target.remembered, *target.addresses()])
