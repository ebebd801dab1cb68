"""Write one object of a cluster, or take it away, when others may change it meanwhile.

An object that is not as the plan saw it is planned again, by the function that planned it first.
"""

from msgspec import Struct

from reconciler.clusters.decision import Action, noted, status_to_apply
from reconciler.clusters.desired import MANAGER, STATUS_MANAGER, desired_object, owned_by
from reconciler.clusters.outcome import Result
from reconciler.clusters.progress import Progress, foresee
from reconciler.clusters.snapshot import Live, live_of
from reconciler.clusters.steps import Apply, Delete, Own, Patch, applied, pruned
from reconciler.model.marks import PART_MANAGER
from reconciler.model.resource import Manifest, Ref
from reconciler.ports import (
    Cluster,
    ClusterError,
    OwnedError,
    StaleError,
    UnauthorizedError,
    UnreachableError,
)

_ATTEMPTS = 5


class ObjectApplier(Struct, frozen=True):
    """Objects of one cluster.

    Attributes:
        revision: What is applied; each body names it.
    """

    cluster: Cluster
    revision: str
    progress: Progress

    def apply(self, step: Apply) -> None:
        """Bring an object to what it shall be.

        Raises:
            UnreachableError: Nothing more can be done in this cluster.
            UnauthorizedError: As well.
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
        """Write some fields of an object that belongs to others.

        Raises:
            UnreachableError: Nothing more can be done in this cluster.
            UnauthorizedError: As well.
        """
        if any(self.progress.has_failed(ref) for ref in step.rests_on):
            return
        if self._write(step.ref, step.manifest, PART_MANAGER, force=step.takes) is not None:
            foresee(self.progress, step)

    def own(self, step: Own) -> None:
        """Name the owners of an object that this run made, if they are all there by now.

        Raises:
            UnreachableError: Nothing more can be done in this cluster.
            UnauthorizedError: As well.
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
        """The object as it is then; None, and why, where it could not be written."""
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
        """Take away an object of ours, if it still is.

        Raises:
            UnreachableError: Nothing more can be done in this cluster.
            UnauthorizedError: As well.
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
        """The step for the object as it is by now."""
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
            result = Result.CONFIGURED if result is Result.UNCHANGED else result
        if now is not step.live:
            self.progress.now[step.ref] = now
        self.progress.applied(step, now.uid, result)

    def _body(self, step: Apply) -> tuple[Live, Result, Manifest | None]:
        """Write the body where that is the step; what the object is then, and its status to write."""
        action, live = step.decision.action, step.live
        if action is Action.KEEP and live is not None:
            return live, Result.UNCHANGED, step.status
        if action is Action.REPLACE and live is not None:
            self._remove(live)
        body = step.desired.at(self.revision)
        if action is Action.CONFIGURE and live is not None:
            # Only the object that was read: not another one that got its name meanwhile.
            body = {**body, "metadata": {**body["metadata"], "uid": live.uid}}
        now = live_of(self.cluster.apply(body, MANAGER, force=step.decision.force))
        status = status_to_apply(step.desired, now, self.progress.entries.get(str(step.ref)))
        return now, Result.CREATED if action is Action.CREATE else Result.CONFIGURED, status

    def _same(self, before: Live) -> Live | None:
        """The object as it is by now, when only its status or marks were changed meanwhile.

        One whose spec is another may have been given addresses by a run that knows more.
        """
        found = self.cluster.get(before.ref)
        live = None if found is None else live_of(found)
        is_same = live is not None and (live.uid, live.generation) == (
            before.uid,
            before.generation,
        )
        return live if is_same else None

    def _remove(self, live: Live) -> None:
        """Delete an object and see it gone.

        Raises:
            ClusterError: A finalizer of somebody else holds it. It stays in the inventory.
        """
        own = live.ref.resource.finalizer
        if own in live.finalizers:
            others = [item for item in live.finalizers if item != own]
            version = {"resourceVersion": live.version, "uid": live.uid}
            self.cluster.merge(live.ref, {"metadata": {**version, "finalizers": others}}, MANAGER)
            self.cluster.delete(live.ref, live.uid)
        else:  # just as it was read: a newer run may have given it addresses since
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
