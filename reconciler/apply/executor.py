"""Execution of cluster plans."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from msgspec import Struct

from reconciler.apply.decision import Action, noted, status_to_apply
from reconciler.apply.inventory import Live, live_of, objects_of
from reconciler.apply.metallb import NAMESPACE, controller_time, state_error
from reconciler.apply.plan import WRITTEN, ObjectResult, Progress, foresee
from reconciler.apply.rights import is_established
from reconciler.apply.steps import (
    Apply,
    AwaitEstablished,
    AwaitPolicies,
    Confirm,
    Delete,
    Look,
    MakeNamespace,
    Own,
    Patch,
    Step,
    Tell,
    Try,
    applied,
    pruned,
)
from reconciler.kube.interface import Cluster
from reconciler.kube.resources import CONFIGURATION_STATE, desired_object, owned_by
from reconciler.model.errors import (
    ClusterError,
    NoSuchKindError,
    NoSuchObjectError,
    OwnedError,
    RejectedError,
    StaleError,
    UnauthorizedError,
    UnreachableError,
)
from reconciler.model.instant import format_instant
from reconciler.model.objects import (
    MANAGER,
    PART_MANAGER,
    STATUS_MANAGER,
    Manifest,
    Ref,
    owned_labels,
)

T = TypeVar("T")


def poll(
    cluster: Cluster, ask: Callable[[], T], is_so: Callable[[T], bool], *, every: float, times: int
) -> tuple[T, bool]:
    """Poll until a condition is true. Return the last answer, and whether it is.

    Args:
        cluster: The cluster, whose deadline applies.
        ask: Sends the request.
        is_so: The condition.
        every: Seconds between two requests.
        times: The maximum number of requests.

    Raises:
        UnreachableError: The deadline ends before.
    """
    said = ask()
    for _ in range(times - 1):
        if is_so(said):
            return said, True
        cluster.pause(every)
        said = ask()
    return said, is_so(said)


_ATTEMPTS = 5


class ObjectApplier(Struct, frozen=True):
    """Applies, patches, and deletes objects of one cluster.

    Attributes:
        revision: The revision, which is part of each body.
    """

    cluster: Cluster
    revision: str
    progress: Progress

    def apply(self, step: Apply) -> None:
        """Apply an object.

        Raises:
            UnreachableError: The cluster is unreachable.
            UnauthorizedError: The credentials are refused.
        """
        if step.unless_failed is not None and self.progress.has_failed(step.unless_failed):
            return
        step = self._anew(step, self.progress.live(step.ref, step.live))
        for attempt in range(_ATTEMPTS):
            try:
                self._bring(step)
            except (UnreachableError, UnauthorizedError):
                raise
            except StaleError as stale:
                if attempt < _ATTEMPTS - 1:
                    step = self._anew(step, self._read(step.ref))
                    continue
                self.progress.fail(str(step.ref), str(stale))
            except OwnedError as owned:
                self.progress.fail(str(step.ref), _owners(owned))
            except ClusterError as failed:
                self.progress.fail(str(step.ref), _said(failed))
            return

    def patch(self, step: Patch) -> None:
        """Set fields of an object of another owner.

        Raises:
            UnreachableError: The cluster is unreachable.
            UnauthorizedError: The credentials are refused.
        """
        if any(self.progress.has_failed(ref) for ref in step.rests_on):
            return
        if self._write(step.ref, step.manifest, PART_MANAGER, force=step.takes) is not None:
            foresee(self.progress, step)

    def own(self, step: Own) -> None:
        """Set the owners of an object of this run if all of them exist.

        Raises:
            UnreachableError: The cluster is unreachable.
            UnauthorizedError: The credentials are refused.
        """
        name, live = str(step.ref), self.progress.now.get(step.ref)
        owners = {ref: self.progress.live(ref, step.there.get(ref)) for ref, _ in step.owners}
        uids = {ref: owner.uid for ref, owner in owners.items() if owner is not None}
        body = step.desired.body
        if live is None or body is None or len(uids) < len(owners):
            return
        wanted = desired_object(owned_by(body, step.owners, uids))
        said = wanted.at(self.revision)
        said = {**said, "metadata": {**said["metadata"], "uid": live.uid}}
        if (now := self._write(step.ref, said, MANAGER, force=True)) is not None:
            self.progress.now[step.ref] = now
            self.progress.entries[name] = noted(wanted, now.uid, self.progress.entries.get(name))

    def _write(self, ref: Ref, manifest: Manifest, manager: str, *, force: bool) -> Live | None:
        """Return the object after a write; None, with the failure, if it could not be written."""
        try:
            return live_of(self.cluster.apply(manifest, manager, force=force))
        except (UnreachableError, UnauthorizedError):
            raise
        except OwnedError as owned:
            owners = "; ".join(f"{manager} owns {field}" for manager, field in owned.owners)
            self.progress.fail(str(ref), owners or str(owned))
        except ClusterError as failed:
            self.progress.fail(str(ref), _said(failed))
        return None

    def delete(self, step: Delete) -> None:
        """Delete an object if it still belongs to `ipam`.

        Raises:
            UnreachableError: The cluster is unreachable.
            UnauthorizedError: The credentials are refused.
        """
        ref, live = step.ref, self.progress.live(step.ref, step.live)
        now = pruned(ref, live, self.progress.entries.get(str(ref)))
        if not isinstance(now, Delete):
            foresee(self.progress, now)
            return
        live = now.live
        for attempt in range(_ATTEMPTS):
            try:
                self._remove(live)
            except (UnreachableError, UnauthorizedError):
                raise
            except ClusterError as failed:
                left = self._same(live) if isinstance(failed, StaleError) else None
                if left is not None and attempt < _ATTEMPTS - 1:
                    live = left
                    continue
                self.progress.fail(str(ref), _said(failed))
            else:
                self.progress.deleted(ref)
            return

    def _anew(self, step: Apply, live: Live | None) -> Apply:
        """Return the step for the current state of the object."""
        if live is step.live:
            return step
        entry = self.progress.entries.get(str(step.ref))
        after = step.unless_failed
        return applied(step.desired, live, entry, adopt=step.adopt, after=after)

    def _read(self, ref: Ref) -> Live | None:
        found = self.cluster.get(ref)
        self.progress.now[ref] = None if found is None else live_of(found)
        return self.progress.now[ref]

    def _bring(self, step: Apply) -> None:
        if step.decision.action in (Action.SKIP, Action.REFUSE):
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

    def _body(self, step: Apply) -> tuple[Live, ObjectResult, Manifest | None]:
        """Write the body if needed. Return the object and the status to apply."""
        action, live = step.decision.action, step.live
        if action is Action.KEEP and live is not None:
            return live, ObjectResult.UNCHANGED, step.status
        if action is Action.REPLACE and live is not None:
            self._remove(live)
        body = step.desired.at(self.revision)
        if action is Action.CONFIGURE and live is not None:
            # Replace only the object that was read, not another one of the same name.
            body = {**body, "metadata": {**body["metadata"], "uid": live.uid}}
        now = live_of(self.cluster.apply(body, MANAGER, force=step.decision.force))
        status = status_to_apply(step.desired, now, self.progress.entries.get(str(step.ref)))
        return (
            now,
            ObjectResult.CREATED if action is Action.CREATE else ObjectResult.CONFIGURED,
            status,
        )

    def _same(self, before: Live) -> Live | None:
        """Return the current object if only its status or metadata changed in the meantime.

        A changed spec can be the work of a newer run.
        """
        found = self.cluster.get(before.ref)
        live = None if found is None else live_of(found)
        is_same = live is not None and (live.uid, live.generation) == (
            before.uid,
            before.generation,
        )
        return live if is_same else None

    def _remove(self, live: Live) -> None:
        """Delete an object and wait until it is gone.

        Raises:
            ClusterError: A finalizer of another owner keeps it. It stays in the inventory.
        """
        own = live.ref.resource.finalizer
        if own in live.finalizers:
            others = [item for item in live.finalizers if item != own]
            version = {"resourceVersion": live.version, "uid": live.uid}
            self.cluster.merge(live.ref, {"metadata": {**version, "finalizers": others}}, MANAGER)
            self.cluster.delete(live.ref, live.uid)
        else:  # only if unchanged: a newer run may have given it addresses
            self.cluster.delete(live.ref, live.uid, live.version)
        found = self.cluster.get(live.ref) if live.finalizers else None
        left = None if found is None else live_of(found)
        if left is not None and left.uid == live.uid:
            held = ", ".join(left.finalizers or ("the server",))
            raise ClusterError(f"it is being deleted, held by {held}")


def _owners(owned: OwnedError) -> str:
    fields = "; ".join(f"{manager} owns {field}" for manager, field in owned.owners)
    return f"{fields or owned}; --adopt takes it over"


def _said(failed: ClusterError) -> str:
    return f"{failed}; {failed.hint}" if failed.hint else str(failed)


_ESTABLISHED_SECONDS = 60
_LATE = "MetalLB's controller has not confirmed the change yet"
_OLD_POLICIES = "the server does not go by the new admission policies yet"


class Executor:
    """Carries out steps in one cluster.

    Attributes:
        progress: The results so far.
        made: Namespaces that were created.
    """

    def __init__(self, cluster: Cluster, revision: str, progress: Progress) -> None:
        self.cluster = cluster
        self.progress = progress
        self.made: list[Ref] = []
        self._begun = cluster.now()
        self._done_before = 0
        objects = ObjectApplier(cluster, revision, self.progress)
        self._acts: Mapping[type, Callable[..., None]] = {
            Apply: objects.apply,
            Patch: objects.patch,
            Own: objects.own,
            Delete: objects.delete,
            MakeNamespace: self._make_namespace,
            AwaitEstablished: self._await_established,
            Look: self._look,
            Tell: self._tell,
            Confirm: self._confirm,
            AwaitPolicies: self._await_policies,
            Try: self._try,
        }

    def run(self, step: Step) -> None:
        """Carry out a step.

        Raises:
            ClusterError: The work on this cluster cannot continue.
        """
        act = self._acts.get(type(step), partial(foresee, self.progress))
        act(step)

    def _make_namespace(self, step: MakeNamespace) -> None:
        foresee(self.progress, step)
        metadata = {"name": step.ref.name, "labels": owned_labels()}
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
        self.cluster.apply(body, MANAGER)
        self.made.append(step.ref)

    def _await_established(self, step: AwaitEstablished) -> None:
        def is_served(live: Manifest | None) -> bool:
            return live is None or is_established(live)

        ask = partial(self.cluster.get, step.ref)
        _, is_so = poll(self.cluster, ask, is_served, every=0.2, times=_ESTABLISHED_SECONDS * 5)
        if not is_so:
            message = f"CRD {step.ref.name} is not established after {_ESTABLISHED_SECONDS} s"
            raise ClusterError(message)

    def _look(self, step: Look) -> None:
        try:
            found = self.cluster.list(step.resource, step.namespace).items
        except NoSuchKindError as missing:
            if not step.is_needed:
                return
            message, hint = f"no kind {step.resource.kind} there", "--crds installs the CRDs"
            raise ClusterError(message, hint) from missing
        self.progress.now |= objects_of(found, step.resource)

    def _tell(self, step: Tell) -> None:
        """Create an event. A failure is only noted, because the conditions contain the same."""
        live = self.progress.live(step.desired.ref, step.before)
        event = None if live is None else step.event(live, self.cluster.now())
        if event is None:
            return
        try:
            self.cluster.create(event)
        except StaleError:
            return  # an interrupted run created it
        except UnreachableError:
            raise
        except ClusterError as failed:
            self.progress.notes.append(f"an event was not made: {failed}")

    def _confirm(self, step: Confirm) -> None:
        outcomes = self.progress.outcomes[self._done_before :]
        is_written = any(item.result in WRITTEN for item in outcomes)
        since = format_instant(self._begun if step.is_last else self.cluster.now())

        def is_confirmed(states: Sequence[Manifest]) -> bool:
            seen = controller_time(states)
            return seen is None or seen >= since or (step.is_last and not is_written)

        def ask() -> Sequence[Manifest]:
            return self.cluster.list(CONFIGURATION_STATE, NAMESPACE).items

        try:
            states, is_so = poll(self.cluster, ask, is_confirmed, every=0.1, times=51)
        except NoSuchKindError:
            states, is_so = [], True  # MetalLB before 0.15.3 has no configuration state
        self.progress.notes += [] if is_so else [_LATE]
        self.progress.error = state_error(states)

    def _await_policies(self, step: AwaitPolicies) -> None:
        """Send empty patches, which write nothing and are judged like any write."""

        def goes() -> bool:
            try:
                self.cluster.merge(step.ref, {}, MANAGER)
            except NoSuchObjectError:
                return True
            except RejectedError:
                return False
            return True

        _, is_so = poll(self.cluster, goes, bool, every=0.1, times=100)
        self.progress.notes += [] if is_so else [_OLD_POLICIES]

    def _try(self, step: Try) -> None:
        try:
            for inner in step.steps if self.progress.may_try(step) else ():
                self.run(inner)
        except UnreachableError:
            raise
        except ClusterError as failed:
            self.progress.fail(step.name, str(failed))
        self._begun, self._done_before = self.cluster.now(), len(self.progress.outcomes)
