"""A tenant's loadBalancerPool of before IPAM: addresses that it uses without a record."""

from reconciler.addresses import IPRange
from reconciler.documents.document import Document
from reconciler.families._pool_fields import read_range
from reconciler.findings import Finding

MANUAL = ("spec", "networking", "loadBalancerPool")


def manual_title(document: Document) -> str:
    """What a tenant's loadBalancerPool is called where it blocks others."""
    return f"{document.namespace}/{document.name} (loadBalancerPool)"


def manual_range(document: Document, found: list[Finding]) -> IPRange | None:
    """The range of a tenant's loadBalancerPool; None without one, or with findings."""
    if "loadBalancerPool" not in (document.spec.get("networking") or {}):
        return None
    return read_range(document, MANUAL, ("start", "end"), found)
