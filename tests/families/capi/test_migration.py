"""docs/how-to/migrate-from-capi-vip-allocator.md on a real API server, with original objects."""

from typing import Any

import pytest
import yaml

from tests.apply.execution.site import Site, failures, results
from tests.envtest.servers import ApiServer
from tests.families.capi.test_served import CLASS, CLUSTER, README_POOLS, made, path
from tests.families.capi.test_served import RESULT as RESULT_PATH
from tests.families.capi.test_served import site as site
from tests.families.capi.test_served import version as version
from tests.families.capi.trees import IPAM, VIP, claim, document, got
from tests.world import evaluation_of, reconciled

ADDRESSES = {
    "cp": ("control-plane-vip-pool", "10.0.0.15"),
    "ingress": ("ingress-vip-pool", "10.0.0.101"),
}


def used(*, adopt: bool) -> str:
    """The Cluster as capi-vip-allocator left it."""
    body = yaml.safe_load(CLUSTER)
    body["spec"]["controlPlaneEndpoint"] = {"host": "10.0.0.15", "port": 6443}
    body["spec"]["topology"]["variables"] = [
        *body["spec"]["topology"]["variables"],
        {"name": "clusterVip", "value": "10.0.0.15"},
    ]
    body["metadata"]["annotations"] = {f"{VIP}ingress-vip": "10.0.0.101"}
    body["metadata"]["annotations"] |= {"gitops-ipam.dev/adopt": "true"} if adopt else {}
    text: str = yaml.safe_dump(body)
    return text


def originals(role: str, pool: str, address: str) -> str:
    """The claim and the address of a Cluster, as the allocator and the provider made them."""
    name = f"vip-{role}-my-cluster"
    reference = {"apiGroup": IPAM, "kind": "GlobalInClusterIPPool", "name": pool}
    spec = {
        "address": address, "claimRef": {"name": name}, "poolRef": reference, "prefix": 24,
        "gateway": "10.0.0.1",
    }  # fmt: skip
    given = document("IPAddress", f"{IPAM}/v1beta1", {"name": name}, spec)
    return f"{claim(name, pool)}---\n{given}"


def files(*, adopt: bool = True) -> dict[str, str | bytes]:
    return {
        "pools/vips.yaml": README_POOLS,
        "clusters/class.yaml": CLASS,
        "clusters/my-cluster.yaml": used(adopt=adopt),
    }


def test_the_plan_allocates_each_address_just_as_it_is_in_use() -> None:
    assert got(evaluation_of(files())) == {
        "my-cluster.control-plane": "control-plane-vip-pool:15",
        "my-cluster.ingress": "ingress-vip-pool:101",
    }
    assert got(evaluation_of(files(adopt=False))) == {}


@pytest.mark.parametrize("version", ["v1beta1"])  # which is the one that the allocator speaks
@pytest.mark.parametrize("has_provider", [True, False])
def test_what_lies_there_is_taken_over_and_no_address_changes(
    has_provider: bool, site: Site
) -> None:
    server = site.management
    made(server, used(adopt=False))
    made(server, README_POOLS)
    for role, (pool, address) in ADDRESSES.items():
        made(server, originals(role, pool, address))
        if has_provider:
            patch = '{"metadata":{"finalizers":["ipam.cluster.x-k8s.io/ProtectPool"]}}'
            words = ("patch", "globalinclusterippool", pool, "--type=merge", "-p", patch)
            assert server.kubectl(*words).returncode == 0
    before = endpoint(server)
    hub = site.apply(reconciled(files()), crds=True, adopt=True)["management"]
    assert (failures(hub), hub.error) == ({}, "")
    assert endpoint(server) == before
    assert path(server, f".metadata.labels.{RESULT_PATH}") == "10.0.0.101"  # it had none
    for role, (_, address) in ADDRESSES.items():
        found = objects(server, "ipaddresses")[f"vip-{role}-my-cluster"]
        assert found["spec"]["address"] == address
        asked = objects(server, "ipaddressclaims")[f"vip-{role}-my-cluster"]
        assert ("addressRef" in asked["status"]) is not has_provider
    settled = reconciled(reconciled(files()))
    site.apply(settled, "b")
    assert results(site.apply(settled, "b")["management"]) == {}
    # The annotation and the manual addresses can be removed: the records have the addresses.
    plain = {**settled, "clusters/my-cluster.yaml": CLUSTER}
    assert evaluation_of(plain).changes == ()
    assert failures(site.apply(plain, "c")["management"]) == {}
    assert endpoint(server) == before


def endpoint(server: ApiServer) -> str:
    return path(server, ".spec.controlPlaneEndpoint")


def objects(server: ApiServer, kind: str) -> dict[str, Any]:
    found = server.get(f"/apis/ipam.cluster.x-k8s.io/v1beta1/{kind}")["items"]
    return {item["metadata"]["name"]: item for item in found}
