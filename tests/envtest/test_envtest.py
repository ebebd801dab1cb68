"""The test bed itself: that it starts, forgets, tells writes, and hands out addresses."""

from tests.envtest.assets import METALLB, METALLB_CRDS, lacking
from tests.envtest.servers import ApiServer, Fleet
from tests.envtest.wiping import renew_identity


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
    management.wipe()
    assert management.request("GET", "/api/v1/namespaces/butler-system")[0] == 404


def test_wiping_gives_a_cluster_its_identity_back(management: ApiServer) -> None:
    before = management.uid()
    renew_identity(management)
    management.wipe()
    assert management.uid() == before
