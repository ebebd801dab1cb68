"""Which Secret is whose: a cluster is never reached by the kubeconfig of another one."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from reconciler.apply.inventory import ClusterIdentity, Inventory
from reconciler.apply.management import Access, ManagementCluster
from reconciler.kube.interface import Cluster, Clusters, ObjectList
from reconciler.model.errors import KubeconfigError
from reconciler.model.objects import Manifest, Ref, Resource


@dataclass
class Server:
    """A management cluster with TenantClusters and Secrets, by `namespace/name`."""

    tenants: Sequence[str] = ()
    secrets: Sequence[str] = ()
    status: Mapping[str, Any] = field(default_factory=dict)
    value: str = ""
    asked: list[str] = field(default_factory=list)

    def list(self, resource: Resource) -> ObjectList:
        assert resource.kind == "TenantCluster"
        named = (item.split("/") for item in self.tenants)
        found = [
            {"metadata": {"namespace": place, "name": name}, "status": self.status}
            for place, name in named
        ]
        return ObjectList(found)

    def get(self, ref: Ref) -> Manifest | None:
        name = f"{ref.namespace}/{ref.name}"
        self.asked.append(name)
        value = self.value or base64.b64encode(name.encode()).decode()
        return {"data": {"value": value}} if name in self.secrets else None


class Named:
    """Nobody named a kubeconfig; a connection is the kubeconfig that it is made by."""

    def named(self, cluster: str) -> None:
        del cluster

    def connect(self, cluster: str, kubeconfig: bytes, *, is_named: bool = False) -> Any:
        del cluster, is_named
        return kubeconfig.decode()


def reached(server: Server, cluster: str) -> Any:
    """The Secret that a cluster is reached by, or None."""
    hub = ManagementCluster(
        cast(Cluster, server), ClusterIdentity("uid", Inventory(), (), "butler-system")
    )
    return Access(cast(Clusters, Named()), hub).connect(cluster)


def test_a_tenant_is_reached_by_the_secret_beside_it() -> None:
    server = Server(["default/x"], ["default/x-kubeconfig", "butler-system/x-kubeconfig"])
    assert reached(server, "default/x") == "default/x-kubeconfig"


def test_a_tenant_is_reached_by_the_secret_in_the_namespace_of_its_status() -> None:
    server = Server(["a/x"], ["b/x-kubeconfig", "a/x-kubeconfig"], {"tenantNamespace": "b"})
    assert reached(server, "a/x") == "b/x-kubeconfig"


@pytest.mark.parametrize("value", ["no base64", "ä", "🙂"])
def test_a_secret_that_holds_no_kubeconfig_is_told(value: str) -> None:
    server = Server(["a/x"], ["a/x-kubeconfig"], value=value)
    with pytest.raises(KubeconfigError, match="has no kubeconfig under the key 'value'"):
        reached(server, "a/x")


def test_a_cluster_target_has_its_secret_at_home() -> None:
    server = Server(["default/x"], ["default/x-kubeconfig", "butler-system/x-kubeconfig"])
    assert reached(server, "x") == "butler-system/x-kubeconfig"


def test_the_secret_of_a_tenant_at_home_is_no_cluster_targets() -> None:
    server = Server(["butler-system/x"], ["butler-system/x-kubeconfig"])
    assert reached(server, "butler-system/x") == "butler-system/x-kubeconfig"
    assert reached(server, "x") is None
