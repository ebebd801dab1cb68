"""Kinds, keys, annotations, and resources."""

from functools import partial

from reconciler.documents.document import Document, GroupKind, Kind
from reconciler.documents.validators import VERSIONS
from reconciler.model.key import MAX_NAME, Key, shortened
from reconciler.model.objects import EVENT, OURS, PREFIX, Need, Resource, Right

NAME = "capi"
"""Name of the family in keys."""

GROUP = "cluster.x-k8s.io"
IPAM_GROUP = f"ipam.{GROUP}"

POOL = GroupKind(IPAM_GROUP, "InClusterIPPool")
GLOBAL_POOL = GroupKind(IPAM_GROUP, "GlobalInClusterIPPool")
CLAIM = GroupKind(IPAM_GROUP, "IPAddressClaim")
FOREIGN = GroupKind(IPAM_GROUP, "IPAddress")
"""An address of another provider. Addresses of `ipam` are made from records."""

OTHERS = ("InfobloxIPPool",)
"""Kinds of pools of other providers in the group of Cluster API's own pools."""

CLUSTER = GroupKind(GROUP, "Cluster")
CLASS = GroupKind(GROUP, "ClusterClass")

_SCHEMAS = f"{__package__}:schemas"
_SPACE = "default"

_One = partial(Kind, longest=MAX_NAME)
KINDS = (
    _One(f"{IPAM_GROUP}/v1alpha2", POOL.kind, f"{_SCHEMAS}/{POOL.kind}.json", _SPACE),
    _One(f"{IPAM_GROUP}/v1alpha2", GLOBAL_POOL.kind, f"{_SCHEMAS}/{GLOBAL_POOL.kind}.json", None),
    *(
        _One(f"{kind.group}/{version}", kind.kind, f"{_SCHEMAS}/{kind.kind}.{version}.json", _SPACE)
        for kind in (CLAIM, FOREIGN, CLUSTER, CLASS)
        for version in VERSIONS
    ),
)

CONTROL_PLANE, INGRESS, ADDRESS = "control-plane", "ingress", "address"
"""Slots. The first two are also roles of pools."""

SLOTS = {CONTROL_PLANE: CLUSTER.kind, INGRESS: CLUSTER.kind, ADDRESS: CLAIM.kind}
OWNERS = {CONTROL_PLANE: CLUSTER, INGRESS: CLUSTER, ADDRESS: CLAIM}

# Names of capi-vip-allocator (docs/reference/cluster-api.md), which must not change.
VIP = "vip.capi.gorizond.io/"
CLASS_LABEL = f"{VIP}cluster-class"
ROLE_LABEL = f"{VIP}role"
INGRESS_ENABLED = f"{VIP}ingress-enabled"
INGRESS_VIP = f"{VIP}ingress-vip"
CLAIM_NAMES = {CONTROL_PLANE: "vip-cp-", INGRESS: "vip-ingress-"}
VARIABLES = {CONTROL_PLANE: "clusterVip", INGRESS: "ingressVip"}

PAUSED = f"{GROUP}/paused"
PINNED = f"{PREFIX}address"
"""The annotation by which a claim pins its address."""

PROTECT_POOL = f"{IPAM_GROUP}/ProtectPool"
"""Finalizer that the in-cluster provider adds to each pool that it serves. `ipam` never adds it."""


def _in_two_versions(group: str, kind: str, plural: str, finalizer: str = "") -> Resource:
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
"""Kinds in creation order. Deletion uses the reverse order."""


def pool_key(kind: str, namespace: str, name: str) -> Key:
    """Return the key of a pool; a cluster-scoped pool has no namespace."""
    return Key(NAME, namespace, name, "", kind)


def cluster_key(document: Document, slot: str) -> Key:
    """Return the key of a Cluster's claim."""
    return Key(NAME, document.namespace, document.name, slot, CLUSTER.kind)


def object_name(claim: Key) -> str:
    """Return the name of the IPAddressClaim and the IPAddress of a claim."""
    return shortened(f"{CLAIM_NAMES.get(claim.slot, '')}{claim.name}", MAX_NAME)


RIGHTS = (
    *(Right(Need.APPLY, kind, OURS) for kind in OWNED),
    *(Right(Need.APPLY, kind, ("patch",), "status") for kind in (GLOBAL_POOLS, POOLS, CLAIMS)),
    Right(Need.APPLY, CLUSTERS, ("list", "patch")),
    Right(Need.INTAKE, CLASSES, ("list",)),
    Right(Need.APPLY, EVENT, ("list", "create")),
)
