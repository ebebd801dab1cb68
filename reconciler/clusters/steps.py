"""The steps of a plan: what is done in a cluster, one after the other."""

from dataclasses import dataclass, field
from typing import TypeAlias

from msgspec import Struct

from reconciler.clusters.decision import Action, Decision, Drift, decide, status_to_apply
from reconciler.clusters.desired import MANAGER, OWNER_LABEL, DesiredObject
from reconciler.clusters.inventory import Entry
from reconciler.clusters.resources import IP_ALLOCATION
from reconciler.clusters.snapshot import Live, Objects
from reconciler.families import families
from reconciler.families._objects import Happening
from reconciler.model.pool import Pool
from reconciler.model.resource import Manifest, Ref, Resource


class Apply(Struct, frozen=True):
    """Bring an object, and its status, to what it shall be.

    Attributes:
        live: What it is, as far as the plan knows.
        status: The status to apply where the body stays; where the body is written, what its
            status needs is told by the answer.
        adopt: Take over what belongs to others.
        unless_failed: Leave it out when this object could not be written.
    """

    desired: DesiredObject
    live: Live | None
    decision: Decision
    status: Manifest | None = None
    adopt: bool = False
    unless_failed: Ref | None = None

    @property
    def ref(self) -> Ref:
        """The object."""
        return self.desired.ref


class Patch(Struct, frozen=True):
    """Write some fields of an object that belongs to others; nothing of it is remembered.

    Attributes:
        manifest: The fields that are ours, whole: what we wrote before and is not here goes.
        rests_on: It is left out where one of these objects could not be written.
        takes: Fields without a value are taken from who wrote them.
    """

    ref: Ref
    manifest: Manifest
    rests_on: tuple[Ref, ...] = ()
    takes: bool = False


@dataclass(frozen=True, slots=True)
class Own:
    """Name the owners of an object that was made before some of them were.

    Attributes:
        desired: The object without them.
        owners: Each with whether it controls the object.
        there: Those of them that were there when the plan was made.
    """

    desired: DesiredObject
    owners: tuple[tuple[Ref, bool], ...]
    there: Objects = field(default_factory=dict, repr=False)

    @property
    def ref(self) -> Ref:
        """The object."""
        return self.desired.ref


class Delete(Struct, frozen=True):
    """Take away an object of ours, just as it was read."""

    live: Live

    @property
    def ref(self) -> Ref:
        """The object."""
        return self.live.ref


class Note(Struct, frozen=True):
    """What the inventory shall say of an object; None to forget it."""

    name: str
    entry: Entry | None


class Fail(Struct, frozen=True):
    """An object that is not as it shall be, and cannot be made so by us.

    Attributes:
        drift: What somebody changed of it.
    """

    name: str
    error: str
    drift: Drift | None = None


class MakeNamespace(Struct, frozen=True):
    """Make a namespace that is missing. It is never taken away."""

    ref: Ref


class AwaitEstablished(Struct, frozen=True):
    """Wait until the server serves the objects of a CRD."""

    ref: Ref


class Look(Struct, frozen=True):
    """Read objects anew that steps before may have changed, or made known."""

    resource: Resource
    namespace: str = ""
    is_needed: bool = True


@dataclass(frozen=True, slots=True)
class Tell:
    """Make an event of what a change gives cause to tell.

    It is told before the status says so: a run that is cut off between tells it again. Of an object
    that is new it is told after, because the event names its uid.

    Attributes:
        before: The object as it was.
        pool: The pool that the object stands for.
        there: All objects as they were.
        recent: What lately was told of objects of its kind in its namespace.
    """

    desired: DesiredObject
    before: Live | None
    pool: Pool | None = None
    there: Objects = field(default_factory=dict, repr=False)
    recent: tuple[Manifest, ...] = ()

    def event(self, now: Live, at: int) -> Manifest | None:
        """The event to make, if there is cause.

        Args:
            now: The object as far as it was applied.
            at: Seconds since 1970.
        """
        body = self.desired.body or {}
        happening = Happening(
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
    """See what MetalLB says of its configuration, once it has seen what was written.

    Attributes:
        is_last: Nothing more is written: without any write before there is nothing to wait for.
    """

    is_last: bool = True


class AwaitPolicies(Struct, frozen=True):
    """Wait until the server goes by the new policies, when the old ones refuse us.

    Attributes:
        ref: A ConfigMap of ours. A patch of nothing writes nothing, and is judged as any write.
    """

    ref: Ref


class Try(Struct, frozen=True):
    """Steps that keep nothing else from being done when they fail.

    Attributes:
        name: What is said to have failed.
        if_anything_is_ours: Only when the inventory names something to lock, or only when it
            names nothing; None for always.
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
    entry: Entry | None,
    *,
    adopt: bool,
    after: Ref | None = None,
) -> Apply:
    """The step that brings an object to what it shall be.

    Args:
        desired: What it shall be.
        live: What it is, or None.
        entry: What the inventory says of it.
        adopt: Take over what belongs to others.
        after: It is left out when this object could not be written.
    """
    decision = decide(desired, live, entry, adopt=adopt)
    keeps = live is not None and decision.action is Action.KEEP
    status = status_to_apply(desired, live, entry) if keeps and live is not None else None
    return Apply(desired, live, decision, status, adopt, after)


def pruned(ref: Ref, live: Live | None, entry: Entry | None) -> Step:
    """The step that takes away an object that nothing asks for, if it is the one that we made."""
    name = str(ref)
    if live is None or entry is None or live.uid != entry.uid or entry.is_status_only:
        # Somebody else's object, or gone: there is nothing of ours to take away.
        return Note(name, None)
    if live.labels.get(OWNER_LABEL) != MANAGER:
        return Fail(name, f"it shall go, but its label {OWNER_LABEL} was taken off; delete it")
    return Delete(live)


def refusal(step: Apply) -> str:
    """Why an object is refused, with its mend."""
    is_dying = step.live is not None and bool(step.live.dying_since)
    mend = "wait, or remove what holds it" if is_dying else "--adopt takes it over"
    return f"{step.decision.reason}; {mend}"
