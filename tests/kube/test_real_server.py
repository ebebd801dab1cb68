"""The same against a real API server: that its answers are what the other tests say they are."""

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from reconciler.kube.clusters import KubeCluster, KubeClusters
from reconciler.kube.interface import RequestCounts
from reconciler.kube.resources import ADDRESS_POOL, ref_of
from reconciler.model.errors import (
    NoSuchKindError,
    OwnedError,
    RejectedError,
    StaleError,
    UnauthorizedError,
)
from reconciler.model.objects import CONFIG_MAP, NAMESPACE, Ref, Resource
from tests.envtest.servers import ApiServer, Fleet
from tests.kube.kubeconfigs import CANARY, data, kubeconfig
from tests.kube.proxy import Fault, proxied

THING = Resource("example.com/v1", "Thing", "things")
OURS, STATUS = "gitops-ipam", "gitops-ipam-status"


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


def _version(found: Mapping[str, Any] | None) -> str:
    assert found is not None
    version: str = found["metadata"]["resourceVersion"]
    return version


@pytest.fixture
def tenant(tenants: tuple[ApiServer, ...]) -> ApiServer:
    return tenants[0]


def test_the_fields_of_an_editor_are_named_too(tenant: ApiServer) -> None:
    cluster = _cluster(tenant)
    ref = ref_of(cluster.apply(_pool("10.40.0.80/29"), OURS))
    cluster.merge(ref, {"spec": {"addresses": ["10.0.0.0/30"]}}, "kubectl-edit")
    with pytest.raises(OwnedError) as caught:
        cluster.apply(_pool("10.40.0.80/29"), OURS)
    assert caught.value.owners == (("kubectl-edit", "spec.addresses"),)


def test_a_field_that_the_schema_lacks_is_refused_at_once(tenant: ApiServer) -> None:
    cluster = _cluster(tenant)
    with pytest.raises(RejectedError, match="field not declared in schema"):
        cluster.apply(_pool("10.40.0.80/29", adresses=[]), OURS)
    assert cluster.requests() == RequestCounts(patch=1)


def test_a_value_that_the_schema_refuses_is_told_with_its_field(tenant: ApiServer) -> None:
    with pytest.raises(RejectedError, match=r"spec\.serviceAllocation\.priority"):
        _cluster(tenant).apply(_pool("10.40.0.80/29", serviceAllocation={"priority": "high"}), OURS)


def test_an_object_is_applied_only_to_the_version_that_was_read(tenant: ApiServer) -> None:
    cluster = _cluster(tenant)
    cluster.apply(_pool("10.40.0.80/29"), OURS)
    old = _pool("10.40.0.80/28")
    old["metadata"]["resourceVersion"] = "1"
    with pytest.raises(StaleError):
        cluster.apply(old, OURS)


def test_a_namespace_that_goes_away_takes_nothing(management: ApiServer) -> None:
    management.namespace("leaving")
    cluster = _cluster(management)
    cluster.apply(_map("leaving", "a"), OURS)
    found = cluster.get(Ref(NAMESPACE, "", "leaving"))
    assert found is not None
    cluster.delete(Ref(NAMESPACE, "", "leaving"), found["metadata"]["uid"])
    with pytest.raises(RejectedError, match="namespace leaving because it is being terminated"):
        cluster.apply(_map("leaving", "b"), OURS)


def test_rights_and_tokens_that_are_missing_are_told(management: ApiServer) -> None:
    with pytest.raises(UnauthorizedError, match='User "alice" cannot list resource "configmaps"'):
        _cluster(management, "alice").list(CONFIG_MAP)
    with pytest.raises(UnauthorizedError, match="cannot patch resource"):
        _cluster(management, "alice").apply(_map("default", "a"), OURS)
    authority = {"certificate-authority-data": _authority(management)}
    config = data(kubeconfig(management.url, cluster=authority))
    with pytest.raises(UnauthorizedError, match="does not accept the credentials") as caught:
        KubeClusters().connect("team/one", config, is_named=True).list(CONFIG_MAP)
    assert CANARY not in str(caught.value)


def _authority(server: ApiServer) -> str:
    config = json.loads(server.kubeconfig.read_text())
    found: str = config["clusters"][0]["cluster"]["certificate-authority-data"]
    return found


@pytest.mark.parametrize("mebibytes", [2, 4])
def test_an_object_that_is_too_large_is_told_so(tenant: ApiServer, mebibytes: int) -> None:
    cluster = _cluster(tenant)
    with pytest.raises(RejectedError, match="the object is too large for the server"):
        cluster.apply(_pool("x" * mebibytes * 1024 * 1024), OURS)
    assert cluster.requests() == RequestCounts(patch=1)


def test_a_long_list_is_read_by_pages_of_one_state(management: ApiServer) -> None:
    cluster = _cluster(management)
    management.namespace("many")
    with ThreadPoolExecutor(8) as pool:
        names = [f"map-{number:04}" for number in range(1200)]
        list(pool.map(lambda name: cluster.apply(_map("many", name), OURS), names))
    assert cluster.requests() == RequestCounts(patch=1200)
    found = cluster.list(CONFIG_MAP, "many").items
    assert [item["metadata"]["name"] for item in found] == names
    assert cluster.requests() == RequestCounts(list=3, patch=1200)
    assert {item["kind"] for item in found} == {"ConfigMap"}
    chosen = cluster.list(CONFIG_MAP, "many", fields="metadata.name=map-0007").items
    assert [item["metadata"]["name"] for item in chosen] == ["map-0007"]


@pytest.mark.parametrize("kind", ["reset", "lost", "eof"])
def test_a_request_that_was_lost_is_carried_out_once(tenant: ApiServer, kind: str) -> None:
    with proxied(tenant.kubeconfig.read_bytes(), Fault("PATCH", 1, kind)) as proxy:
        cluster = KubeClusters().connect("team/one", proxy.kubeconfig, is_named=True)
        found = cluster.apply(_pool("10.40.0.80/29"), OURS)
        assert proxy.count("PATCH") == 2
        assert found["metadata"]["generation"] == 1
        cluster.delete(ref_of(found), found["metadata"]["uid"])


def test_a_kind_that_goes_away_under_a_list_is_told(bare: ApiServer, fleet: Fleet) -> None:
    bare.install_crds(fleet.assets.crds["metallb"])  # the other servers keep theirs
    crd = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/ipaddresspools.metallb.io"
    gone = Fault("GET /apis/metallb.io", 2, "pass", then=lambda: bare.request("DELETE", crd))
    with proxied(bare.kubeconfig.read_bytes(), gone) as proxy:
        cluster = KubeClusters().connect("team/one", proxy.kubeconfig, is_named=True)
        assert cluster.list(ADDRESS_POOL).items == []
        # Until the server has taken it down, the list is empty.
        for _attempt in range(100):
            try:
                assert cluster.list(ADDRESS_POOL).items == []
            except NoSuchKindError:
                return
            cluster.pause(0.05)
    pytest.fail("the kind is still served")
