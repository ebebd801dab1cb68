"""Events on IPAddressClaims: an address is given, or why none is."""

from typing import Any

from reconciler.families._events import event_name, event_on, reference
from reconciler.families._objects import Happening
from reconciler.families.capi.resources import CLAIMS
from reconciler.model.resource import Manifest


def claim_event(happening: Happening) -> Manifest | None:
    """The Event of a claim whose condition Ready says something else than before, with its reason."""
    if happening.ref.resource != CLAIMS:
        return None
    now, before = _ready(happening.wanted), _ready(happening.before)
    if not now or all(now[key] == before.get(key) for key in ("status", "reason")):
        return None
    about = reference(CLAIMS, happening.wanted, happening.before)
    kind = "Normal" if now["status"] == "True" else "Warning"
    # What flips back and forth is told each time: its time is another one.
    name = event_name(about, now["reason"], now["lastTransitionTime"])
    return event_on(about, name, (kind, now["reason"], now["message"]), happening.now, {})


def _ready(claim: Manifest | None) -> Manifest:
    """The condition of a claim; empty where it has none."""
    status: Manifest = (claim or {}).get("status") or {}
    conditions: list[dict[str, Any]] = status.get("conditions") or []
    return next((item for item in conditions if item["type"] == "Ready"), {})
