"""Bring the objects of one cluster to their intents, and keep account of what was done."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from reconciler.clusters.difference import Drift
from reconciler.clusters.intent import MANAGER, OWNER_LABEL, STATUS_MANAGER, Intent
from reconciler.clusters.inventory import Entry
from reconciler.clusters.outcome import Outcome, Result
from reconciler.clusters.resources import ref_of
from reconciler.clusters.steps import Action, Step, decide, noted, status_to_apply
from reconciler.commands.applying.wish import Wish
from reconciler.model.resource import Manifest, Ref, Resource
from reconciler.ports import (
    Cluster,
    ClusterError,
    OwnedError,
    StaleError,
    UnauthorizedError,
    UnreachableError,
)

_ATTEMPTS = 5


def listed(manifests: Iterable[Manifest], resource: Resource) -> dict[Ref, Manifest]:
    """Objects of a list by reference. Items of a list do not repeat their kind."""
    kind = {"apiVersion": resource.api_version, "kind": resource.kind}
    whole = ({**manifest, **kind} for manifest in manifests)
    return {ref_of(manifest): manifest for manifest in whole}


@dataclass(slots=True)
class Ledger:
    """One cluster while it is worked on.

    Attributes:
        entries: The inventory's objects as they are becoming.
        outcomes: What was done, in order.
    """

    cluster: Cluster
    revision: str
    wish: Wish
    entries: dict[str, Entry]
    outcomes: list[Outcome] = field(default_factory=list)

    def bring(self, intent: Intent, live: Manifest | None) -> Manifest | None:
        """Bring one object to its intent; returns what it is then.

        Raises:
            UnreachableError: Nothing more can be done in this cluster.
            UnauthorizedError: As well.
        """
        name = str(intent.ref)
        for attempt in range(_ATTEMPTS):
            try:
                return self._bring(intent, live)
            except (UnreachableError, UnauthorizedError):
                raise
            except StaleError as stale:
                if attempt == _ATTEMPTS - 1:
                    self.fail(name, str(stale))
                    return live
                live = self.cluster.get(intent.ref)
            except OwnedError as owned:
                self.fail(name, _owners(owned))
                return live
            except ClusterError as failed:
                self.fail(name, _said(failed))
                return live
        return live

    @property
    def is_changed(self) -> bool:
        """Something was written, or would be."""
        written = (Result.CREATED, Result.CONFIGURED, Result.DELETED)
        return any(outcome.result in written for outcome in self.outcomes)

    def fail(self, name: str, error: str, drift: Drift | None = None) -> None:
        """Note that an object is not as it shall be, and what somebody changed of it."""
        self.outcomes.append(Outcome(name, Result.FAILED, drift, error))

    def _bring(self, intent: Intent, live: Manifest | None) -> Manifest | None:
        name = str(intent.ref)
        entry = self.entries.get(name)
        step = decide(intent, live, entry, adopt=self.wish.adopt)
        if step.action is Action.SKIP:
            return None
        if step.action is Action.REFUSE:
            self.fail(name, f"{step.reason}; {_MENDS[live is not None and _dies(live)]}")
            return live
        if self.wish.dry_run:
            return self._foresee(intent, live, step)
        now, result = self._write(intent, live, step)
        status = status_to_apply(intent, now, entry)
        if status is not None:
            force = intent.body is not None or self.wish.adopt
            now = self.cluster.apply(status, STATUS_MANAGER, force=force, status=True)
            result = Result.CONFIGURED if result is Result.UNCHANGED else result
        self.entries[name] = noted(intent, now, entry)
        self.outcomes.append(Outcome(name, result, step.drift))
        return now

    def _write(self, intent: Intent, live: Manifest | None, step: Step) -> tuple[Manifest, Result]:
        if step.action is Action.KEEP and live is not None:
            return live, Result.UNCHANGED
        if step.action is Action.REPLACE and live is not None:
            self._remove(intent.ref, live)
        body = intent.at(self.revision)
        if step.action is Action.CONFIGURE and live is not None:
            # Only the object that was read: not another one that got its name meanwhile.
            body = {**body, "metadata": {**body["metadata"], "uid": live["metadata"]["uid"]}}
        now = self.cluster.apply(body, MANAGER, force=step.force)
        return now, Result.CREATED if step.action is Action.CREATE else Result.CONFIGURED

    def _foresee(self, intent: Intent, live: Manifest | None, step: Step) -> Manifest | None:
        """What a run that writes would do."""
        name = str(intent.ref)
        result = {
            Action.CREATE: Result.CREATED,
            Action.CONFIGURE: Result.CONFIGURED,
            Action.REPLACE: Result.CONFIGURED,
        }.get(step.action, Result.UNCHANGED)
        if live is not None and result is Result.UNCHANGED:
            status = status_to_apply(intent, live, self.entries.get(name))
            result = Result.UNCHANGED if status is None else Result.CONFIGURED
        self.outcomes.append(Outcome(name, result, step.drift))
        return live

    def prune(self, ref: Ref, live: Manifest | None) -> None:
        """Take away an object that nothing asks for any more, if it is the one that we made."""
        name = str(ref)
        entry = self.entries[name]
        if live is None or live["metadata"]["uid"] != entry.uid or entry.is_status_only:
            # Somebody else's object, or gone: there is nothing of ours to take away.
            self.entries.pop(name)
            return
        if not _is_labelled(live):
            self.fail(name, f"it shall go, but its label {OWNER_LABEL} was taken off; delete it")
        elif self.wish.dry_run:
            self.outcomes.append(Outcome(name, Result.DELETED))
        else:
            self._delete(ref, live)

    def _delete(self, ref: Ref, live: Manifest) -> None:
        """Delete an object of ours, which may be changed by others meanwhile."""
        name = str(ref)
        for attempt in range(_ATTEMPTS):
            try:
                self._remove(ref, live)
            except (UnreachableError, UnauthorizedError):
                raise
            except ClusterError as failed:
                now = self._anew(ref, live, failed)
                if now is None or attempt == _ATTEMPTS - 1:
                    self.fail(name, _said(failed))
                    return
                live = now
            else:
                self.entries.pop(name)
                self.outcomes.append(Outcome(name, Result.DELETED))
                return

    def _anew(self, ref: Ref, before: Manifest, failed: ClusterError) -> Manifest | None:
        """The object as it is by now, when only its status or marks were changed meanwhile.

        One whose spec is another may have been given addresses by a run that knows more.
        """
        live = self.cluster.get(ref) if isinstance(failed, StaleError) else None
        if live is None:
            return None
        same = ("uid", "generation")
        is_same = all(live["metadata"].get(key) == before["metadata"].get(key) for key in same)
        return live if is_same else None

    def _remove(self, ref: Ref, live: Manifest) -> None:
        """Delete an object and see it gone.

        Raises:
            ClusterError: A finalizer of somebody else holds it. It stays in the inventory.
        """
        metadata = live["metadata"]
        finalizers = metadata.get("finalizers") or []
        own = ref.resource.finalizer
        if own in finalizers:
            others = [item for item in finalizers if item != own]
            version = {"resourceVersion": metadata["resourceVersion"], "uid": metadata["uid"]}
            patch = {"metadata": {**version, "finalizers": others}}
            self.cluster.merge(ref, patch, MANAGER)
            self.cluster.delete(ref, metadata["uid"])
        else:  # just as it was read: a newer run may have given it addresses since
            self.cluster.delete(ref, metadata["uid"], metadata["resourceVersion"])
        left = self.cluster.get(ref) if finalizers else None
        if left is not None and left["metadata"]["uid"] == metadata["uid"]:
            held = ", ".join(left["metadata"].get("finalizers") or ["the server"])
            raise ClusterError(f"it is being deleted, held by {held}")


_MENDS = {
    False: "--adopt takes it over",
    True: "wait, or remove what holds it",
}


def _dies(live: Manifest) -> bool:
    return "deletionTimestamp" in live["metadata"]


def _is_labelled(live: Manifest) -> bool:
    return bool((live["metadata"].get("labels") or {}).get(OWNER_LABEL) == MANAGER)


def _owners(owned: OwnedError) -> str:
    fields = "; ".join(f"{manager} owns {field}" for manager, field in owned.owners)
    return f"{fields or owned}; --adopt takes it over"


def _said(failed: ClusterError) -> str:
    return f"{failed}; {failed.hint}" if failed.hint else str(failed)
