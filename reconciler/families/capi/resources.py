"""Cluster API's kinds in clusters: what they look like there, and which rights they need."""

from collections.abc import Mapping

from reconciler.families.capi.kinds import CLAIM, CLUSTER, GLOBAL_POOL, GROUP, IPAM_GROUP, POOL
from reconciler.model.builtin import EVENT
from reconciler.model.resource import Resource
from reconciler.model.right import OURS, Need, Right
from reconciler.model.shape import CONDITIONS, NAMED, Check, fields, items, stored

PROTECT_POOL = f"{IPAM_GROUP}/ProtectPool"
"""What the in-cluster provider puts on each pool that it serves; we never do."""

_POOLS = f"{IPAM_GROUP}/v1alpha2"
_OLD, _NEW = "v1beta1", "v1beta2"

POOLS = Resource(_POOLS, POOL.kind, "inclusterippools", tells_generation=False)
GLOBAL_POOLS = Resource(
    _POOLS, GLOBAL_POOL.kind, "globalinclusterippools", is_namespaced=False, tells_generation=False
)
ADDRESSES = Resource(
    f"{IPAM_GROUP}/{_OLD}",
    "IPAddress",
    "ipaddresses",
    versions=(f"{IPAM_GROUP}/{_NEW}",),
    finalizer=f"{IPAM_GROUP}/ProtectAddress",
    tells_generation=False,
)
CLAIMS = Resource(
    f"{IPAM_GROUP}/{_OLD}",
    CLAIM.kind,
    "ipaddressclaims",
    versions=(f"{IPAM_GROUP}/{_NEW}",),
    finalizer=f"{IPAM_GROUP}/ReleaseAddress",
    tells_generation=False,
)
CLUSTERS = Resource(
    f"{GROUP}/{_OLD}",
    CLUSTER.kind,
    "clusters",
    versions=(f"{GROUP}/{_NEW}",),
    tells_generation=False,
)

RESOURCES = (GLOBAL_POOLS, POOLS, ADDRESSES, CLAIMS, CLUSTERS)
OWNED = (GLOBAL_POOLS, POOLS, ADDRESSES, CLAIMS)
"""In the order in which they are made; they go the other way round."""

_POOL = stored(spec=fields(), status=fields(ipAddresses=dict))
SHAPES: Mapping[Resource, Check] = {
    GLOBAL_POOLS: _POOL,
    POOLS: _POOL,
    ADDRESSES: stored(spec=fields(address=str, poolRef=NAMED)),
    CLAIMS: stored(
        spec=fields(poolRef=NAMED),
        status=fields(addressRef=fields(name=str), conditions=CONDITIONS),
    ),
    CLUSTERS: stored(
        spec=fields(
            paused=bool,
            controlPlaneEndpoint=fields(host=str, port=int),
            topology=fields(variables=items(fields(("name",), name=str))),
        )
    ),
}

RIGHTS = (
    *(Right(Need.APPLY, kind, OURS) for kind in OWNED),
    *(Right(Need.APPLY, kind, ("patch",), "status") for kind in (GLOBAL_POOLS, POOLS, CLAIMS)),
    Right(Need.APPLY, CLUSTERS, ("list", "patch")),
    Right(Need.APPLY, EVENT, ("list", "create")),
)
