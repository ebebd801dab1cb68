"""Which revision the management cluster was brought to last, as its inventory says."""

from contextlib import closing

from reconciler.commands.applying.enrolment import enrol
from reconciler.model.cluster import HOME, MANAGEMENT
from reconciler.ports import ClusterError, Clusters


def last_applied(clusters: Clusters) -> str:
    """The id of the revision; empty where the cluster does not say, or cannot be asked."""
    try:
        cluster = clusters.management()
        if cluster is None:
            return ""
        with closing(cluster):
            return enrol(cluster, MANAGEMENT, HOME, "").inventory.revision
    except ClusterError:
        return ""
