"""The test bed itself: that it starts, forgets, tells writes, and hands out addresses."""

import pytest

from tests.envtest.assets import (
    METALLB,
    METALLB_CRDS,
    lacking,
)
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


def test_wiping_gives_a_cluster_its_identity_back(management: ApiServer) -> None:
    before = management.uid()
    renew_identity(management)
    management.wipe()
    assert management.uid() == before


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
