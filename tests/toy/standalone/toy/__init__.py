"""The toy family without kinds in a management cluster: boats of namespace X are served by cluster X."""

from msgspec.structs import replace

from reconciler.families.interface import Announcing, Objects, Projection, ProjectionInput
from reconciler.loadbalancers import controller
from reconciler.loadbalancers.interface import LoadBalancerPool
from reconciler.model.claim import Allocation
from tests.toy.families.toy import FAMILY as TOY

_POOL = LoadBalancerPool(
    "default-pool", (), advertisement={"type": "L2"}, advertisement_name="default"
)


def _cluster_of(record: Allocation) -> str:
    return record.owner.namespace


def _project(given: ProjectionInput) -> tuple[Projection, ...]:
    live = [it for it in given.records if it.claim.family == TOY.name and it.is_live and it.range]
    return tuple(
        Projection(cluster, manifest)
        for cluster in sorted({_cluster_of(it) for it in live})
        for ranges in [tuple(it.range for it in live if it.range and _cluster_of(it) == cluster)]
        for manifest in controller().objects((replace(_POOL, ranges=ranges),), "")
    )


FAMILY = replace(
    TOY, objects=Objects(), project=_project, announcing=Announcing(cluster_of=_cluster_of)
)
