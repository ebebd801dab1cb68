"""Steps of a cluster plan."""

from dataclasses import dataclass, field
from typing import TypeAlias

from msgspec import Struct

from reconciler.apply.decision import Action, Drift, ObjectDecision, decide, status_to_apply
from reconciler.apply.inventory import InventoryEntry, InventoryObjects, Live
from reconciler.families import families
from reconciler.families.interface import ObjectEvent
from reconciler.kube.resources import IP_ALLOCATION, DesiredObject
from reconciler.model.objects import MANAGER, OWNER_LABEL, Manifest, Ref, Resource
from reconciler.model.pool import Pool


class Apply(Struct, frozen=True):
    """Apply an object and its status.

    Attributes:
        live: The object as far as the plan knows it.
        status: The status to apply if the body is unchanged. After a write, the response decides.
        adopt: Take over objects of other owners.
        unless_failed: Skip the step if this object could not be written.
    """

    desired: DesiredObject
    live: Live | None
    decision: ObjectDecision
    status: Manifest | None = None
    adopt: bool = False
    unless_failed: Ref | None = None

    @property
    def ref(self) -> Ref:
        """Return the object."""
        return self.desired.ref


class Patch(Struct, frozen=True):
    """Set fields of an object of another owner. The inventory does not contain it.

    Attributes:
        manifest: All fields of the field manager. Fields that are missing here are removed.
        rests_on: Skip the step if one of these objects could not be written.
        takes: Take over fields without a value from their manager.
    """

    ref: Ref
    manifest: Manifest
    rests_on: tuple[Ref, ...] = ()
    takes: bool = False


@dataclass(frozen=True, slots=True)
class Own:
    """Set owners of an object that was created before them.

    Attributes:
        desired: The object without owners.
        owners: The owners, each with whether it is the controller.
        there: The owners that existed when the plan was made.
    """

    desired: DesiredObject
    owners: tuple[tuple[Ref, bool], ...]
    there: InventoryObjects = field(default_factory=dict, repr=False)

    @property
    def ref(self) -> Ref:
        """Return the object."""
        return self.desired.ref


class Delete(Struct, frozen=True):
    """Delete an object of `ipam` if it is unchanged."""

    live: Live

    @property
    def ref(self) -> Ref:
        """Return the object."""
        return self.live.ref


class Note(Struct, frozen=True):
    """Set the inventory's entry of an object; None removes it."""

    name: str
    entry: InventoryEntry | None


class Fail(Struct, frozen=True):
    """Record an object that cannot be applied.

    Attributes:
        drift: The fields that others changed.
    """

    name: str
    error: str
    drift: Drift | None = None


class MakeNamespace(Struct, frozen=True):
    """Create a missing namespace. Namespaces are never deleted."""

    ref: Ref


class AwaitEstablished(Struct, frozen=True):
    """Wait until the server serves the objects of a CRD."""

    ref: Ref


class Look(Struct, frozen=True):
    """Read objects again after steps that can change them."""

    resource: Resource
    namespace: str = ""
    is_needed: bool = True


@dataclass(frozen=True, slots=True)
class Tell:
    """Create an event for a change.

    The event precedes the status, so that an interrupted run creates it again. The event of a new
    object follows, because it contains the uid.

    Attributes:
        before: The object before the change.
        pool: The pool of the object.
        there: All objects before the change.
        recent: Recent events of this kind in its namespace.
    """

    desired: DesiredObject
    before: Live | None
    pool: Pool | None = None
    there: InventoryObjects = field(default_factory=dict, repr=False)
    recent: tuple[Manifest, ...] = ()

    def event(self, now: Live, at: int) -> Manifest | None:
        """Return the event, or None.

        Args:
            now: The object after the apply.
            at: The time in seconds since 1970.
        """
        body = self.desired.body or {}
        happening = ObjectEvent(
            ref=self.desired.ref,
            is_record=self.desired.ref.resource == IP_ALLOCATION,
            wanted={**body, "metadata": now.metadata, "status": self.desired.status},
            before=None if self.before is None else self.before.manifest,
            pool=self.pool,
            there=self._there,
            recent=self.recent,
            now=at,
        )
        found = (hook(happening) for family in families() if (hook := family.objects.event))
        return next((event for event in found if event is not None), None)

    def _there(self, ref: Ref) -> Manifest | None:
        live = self.there.get(ref)
        return None if live is None else live.manifest


class Confirm(Struct, frozen=True):
    """Read the state of MetalLB's configuration after it has seen the writes.

    Attributes:
        is_last: No more writes follow. Without a write, there is nothing to wait for.
    """

    is_last: bool = True


class AwaitPolicies(Struct, frozen=True):
    """Wait until the server enforces the new policies if the old ones refuse writes.

    Attributes:
        ref: A ConfigMap of `ipam`. The server judges an empty patch like any write.
    """

    ref: Ref


class Try(Struct, frozen=True):
    """Steps whose failure does not stop the others.

    Attributes:
        name: The name in the failure.
        if_anything_is_ours: True: only if the inventory contains objects to lock. False: only if
            not. None: always.
    """

    name: str
    steps: "tuple[Step, ...]"
    if_anything_is_ours: bool | None = None


Step: TypeAlias = (
    Apply
    | Patch
    | Own
    | Delete
    | Note
    | Fail
    | MakeNamespace
    | AwaitEstablished
    | Look
    | Tell
    | Confirm
    | AwaitPolicies
    | Try
)


def applied(
    desired: DesiredObject,
    live: Live | None,
    entry: InventoryEntry | None,
    *,
    adopt: bool,
    after: Ref | None = None,
) -> Apply:
    """Return the step that applies an object.

    Args:
        desired: The desired object.
        live: The live object, or None.
        entry: The entry of the inventory.
        adopt: Take over objects of other owners.
        after: Skip the step if this object could not be written.
    """
    decision = decide(desired, live, entry, adopt=adopt)
    keeps = live is not None and decision.action is Action.KEEP
    status = status_to_apply(desired, live, entry) if keeps and live is not None else None
    return Apply(desired, live, decision, status, adopt, after)


def pruned(ref: Ref, live: Live | None, entry: InventoryEntry | None) -> Step:
    """Return the step that deletes an object, if `ipam` created it."""
    name = str(ref)
    if live is None or entry is None or live.uid != entry.uid or entry.is_status_only:
        # The object is deleted already, or belongs to another owner.
        return Note(name, None)
    if live.labels.get(OWNER_LABEL) != MANAGER:
        return Fail(name, f"it shall go, but its label {OWNER_LABEL} was taken off; delete it")
    return Delete(live)


def refusal(step: Apply) -> str:
    """Return why an object is refused, with the fix."""
    is_dying = step.live is not None and bool(step.live.dying_since)
    mend = "wait, or remove what holds it" if is_dying else "--adopt takes it over"
    return f"{step.decision.reason}; {mend}"
