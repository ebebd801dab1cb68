"""Which cluster of a new name is the one of the old name: the clusters themselves are asked."""

from collections.abc import Mapping

from msgspec import Struct, field

from reconciler.clusters.identity import uid_of
from reconciler.clusters.memory import Enrolled
from reconciler.clusters.renamed import former_clusters
from reconciler.clusters.resources import NAMESPACE
from reconciler.commands.applying.access import Access
from reconciler.commands.applying.work import contained
from reconciler.documents.document import Documents
from reconciler.model.resource import Ref
from reconciler.ports import ClusterError

_IDENTITY = Ref(NAMESPACE, "", "kube-system")


class Renames(Struct, frozen=True):
    """What became of clusters that have another name.

    Attributes:
        same: Old names by new ones, of what is one cluster.
        left: Why nothing is done under an old name for now: it is not known whether it is one.
    """

    same: Mapping[str, str] = field(default_factory=dict)
    left: Mapping[str, str] = field(default_factory=dict)


def renames(documents: Documents, known: Mapping[str, Enrolled], access: Access) -> Renames:
    """Compare each cluster that was renamed with what is remembered under its old name.

    Args:
        documents: Those of the revision.
        known: What is remembered of clusters, by name.
        access: How they are reached.
    """
    same: dict[str, str] = {}
    left: dict[str, str] = {}
    for now, before in former_clusters(documents).items():
        if before not in known:
            continue
        try:
            with contained():
                own, uid = _uid(now, access), known[before].uid or _uid(before, access)
        except ClusterError as failed:
            left[before] = f"it was renamed to {now}, and that cannot be asked: {failed}"
            continue
        if not own:
            left[before] = f"it was renamed to {now}, for which there is no kubeconfig yet"
        elif own == uid:
            same[now] = before
    return Renames(same, left)


def _uid(name: str, access: Access) -> str:
    """The identity of a cluster; empty when there is no kubeconfig for it."""
    cluster = access.connect(name)
    if cluster is None:
        return ""
    try:
        home = cluster.get(_IDENTITY)
        return uid_of(home["metadata"]["uid"]) if home is not None else ""
    except ValueError as wrong:
        raise ClusterError(str(wrong)) from wrong
    finally:
        cluster.close()
