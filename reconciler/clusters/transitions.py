"""Times of conditions: they move when a condition flips, not when its message does."""

from collections.abc import Mapping
from typing import Any

from reconciler.model.resource import Manifest


def settled_conditions(wanted: Manifest, live: Manifest, *, is_whole: bool = False) -> Manifest:
    """The wanted status with the times that its conditions have in the live one.

    A condition whose status is the same there keeps its `lastTransitionTime`; one that flipped, or
    is not known there, has the wanted time. Conditions that only others declare stay theirs.

    Args:
        wanted: Status to apply.
        live: Status as it is; may be empty.
        is_whole: The server knows the list as a whole alone: who writes one writes all of them.
    """
    if "conditions" not in wanted:
        return wanted
    present = {item.get("type"): item for item in _conditions(live)}
    conditions = [_settled(item, present.get(item["type"]) or {}) for item in wanted["conditions"]]
    ours = [item["type"] for item in conditions]
    others = [item for item in present.values() if item["type"] not in ours]
    return {**wanted, "conditions": [*conditions, *(others if is_whole else ())]}


def is_whole_list(manifest: Manifest) -> bool:
    """Somebody owns the list of conditions of a live object, not single conditions of it."""
    for entry in manifest["metadata"].get("managedFields") or ():
        status = (entry.get("fieldsV1") or {}).get("f:status")
        if isinstance(status, Mapping) and status.get("f:conditions") == {}:
            return True
    return False


def _conditions(status: Manifest) -> list[Mapping[str, Any]]:
    """The conditions of a status that others may have written in any shape."""
    found = status.get("conditions")
    listed = found if isinstance(found, list) else []
    return [item for item in listed if isinstance(item, Mapping) and _is_text(item.get("type"))]


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def timeless(status: Manifest) -> Manifest:
    """A status without the times of its conditions: what changes when it says something else.

    The wanted times are the revision's, so they differ with every commit.
    """
    if "conditions" not in status:
        return status
    conditions = [
        {key: value for key, value in item.items() if key != "lastTransitionTime"}
        for item in status["conditions"]
    ]
    return {**status, "conditions": conditions}


def _settled(wanted: Mapping[str, Any], live: Mapping[str, Any]) -> Mapping[str, Any]:
    since = live.get("lastTransitionTime")
    if not since or live.get("status") != wanted["status"]:
        return wanted
    return {**wanted, "lastTransitionTime": since}
