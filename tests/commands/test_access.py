"""Which Secret is whose: a cluster is never reached by the kubeconfig of another one."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from reconciler.clusters.inventory import Inventory
from reconciler.clusters.resources import Manifest, Ref, Resource
from reconciler.commands.applying.access import Access
from reconciler.commands.applying.enrolment import Enrolment
from reconciler.commands.applying.management import Hub
from reconciler.ports import Cluster, Clusters


@dataclass
class Server:
    """A management cluster with TenantClusters and Secrets, by `namespace/name`."""

    tenants: Sequence[str] = ()
    secrets: Sequence[str] = ()
    asked: list[str] = field(default_factory=list)

    def list(self, resource: Resource) -> Sequence[Manifest]:
        assert resource.kind == "TenantCluster"
        named = (item.split("/") for item in self.tenants)
        return [{"metadata": {"namespace": place, "name": name}} for place, name in named]

    def get(self, ref: Ref) -> Manifest | None:
        name = f"{ref.namespace}/{ref.name}"
        self.asked.append(name)
        value = base64.b64encode(name.encode()).decode()
        return {"data": {"value": value}} if name in self.secrets else None


class Named:
    """Nobody named a kubeconfig; a connection is the kubeconfig that it is made by."""

    def named(self, cluster: str) -> None:
        del cluster

    def connect(self, cluster: str, kubeconfig: bytes) -> Any:
        del cluster
        return kubeconfig.decode()


def reached(server: Server, cluster: str) -> Any:
    """The Secret that a cluster is reached by, or None."""
    hub = Hub(cast(Cluster, server), Enrolment("uid", Inventory(), (), "butler-system"))
    return Access(cast(Clusters, Named()), hub).connect(cluster)


def test_a_tenant_is_reached_by_the_secret_beside_it() -> None:
    server = Server(["default/x"], ["default/x-kubeconfig", "butler-system/x-kubeconfig"])
    assert reached(server, "default/x") == "default/x-kubeconfig"


def test_a_cluster_target_has_its_secret_at_home() -> None:
    server = Server(["default/x"], ["default/x-kubeconfig", "butler-system/x-kubeconfig"])
    assert reached(server, "x") == "butler-system/x-kubeconfig"


def test_the_secret_of_a_tenant_at_home_is_no_cluster_targets() -> None:
    server = Server(["butler-system/x"], ["butler-system/x-kubeconfig"])
    assert reached(server, "butler-system/x") == "butler-system/x-kubeconfig"
    assert reached(server, "x") is None


def test_a_tenant_without_a_namespace_is_no_cluster_target() -> None:
    """A record that names none: no Secret is its own."""
    server = Server((), ["butler-system/x-kubeconfig"])
    assert reached(server, "/x") is None
    assert server.asked == []
