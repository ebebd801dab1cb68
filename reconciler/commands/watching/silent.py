"""Clusters of which some are known not to answer: nobody waits for them.

Who asks one is told so at once, by the very failure that a connection would end with. So what it may
announce is held, and nothing is given back there, by the code that takes care of all who are silent.
"""

from msgspec import Struct

from reconciler.model.cluster import MANAGEMENT
from reconciler.ports import Cluster, Clusters, UnreachableError

SILENT = "it does not answer; it is asked again when its watch tells that it does"


class Answering(Struct, frozen=True):
    """Clusters, but for those that do not answer.

    Attributes:
        down: Those, by name.
    """

    clusters: Clusters
    down: frozenset[str]

    def management(self) -> Cluster | None:
        """The management cluster.

        Raises:
            UnreachableError: It is known not to answer.
        """
        self._require(MANAGEMENT)
        return self.clusters.management()

    def named(self, cluster: str) -> bytes | None:
        """As that of the clusters."""
        return self.clusters.named(cluster)

    def connect(self, cluster: str, kubeconfig: bytes, *, is_named: bool = False) -> Cluster:
        """A cluster by its kubeconfig.

        Raises:
            UnreachableError: It is known not to answer.
        """
        self._require(cluster)
        return self.clusters.connect(cluster, kubeconfig, is_named=is_named)

    def _require(self, cluster: str) -> None:
        if cluster in self.down:
            raise UnreachableError(SILENT)
