"""Clusters of documents and records."""

from collections.abc import Iterable
from functools import cache

from reconciler.documents.document import Document, Documents, GroupKind
from reconciler.families import families, family_of
from reconciler.families.fields import former_of
from reconciler.families.interface import ClusterKind
from reconciler.loadbalancers.interface import ClusterBalancer
from reconciler.model.claim import Allocation
from reconciler.model.objects import Manifest, tenant_name


def balancers(documents: Documents) -> dict[str, ClusterBalancer]:
    """Return the controllers of clusters that state theirs, by cluster name."""
    found: dict[str, ClusterBalancer] = {}
    for family in families():
        found |= family.announcing.balancers(documents)
    return found


@cache
def cluster_kinds() -> tuple[ClusterKind, ...]:
    """Return the kinds whose objects represent clusters."""
    return tuple(kind for family in families() if (kind := family.announcing.clusters) is not None)


@cache
def document_kinds() -> tuple[GroupKind, ...]:
    """Return the kinds of documents that describe clusters."""
    objects = (GroupKind(it.resource.group, it.resource.kind) for it in cluster_kinds())
    return (*objects, *(kind for family in families() for kind in family.announcing.documents))


def name_of(namespace: str, name: str) -> str:
    """Return the cluster name of a document; without a slash if the document has no namespace."""
    return tenant_name(namespace, name) if namespace else name


def cluster_of(record: Allocation) -> str:
    """Return the cluster that announces the addresses of a record."""
    family = family_of(record.claim.family)
    if family is None:  # the kind is unknown to this version: use its owner, as for tenants
        return tenant_name(record.owner.namespace, record.owner.name)
    return family.announcing.cluster_of(record)


def balancer_records(records: Iterable[Allocation]) -> dict[str, list[Allocation]]:
    """Return the records of load-balancer addresses, by the cluster that announces them."""
    found: dict[str, list[Allocation]] = {}
    for record in records:
        if record.type == "loadbalancer" and record.range is not None:
            found.setdefault(cluster_of(record), []).append(record)
    return found


def announcer(manifest: Manifest) -> str | None:
    """Return the cluster that announces a record's copy in the management cluster, or None."""
    found = (family.announcing.announcer(manifest) for family in families())
    return next((cluster for cluster in found if cluster is not None), None)


def cluster_documents(documents: Documents) -> list[tuple[str, Document]]:
    """Return the documents that describe clusters, each with the name of its cluster."""
    return [
        (name_of(document.namespace, document.name), document)
        for kind in document_kinds()
        for document in documents.of(kind)
    ]


def described_clusters(documents: Documents) -> frozenset[str]:
    """Return the names of the clusters that documents describe."""
    return frozenset(name for name, _ in cluster_documents(documents))


def former_clusters(documents: Documents) -> dict[str, str]:
    """Return former names of clusters by the current one, if none has it and one document lists it."""
    there = described_clusters(documents)
    found: dict[str, list[str]] = {}
    for now, document in cluster_documents(documents):
        former = former_of(document)
        if former is not None and (before := name_of(*former)) not in there:
            found.setdefault(before, []).append(now)
    return {names[0]: before for before, names in found.items() if len(names) == 1}
