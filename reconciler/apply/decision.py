"""Differences of one object and the action for each."""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

from msgspec import Struct

from reconciler.apply.inventory import InventoryEntry, Live
from reconciler.apply.policies import intruders
from reconciler.kube.resources import DesiredObject, is_whole_list, settled_conditions
from reconciler.model.objects import (
    ADOPT,
    BINDING,
    EVER,
    MANAGER,
    OWNER_LABEL,
    POLICY,
    STATUS_MANAGER,
    Manifest,
)

_OURS = (MANAGER, STATUS_MANAGER)
# Lists that are keyed by a field, or are a set (`x-kubernetes-list-type`).
_KEYED = {"conditions": "type", "infrastructureAllocations": "ip"}
_SETS = ("finalizers",)
_PLAIN = frozenset({str, int, bool, float, type(None)})


class Drift(Struct, frozen=True):
    """A change of another field manager to fields of `ipam`.

    Attributes:
        manager: The field manager; empty if unknown.
        time: The time, `2026-02-15T10:00:30Z`; empty if unknown.
        fields: The fields that differ, `spec.addresses`.
    """

    manager: str
    time: str
    fields: tuple[str, ...]


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
        field = f"{path}.{key}" if path else key
        if isinstance(value, Mapping) and value:
            yield from _differing(value, there, field)
        elif not _same(key, value, there):
            yield field


def _same(key: str, wanted: Mapping[str, Any] | Sequence[Any], live: object) -> bool:
    if isinstance(wanted, Mapping):  # an empty list declares only that the field exists
        return isinstance(live, Mapping)
    if not isinstance(live, Sequence) or isinstance(live, str):
        return False
    if key in _SETS:
        return all(item in live for item in wanted)
    if key not in _KEYED:
        return list(wanted) == list(live)
    name = _KEYED[key]
    present = {
        item[name]: item
        for item in live
        if isinstance(item, Mapping) and isinstance(item.get(name), str)
    }
    return all(
        item[name] in present and not differing(item, present[item[name]]) for item in wanted
    )


def drift(live: Manifest, fields: Sequence[str]) -> Drift:
    """Return who changed fields of a live object's body, according to managedFields.

    A removed field has no owner. The last writer of the body after `ipam` is reported. Writers of a
    subresource, as controllers are, cannot have removed it.
    """
    entries = live["metadata"].get("managedFields") or ()
    others = [entry for entry in entries if entry.get("manager") not in _OURS]
    owning = [entry for entry in others if any(_owns(entry, field) for field in fields)]
    ours = max((_time(entry) for entry in entries if entry.get("manager") == MANAGER), default="")
    bodies = [entry for entry in others if not entry.get("subresource")]
    suspects = owning or [entry for entry in bodies if _time(entry) >= ours]
    last: Mapping[str, Any] = max(
        suspects, key=lambda entry: (_time(entry), entry.get("manager", "")), default={}
    )
    return Drift(last.get("manager", ""), _time(last), tuple(fields))


def taken(live: Manifest, field: str) -> Drift | None:
    """Return the drift if another manager owns a field that only `ipam` wrote, or None.

    For objects that are no longer desired.
    """
    entries = live["metadata"].get("managedFields") or ()
    if any(entry.get("manager") == MANAGER and _owns(entry, field) for entry in entries):
        return None
    found = drift(live, (field,))
    return found if found.manager else None


def _time(entry: Mapping[str, Any]) -> str:
    time: str = entry.get("time") or ""
    return time


def _owns(entry: Mapping[str, Any], field: str) -> bool:
    node: Any = entry.get("fieldsV1") or {}
    for step in _steps(field):
        node = node.get(f"f:{step}") if isinstance(node, Mapping) else None
        if node is None:
            return False
    return True


def _steps(field: str) -> list[str]:
    """Return the keys of a field path. Keys of labels and annotations contain dots."""
    for parent in ("metadata.labels.", "metadata.annotations."):
        if field.startswith(parent):
            return [*parent.strip(".").split("."), field.removeprefix(parent)]
    return field.split(".")


class Action(StrEnum):
    """The action for an object."""

    CREATE = "create"
    CONFIGURE = "configure"
    REPLACE = "replace"
    KEEP = "keep"
    SKIP = "skip"
    REFUSE = "refuse"


class ObjectDecision(Struct, frozen=True):
    """The decision about the body of an object.

    Attributes:
        drift: The change of another manager that caused the action.
        force: Take the fields from other managers.
        reason: Why the object is refused.
    """

    action: Action
    drift: Drift | None = None
    force: bool = False
    reason: str = ""


def decide(
    desired: DesiredObject, live: Live | None, entry: InventoryEntry | None, *, adopt: bool
) -> ObjectDecision:
    """Decide about the body of an object.

    Args:
        desired: The desired object.
        live: The live object, or None.
        entry: The entry of the inventory.
        adopt: Take over objects of other owners.
    """
    if desired.body is None:
        return ObjectDecision(Action.SKIP if live is None else Action.KEEP)
    if live is None:
        return ObjectDecision(Action.CREATE)
    ours = is_ours(live, entry)
    if not ours and not (adopt or _consents(live) or _invites(desired.body)):
        reason = "it is there already and not ours"
        return ObjectDecision(Action.REFUSE, reason=reason)
    if ours and desired.ref.resource in (POLICY, BINDING) and intruders(live.manifest):
        return _opened(desired.body, live)
    if live.dying_since:
        return _dying(live)
    fields = differing(desired.body, live.manifest)
    is_same = entry is not None and _half(entry.hash, 0) == _half(desired.hash, 0)
    if not fields and is_same:
        return ObjectDecision(Action.KEEP)
    found = drift(live.manifest, fields) if fields and is_same else None
    if _is_other_spec(desired.body, live):
        return ObjectDecision(Action.REPLACE, found, force=True)
    return ObjectDecision(Action.CONFIGURE, found, force=True)


def is_ours(live: Live, entry: InventoryEntry | None) -> bool:
    """Return whether `ipam` created the object, by uid in the inventory or by label and manager."""
    if entry is not None and _made(live.uid, entry):
        return True
    return live.labels.get(OWNER_LABEL) == MANAGER and MANAGER in live.managers


def noted(desired: DesiredObject, uid: str, entry: InventoryEntry | None) -> InventoryEntry:
    """Return the inventory's entry of an object that was applied.

    An object that `ipam` created stays marked as such while only its status is applied.
    """
    if desired.body is None and entry is not None and _made(uid, entry):
        return InventoryEntry(uid, f"{_half(entry.hash, 0)}.{_half(desired.hash, 1)}")
    return InventoryEntry(uid, desired.hash)


def _made(uid: str, entry: InventoryEntry) -> bool:
    """Return whether an earlier run created or adopted this object."""
    return entry.uid == uid and entry.orphan_since is None and not entry.is_status_only


def status_to_apply(
    desired: DesiredObject, live: Live, entry: InventoryEntry | None
) -> Manifest | None:
    """Return the status to apply to a live object, or None if it is current.

    A condition that did not change keeps its time.
    """
    if desired.status is None:
        return None
    is_whole = is_whole_list(live.manifest)
    wanted = dict(settled_conditions(desired.status, live.status, is_whole=is_whole))
    if desired.body is not None and desired.ref.resource.tells_generation:
        wanted["observedGeneration"] = live.generation
    is_same = entry is not None and _half(entry.hash, 1) == _half(desired.hash, 1)
    if is_same and not differing(wanted, live.status):
        return None
    named = {"name": live.ref.name, "namespace": live.ref.namespace}
    return {
        "apiVersion": live.ref.resource.api_version,
        "kind": live.ref.resource.kind,
        "metadata": {**named, "uid": live.uid},
        "status": wanted,
    }


def _dying(live: Live) -> ObjectDecision:
    """Decide about an object that is being deleted: it is created again afterwards."""
    finalizer = live.ref.resource.finalizer
    if live.finalizers in ((), (finalizer,)):
        deletion = Drift("", live.dying_since, ("metadata.deletionTimestamp",))
        return ObjectDecision(Action.REPLACE, deletion, force=True)
    others = ", ".join(item for item in live.finalizers if item != finalizer)
    return ObjectDecision(Action.REFUSE, reason=f"it is being deleted, held by {others}")


def _opened(body: Manifest, live: Live) -> ObjectDecision:
    """Return whether others own a part of a policy. Server-side apply would not remove it."""
    fields = differing(body, live.manifest) or ("spec",)
    return ObjectDecision(Action.REPLACE, drift(live.manifest, fields))


def _is_other_spec(body: Manifest, live: Live) -> bool:
    """Return whether the spec differs and is immutable in this phase, so the object is replaced.

    A field that is immutable in some phases only can still be set if it is missing.
    """
    resource, now = live.ref.resource, live.manifest.get("spec") or {}
    if resource.fixed_in == EVER:
        return bool(body["spec"] != now)
    is_filled_in = all(name in body["spec"] and body["spec"][name] == now[name] for name in now)
    return resource.is_fixed_in(live.phase) and not is_filled_in


def _consents(live: Live) -> bool:
    return live.annotations.get(ADOPT) == "true"


def _invites(body: Manifest) -> bool:
    return bool((body["metadata"].get("annotations") or {}).get(ADOPT) == "true")


def _half(text: str, index: int) -> str:
    return text.split(".")[index] if text.count(".") == 1 else ""
