"""A management cluster in memory, with a Cluster that a person created, and its addresses."""

from typing import Any

from reconciler.families.capi.kinds import CLAIMS, CLUSTERS, GLOBAL_POOLS, PROTECT_POOL
from reconciler.model.objects import Ref
from tests.fake_cluster import HUB
from tests.fake_clusters import FakeClusters
from tests.families.capi.trees import VIP, cluster, document, of, pool
from tests.world import reconciled

CP, INGRESS = "vip-cp-shop", "vip-ingress-shop"
RESULT = f"{VIP}ingress-vip"
DOORS = pool("doors", "10.0.0.100-10.0.0.110", role="ingress")
WEB = document(
    "ClusterClass", "cluster.x-k8s.io/v1beta1", {"name": "web"},
    {"variables": [{"name": "clusterVip"}, {"name": "ingressVip"}, {"name": "cni"}]},
)  # fmt: skip
FILES = reconciled(of(pool(gateway="10.0.0.1"), DOORS, cluster(), WEB))
SHOP = Ref(CLUSTERS, "default", "shop")
CNI = {"name": "cni", "value": "calico"}


def shop(**spec: Any) -> dict[str, Any]:
    topology = {"class": "web", "version": "v1.31.0", "variables": [CNI]}
    return {
        "apiVersion": CLUSTERS.api_version,
        "kind": CLUSTERS.kind,
        "metadata": {"name": "shop", "namespace": "default"},
        "spec": {"topology": topology, **spec},
    }


def person() -> FakeClusters:
    found = FakeClusters()
    found.hand(HUB).apply(shop(), "kubectl")
    return found


def asked(clusters: FakeClusters, name: str, pool: str = "vips", manager: str = "kubectl") -> None:
    reference = {"apiGroup": CLAIMS.group, "kind": "GlobalInClusterIPPool", "name": pool}
    body = {"apiVersion": CLAIMS.api_version, "kind": CLAIMS.kind, "spec": {"poolRef": reference}}
    named = {"metadata": {"name": name, "namespace": "default"}}
    clusters.hand(HUB).apply({**body, **named}, manager)


def there(clusters: FakeClusters, kind: Any, name: str, namespace: str = "default") -> Any:
    return clusters.hand(HUB).get(Ref(kind, namespace, name))


def hub(clusters: FakeClusters, files: Any = FILES, revision: str = "a", **more: Any) -> Any:
    return clusters.run(files, revision, **more)["management"]


def served(clusters: FakeClusters) -> None:
    for name in ("vips", "doors"):
        patch = {"metadata": {"finalizers": [PROTECT_POOL]}}
        clusters.hand(HUB).merge(Ref(GLOBAL_POOLS, "", name), patch, "in-cluster-provider")
