"""What a Cluster says of itself: its class, whether it rests, and what it asks for (`capi.md` §B2)."""

from typing import NamedTuple

from reconciler.documents.document import Document, Documents
from reconciler.families.capi.kinds import (
    CLUSTER,
    INGRESS,
    INGRESS_ENABLED,
    PAUSED,
)


class ClassRef(NamedTuple):
    """The ClusterClass that a Cluster is of."""

    namespace: str
    name: str


def class_of(document: Document) -> ClassRef | None:
    """The class that a Cluster names; None for one without topology, which claims nothing."""
    topology = document.spec.get("topology") or {}
    reference = topology.get("classRef") or {}
    name = topology.get("class") or reference.get("name")
    if not name:
        return None
    namespace = topology.get("classNamespace") or reference.get("namespace") or document.namespace
    return ClassRef(namespace, name)


def wants(document: Document, slot: str) -> bool:
    """A Cluster with topology asks for an address in a slot: for ingress unless it says `false`."""
    return slot != INGRESS or document.annotations().get(INGRESS_ENABLED) != "false"


def rests(document: Document) -> str:
    """Why a Cluster or a claim gets nothing new: `paused`, or `being deleted`; else empty."""
    if "deletionTimestamp" in document.metadata:
        return "being deleted"
    is_paused = PAUSED in document.annotations() or document.spec.get("paused", False)
    return "paused" if is_paused else ""


def variables_of(document: Document) -> frozenset[str]:
    """The names of the variables that a ClusterClass defines."""
    return frozenset(item["name"] for item in document.spec.get("variables") or ())


def cluster_named(document: Document, name: str, documents: Documents) -> Document | None:
    """The Cluster of a name in a document's namespace."""
    return documents.find(CLUSTER, document.namespace, name)
