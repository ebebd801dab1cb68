"""Differences of objects, the decision about each, and the steps of a plan."""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

from msgspec import Struct, field

from reconciler.apply.inventory import InventoryEntry
from reconciler.apply.policies import intruders
from reconciler.apply.snapshot import Live, LiveObjects
from reconciler.families import families
from reconciler.families.interface import ObjectEvent
from reconciler.kube.resources import (
    IP_ALLOCATION,
    DesiredObject,
    is_whole_list,
    settled_conditions,
)
from reconciler.loadbalancers.interface import DEFAULT
from reconciler.model import objects
from reconciler.model.applied import Drift
from reconciler.model.objects import BINDING, MANAGER, POLICY, Manifest, Ref, Resource
from reconciler.model.pool import Pool

# Lists that are keyed by a field, or are a set (`x-kubernetes-list-type`).
_KEYED = {"conditions": "type", "infrastructureAllocations": "ip"}
_SETS = ("finalizers",)
_PLAIN = frozenset({str, int, bool, float, type(None)})


def differing(wanted: Manifest, live: Manifest) -> tuple[str, ...]:
    """Return declared fields whose value differs or is missing in the live object."""
    return tuple(_differing(wanted, live, ""))


def _differing(wanted: Mapping[str, Any], live: object, path: str) -> Iterator[str]:
    present = live if isinstance(live, Mapping) else {}
    for key, value in wanted.items():
        there = present.get(key)
        if type(value) in _PLAIN:  # the common case; isinstance with an abstract type is slow
            if value != there:
                yield f"{path}.{key}" if path else key
            continue
        name = f"{path}.{key}" if path else key
        if isinstance(value, Mapping) and value:
            yield from _differing(value, there, name)
        elif not _same(key, value, there):
            yield name


def _same(key: str, wanted: Mapping[str, Any] | Sequence[Any], live: object) -> bool:
    if isinstance(wanted, Mapping):  # an empty mapping declares only that the field exists
        return isinstance(live, Mapping)
    if not isinstance(live, Sequence) or isinstance(live, str):
        return False
    if key in _SETS:
        return all(item in live for item in wanted)
    if key not in _KEYED:
        return list(wanted) == list(live)
    name = _KEYED[key]
    present = {item.get(name): item for item in live}
    return all(
        item[name] in present and not differing(item, present[item[name]]) for item in wanted
    )


def drift(live: Manifest, fields: Sequence[str]) -> Drift:
    """Return the last writer of fields after `ipam`. Writers of a subresource remove no fields."""
    entries = live["metadata"].get("managedFields") or ()
    others = [it for it in entries if it.get("manager") not in (MANAGER, objects.STATUS_MANAGER)]
    owning = [entry for entry in others if any(_owns(entry, path) for path in fields)]
    ours = max(
        (entry.get("time", "") for entry in entries if entry.get("manager") == MANAGER), default=""
    )
    bodies = [entry for entry in others if not entry.get("subresource")]
    suspects = owning or [entry for entry in bodies if entry.get("time", "") >= ours]
    last: Mapping[str, Any] = max(
        suspects, key=lambda entry: (entry.get("time", ""), entry.get("manager", "")), default={}
    )
    return Drift(last.get("manager", ""), last.get("time", ""), tuple(fields))


def taken(live: Manifest, path: str) -> Drift | None:
    """Return the drift if another manager owns a field that only `ipam` wrote, or None."""
    entries = live["metadata"].get("managedFields") or ()
    if any(entry.get("manager") == MANAGER and _owns(entry, path) for entry in entries):
        return None
    found = drift(live, (path,))
    return found if found.manager else None


def _owns(entry: Mapping[str, Any], path: str) -> bool:
    node: Any = entry.get("fieldsV1") or {}
    steps = path.split(".")
    if path.startswith(("metadata.labels.", "metadata.annotations.")):  # their keys contain dots
        steps = path.split(".", 2)
    for step in steps:
        node = node.get(f"f:{step}") if isinstance(node, Mapping) else None
        if node is None:
            return False
    return True


class Action(StrEnum):
    """The action for an object."""

    CREATE = "create"
    CONFIGURE = "configure"
    REPLACE = "replace"
    KEEP = "keep"
    SKIP = "skip"
    REFUSE = "refuse"


class ObjectDecision(Struct, frozen=True):
    """The decision about the body of an object."""

    action: Action
    drift: Drift | None = None
    force: bool = False
    reason: str = ""


def decide(
    desired: DesiredObject, live: Live | None, entry: InventoryEntry | None, *, adopt: bool
) -> ObjectDecision:
    """Decide about the body of an object, by its live state and the entry of the inventory."""
    if desired.body is None:
        return ObjectDecision(Action.SKIP if live is None else Action.KEEP)
    if live is None:
        return ObjectDecision(Action.CREATE)
    ours = is_ours(live, entry)
    invites = (
        (metadata.get("annotations") or {}).get(objects.ADOPT) == "true"
        for metadata in (desired.body["metadata"], live.metadata)
    )
    if not (ours or adopt or any(invites)):
        return ObjectDecision(Action.REFUSE, reason="already exists, and does not belong to ipam")
    fields = differing(desired.body, live.manifest)
    if ours and desired.ref.resource in (POLICY, BINDING) and intruders(live.manifest):
        # Others own a part of a policy, which server-side apply would not remove.
        return ObjectDecision(Action.REPLACE, drift(live.manifest, fields or ("spec",)))
    if live.dying_since:
        others = [item for item in live.finalizers if item != live.ref.resource.finalizer]
        deletion = Drift("", live.dying_since, ("metadata.deletionTimestamp",))
        reason = f"the object is being deleted, held by {', '.join(others)}"
        refused = ObjectDecision(Action.REFUSE, reason=reason)
        return refused if others else ObjectDecision(Action.REPLACE, deletion, force=True)
    is_same = entry is not None and _half(entry.hash, 0) == _half(desired.hash, 0)
    if not fields and is_same:
        return ObjectDecision(Action.KEEP)
    found = drift(live.manifest, fields) if fields and is_same else None
    action = Action.REPLACE if _is_other_spec(desired.body, live) else Action.CONFIGURE
    return ObjectDecision(action, found, force=True)


def is_ours(live: Live, entry: InventoryEntry | None) -> bool:
    """Return whether `ipam` created the object, by uid in the inventory or by label and manager."""
    if entry is not None and _made(live.uid, entry):
        return True
    managers = [it.get("manager") for it in live.metadata.get("managedFields") or ()]
    return live.labels.get(objects.OWNER_LABEL) == MANAGER and MANAGER in managers


def noted(desired: DesiredObject, uid: str, entry: InventoryEntry | None) -> InventoryEntry:
    """Return the inventory's entry of an applied object. A created one stays marked as created."""
    if desired.body is None and entry is not None and _made(uid, entry):
        return InventoryEntry(uid, f"{_half(entry.hash, 0)}.{_half(desired.hash, 1)}")
    return InventoryEntry(uid, desired.hash)


def _made(uid: str, entry: InventoryEntry) -> bool:
    return entry.uid == uid and entry.orphan_since is None and not entry.is_status_only


def status_to_apply(
    desired: DesiredObject, live: Live, entry: InventoryEntry | None
) -> Manifest | None:
    """Return the status to apply, or None if it is current. Unchanged conditions keep their time."""
    if desired.status is None:
        return None
    is_whole = is_whole_list(live.manifest)
    wanted = dict(settled_conditions(desired.status, live.status, is_whole=is_whole))
    if desired.body is not None and desired.ref.resource.tells_generation:
        wanted["observedGeneration"] = live.generation
    is_same = entry is not None and _half(entry.hash, 1) == _half(desired.hash, 1)
    if is_same and not differing(wanted, live.status):
        return None
    return {
        "apiVersion": live.ref.resource.api_version,
        "kind": live.ref.resource.kind,
        "metadata": {"name": live.ref.name, "namespace": live.ref.namespace, "uid": live.uid},
        "status": wanted,
    }


def _is_other_spec(body: Manifest, live: Live) -> bool:
    resource, now = live.ref.resource, live.manifest.get("spec") or {}
    if resource.fixed_in == objects.EVER:
        return bool(body["spec"] != now)
    is_filled_in = all(name in body["spec"] and body["spec"][name] == now[name] for name in now)
    return live.status.get("phase") in resource.fixed_in and not is_filled_in


def _half(text: str, index: int) -> str:
    return text.split(".")[index] if text.count(".") == 1 else ""


class Step(Struct, frozen=True):
    """A step of a plan."""


class Apply(Step, frozen=True):
    """Apply an object, unless `unless_failed` failed; its `status` if the body is unchanged."""

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


class Patch(Step, frozen=True):
    """Set fields of an object of another owner; missing ones are removed, unowned ones taken over."""

    ref: Ref
    manifest: Manifest
    rests_on: tuple[Ref, ...] = ()
    takes: bool = False


class Own(Step, frozen=True):
    """Set owners of an object that was created before them; `there` are those that existed."""

    desired: DesiredObject
    owners: tuple[tuple[Ref, bool], ...]
    there: LiveObjects = field(default_factory=dict)


class Delete(Step, frozen=True):
    """Delete an object of `ipam` if it is unchanged."""

    live: Live


class Note(Step, frozen=True):
    """Set the inventory's entry of an object; None removes it."""

    name: str
    entry: InventoryEntry | None


class Fail(Step, frozen=True):
    """Record an object that cannot be applied, with the fields that others changed."""

    name: str
    error: str
    drift: Drift | None = None


class MakeNamespace(Step, frozen=True):
    """Create a missing namespace. Namespaces are never deleted."""

    ref: Ref


class AwaitEstablished(Step, frozen=True):
    """Wait until the server serves the objects of a CRD."""

    ref: Ref


class Look(Step, frozen=True):
    """Read objects again after steps that can change them."""

    resource: Resource
    namespace: str = ""


class CreateEvent(Step, frozen=True):
    """Create an event for a change, before the status: an interrupted run creates it again."""

    desired: DesiredObject
    before: Live | None
    pool: Pool | None = None
    there: LiveObjects = field(default_factory=dict)
    recent: tuple[Manifest, ...] = ()

    def event(self, now: Live, at: int) -> Manifest | None:
        """Return the event, or None. `now` is the object after the apply."""
        body = self.desired.body or {}
        happening = ObjectEvent(
            ref=self.desired.ref,
            is_record=self.desired.ref.resource == IP_ALLOCATION,
            wanted={**body, "metadata": now.metadata, "status": self.desired.status},
            before=None if self.before is None else self.before.manifest,
            pool=self.pool,
            there=lambda ref: live.manifest if (live := self.there.get(ref)) else None,
            recent=self.recent,
            now=at,
        )
        found = (hook(happening) for family in families() if (hook := family.objects.event))
        return next((event for event in found if event is not None), None)


class Confirm(Step, frozen=True):
    """Read the state of a controller's configuration after it has seen the writes, if any."""

    controller: str = DEFAULT
    namespace: str = ""
    is_last: bool = True


class AwaitPolicies(Step, frozen=True):
    """Wait until the server enforces the new policies: it judges an empty patch like any write."""

    ref: Ref


class Try(Step, frozen=True):
    """Steps that may fail; only if the inventory has objects to lock, has none, or always."""

    name: str
    steps: tuple[Step, ...]
    if_anything_is_ours: bool | None = None


def applied(
    desired: DesiredObject,
    live: Live | None,
    entry: InventoryEntry | None,
    *,
    adopt: bool,
    after: Ref | None = None,
) -> Apply:
    """Return the step that applies an object, unless `after` could not be written."""
    decision = decide(desired, live, entry, adopt=adopt)
    status = None
    if live is not None and decision.action is Action.KEEP:
        status = status_to_apply(desired, live, entry)
    return Apply(desired, live, decision, status, adopt, after)


def pruned(ref: Ref, live: Live | None, entry: InventoryEntry | None) -> Step:
    """Return the step that deletes an object, if `ipam` created it."""
    name = str(ref)
    if live is None or entry is None or live.uid != entry.uid or entry.is_status_only:
        # The object is deleted already, or belongs to another owner.
        return Note(name, None)
    if live.labels.get(objects.OWNER_LABEL) != MANAGER:
        return Fail(
            name, f"the object is obsolete, but label {objects.OWNER_LABEL} was removed; delete it"
        )
    return Delete(live)


def refusal(step: Apply) -> str:
    """Return why an object is refused, with the fix."""
    is_dying = step.live is not None and bool(step.live.dying_since)
    fix = "wait, or remove its finalizers" if is_dying else "use --adopt to take it over"
    return f"{step.decision.reason}; {fix}"
