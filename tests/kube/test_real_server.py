"""The same against a real API server: that its answers are what the other tests say they are."""

import json
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from reconciler.kube.clusters import KubeCluster, KubeClusters
from reconciler.kube.interface import RequestCounts
from reconciler.kube.resources import ADDRESS_POOL, ref_of
from reconciler.model.errors import (
    NoSuchKindError,
    NoSuchObjectError,
    OwnedError,
    RejectedError,
    StaleError,
    UnauthorizedError,
)
from reconciler.model.objects import CONFIG_MAP, NAMESPACE, WHO_AM_I, Ref, Resource
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


def test_the_server_tells_its_version_and_its_time(management: ApiServer, fleet: Fleet) -> None:
    cluster = _cluster(management)
    assert cluster.version() == fleet.assets.version
    assert abs(cluster.now() - time.time()) < 60


def test_applying_the_same_again_changes_nothing(tenant: ApiServer) -> None:
    cluster = _cluster(tenant)
    first = cluster.apply(_pool("10.40.0.80/29"), OURS)
    assert cluster.apply(_pool("10.40.0.80/29"), OURS) == first
    assert _version(cluster.apply(_pool("10.40.0.80/28"), OURS)) != _version(first)
    assert cluster.requests() == RequestCounts(patch=3)


def test_the_fields_of_another_manager_are_not_taken_without_force(tenant: ApiServer) -> None:
    cluster = _cluster(tenant)
    cluster.apply(_pool("10.40.0.80/29"), "kubectl-edit")
    with pytest.raises(OwnedError, match="owned by kubectl-edit") as caught:
        cluster.apply(_pool("10.40.0.80/28"), OURS)
    assert caught.value.owners == (("kubectl-edit", "spec.addresses"),)
    found = cluster.apply(_pool("10.40.0.80/28"), OURS, force=True)
    assert found["spec"]["addresses"] == ["10.40.0.80/28"]


def test_the_fields_of_an_editor_are_named_too(tenant: ApiServer) -> None:
    cluster = _cluster(tenant)
    ref = ref_of(cluster.apply(_pool("10.40.0.80/29"), OURS))
    cluster.merge(ref, {"spec": {"addresses": ["10.0.0.0/30"]}}, "kubectl-edit")
    with pytest.raises(OwnedError) as caught:
        cluster.apply(_pool("10.40.0.80/29"), OURS)
    assert caught.value.owners == (("kubectl-edit", "spec.addresses"),)


def test_a_status_is_applied_by_itself(tenant: ApiServer) -> None:
    cluster = _cluster(tenant)
    counts = dict.fromkeys(("assignedIPv4", "assignedIPv6", "availableIPv4", "availableIPv6"), 7)
    status = _pool() | {"status": counts}
    del status["spec"]
    with pytest.raises(NoSuchObjectError, match=r"apply status of metallb\.io/IPAddressPool/"):
        cluster.apply(status, STATUS, status=True)
    before = cluster.apply(_pool("10.40.0.80/29"), OURS)
    after = cluster.apply(status, STATUS, status=True)
    assert after["status"] == counts
    assert after["spec"] == before["spec"]
    assert after["metadata"]["generation"] == before["metadata"]["generation"]


def test_a_field_that_the_schema_lacks_is_refused_at_once(tenant: ApiServer) -> None:
    cluster = _cluster(tenant)
    with pytest.raises(RejectedError, match="field not declared in schema"):
        cluster.apply(_pool("10.40.0.80/29", adresses=[]), OURS)
    assert cluster.requests() == RequestCounts(patch=1)


def test_a_value_that_the_schema_refuses_is_told_with_its_field(tenant: ApiServer) -> None:
    with pytest.raises(RejectedError, match=r"spec\.serviceAllocation\.priority"):
        _cluster(tenant).apply(_pool("10.40.0.80/29", serviceAllocation={"priority": "high"}), OURS)


def test_only_the_very_object_is_deleted(tenant: ApiServer) -> None:
    cluster = _cluster(tenant)
    found = cluster.apply(_pool("10.40.0.80/29"), OURS)
    ref, uid = ref_of(found), found["metadata"]["uid"]
    with pytest.raises(StaleError, match=r"delete metallb\.io/IPAddressPool/"):
        cluster.delete(ref, "b9a6a4f0-0000-0000-0000-000000000000")
    with pytest.raises(StaleError):
        cluster.delete(ref, uid, "1")
    assert cluster.get(ref) is not None
    cluster.delete(ref, uid, _version(found))
    assert cluster.get(ref) is None
    cluster.delete(ref, uid)


def test_an_object_is_applied_only_to_the_version_that_was_read(tenant: ApiServer) -> None:
    cluster = _cluster(tenant)
    cluster.apply(_pool("10.40.0.80/29"), OURS)
    old = _pool("10.40.0.80/28")
    old["metadata"]["resourceVersion"] = "1"
    with pytest.raises(StaleError):
        cluster.apply(old, OURS)


def test_what_the_cluster_does_not_know_is_told_apart(management: ApiServer) -> None:
    cluster = _cluster(management)
    with pytest.raises(NoSuchKindError, match=r"list example\.com/Thing: "):
        cluster.list(THING)
    with pytest.raises(NoSuchKindError, match=r"read example\.com/Thing/a/b: "):
        cluster.get(Ref(THING, "a", "b"))
    assert cluster.get(Ref(CONFIG_MAP, "nowhere", "a")) is None
    assert cluster.list(CONFIG_MAP, "nowhere").items == []
    with pytest.raises(NoSuchObjectError, match="there is no namespace nowhere"):
        cluster.apply(_map("nowhere", "a"), OURS)


def test_a_namespace_that_goes_away_takes_nothing(management: ApiServer) -> None:
    management.namespace("leaving")
    cluster = _cluster(management)
    cluster.apply(_map("leaving", "a"), OURS)
    found = cluster.get(Ref(NAMESPACE, "", "leaving"))
    assert found is not None
    cluster.delete(Ref(NAMESPACE, "", "leaving"), found["metadata"]["uid"])
    with pytest.raises(RejectedError, match="namespace leaving is being terminated"):
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


def test_a_review_says_who_we_are(management: ApiServer) -> None:
    review = {"apiVersion": WHO_AM_I.api_version, "kind": WHO_AM_I.kind}
    found = _cluster(management, "bob").create(review)
    assert found["status"]["userInfo"]["username"] == "bob"
    assert "people" in found["status"]["userInfo"]["groups"]


def test_what_is_there_is_not_created_again(management: ApiServer) -> None:
    cluster = _cluster(management)
    assert cluster.create(_map("default", "twice", x="1"))["data"] == {"x": "1"}
    with pytest.raises(StaleError, match="is there already"):
        cluster.create(_map("default", "twice"))


def test_a_merge_takes_fields_away(management: ApiServer) -> None:
    cluster = _cluster(management)
    ref = ref_of(cluster.create(_map("default", "merged", x="1", y="2")))
    assert cluster.merge(ref, {"data": {"x": None}}, OURS)["data"] == {"y": "2"}


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
