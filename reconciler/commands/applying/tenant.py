"""One tenant cluster: recognised, planned, worked on, and what is to be remembered of it."""

from collections.abc import Callable

from msgspec.structs import replace

from reconciler.addresses import IPSet
from reconciler.clusters.elastic.model import Reading
from reconciler.clusters.elastic.reading import reading_for, uses
from reconciler.clusters.memory import Enrolled
from reconciler.clusters.metallb import NAMESPACE, told, written
from reconciler.clusters.outcome import Applied
from reconciler.clusters.plan import ClusterPlan
from reconciler.clusters.plan_tenant import plan_tenant
from reconciler.clusters.snapshot import Snapshot
from reconciler.clusters.target import Target
from reconciler.commands.applying.enrolment import Enrolment, enrol
from reconciler.commands.applying.work import Run, Work, worked
from reconciler.ports import Cluster

_PIECES = 100


def apply_tenant(
    cluster: Cluster,
    target: Target,
    known: Enrolled | None,
    claim: Callable[[Enrolment], None],
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
    enrolment = enrol(cluster, target.name, NAMESPACE, uid, accept=target.is_re_enrolled)
    claim(enrolment)

    read: Reading | None = None

    def plan(snapshot: Snapshot) -> ClusterPlan:
        nonlocal read
        read = reading_for(snapshot, enrolment.inventory.objects)
        return plan_tenant(target, snapshot, enrolment.inventory, run.options, enrolment.home)

    work = worked(cluster, enrolment, run, plan)
    found = _announced(work, target)
    applied = _with_rogues(work.applied(target.name), found - target.given())
    if read is not None:
        applied = replace(applied, uses=uses(target.records, read))
    announced = _kept(found, target)
    is_failed = (work.unsaved or work.failure) is not None
    revision = known.revision if known and is_failed else applied.revision
    spaces = target.spaces_of(announced, known.spaces if known else ())
    return applied, Enrolled(enrolment.uid, revision, spaces, written(announced))


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
