"""Cluster API's kinds in clusters: what they look like there, and which rights they need."""

from collections.abc import Mapping

from reconciler.families.capi.kinds import (
    CLAIM,
    CLASS,
    CLUSTER,
    FOREIGN,
    GLOBAL_POOL,
    GROUP,
    IPAM_GROUP,
    POOL,
)
from reconciler.model.builtin import EVENT
from reconciler.model.resource import Resource
from reconciler.model.right import OURS, Need, Right
from reconciler.model.shape import CONDITIONS, NAMED, Check, fields, items, stored

PROTECT_POOL = f"{IPAM_GROUP}/ProtectPool"
"""What the in-cluster provider puts on each pool that it serves; we never do."""


def _in_two_versions(group: str, kind: str, plural: str, finalizer: str = "") -> Resource:
    """A kind as we write it, which a server may keep in the version after that, too."""
    return Resource(
        f"{group}/v1beta1",
        kind,
        plural,
        versions=(f"{group}/v1beta2",),
        finalizer=f"{group}/{finalizer}" if finalizer else "",
        tells_generation=False,
    )


_POOLS = f"{IPAM_GROUP}/v1alpha2"
POOLS = Resource(_POOLS, POOL.kind, "inclusterippools", tells_generation=False)
GLOBAL_POOLS = Resource(
    _POOLS, GLOBAL_POOL.kind, "globalinclusterippools", is_namespaced=False, tells_generation=False
)
ADDRESSES = _in_two_versions(IPAM_GROUP, FOREIGN.kind, "ipaddresses", "ProtectAddress")
CLAIMS = _in_two_versions(IPAM_GROUP, CLAIM.kind, "ipaddressclaims", "ReleaseAddress")
CLUSTERS = _in_two_versions(GROUP, CLUSTER.kind, "clusters")
CLASSES = _in_two_versions(GROUP, CLASS.kind, "clusterclasses")

RESOURCES = (GLOBAL_POOLS, POOLS, ADDRESSES, CLAIMS, CLUSTERS, CLASSES)
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
    Right(Need.INTAKE, CLASSES, ("list",)),
    Right(Need.APPLY, EVENT, ("list", "create")),
)
