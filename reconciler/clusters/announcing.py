"""Which cluster announces the addresses of a record, and which objects stand for clusters.

Each family says it of its own.
"""

from collections.abc import Iterable
from functools import cache

from reconciler.documents.document import Documents, GroupKind
from reconciler.families import families, family_of
from reconciler.families._family import ClusterKind
from reconciler.model.allocation import Allocation
from reconciler.model.cluster import tenant_name
from reconciler.model.resource import Manifest

_BALANCER = "loadbalancer"
"""The type of the records whose addresses Services get."""


@cache
def cluster_kinds() -> tuple[ClusterKind, ...]:
    """The kinds whose objects stand for clusters."""
    return tuple(kind for family in families() if (kind := family.announcing.clusters) is not None)


def cluster_of(record: Allocation) -> str:
    """The cluster that announces the addresses of a record."""
    family = family_of(record.claim.family)
    if family is None:  # this version does not know it: its owner's, as for tenants
        return tenant_name(record.owner.namespace, record.owner.name)
    return family.announcing.cluster_of(record)


def balancer_records(records: Iterable[Allocation]) -> dict[str, list[Allocation]]:
    """The records of load-balancer addresses, by the cluster that announces them."""
    found: dict[str, list[Allocation]] = {}
    for record in records:
        if record.type == _BALANCER and record.range is not None:
            found.setdefault(cluster_of(record), []).append(record)
    return found


def announcer(manifest: Manifest) -> str | None:
    """The same of a record's copy in the management cluster; None when nobody announces it."""
    told = (family.announcing.announcer(manifest) for family in families())
    return next((cluster for cluster in told if cluster is not None), None)


def described_clusters(documents: Documents) -> frozenset[str]:
    """The names of the clusters that documents describe."""
    return frozenset(
        tenant_name(document.namespace, document.name)
        for kind in cluster_kinds()
        for document in documents.of(GroupKind(kind.resource.group, kind.resource.kind))
    )
