"""Work on one cluster."""

import logging
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from msgspec import Struct
from msgspec.structs import replace

from reconciler.addresses import IPSet
from reconciler.apply.cluster_identity import ClusterIdentity, identify, save
from reconciler.apply.elastic import ClusterReading
from reconciler.apply.elastic_services import reading_for, uses
from reconciler.apply.executor import Executor
from reconciler.apply.inventory import (
    ClusterAnswer,
    InventoryObjects,
    Live,
    Query,
    Snapshot,
    Tolerates,
    Unanswered,
    live_of,
    objects_of,
)
from reconciler.apply.memory import Enrolled
from reconciler.apply.metallb import NAMESPACE, describe, written
from reconciler.apply.plan import Applied, ClusterPlan, ClusterState, Progress, foreseen
from reconciler.apply.plan_tenant import plan_tenant
from reconciler.apply.steps import MakeNamespace
from reconciler.apply.target import ApplyOptions, Target
from reconciler.kube.interface import Cluster
from reconciler.model.errors import (
    BugError,
    ClusterError,
    IdentityError,
    NoSuchKindError,
    ReconcilerError,
    UnauthorizedError,
    UnreachableError,
)
from reconciler.model.objects import WHO_AM_I, Ref, Resource

ObjectLists = Callable[[Resource], InventoryObjects]
"""Return all objects of a kind in a cluster."""


def read_and_plan(
    cluster: Cluster, plan: Callable[[Snapshot], ClusterPlan], lists: ObjectLists | None = None
) -> ClusterPlan:
    """Return a plan and the snapshot that it is based on.

    Args:
        cluster: The cluster.
        plan: Makes the plan from a snapshot, or raises `Unanswered`.
        lists: Objects by kind that were listed before.

    Raises:
        ClusterError: An object that the plan needs cannot be read.
    """
    snapshot = Snapshot(now=cluster.now())
    while True:
        try:
            return plan(snapshot)
        except Unanswered as asked:
            answers = {query: answer(cluster, query, lists) for query in asked.queries}
        snapshot = snapshot.with_answers(answers, cluster.now())


def answer(cluster: Cluster, query: Query, lists: ObjectLists | None = None) -> ClusterAnswer:
    """Return the answer of a cluster to a query.

    Raises:
        ClusterError: The request fails in a way that the query does not tolerate.
    """
    try:
        return ClusterAnswer(_found(cluster, query, lists))
    except NoSuchKindError:
        return ClusterAnswer(is_unknown=True)
    except UnreachableError:
        raise
    except ClusterError as failed:
        is_denied = isinstance(failed, UnauthorizedError)
        if query.tolerates is Tolerates.REFUSAL or (
            is_denied and query.tolerates is Tolerates.DENIAL
        ):
            return ClusterAnswer(problem=str(failed))
        raise


def _found(cluster: Cluster, query: Query, lists: ObjectLists | None) -> InventoryObjects:
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
"""Seconds to save the inventory after the deadline. Without it, a long run would always start over.
"""

_log = logging.getLogger(__name__)


@contextmanager
def contained() -> Iterator[None]:
    """Turn exceptions into failures of one cluster, so that the others continue.

    Raises:
        BugError: The work raised an unexpected exception.
        ClusterError: This machine ran out of a resource.
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
    """One apply.

    Attributes:
        options: Options of the command.
        only: The clusters to apply to; None for all.
    """

    revision: str
    options: ApplyOptions
    only: Container[str] | None = None


@dataclass(slots=True)
class Work:
    """The work on one cluster.

    Attributes:
        plan: The plan; None if the cluster could not be read.
        failure: The error that stopped the work.
        unsaved: Why the inventory could not be saved.
    """

    cluster: Cluster
    identity: ClusterIdentity
    run: Run
    progress: Progress
    plan: ClusterPlan | None = None
    failure: ClusterError | None = None
    unsaved: ClusterError | None = None

    def applied(self, name: str) -> Applied:
        """Return the result of the cluster."""
        failure = self.unsaved or self.failure
        is_done = failure is None and not self.run.options.dry_run
        notes = self.plan.notes if self.plan is not None else ()
        error = self.progress.error or (self.plan.error if self.plan is not None else "")
        state = ClusterState.APPLIED if failure is None else state_of(failure)
        return Applied(
            name,
            ClusterState.FAILED if error and failure is None else state,
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
    lists: ObjectLists | None = None,
) -> Work:
    """Plan the changes of a cluster, make them, and save the inventory.

    A dry run stops after the plan.

    Args:
        cluster: The cluster.
        identity: The identity and inventory of the cluster.
        run: The apply.
        plan: Makes the plan from a snapshot.
        lists: Objects by kind that were listed before.
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
    """Return whether the namespace of the inventory exists."""
    made = [step.ref for step in plan.steps if isinstance(step, MakeNamespace)]
    return plan.keeps_inventory and made == executor.made


def _saved(work: Work) -> ClusterError | None:
    """Save the inventory. Return why that failed, or None."""
    work.cluster.extend(LAST_SECONDS)
    try:
        run = work.run
        save(work.cluster, work.identity, run.revision, work.progress.entries, run.options.root)
    except ClusterError as failed:
        return failed
    return None


def refused(name: str, failure: ClusterError, revision: str = "") -> Applied:
    """Return the result of a cluster that nothing could be applied to."""
    return Applied(
        name,
        state_of(failure),
        revision=revision,
        error=str(failure),
        hint=failure.hint,
        is_bug=isinstance(failure, BugError),
    )


def state_of(failure: ClusterError) -> ClusterState:
    """Return the state of a cluster after a failure."""
    match failure:
        case UnreachableError():
            return ClusterState.UNREACHABLE
        case IdentityError():
            return ClusterState.REFUSED
        case _:
            return ClusterState.FAILED


_PIECES = 100


def apply_tenant(
    cluster: Cluster,
    target: Target,
    known: Enrolled | None,
    claim: Callable[[ClusterIdentity], None],
    run: Run,
) -> tuple[Applied, Enrolled]:
    """Apply to a tenant cluster.

    Args:
        cluster: The cluster.
        target: The desired state.
        known: The entry of the registry.
        claim: Refuses the identity of another cluster, and a revision that is too old.
        run: The apply.

    Returns:
        The result, and the new entry of the registry.

    Raises:
        ClusterError: The cluster is unreachable, or its identity changed.
    """
    uid = known.uid if known else ""
    identity = identify(cluster, target.name, NAMESPACE, uid, accept=target.is_re_enrolled)
    claim(identity)

    read: ClusterReading | None = None

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
    """Return a note if the cluster announces addresses without a record."""
    if not rogues:
        return applied
    note = (
        f"rogue: it announces {describe(rogues)}, which no record gave it; nobody is kept from that"
    )
    return replace(applied, notes=(*applied.notes, note))


def _kept(found: IPSet, target: Target) -> IPSet:
    """Return the announced addresses for the registry, limited to those that records gave.

    If the cluster splits them into too many ranges, all given ranges are returned.
    """
    given = target.given()
    kept = found & given
    records = IPSet.of([*target.addresses(), *target.released])
    return kept if len(kept.ranges) <= len(records.ranges) + _PIECES else given


def _announced(work: Work, target: Target) -> IPSet:
    """Return the announced addresses of `ipam`; all possible ones if the work was interrupted."""
    if work.plan is not None and work.failure is None:
        return work.plan.announced(work.progress)
    if work.plan is not None:
        return work.plan.at_most
    # The cluster was not read: it still announces the same addresses.
    return IPSet.of([*target.remembered, *target.addresses()])
