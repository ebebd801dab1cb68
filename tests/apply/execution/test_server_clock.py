"""What time it is in the management cluster, as what falls due asks for it."""

from reconciler.apply.inventory import server_now
from reconciler.kube.interface import Cluster
from reconciler.model.errors import ClusterError
from tests.fake_cluster import HUB
from tests.fake_clusters import FakeClusters
from tests.world import CLOCK


def test_the_time_is_the_servers_and_it_is_asked_for() -> None:
    clusters = FakeClusters()
    assert server_now(clusters) == CLOCK
    assert clusters.last(HUB).log[0][0] == "version"


def test_a_cluster_that_cannot_be_asked_or_is_not_named_says_nothing() -> None:
    class Silent(FakeClusters):
        def management(self) -> Cluster | None:
            raise ClusterError("no answer")

    class Unnamed(FakeClusters):
        def management(self) -> Cluster | None:
            return None

    assert server_now(Silent()) is None
    assert server_now(Unnamed()) is None
