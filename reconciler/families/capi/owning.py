"""Which fields of a live object a manager wrote, by the steps of `managedFields`."""

from collections.abc import Mapping
from typing import Any

from reconciler.model.resource import Manifest


def owns(live: Manifest, manager: str, step: str) -> bool:
    """A manager wrote a field of this step: `f:host`, or `k:{"name":"clusterVip"}` of a list."""
    entries = live["metadata"].get("managedFields") or ()
    mine = (entry for entry in entries if entry.get("manager") == manager)
    return any(step in _steps(entry.get("fieldsV1") or {}) for entry in mine)


def _steps(fields: Mapping[str, Any]) -> frozenset[str]:
    found: set[str] = set()
    for step, inner in fields.items():
        found |= {step} | _steps(inner)
    return frozenset(found)
