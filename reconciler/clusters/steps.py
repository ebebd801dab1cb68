"""What to do with one object: decided from its intent, the live object and the inventory."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from reconciler.clusters.difference import Drift, differing, drift
from reconciler.clusters.intent import ADOPT, MANAGER, OWNER_LABEL, Intent
from reconciler.clusters.inventory import Entry
from reconciler.clusters.transitions import settled_conditions
from reconciler.model.resource import Manifest, Resource


class Action(StrEnum):
    """What to do with an object."""

    CREATE = "create"
    CONFIGURE = "configure"
    REPLACE = "replace"
    KEEP = "keep"
    SKIP = "skip"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class Step:
    """The decision on the body of one object.

    Attributes:
        drift: What somebody changed, when that is the cause.
        force: Take the fields from whoever owns them.
        reason: Why it is refused.
    """

    action: Action
    drift: Drift | None = None
    force: bool = False
    reason: str = ""


def decide(intent: Intent, live: Manifest | None, entry: Entry | None, *, adopt: bool) -> Step:
    """The step for the body of an object.

    Args:
        intent: What it shall be.
        live: What it is, or None.
        entry: What the inventory says of it.
        adopt: Take over what belongs to others.
    """
    if intent.body is None:
        return Step(Action.SKIP if live is None else Action.KEEP)
    if live is None:
        return Step(Action.CREATE)
    ours = is_ours(live, entry)
    if not ours and not (adopt or _consents(live) or _consents(intent.body)):
        reason = "it is there already and not ours"
        return Step(Action.REFUSE, reason=reason)
    if "deletionTimestamp" in live["metadata"]:
        return _dying(live, intent.ref.resource.finalizer)
    fields = differing(intent.body, live)
    same_intent = entry is not None and _half(entry.hash, 0) == _half(intent.hash, 0)
    if not fields and same_intent:
        return Step(Action.KEEP)
    found = drift(live, fields) if fields and same_intent else None
    if _is_fixed(intent.ref.resource, live) and intent.body["spec"] != live.get("spec"):
        return Step(Action.REPLACE, found, force=True)
    return Step(Action.CONFIGURE, found, force=True)


def is_ours(live: Manifest, entry: Entry | None) -> bool:
    """We put the object there: the inventory knows its uid, or our label and manager are on it."""
    metadata = live["metadata"]
    if entry is not None and _made(metadata["uid"], entry):
        return True
    labels = metadata.get("labels") or {}
    managers = [item.get("manager") for item in metadata.get("managedFields") or ()]
    return labels.get(OWNER_LABEL) == MANAGER and MANAGER in managers


def noted(intent: Intent, live: Manifest, entry: Entry | None) -> Entry:
    """What the inventory shall say of an object that is as it shall be.

    What we made stays ours while its status alone is applied, so that it is known again when its
    body is.
    """
    uid = live["metadata"]["uid"]
    if intent.body is None and entry is not None and _made(uid, entry):
        return Entry(uid, f"{_half(entry.hash, 0)}.{_half(intent.hash, 1)}")
    return Entry(uid, intent.hash)


def _made(uid: str, entry: Entry) -> bool:
    """An earlier run made the very object, or took it over."""
    return entry.uid == uid and entry.orphan_since is None and not entry.is_status_only


def status_to_apply(intent: Intent, live: Manifest, entry: Entry | None) -> Manifest | None:
    """The status to apply to a live object, or None when it has it.

    The time of a condition stays where the condition did not flip.
    """
    if intent.status is None:
        return None
    present: Mapping[str, Any] = live.get("status") or {}
    wanted = dict(settled_conditions(intent.status, present))
    if intent.body is not None:
        wanted["observedGeneration"] = live["metadata"].get("generation", 1)
    same_intent = entry is not None and _half(entry.hash, 1) == _half(intent.hash, 1)
    if same_intent and not differing(wanted, present):
        return None
    metadata = live["metadata"]
    named = {"name": metadata["name"], "namespace": metadata.get("namespace", "")}
    return {
        "apiVersion": live["apiVersion"],
        "kind": live["kind"],
        "metadata": {**named, "uid": metadata["uid"]},
        "status": wanted,
    }


def _dying(live: Manifest, finalizer: str) -> Step:
    """An object that somebody deletes: it is let go, and made anew when it is gone."""
    finalizers = live["metadata"].get("finalizers") or []
    if finalizers in ([], [finalizer]):
        return Step(Action.REPLACE, _deletion(live), force=True)
    others = ", ".join(item for item in finalizers if item != finalizer)
    return Step(Action.REFUSE, reason=f"it is being deleted, held by {others}")


def _deletion(live: Manifest) -> Drift:
    metadata = live["metadata"]
    return Drift("", metadata["deletionTimestamp"], ("metadata.deletionTimestamp",))


def _is_fixed(resource: Resource, live: Manifest) -> bool:
    """The spec of a live object cannot change: another spec is another object."""
    if not resource.fixed_in:
        return False
    return resource.is_fixed_in((live.get("status") or {}).get("phase"))


def _consents(manifest: Manifest) -> bool:
    annotations = manifest["metadata"].get("annotations") or {}
    return bool(annotations.get(ADOPT) == "true")


def _half(text: str, index: int) -> str:
    return text.split(".")[index] if text.count(".") == 1 else ""
