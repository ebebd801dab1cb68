"""Cluster API's kinds, what each is known by, and the words that its users write."""

from reconciler.documents.document import GroupKind, Kind

NAME = "capi"
"""The family, as keys name it."""

GROUP = "cluster.x-k8s.io"
IPAM_GROUP = f"ipam.{GROUP}"

POOL = GroupKind(IPAM_GROUP, "InClusterIPPool")
GLOBAL_POOL = GroupKind(IPAM_GROUP, "GlobalInClusterIPPool")
CLAIM = GroupKind(IPAM_GROUP, "IPAddressClaim")
FOREIGN = GroupKind(IPAM_GROUP, "IPAddress")
"""An address that another provider gave out; ours are made of records."""

CLUSTER = GroupKind(GROUP, "Cluster")
CLASS = GroupKind(GROUP, "ClusterClass")

_SCHEMAS = f"{__package__}:schemas"
_SPACE = "default"
_VERSIONS = ("v1beta1", "v1beta2")

KINDS = (
    Kind(f"{IPAM_GROUP}/v1alpha2", POOL.kind, f"{_SCHEMAS}/{POOL.kind}.json", _SPACE),
    Kind(f"{IPAM_GROUP}/v1alpha2", GLOBAL_POOL.kind, f"{_SCHEMAS}/{GLOBAL_POOL.kind}.json", None),
    *(
        Kind(f"{kind.group}/{version}", kind.kind, f"{_SCHEMAS}/{kind.kind}.{version}.json", _SPACE)
        for kind in (CLAIM, FOREIGN, CLUSTER, CLASS)
        for version in _VERSIONS
    ),
)

CONTROL_PLANE, INGRESS, ADDRESS = "control-plane", "ingress", "address"
"""Slots. The first two are also the roles of pools."""

SLOTS = {CONTROL_PLANE: CLUSTER.kind, INGRESS: CLUSTER.kind, ADDRESS: CLAIM.kind}
OWNERS = {CONTROL_PLANE: CLUSTER, INGRESS: CLUSTER, ADDRESS: CLAIM}

# capi-vip-allocator's words (`capi.md` §B1), which are kept to the letter.
VIP = "vip.capi.gorizond.io/"
CLASS_LABEL = f"{VIP}cluster-class"
ROLE_LABEL = f"{VIP}role"
INGRESS_ENABLED = f"{VIP}ingress-enabled"
INGRESS_VIP = f"{VIP}ingress-vip"
CLAIM_NAMES = {CONTROL_PLANE: "vip-cp-", INGRESS: "vip-ingress-"}
VARIABLES = {CONTROL_PLANE: "clusterVip", INGRESS: "ingressVip"}

PAUSED = f"{GROUP}/paused"
