"""Which cluster announces the addresses of a record, and which objects stand for clusters.

Each family says it of its own.
"""

from functools import cache

from reconciler.documents.document import Documents
from reconciler.families import families
from reconciler.families._objects import ClusterKind, Objects
from reconciler.model.allocation import Allocation
from reconciler.model.cluster import tenant_name
from reconciler.model.resource import Manifest


@cache
def _by_name() -> dict[str, Objects]:
    return {family.name: family.objects for family in families()}


@cache
def cluster_kinds() -> tuple[ClusterKind, ...]:
    """The kinds whose objects stand for clusters."""
    return tuple(kind for family in families() if (kind := family.objects.clusters) is not None)


def cluster_of(record: Allocation) -> str:
    """The cluster that announces the addresses of a record."""
    known = _by_name().get(record.claim.family)
    if known is None:  # of a family that this version does not know: its owner's, as for tenants
        return tenant_name(record.owner.namespace, record.owner.name)
    return known.cluster_of(record)


def announcer(manifest: Manifest) -> str | None:
    """The same of a record's copy in the management cluster; None when nobody announces it."""
    told = (known.announcer(manifest) for known in _by_name().values())
    return next((cluster for cluster in told if cluster is not None), None)


def described_clusters(documents: Documents) -> frozenset[str]:
    """The names of the clusters that documents describe."""
    return frozenset(
        tenant_name(document.namespace, document.name)
        for kind in cluster_kinds()
        for document in documents.of(kind.resource.kind)
    )
