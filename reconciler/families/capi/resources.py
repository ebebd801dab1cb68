"""Cluster API's kinds in clusters: what they look like there, and which rights they need."""

from collections.abc import Mapping

from reconciler.families.capi.kinds import GLOBAL_POOL, IPAM_GROUP, POOL
from reconciler.model.resource import Resource
from reconciler.model.right import OURS, Need, Right
from reconciler.model.shape import Check, fields, stored

_POOLS = f"{IPAM_GROUP}/v1alpha2"

POOLS = Resource(_POOLS, POOL.kind, "inclusterippools", tells_generation=False)
GLOBAL_POOLS = Resource(
    _POOLS, GLOBAL_POOL.kind, "globalinclusterippools", is_namespaced=False, tells_generation=False
)

RESOURCES = (GLOBAL_POOLS, POOLS)

_POOL = stored(status=fields(ipAddresses=dict))
SHAPES: Mapping[Resource, Check] = dict.fromkeys((GLOBAL_POOLS, POOLS), _POOL)

RIGHTS = (
    *(Right(Need.APPLY, kind, OURS) for kind in (GLOBAL_POOLS, POOLS)),
    *(Right(Need.APPLY, kind, ("patch",), "status") for kind in (GLOBAL_POOLS, POOLS)),
)
