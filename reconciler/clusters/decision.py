"""What to do with one object: decided from what it shall be, what it is, and the inventory."""

from enum import StrEnum

from msgspec import Struct

from reconciler.clusters.desired import ADOPT, MANAGER, OWNER_LABEL, DesiredObject
from reconciler.clusters.difference import Drift, differing, drift
from reconciler.clusters.inventory import Entry
from reconciler.clusters.policies import intruders
from reconciler.clusters.resources import BINDING, POLICY
from reconciler.clusters.snapshot import Live
from reconciler.clusters.transitions import is_whole_list, settled_conditions
from reconciler.model.resource import EVER, Manifest


class Action(StrEnum):
    """What to do with an object."""

    CREATE = "create"
    CONFIGURE = "configure"
    REPLACE = "replace"
    KEEP = "keep"
    SKIP = "skip"
    REFUSE = "refuse"


class Decision(Struct, frozen=True):
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


def decide(
    desired: DesiredObject, live: Live | None, entry: Entry | None, *, adopt: bool
) -> Decision:
    """The decision on the body of an object.

    Args:
        desired: What it shall be.
        live: What it is, or None.
        entry: What the inventory says of it.
        adopt: Take over what belongs to others.
    """
    if desired.body is None:
        return Decision(Action.SKIP if live is None else Action.KEEP)
    if live is None:
        return Decision(Action.CREATE)
    ours = is_ours(live, entry)
    if not ours and not (adopt or _consents(live) or _invites(desired.body)):
        reason = "it is there already and not ours"
        return Decision(Action.REFUSE, reason=reason)
    if ours and desired.ref.resource in (POLICY, BINDING) and intruders(live.manifest):
        return _opened(desired.body, live)
    if live.dying_since:
        return _dying(live)
    fields = differing(desired.body, live.manifest)
    is_same = entry is not None and _half(entry.hash, 0) == _half(desired.hash, 0)
    if not fields and is_same:
        return Decision(Action.KEEP)
    found = drift(live.manifest, fields) if fields and is_same else None
    if _is_other_spec(desired.body, live):
        return Decision(Action.REPLACE, found, force=True)
    return Decision(Action.CONFIGURE, found, force=True)


def is_ours(live: Live, entry: Entry | None) -> bool:
    """We put the object there: the inventory knows its uid, or our label and manager are on it."""
    if entry is not None and _made(live.uid, entry):
        return True
    return live.labels.get(OWNER_LABEL) == MANAGER and MANAGER in live.managers


def noted(desired: DesiredObject, uid: str, entry: Entry | None) -> Entry:
    """What the inventory shall say of an object that is as it shall be.

    What we made stays ours while its status alone is applied, so that it is known again when its
    body is.
    """
    if desired.body is None and entry is not None and _made(uid, entry):
        return Entry(uid, f"{_half(entry.hash, 0)}.{_half(desired.hash, 1)}")
    return Entry(uid, desired.hash)


def _made(uid: str, entry: Entry) -> bool:
    """An earlier run made the very object, or took it over."""
    return entry.uid == uid and entry.orphan_since is None and not entry.is_status_only


def status_to_apply(desired: DesiredObject, live: Live, entry: Entry | None) -> Manifest | None:
    """The status to apply to a live object, or None when it has it.

    The time of a condition stays where the condition did not flip.
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


def _dying(live: Live) -> Decision:
    """An object that somebody deletes: it is let go, and made anew when it is gone."""
    finalizer = live.ref.resource.finalizer
    if live.finalizers in ((), (finalizer,)):
        deletion = Drift("", live.dying_since, ("metadata.deletionTimestamp",))
        return Decision(Action.REPLACE, deletion, force=True)
    others = ", ".join(item for item in live.finalizers if item != finalizer)
    return Decision(Action.REFUSE, reason=f"it is being deleted, held by {others}")


def _opened(body: Manifest, live: Live) -> Decision:
    """A policy that others have a part in: server-side apply takes nothing away of theirs."""
    fields = differing(body, live.manifest) or ("spec",)
    return Decision(Action.REPLACE, drift(live.manifest, fields))


def _is_other_spec(body: Manifest, live: Live) -> bool:
    """The spec is another one, and cannot change in this phase: a new one is a new object.

    What is fixed in some phases only may still be filled in, as a field that others left out.
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
