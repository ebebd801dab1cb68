"""What `ipam get` shows of Cluster API's kinds."""

from reconciler.report.listing import ListQuery, choose, items, listings
from reconciler.report.text.queries import listing_text
from reconciler.report.text.table import Painter
from tests.families.capi.trees import claim, cluster, document, of, pool
from tests.world import evaluation_of, reconciled

TREE = of(
    pool(),
    pool("doors", "10.0.0.100-10.0.0.110", role="ingress", gateway="10.0.0.1"),
    pool("own", "10.0.1.5", namespace="default"),
    cluster(),
    cluster("bare", class_=""),
    claim("own", "own", "InClusterIPPool"),
    claim("more", "missing"),
    claim("vip-cp-shop"),
    document("ClusterClass", "cluster.x-k8s.io/v1beta1", {"name": "web"}, {"variables": [{"name": "clusterVip"}]}),
)  # fmt: skip


def shown(word: str, *names: str, wide: bool = False) -> list[list[str]]:
    listing = listings()[word]
    assert listing is not None
    evaluation = evaluation_of(reconciled(TREE))
    found = choose(items(evaluation, listing), ListQuery(names)).items
    text = listing_text(listing, found, Painter(is_on=False), wide=wide)
    return [line.split() for line in text.splitlines()]


def test_claims_of_clusters_stand_beside_those_of_people() -> None:
    assert shown("claims", wide=True) == [
        ["NAMESPACE", "NAME", "POOL", "NAME", "POOL", "KIND", "ADDRESS"],
        ["default", "more", "missing", "GlobalInClusterIPPool", "-"],
        ["default", "own", "own", "InClusterIPPool", "10.0.1.5"],
        ["default", "vip-cp-shop", "vips", "GlobalInClusterIPPool", "10.0.0.10"],
        ["default", "vip-ingress-shop", "doors", "GlobalInClusterIPPool", "10.0.0.100"],
    ]
    assert len(shown("claims", "vip-cp-shop")) == 2
