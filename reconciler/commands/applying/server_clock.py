"""What time it is in the management cluster: what falls due waits for its clock, too."""

from contextlib import closing

from reconciler.ports import ClusterError, Clusters


def server_now(clusters: Clusters) -> int | None:
    """Seconds since 1970 by the management cluster's clock; None where it does not say.

    One that cannot be asked holds nothing up here: whether addresses are withdrawn is asked next.
    """
    try:
        cluster = clusters.management()
        if cluster is None:
            return None
        with closing(cluster):
            cluster.version()
            return cluster.now() or None
    except ClusterError:
        return None
