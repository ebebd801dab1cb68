"""The test environment itself: start, reset, audit log, and addresses for Services."""

from tests.envtest.assets import METALLB, METALLB_CRDS, lacking
from tests.envtest.servers import Fleet


def test_the_crds_of_metallb_here_are_those_of_the_one_that_is_built(fleet: Fleet) -> None:
    if METALLB not in fleet.assets.binaries:
        lacking("no MetalLB controller: make envtest")
    built = fleet.assets.binaries[METALLB].parent / "crds" / "metallb"
    names = sorted(path.name for path in built.iterdir())
    assert names == sorted(path.name for path in METALLB_CRDS.iterdir())
    for name in names:
        assert (METALLB_CRDS / name).read_bytes() == (built / name).read_bytes(), name
