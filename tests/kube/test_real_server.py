"""The same requests to a real API server, to confirm the answers in other tests."""

from typing import Any

import pytest

from reconciler.kube.clusters import KubeCluster, KubeClusters
from reconciler.kube.interface import RequestCounts
from reconciler.model.errors import RejectedError
from reconciler.model.objects import NAMESPACE, Ref
from tests.envtest.servers import ApiServer

OURS = "gitops-ipam"


def _cluster(server: ApiServer, user: str = "admin") -> KubeCluster:
    return KubeClusters().connect(
        "team/one", server.kubeconfig_for(user).read_bytes(), is_named=True
    )


def _pool(*addresses: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "metallb.io/v1beta1",
        "kind": "IPAddressPool",
        "metadata": {"namespace": "metallb-system", "name": "default-pool"},
        "spec": {"addresses": list(addresses), **spec},
    }


def _map(namespace: str, name: str, **content: str) -> dict[str, Any]:
    metadata = {"namespace": namespace, "name": name}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": content}


@pytest.fixture
def tenant(tenants: tuple[ApiServer, ...]) -> ApiServer:
    return tenants[0]


def test_what_the_schema_refuses_is_told_at_once(tenant: ApiServer) -> None:
    cluster = _cluster(tenant)
    wrong: list[tuple[dict[str, Any], str]] = [
        (_pool("10.40.0.80/29", adresses=[]), "field not declared in schema"),
        (_pool("10.40.0.80/29", serviceAllocation={"priority": "high"}), "Allocation.priority"),
        (_pool("x" * 2 * 1024 * 1024), "the object is too large for the server"),
        (_pool("x" * 4 * 1024 * 1024), "the object is too large for the server"),
    ]
    for manifest, told in wrong:
        with pytest.raises(RejectedError, match=told):
            cluster.apply(manifest, OURS)
    assert cluster.requests() == RequestCounts(patch=4)


def test_a_namespace_that_goes_away_takes_nothing(management: ApiServer) -> None:
    management.namespace("leaving")
    cluster = _cluster(management)
    cluster.apply(_map("leaving", "a"), OURS)
    found = cluster.get(Ref(NAMESPACE, "", "leaving"))
    assert found is not None
    cluster.delete(Ref(NAMESPACE, "", "leaving"), found["metadata"]["uid"])
    with pytest.raises(RejectedError, match="namespace leaving because it is being terminated"):
        cluster.apply(_map("leaving", "b"), OURS)
