"""Which cluster announces what of a family, and which objects stand for clusters.

It is asked of every change: so it stands apart from all else that a family is in clusters.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from reconciler.addresses import IPRange
from reconciler.families._family import ProjectionInput
from reconciler.model.allocation import Allocation
from reconciler.model.cluster import MANAGEMENT
from reconciler.model.resource import Manifest, Resource


class ClusterKind(Struct, frozen=True):
    """A kind whose objects stand for clusters, each called `namespace/name`.

    Attributes:
        homes: The namespaces in which the Secret with its kubeconfig may be, for the live object
            (None when there is none) and its namespace. A `ValueError` says what is wrong with
            the object.
    """

    resource: Resource
    homes: Callable[[Manifest | None, str], Iterable[str]]


def _nowhere_else(record: Allocation) -> str:
    del record
    return MANAGEMENT


def _nobody(manifest: Manifest) -> str | None:
    del manifest
    return None


def _nothing(world: ProjectionInput) -> Mapping[str, Sequence[IPRange]]:
    del world
    return {}


class Announcing(Struct, frozen=True):
    """What of a family clusters announce.

    Attributes:
        clusters: The kind whose objects stand for clusters.
        cluster_of: The cluster that announces the addresses of a record, by name. Without it
            that is the management cluster.
        announcer: The same told from a record's copy in the management cluster; None when it is of
            another family, or its addresses are not announced.
        announces: What each cluster but the management cluster announces, for the records given,
            by the cluster's name.
    """

    clusters: ClusterKind | None = None
    cluster_of: Callable[[Allocation], str] = _nowhere_else
    announcer: Callable[[Manifest], str | None] = _nobody
    announces: Callable[[ProjectionInput], Mapping[str, Sequence[IPRange]]] = _nothing
