"""NovaEdge's kinds: both are cluster-scoped."""

from reconciler.documents.document import GroupKind, Kind

NAME = "novaedge"
"""The family, as keys name it."""

GROUP = "novaedge.io"
API_VERSION = f"{GROUP}/v1alpha1"

POOL = GroupKind(GROUP, "ProxyIPPool")
VIP = GroupKind(GROUP, "ProxyVIP")

SLOTS = {4: "vip", 6: "vip-ipv6"}
"""The slot of a VIP's claim for each IP version."""

KINDS = (
    Kind(API_VERSION, POOL.kind, f"{NAME}/{POOL.kind}.json", None, adopts=True),
    Kind(API_VERSION, VIP.kind, f"{NAME}/{VIP.kind}.json", None, adopts=True),
)
