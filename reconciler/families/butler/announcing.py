"""Which cluster announces a tenant's addresses, and where its kubeconfig is."""

from collections.abc import Iterator

from reconciler.families._objects import ClusterKind
from reconciler.families.butler.record_form import ANNOUNCED
from reconciler.families.butler.resources import TENANT_CLUSTER
from reconciler.model.allocation import Allocation
from reconciler.model.cluster import tenant_name
from reconciler.model.resource import Manifest


def cluster_of(record: Allocation) -> str:
    """The tenant's own cluster."""
    return tenant_name(record.owner.namespace, record.owner.name)


def announcer(manifest: Manifest) -> str | None:
    """The same of an IPAllocation in the management cluster."""
    spec = manifest.get("spec") or {}
    owner = spec.get("tenantClusterRef") or {}
    if spec.get("type") != ANNOUNCED or not owner.get("name"):
        return None
    return tenant_name(owner.get("namespace", ""), owner["name"])


def _homes(live: Manifest | None, namespace: str) -> Iterator[str]:
    """The namespace that the TenantCluster's status names, then its own."""
    inner = ((live or {}).get("status") or {}).get("tenantNamespace")
    if not isinstance(inner, str | None):
        raise ValueError("status.tenantNamespace is not a text")
    if inner:
        yield inner
    yield namespace


CLUSTERS = ClusterKind(TENANT_CLUSTER, _homes)
