"""Kinds and annotations."""

from reconciler.addresses import IPRange
from reconciler.documents.document import Document, GroupKind, Kind
from reconciler.documents.findings import Finding
from reconciler.families.fields import read_range
from reconciler.model.objects import KIND as RECORD_KIND

NAME = "butler"
"""Name of the family in keys."""

GROUP = "butler.butlerlabs.dev"
API_VERSION = f"{GROUP}/v1alpha1"
SYSTEM = "butler-system"

POOL = GroupKind(GROUP, "NetworkPool")
PROVIDER = GroupKind(GROUP, "ProviderConfig")
TENANT = GroupKind(GROUP, "TenantCluster")
REQUEST = GroupKind(GROUP, RECORD_KIND)  # requests and records have the same kind
TEAM = GroupKind(GROUP, "Team")

KINDS = (
    Kind(API_VERSION, POOL.kind, "butler/NetworkPool.json", SYSTEM),
    Kind(API_VERSION, PROVIDER.kind, "butler/ProviderConfig.json", SYSTEM, role="provider"),
    Kind(API_VERSION, TENANT.kind, "butler/TenantCluster.json", "default"),
    Kind(API_VERSION, REQUEST.kind, "butler/IPAllocation.json", SYSTEM),
    Kind(API_VERSION, TEAM.kind, "butler/Team.json", None, is_shared=True, role="team"),
)


MANUAL = ("spec", "networking", "loadBalancerPool")


def manual_title(document: Document) -> str:
    """Return the title of a tenant's loadBalancerPool in findings of other claims."""
    return f"{document.namespace}/{document.name} (loadBalancerPool)"


def manual_range(document: Document, found: list[Finding]) -> IPRange | None:
    """Return the range of a tenant's loadBalancerPool; None if absent or invalid."""
    if "loadBalancerPool" not in (document.spec.get("networking") or {}):
        return None
    return read_range(document, MANUAL, ("start", "end"), found)
