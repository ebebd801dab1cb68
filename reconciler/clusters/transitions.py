"""Conditions whose time moves only when they flip."""

from typing import Any

from reconciler.clusters.resources import Manifest


def settled_conditions(wanted: Manifest, live: Manifest) -> dict[str, Any]:
    """The wanted status with the time of each condition that did not flip as it is."""
    if "conditions" not in wanted:
        return dict(wanted)
    present = {item["type"]: item for item in live.get("conditions") or ()}
    kept = []
    for condition in wanted["conditions"]:
        there = present.get(condition["type"])
        same = there is not None and there.get("status") == condition["status"]
        since = there["lastTransitionTime"] if there and same else condition["lastTransitionTime"]
        kept.append({**condition, "lastTransitionTime": since})
    return {**wanted, "conditions": kept}
