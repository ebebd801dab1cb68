"""A management cluster and tenant clusters in memory, to which tests apply trees."""

from dataclasses import dataclass, field
from typing import Any

from reconciler.apply.fleet import apply_fleet
from reconciler.apply.inventory import NAME
from reconciler.apply.targets import ApplyOptions
from reconciler.families.butler.kinds import MACHINE
from reconciler.kube.interface import Cluster
from reconciler.loadbalancers.metallb.kinds import ADDRESS_POOL
from reconciler.model.applied import Applied
from reconciler.model.errors import GitError
from reconciler.model.objects import CONFIG_MAP, Ref, Resource
from tests.apply.execution.site import Files, evaluated
from tests.fake_cluster import HUB, FakeCluster, Fault, Objects
from tests.world import CLOCK

POOL = Ref(ADDRESS_POOL, "metallb-system", "default-pool")
HISTORY = "abcdefgh"


@dataclass
class FakeClusters:
    """Clusters by name. Each connection is a new object.

    Attributes:
        objects: Objects of each cluster.
        unknown: Kinds that each cluster does not serve.
        faults: Failures of clusters.
        opened: All connections, in order.
        unnamed: Clusters without a kubeconfig.
        clock: The time of all servers.
    """

    objects: dict[str, Objects] = field(default_factory=dict)
    opened: list[FakeCluster] = field(default_factory=list)
    unknown: dict[str, set[Resource]] = field(default_factory=dict)
    faults: dict[str, Fault] = field(default_factory=dict)
    unnamed: tuple[str, ...] = ()
    clock: int = CLOCK

    def management(self) -> Cluster | None:
        return self.connect(HUB, b"")

    def named(self, cluster: str) -> bytes | None:
        return None if cluster in self.unnamed else b"a kubeconfig"

    def connect(self, cluster: str, kubeconfig: bytes, *, is_named: bool = False) -> Cluster:
        del kubeconfig, is_named
        connection = self.opener(cluster)
        connection.objects = self.objects.setdefault(cluster, connection.objects)
        connection.unknown = self.unknown.setdefault(cluster, {MACHINE})
        connection.fault = self.faults.get(cluster, connection.fault)
        self.opened.append(connection)
        return connection

    def opener(self, cluster: str) -> FakeCluster:
        """Return a connection. Subclasses can return another type."""
        return FakeCluster(cluster, clock=self.clock)

    def run(self, files: Files, revision: str = "a", **options: Any) -> dict[str, Applied]:
        """Apply a tree, after a dry run with the same result. Return the result of each cluster."""
        foreseen = self.apply(files, revision, dry_run=True, **options)
        assert [item.writes() for item in self.opened] == [[] for _ in self.opened]
        done = self.apply(files, revision, **options)
        assert {name: describe(item) for name, item in foreseen.items()} == {
            name: describe(item) for name, item in done.items()
        }
        return done

    def apply(self, files: Files, revision: str = "a", **options: Any) -> dict[str, Applied]:
        """Apply a tree, and return the result of each cluster."""
        self.opened.clear()
        found = apply_fleet(evaluated(files, revision), self, ApplyOptions(**options), is_in)
        return {item.cluster: item for item in found}

    def last(self, cluster: str) -> FakeCluster:
        """Return the newest connection to a cluster."""
        return next(item for item in reversed(self.opened) if item.name == cluster)

    def hand(self, cluster: str) -> FakeCluster:
        """Return a connection of another user or controller to a cluster."""
        made = FakeCluster(cluster, clock=self.clock)
        made.objects = self.objects.setdefault(cluster, made.objects)
        made.unknown = self.unknown.setdefault(cluster, {MACHINE})
        return made

    def use(self, cluster: str, address: str) -> None:
        """Create a Service with an address."""
        self.hand(cluster).put(
            {
                "apiVersion": "v1",
                "kind": "Service",
                "metadata": {"name": "shop", "namespace": "default"},
                "spec": {"type": "LoadBalancer"},
                "status": {"loadBalancer": {"ingress": [{"ip": address}]}},
            }
        )

    def inventory(self, cluster: str) -> dict[str, str]:
        """Return the data of the inventory in a cluster."""
        namespace = "butler-system" if cluster == HUB else "metallb-system"
        data: dict[str, str] = self.objects[cluster][Ref(CONFIG_MAP, namespace, NAME)]["data"]
        return data

    def announced(self, cluster: str, name: str = "default-pool") -> list[str] | None:
        """Return the addresses of an IPAddressPool, or None if it does not exist."""
        pool = self.objects[cluster].get(POOL._replace(name=name))
        return pool["spec"]["addresses"] if pool else None


def is_in(ancestor: str, revision: str) -> bool:
    """Return whether one revision contains the other, as a full clone does."""
    if revision[0] not in HISTORY:
        raise GitError(f"git merge-base: Not a valid commit name {revision}")
    return 0 <= HISTORY.find(ancestor[0]) <= HISTORY.find(revision[0])


def describe(applied: Applied) -> tuple[object, ...]:
    """Return the result of a cluster, without its revision and its requests."""
    return applied.state, applied.error, applied.hint, applied.outcomes, applied.notes
