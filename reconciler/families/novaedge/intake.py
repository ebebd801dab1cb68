"""Which of NovaEdge's objects may live in the management cluster alone."""

from typing import Any

from reconciler.families._intake import Intake
from reconciler.families.novaedge.adopting import FIELDS
from reconciler.families.novaedge.kinds import KINDS, VIP
from reconciler.families.novaedge.resources import VIPS
from reconciler.model.resource import Manifest


def _with_its_own(body: dict[str, Any], manifest: Manifest) -> dict[str, Any]:
    """The copy, which names the addresses that NovaEdge gave a ProxyVIP: they are in use."""
    spec, status = dict(body.get("spec") or {}), manifest.get("status") or {}
    for field in FIELDS if "poolRef" in spec else ():
        if text := status.get(field):
            named = "ipv6Address" if ":" in str(text) else "address"
            spec.setdefault(named, text)
    return {**body, "spec": spec} if spec else body


INTAKE = (
    Intake(
        VIPS,
        tuple(kind for kind in KINDS if kind.id == VIP),
        ("gets no address", "get no address"),
        amend=_with_its_own,
    ),
)
