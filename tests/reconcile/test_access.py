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
        value = self.value or base64.b64encode(name.encode()).decode()
        return {"data": {"value": value}} if name in self.secrets else None


class Named:
    """Clusters without named kubeconfigs. A connection is the kubeconfig that it uses."""

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


NEAR_AND_HOME = ["default/x-kubeconfig", "butler-system/x-kubeconfig"]
HOME = ["butler-system/x-kubeconfig"]


@pytest.mark.parametrize(
    ("tenant", "secrets", "status", "cluster", "expected"),
    [
        ("default/x", NEAR_AND_HOME, {}, "default/x", "default/x-kubeconfig"),
        ("default/x", NEAR_AND_HOME, {}, "x", "butler-system/x-kubeconfig"),
        ("a/x", ["b/x-kubeconfig", "a/x-kubeconfig"], {"tenantNamespace": "b"}, "a/x", "b/x-kubeconfig"),
        ("butler-system/x", HOME, {}, "butler-system/x", "butler-system/x-kubeconfig"),
        ("butler-system/x", HOME, {}, "x", None),
    ],
)  # fmt: skip
def test_a_cluster_is_reached_by_its_own_secret(
    tenant: str, secrets: list[str], status: dict[str, str], cluster: str, expected: str | None
) -> None:
    assert reached(Server([tenant], secrets, status), cluster) == expected


@pytest.mark.parametrize("value", ["no base64", "ä", "🙂"])
def test_a_secret_without_a_kubeconfig_is_reported(value: str) -> None:
    server = Server(["a/x"], ["a/x-kubeconfig"], value=value)
    with pytest.raises(KubeconfigError, match="has no kubeconfig under the key 'value'"):
        reached(server, "a/x")
