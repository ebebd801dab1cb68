"""Clusters are asked about addresses that would come free: at once, and never for each other."""

from dataclasses import dataclass, field
from threading import Barrier, BrokenBarrierError

from reconciler.apply.expiry import still_announced
from reconciler.apply.fleet import AT_ONCE, apply_fleet
from reconciler.apply.targets import ApplyOptions
from reconciler.model.errors import UnreachableError
from reconciler.model.objects import Ref
from tests.apply.execution.site import evaluated, world
from tests.fake_cluster import HUB, FakeCluster
from tests.fake_clusters import FakeClusters
from tests.world import CLOCK, pool, reconciled

NAMES = [f"t{number:02d}" for number in range(AT_ONCE * 2)]
LATER = CLOCK + 25 * 3_600


@dataclass
class Dead(FakeCluster):
    """A cluster that gives no answer before all others are waited for, too."""

    barrier: Barrier = field(default_factory=lambda: Barrier(1))
    waited: list[bool] = field(default_factory=list)

    def get(self, ref: Ref) -> None:
        try:
            self.barrier.wait(10)
        except BrokenBarrierError:
            self.waited.append(False)
        raise UnreachableError(f"read {ref}: no answer")


@dataclass
class Away(FakeClusters):
    """A country in which all but the management cluster are dead."""

    barrier: Barrier = field(default_factory=lambda: Barrier(len(NAMES)))
    waited: list[bool] = field(default_factory=list)

    def opener(self, cluster: str) -> FakeCluster:
        if cluster == HUB:
            return FakeCluster(cluster)
        return Dead(cluster, barrier=self.barrier, waited=self.waited)


def test_many_dead_clusters_cost_the_time_of_one() -> None:
    whole = world(*NAMES, **{"pools/edge.yaml": pool("edge", "10.0.0.0/20")})
    country = FakeClusters()
    apply_fleet(evaluated(whole), country, ApplyOptions(), lambda _old, _new: True)
    assert all(connection.is_closed for connection in country.opened)
    gone = reconciled({path: text for path, text in whole.items() if "tenants/" not in path})
    away = Away(country.objects)
    doubts = still_announced(evaluated(gone, clock=LATER), away, ApplyOptions())
    assert away.waited == []
    assert len(doubts) == len(NAMES)
    assert all("cannot be asked: read Namespace/kube-system" in why for why in doubts.values())
    assert len(away.opened) == len(NAMES) + 1
    assert all(connection.is_closed for connection in away.opened)
