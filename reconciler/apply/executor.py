"""Execution of cluster plans, and the work on one cluster."""

import logging
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor as Pool
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from reconciler.addresses import IPSet
from reconciler.apply import steps
from reconciler.apply.elastic import ClusterReading, reading_for, uses
from reconciler.apply.inventory import ClusterIdentity, Enrolled, save
from reconciler.apply.plan import ClusterPlan, Progress, foresee, foresee_all
from reconciler.apply.plan_tenant import plan_tenant
from reconciler.apply.rights import is_established
from reconciler.apply.snapshot import (
    Live,
    ObjectLists,
    Snapshot,
    live_of,
    objects_of,
    read_and_plan,
)
from reconciler.apply.targets import ApplyOptions, Target
from reconciler.kube.interface import Cluster
from reconciler.kube.resources import desired_object, owned_by, reading
from reconciler.loadbalancers import controller
from reconciler.loadbalancers.ranges import describe, written
from reconciler.model import errors, objects
from reconciler.model.applied import WRITTEN, Applied, ClusterState, ObjectResult
from reconciler.model.instant import format_instant
from reconciler.model.objects import MANAGER, STATUS_MANAGER, Manifest, Ref, Resource

_log = logging.getLogger(__name__)
_ATTEMPTS = 5


class ObjectApplier(Struct, frozen=True):
    """Changes objects. Failures are results, except UnreachableError and UnauthorizedError."""

    cluster: Cluster
    revision: str
    progress: Progress

    @contextmanager
    def _failing(self, ref: Ref, more: str = "") -> Iterator[None]:
        try:
            with reading(ref.resource.kind, ref.name):
                yield
        except (errors.UnreachableError, errors.UnauthorizedError):
            raise
        except errors.OwnedError as owned:
            fields = "; ".join(f"{manager} owns {field}" for manager, field in owned.owners)
            self.progress.fail(str(ref), f"{fields or owned}{more}")
        except errors.ClusterError as failed:
            error = f"{failed}; {failed.hint}" if failed.hint else str(failed)
            self.progress.fail(str(ref), error)

    def apply(self, step: steps.Apply) -> None:
        """Apply an object."""
        if self.progress.has_failed(step.unless_failed):
            return
        step = self._updated(step, self.progress.now.get(step.ref, step.live))
        with self._failing(step.ref, "; use --adopt to take it over"):
            for _ in range(_ATTEMPTS - 1):
                try:
                    self._write(step)
                except errors.StaleError:
                    self.progress.now[step.ref] = live = self._get(step.ref)
                    step = self._updated(step, live)
                else:
                    return
            self._write(step)

    def patch(self, step: steps.Patch) -> None:
        """Set fields of an object of another owner."""
        if self.progress.has_failed(*step.rests_on):
            return
        with self._failing(step.ref):
            self.cluster.apply(step.manifest, objects.PART_MANAGER, force=step.takes)
            foresee(self.progress, step)

    def own(self, step: steps.Own) -> None:
        """Set the owners of an object of this run if all of them exist."""
        ref = step.desired.ref
        live = self.progress.now.get(ref)
        owners = {it: self.progress.now.get(it, step.there.get(it)) for it, _ in step.owners}
        uids = {it: owner.uid for it, owner in owners.items() if owner is not None}
        if live is None or step.desired.body is None or len(uids) < len(owners):
            return
        wanted = desired_object(owned_by(step.desired.body, step.owners, uids))
        with self._failing(ref):
            body = _with_uid(wanted.at(self.revision), live)
            now = live_of(self.cluster.apply(body, MANAGER, force=True))
            self.progress.now[ref] = now
            entry = self.progress.entries.get(str(ref))
            self.progress.entries[str(ref)] = steps.noted(wanted, now.uid, entry)

    def delete(self, step: steps.Delete) -> None:
        """Delete an object if it still belongs to `ipam`."""
        ref = step.live.ref
        live = self.progress.now.get(ref, step.live)
        now = steps.pruned(ref, live, self.progress.entries.get(str(ref)))
        if not isinstance(now, steps.Delete):
            foresee(self.progress, now)
            return
        live = now.live
        with self._failing(ref):
            for _ in range(_ATTEMPTS - 1):
                try:
                    self._remove(live)
                    break
                except errors.StaleError:
                    left = self._get(ref)
                    # A changed spec can be the work of a newer run.
                    before = live.uid, live.generation
                    if left is None or (left.uid, left.generation) != before:
                        raise
                    live = left
            else:
                self._remove(live)
            self.progress.deleted(ref)

    def _updated(self, step: steps.Apply, live: Live | None) -> steps.Apply:
        if live is step.live:
            return step
        entry = self.progress.entries.get(str(step.ref))
        after = step.unless_failed
        return steps.applied(step.desired, live, entry, adopt=step.adopt, after=after)

    def _get(self, ref: Ref) -> Live | None:
        found = self.cluster.get(ref)
        return None if found is None else live_of(found)

    def _write(self, step: steps.Apply) -> None:
        if step.decision.action in (steps.Action.SKIP, steps.Action.REFUSE):
            foresee(self.progress, step)
            return
        now, result, status = self._body(step)
        if status is not None:
            force = step.desired.body is not None or step.adopt
            now = live_of(self.cluster.apply(status, STATUS_MANAGER, force=force, status=True))
            result = ObjectResult.CONFIGURED if result is ObjectResult.UNCHANGED else result
        if now is not step.live:
            self.progress.now[step.ref] = now
        self.progress.applied(step, now.uid, result)

    def _body(self, step: steps.Apply) -> tuple[Live, ObjectResult, Manifest | None]:
        action, live = step.decision.action, step.live
        if action is steps.Action.KEEP and live is not None:
            return live, ObjectResult.UNCHANGED, step.status
        if action is steps.Action.REPLACE and live is not None:
            self._remove(live)
        body = step.desired.at(self.revision)
        if action is steps.Action.CONFIGURE and live is not None:
            body = _with_uid(body, live)
        now = live_of(self.cluster.apply(body, MANAGER, force=step.decision.force))
        status = steps.status_to_apply(step.desired, now, self.progress.entries.get(str(step.ref)))
        is_new = action is steps.Action.CREATE
        return now, ObjectResult.CREATED if is_new else ObjectResult.CONFIGURED, status

    def _remove(self, live: Live) -> None:
        own = live.ref.resource.finalizer
        if own in live.finalizers:
            others = [item for item in live.finalizers if item != own]
            version = {"resourceVersion": live.version, "uid": live.uid}
            self.cluster.merge(live.ref, {"metadata": {**version, "finalizers": others}}, MANAGER)
            self.cluster.delete(live.ref, live.uid)
        else:  # only if unchanged: a newer run may have given it addresses
            self.cluster.delete(live.ref, live.uid, live.version)
        left = self._get(live.ref) if live.finalizers else None
        if left is not None and left.uid == live.uid:
            held = ", ".join(left.finalizers or ("the server",))
            raise errors.ClusterError(f"the object is being deleted, held by {held}")


def _with_uid(body: Manifest, live: Live) -> Manifest:
    return {**body, "metadata": {**body["metadata"], "uid": live.uid}}


_ESTABLISHED_SECONDS = 60


class Executor:
    """Carries out steps in one cluster."""

    def __init__(self, cluster: Cluster, revision: str, progress: Progress) -> None:
        self.cluster = cluster
        self.progress = progress
        self.made: list[Ref] = []
        self._begun = cluster.now()
        self._done_before = 0
        applier = ObjectApplier(cluster, revision, self.progress)
        self._acts: Mapping[type, Callable[..., None]] = {
            steps.Apply: applier.apply,
            steps.Patch: applier.patch,
            steps.Own: applier.own,
            steps.Delete: applier.delete,
            steps.MakeNamespace: self._make_namespace,
            steps.AwaitEstablished: self._await_established,
            steps.Look: self._look,
            steps.CreateEvent: self._create_event,
            steps.Confirm: self._confirm,
            steps.AwaitPolicies: self._await_policies,
            steps.Try: self._try,
        }

    def run(self, step: steps.Step) -> None:
        """Carry out a step, or raise ClusterError if the work on this cluster cannot continue."""
        self._acts.get(type(step), partial(foresee, self.progress))(step)

    def run_all(self, plan: ClusterPlan) -> None:
        """Carry out steps in order; with several writers, objects of one kind at once."""
        for kind, group in groupby(plan.steps, _kind):
            by_object: dict[Ref | None, list[steps.Step]] = {}
            for step in group:
                by_object.setdefault(_object(step), []).append(step)
            before = len(self.progress.outcomes)
            with threads(plan.writers if kind else 1) as pool:
                for done in [pool.submit(list, map(self.run, it)) for it in by_object.values()]:
                    done.result()
            order = {str(ref): at for at, ref in enumerate(by_object)}
            made = self.progress.outcomes[before:]
            self.progress.outcomes[before:] = sorted(made, key=lambda it: order.get(it.object, 0))

    def _poll(self, is_so: Callable[[], bool], *, every: float, times: int) -> bool:
        for _ in range(times - 1):
            if is_so():
                return True
            self.cluster.pause(every)
        return is_so()

    def _make_namespace(self, step: steps.MakeNamespace) -> None:
        foresee(self.progress, step)
        metadata = {"name": step.ref.name, "labels": objects.owned_labels()}
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
        self.cluster.apply(body, MANAGER)
        self.made.append(step.ref)

    def _await_established(self, step: steps.AwaitEstablished) -> None:
        def is_served() -> bool:
            live = self.cluster.get(step.ref)
            return live is None or is_established(live)

        if not self._poll(is_served, every=0.2, times=_ESTABLISHED_SECONDS * 5):
            message = f"CRD {step.ref.name} is not established after {_ESTABLISHED_SECONDS} s"
            raise errors.ClusterError(message)

    def _look(self, step: steps.Look) -> None:
        try:
            found = self.cluster.list(step.resource, step.namespace).items
        except errors.NoSuchKindError as missing:
            message, hint = (
                f"kind {step.resource.kind} is not installed",
                "use --crds to install the CRDs",
            )
            raise errors.ClusterError(message, hint) from missing
        self.progress.now |= objects_of(found, step.resource)

    def _create_event(self, step: steps.CreateEvent) -> None:
        live = self.progress.now.get(step.desired.ref, step.before)
        event = None if live is None else step.event(live, self.cluster.now())
        try:
            if event is not None:
                with suppress(errors.StaleError):  # an interrupted run created it
                    self.cluster.create(event)
        except errors.UnreachableError:
            raise
        except errors.ClusterError as failed:
            self.progress.notes.append(f"an Event was not created: {failed}")

    def _confirm(self, step: steps.Confirm) -> None:
        outcomes = self.progress.outcomes[self._done_before :]
        is_written = any(item.result in WRITTEN for item in outcomes)
        since = format_instant(self._begun if step.is_last else self.cluster.now())

        balancer = controller(step.controller)
        if (state := balancer.state) is None:
            return

        def is_confirmed() -> bool:
            states = self.cluster.list(state, step.namespace).items
            self.progress.error = balancer.state_error(states)
            seen = balancer.read_at(states)
            return seen is None or seen >= since or (step.is_last and not is_written)

        self.progress.error = ""
        with suppress(errors.NoSuchKindError):  # an older controller has no configuration state
            if not self._poll(is_confirmed, every=0.1, times=51):
                self.progress.notes.append(
                    f"{balancer.name}'s controller has not confirmed the change yet"
                )

    def _await_policies(self, step: steps.AwaitPolicies) -> None:
        def is_allowed() -> bool:
            with suppress(errors.NoSuchObjectError):
                try:
                    self.cluster.merge(step.ref, {}, MANAGER)
                except errors.RejectedError:
                    return False
            return True

        if not self._poll(is_allowed, every=0.1, times=100):
            self.progress.notes.append(
                "the server has not activated the new admission policies yet"
            )

    def _try(self, step: steps.Try) -> None:
        try:
            for inner in self.progress.steps_of(step):
                self.run(inner)
        except errors.UnreachableError:
            raise
        except errors.ClusterError as failed:
            self.progress.fail(step.name, str(failed))
        self._begun, self._done_before = self.cluster.now(), len(self.progress.outcomes)


def _object(step: steps.Step) -> Ref | None:
    match step:
        case steps.Apply() | steps.Patch():
            return step.ref
        case steps.Own() | steps.CreateEvent():
            return step.desired.ref
    return None


def _kind(step: steps.Step) -> Resource | None:
    ref = _object(step)
    return ref.resource if ref else None


@contextmanager
def threads(count: int) -> Iterator[Pool]:
    """Yield a thread pool. If the block fails, work that has not started is canceled."""
    with ThreadPoolExecutor(count) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


LAST_SECONDS = 10.0
"""Seconds to save the inventory after the deadline. Without it, a long run would always start over.
"""


@contextmanager
def contained() -> Iterator[None]:
    """Turn exceptions into ClusterErrors, so that other clusters continue."""
    try:
        yield
    except errors.ReconcilerError:
        raise
    except OSError as failed:
        raise errors.ClusterError(f"local error: {failed.strerror or failed}") from failed
    except MemoryError as failed:
        raise errors.ClusterError("this machine has too little memory") from failed
    except Exception as bug:
        _log.debug("a bug", exc_info=bug)
        raise errors.BugError(bug) from bug


class Run(Struct, frozen=True):
    """One apply of a revision."""

    revision: str
    options: ApplyOptions


@dataclass(slots=True)
class Work:
    """The work on one cluster."""

    cluster: Cluster
    identity: ClusterIdentity
    run: Run
    progress: Progress
    plan: ClusterPlan | None = None
    failure: errors.ClusterError | None = None
    unsaved: errors.ClusterError | None = None

    def applied(self, name: str) -> Applied:
        """Return the result of the cluster."""
        failure = self.unsaved or self.failure
        is_done = failure is None and not self.run.options.dry_run
        notes = self.plan.notes if self.plan is not None else ()
        revision = self.run.revision if is_done else self.identity.inventory.revision
        error = self.progress.error or (self.plan.error if self.plan is not None else "")
        state = ClusterState.FAILED if error else ClusterState.APPLIED
        found = Applied(name, state, error=error) if failure is None else refused(name, failure)
        return replace(
            found,
            uid=self.identity.uid,
            revision=revision,
            outcomes=tuple(self.progress.outcomes),
            requests=self.cluster.requests(),
            notes=(*notes, *self.progress.notes),
        )


def worked(
    cluster: Cluster,
    identity: ClusterIdentity,
    run: Run,
    plan: Callable[[Snapshot], ClusterPlan],
    lists: ObjectLists | None = None,
) -> Work:
    """Plan the changes of a cluster, make them unless it is a dry run, and save the inventory."""
    entries = identity.inventory.objects
    executor = Executor(cluster, run.revision, Progress(dict(entries)))
    work = Work(cluster, identity, run, executor.progress)
    try:
        with contained():
            work.plan = read_and_plan(cluster, plan, lists)
            if run.options.dry_run:
                work.progress = foresee_all(Progress(dict(entries)), work.plan.steps)
            else:
                executor.run_all(work.plan)
            if work.plan.stop is not None:
                raise work.plan.stop
    except errors.ClusterError as failed:
        work.failure = failed
    if work.plan is None or run.options.dry_run or not work.plan.keeps_inventory:
        return work
    # The inventory can be saved if its namespace exists.
    if executor.made == [it.ref for it in work.plan.steps if isinstance(it, steps.MakeNamespace)]:
        cluster.extend(LAST_SECONDS)
        try:
            save(cluster, identity, run.revision, work.progress.entries, run.options.root)
        except errors.ClusterError as failed:
            work.unsaved = failed
    return work


def refused(name: str, failure: errors.ClusterError, revision: str = "") -> Applied:
    """Return the result of a cluster that nothing could be applied to."""
    state = ClusterState.FAILED
    if isinstance(failure, errors.UnreachableError):
        state = ClusterState.UNREACHABLE
    elif isinstance(failure, errors.IdentityError):
        state = ClusterState.REFUSED
    found = Applied(name, state, revision=revision, error=str(failure), hint=failure.hint)
    return replace(found, is_bug=isinstance(failure, errors.BugError))


_PIECES = 100


def apply_tenant(
    cluster: Cluster, target: Target, known: Enrolled | None, identity: ClusterIdentity, run: Run
) -> tuple[Applied, Enrolled]:
    """Apply to a tenant cluster. Return its registry entry."""
    read: ClusterReading | None = None

    def plan(snapshot: Snapshot) -> ClusterPlan:
        nonlocal read
        entries = identity.inventory.objects
        read = reading_for(snapshot, entries, target.balancer, target.home)
        return plan_tenant(target, snapshot, identity.inventory, run.options, identity.home)

    work = worked(cluster, identity, run, plan)
    found, given = _announced(work, target), target.given()
    result = work.applied(target.name)
    if rogues := found - given:
        note = f"announces {describe(rogues)}, which no record assigns to this cluster"
        result = replace(result, notes=(*result.notes, f"{note}; ipam does not prevent this"))
    if read is not None:
        result = replace(result, uses=uses(target.records, read))
    kept = found & given
    records = IPSet.of([*target.addresses(), *target.released])
    # If the cluster splits its ranges into too many, the registry gets all given ranges.
    announced = kept if len(kept.ranges) <= len(records.ranges) + _PIECES else given
    is_failed = (work.unsaved or work.failure) is not None
    revision = known.revision if known and is_failed else result.revision
    spaces = target.spaces_of(announced, known.spaces if known else ())
    return result, Enrolled(identity.uid, revision, spaces, written(announced))


def _announced(work: Work, target: Target) -> IPSet:
    if work.plan is not None and work.failure is None:
        return work.plan.announced(work.progress)
    if work.plan is not None:
        return work.plan.at_most
    # The cluster was not read: it still announces the same addresses.
    return IPSet.of([*target.remembered, *target.addresses()])
