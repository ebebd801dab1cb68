"""The test bed itself: that it starts, forgets, tells writes, and hands out addresses."""

import json
from pathlib import Path

import pytest
import yaml

from tests.envtest.assets import (
    CLUSTER_API,
    HELM,
    IPAM_PROVIDER,
    KUBE,
    METALLB,
    METALLB_CRDS,
    Assets,
    found_in,
    lacking,
)
from tests.envtest.processes import until
from tests.envtest.servers import ApiServer, Fleet
from tests.envtest.wiping import renew_identity

POOLS = "/apis/butler.butlerlabs.dev/v1alpha1/namespaces/default/networkpools"
APPLY = "application/apply-patch+yaml"


def pool(cidr: str) -> dict[str, object]:
    return {
        "apiVersion": "butler.butlerlabs.dev/v1alpha1",
        "kind": "NetworkPool",
        "metadata": {"name": "edge"},
        "spec": {"cidr": cidr},
    }


def change(server: ApiServer, path: str, patch: dict[str, object]) -> int:
    return server.request("PATCH", path, patch, "application/merge-patch+json")[0]


def binaries(folder: Path, *names: str) -> Path:
    """A folder of programs that nobody starts."""
    folder.mkdir()
    for name in names:
        (folder / name).write_text("")
        (folder / name).chmod(0o755)
    return folder


def test_the_three_binaries_of_kubernetes_are_enough(tmp_path: Path) -> None:
    given = binaries(tmp_path / "given", *KUBE)
    found = found_in(given, tmp_path / "nothing")
    assert isinstance(found, Assets)
    assert set(found.binaries) == set(KUBE)
    assert list(found.crds["metallb"].glob("*_ipaddresspools.yaml"))


@pytest.mark.parametrize("name", [METALLB, IPAM_PROVIDER, HELM])
def test_what_is_not_of_kubernetes_comes_from_what_was_built(name: str, tmp_path: Path) -> None:
    built = binaries(tmp_path / "built", name)
    found = found_in(binaries(tmp_path / "given", *KUBE), built)
    assert isinstance(found, Assets)
    assert found.binaries[name] == built / name
    assert set(found.binaries) == {*KUBE, name}


def test_cluster_api_is_built_in_two_versions_and_each_serves_its_own(fleet: Fleet) -> None:
    newest = {}
    for version in CLUSTER_API:
        folder = fleet.assets.crds[f"capi-{version}"]
        if not folder.is_dir():
            lacking("no CRDs of Cluster API: make envtest")
        text = (folder / "ipam.cluster.x-k8s.io_ipaddressclaims.yaml").read_text(encoding="utf-8")
        crd = yaml.safe_load(text)
        newest[version] = [it["name"] for it in crd["spec"]["versions"] if it["storage"]]
    assert newest == {version: [version] for version in CLUSTER_API}


def test_what_is_missing_is_one_line_that_says_what_helps(tmp_path: Path) -> None:
    built = binaries(tmp_path / "built", "etcd", METALLB)
    assert found_in(built, built) == (
        "no API server binaries (kube-apiserver, kubectl): make envtest"
    )


def test_the_crds_of_metallb_here_are_those_of_the_one_that_is_built(fleet: Fleet) -> None:
    if METALLB not in fleet.assets.binaries:
        lacking("no MetalLB controller: make envtest")
    built = fleet.assets.binaries[METALLB].parent / "crds" / "metallb"
    names = sorted(path.name for path in built.iterdir())
    assert names == sorted(path.name for path in METALLB_CRDS.iterdir())
    for name in names:
        assert (METALLB_CRDS / name).read_bytes() == (built / name).read_bytes(), name


def test_a_server_tells_its_version_and_forgets_what_tests_made(
    management: ApiServer, fleet: Fleet
) -> None:
    assert management.get("/version")["gitVersion"] == fleet.assets.version
    management.namespace("butler-system")
    management.put(pool("10.0.0.0/24"), path=POOLS)
    management.wipe()
    assert management.request("GET", "/api/v1/namespaces/butler-system")[0] == 404
    assert management.get(POOLS)["items"] == []


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/namespaces/default/configmaps",
        "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles",
        "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases",
    ],
)
def test_wiping_forgets_kinds_of_all_sorts_in_built_in_namespaces(
    management: ApiServer, path: str
) -> None:
    management.put({"metadata": {"name": "made"}}, path=path)
    management.wipe()
    assert management.request("GET", f"{path}/made")[0] == 404


def test_wiping_starts_a_server_that_was_stopped(management: ApiServer) -> None:
    management.namespace("team-a")
    management.stop()
    management.wipe()
    assert management.request("GET", "/api/v1/namespaces/team-a")[0] == 404


def test_wiping_gives_a_cluster_its_identity_back(management: ApiServer) -> None:
    before = management.uid()
    renew_identity(management)
    management.wipe()
    assert management.uid() == before


def test_a_bare_server_has_no_kinds_but_the_built_in_ones(bare: ApiServer) -> None:
    assert bare.request("GET", POOLS)[0] == 404
    assert bare.get("/apis/apiextensions.k8s.io/v1/customresourcedefinitions")["items"] == []


def test_writes_are_told_and_reads_are_not(management: ApiServer) -> None:
    management.writes()
    management.get("/api/v1/namespaces")
    assert management.writes() == []
    management.namespace("team-a")
    assert management.writes() == ["create /api/v1/namespaces"]
    assert management.writes() == []


def test_users_have_the_rights_of_their_groups(management: ApiServer) -> None:
    assert management.request("GET", "/api/v1/namespaces", user="reconciler")[0] == 200
    assert management.request("GET", "/api/v1/namespaces", user="alice")[0] == 403
    done = management.kubectl("auth", "whoami", "-o", "json", user="bob")
    groups = json.loads(done.stdout)["status"]["userInfo"]["groups"]
    assert groups[:2] == ["people", "breakers"]


def test_a_cluster_can_get_another_identity(management: ApiServer) -> None:
    before = management.uid()
    renew_identity(management)
    assert management.uid() != before


def test_a_server_that_was_stopped_keeps_what_it_stored(management: ApiServer) -> None:
    management.namespace("team-a")
    management.stop()
    management.start()
    assert management.get("/api/v1/namespaces/team-a")["metadata"]["name"] == "team-a"


def test_metallb_gives_a_service_the_first_address_of_a_pool(
    tenants: tuple[ApiServer, ...],
) -> None:
    server = tenants[0]
    controller = server.start_metallb()
    metallb = "/apis/metallb.io/v1beta1/namespaces/metallb-system"
    address_pool = {
        "apiVersion": "metallb.io/v1beta1",
        "kind": "IPAddressPool",
        "metadata": {"name": "p"},
        "spec": {"addresses": ["10.9.0.4-10.9.0.5"]},
    }
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web"},
        "spec": {"type": "LoadBalancer", "ports": [{"port": 80}]},
    }
    server.put(address_pool, path=f"{metallb}/ipaddresspools")
    server.put(service, path="/api/v1/namespaces/default/services")

    def ingress() -> object:
        found = server.get("/api/v1/namespaces/default/services/web")
        return found["status"]["loadBalancer"].get("ingress")

    assert until(ingress, "the Service has an address")[0]["ip"] == "10.9.0.4"
    controller.stop()


@pytest.mark.parametrize(
    ("cidr", "status"),
    [
        ("10.0.0.0/23", 200),
        ("10.0.0.0/24", 200),
        ("10.0.0.0/25", 422),
        ("10.0.1.0/24", 422),
        ("10.0.0.1/23", 422),
        ("010.0.0.0/23", 422),
    ],
)
def test_a_pool_grows_and_never_shrinks(management: ApiServer, cidr: str, status: int) -> None:
    management.put(pool("10.0.0.0/24"), path=POOLS)
    assert change(management, f"{POOLS}/edge", {"spec": {"cidr": cidr}}) == status


def test_the_spec_of_an_allocation_is_fixed_once_it_has_its_addresses(
    management: ApiServer,
) -> None:
    path = "/apis/butler.butlerlabs.dev/v1alpha1/namespaces/default/ipallocations"
    allocation = {
        "apiVersion": "butler.butlerlabs.dev/v1alpha1",
        "kind": "IPAllocation",
        "metadata": {"name": "web-lb"},
        "spec": {
            "poolRef": {"name": "edge"},
            "tenantClusterRef": {"name": "web", "namespace": "team-a"},
            "type": "loadbalancer",
            "count": 8,
        },
    }
    management.put(allocation, path=path)
    assert change(management, f"{path}/web-lb", {"spec": {"count": 4}}) == 200
    assert change(management, f"{path}/web-lb/status", {"status": {"phase": "Allocated"}}) == 200
    assert change(management, f"{path}/web-lb", {"spec": {"count": 2}}) == 422
    assert change(management, f"{path}/web-lb", {"metadata": {"labels": {"a": "b"}}}) == 200
