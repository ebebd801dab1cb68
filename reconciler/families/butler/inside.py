"""A tenant's networks of pods and services, as far as its document states them."""

from collections.abc import Iterator

from reconciler.documents.document import Document
from reconciler.families._inside import Stated

_FIELDS = {"podCIDR": "pods", "serviceCIDR": "services"}


def stated_inside(document: Document) -> Iterator[Stated]:
    """The fields that a TenantCluster has; what it leaves out is not known."""
    networking = document.spec.get("networking") or {}
    for field, use in _FIELDS.items():
        if field in networking:
            yield Stated(use, networking[field], ("spec", "networking", field))
