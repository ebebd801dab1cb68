"""A tenant that grew, in clusters: what the seed's lines say, what its MetalLB gets, what goes."""

from pathlib import Path

from reconciler.families._demand import Entry, demand_document
from reconciler.observed import path_of
from tests.e2e.site import POOL, Site
from tests.envtest.servers import ApiServer
from tests.families.test_seeds import ELASTIC, POOL_OF_000
from tests.world import provider, tenant

ONE = "team-a/t00"
DEMAND = path_of("observed", ("gitops-ipam.dev", "Demand", "team-a", "t00"))
FILES = {
    "pools/prod.yaml": POOL_OF_000,
    "providers/default.yaml": provider(pools="[{name: prod}]", loadBalancer=ELASTIC),
    **{f"tenants/t{at:02}.yaml": tenant(f"t{at:02}") for at in range(8)},
}
GROWTH = ("get", "ipallocation", "-n", "butler-system",
          "-l", "butler.butlerlabs.dev/allocation-role=growth", "--no-headers")  # fmt: skip


def demand(*entries: tuple[int, int]) -> dict[str, str]:
    return {DEMAND: demand_document("team-a", "t00", [Entry(*it) for it in entries]).decode()}


def growth(management: ApiServer) -> list[list[str]]:
    """What the line of "Finding growth allocations" prints, but for the age."""
    done = management.kubectl(*GROWTH)
    assert done.returncode == 0
    return [line.split()[:7] for line in done.stdout.splitlines()]


def test_growth_is_found_by_its_label_and_goes_once_the_cluster_has_given_it_up(
    tmp_path: Path, management: ApiServer, tenants: tuple[ApiServer, ...]
) -> None:
    site = Site(tmp_path, management, FILES)
    site.name(ONE, tenants[0])
    site.reconcile()
    assert growth(management) == []
    site.commit(demand((1, 1)), "a third Service")
    ran = site.reconcile(code=1)  # a person wrote it: that is told, and carried out
    codes = [found["code"] for found in ran.document["plan"]["findings"]]
    assert codes == ["observed-edited"]
    assert ran.document["plan"]["pools"][0]["allocated"] == 17
    assert growth(management) == [
        [
            "team-a-t00-lb-1",
            "prod",
            "t00",
            "loadbalancer",
            "Allocated",
            "10.92.90.65",
            "10.92.90.65",
        ]
    ]
    assert tenants[0].get(POOL)["spec"]["addresses"] == [
        "10.92.90.49-10.92.90.50", "10.92.90.65-10.92.90.65"
    ]  # fmt: skip
    site.commit(demand(), "the Service is gone")
    site.reconcile()  # two commits: released, and once the cluster gave it up expired
    assert tenants[0].get(POOL)["spec"]["addresses"] == ["10.92.90.49-10.92.90.50"]
    assert growth(management) == []
