"""A daemon for elastic tenants with a simple MetalLB, and commits of people."""

from collections.abc import Mapping
from typing import Any

from reconciler.daemon.dirty import ALL, GIT, Dirty
from reconciler.families.butler.kinds import TENANT_CLUSTER
from reconciler.model.objects import SERVICE
from reconciler.reconcile.reconcile import Round
from tests.fake_cluster import HUB
from tests.reconcile.looking.country import ONE, elastic
from tests.reconcile.looking.country import Country as Tenants
from tests.reconcile.watching.country import Country


class Town:
    """Tenants that use both initial addresses. There are no watches: tests report events.

    Attributes:
        daemon: The daemon, whose rounds tests start one by one.
        tenants: Actions of people in clusters, and MetalLB.
    """

    def __init__(self, *names: str, cidr: str = "10.0.0.0/27", **network: str) -> None:
        files = elastic(*names, cidr=cidr, **network)
        self.daemon = Country(files)
        clusters: Any = self.daemon.clusters
        self.tenants = Tenants(dict(files), clusters=clusters)
        hub = clusters.hand(HUB)
        hub.put({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-a"}})
        kind = {"apiVersion": TENANT_CLUSTER.api_version, "kind": TENANT_CLUSTER.kind}
        hub.put({**kind, "metadata": {"name": "one", "namespace": "team-a"}, "spec": {}})
        self.daemon.start()
        for name in names or ("one",):
            self.tenants.ask("a", f"team-a/{name}")
            self.tenants.ask("b", f"team-a/{name}")
        self.round(ALL)

    def round(self, *clusters: str) -> list[Round]:
        """Run a round for some or all clusters, and then MetalLB."""
        self.daemon.clusters.opened.clear()
        names = None if ALL in clusters else frozenset(clusters) - {GIT}
        found = list(self.daemon.work.rounds(Dirty(names, ("test",), self.daemon.time.now)))
        self.tenants.serve()
        return found

    def commit(self, files: Mapping[str, str | None]) -> None:
        branch = self.daemon.branch
        branch.people(files, branch.fetch().clock + 1)

    def pass_by(self, seconds: int) -> None:
        self.daemon.time.now += seconds
        self.daemon.clusters.clock += seconds
        self.tenants.now = self.daemon.clusters.clock

    def looks(self, cluster: str = ONE) -> int:
        """How often the Services of a cluster were listed in the last round."""
        opened = self.daemon.clusters.opened
        every = [it for made in opened if made.name == cluster for it in made.log]
        return every.count(("list", SERVICE))

    def asked(self, cluster: str) -> int:
        return sum(made.name == cluster for made in self.daemon.clusters.opened)
