"""Kinds, keys, and resources."""

from reconciler.documents.document import GroupKind, Kind
from reconciler.model.key import MAX_NAME, Key
from reconciler.model.objects import MAKE, OURS, Need, Resource, Right

NAME = "novaedge"
"""Name of the family in keys."""

GROUP = "novaedge.io"
API_VERSION = f"{GROUP}/v1alpha1"

POOL = GroupKind(GROUP, "ProxyIPPool")
VIP = GroupKind(GROUP, "ProxyVIP")

SLOTS = {4: "vip", 6: "vip-ipv6"}
"""The slot of a VIP's claim for each IP version."""

KINDS = (
    Kind(API_VERSION, POOL.kind, f"{NAME}/{POOL.kind}.json", None, adopts=True, longest=MAX_NAME),
    Kind(API_VERSION, VIP.kind, f"{NAME}/{VIP.kind}.json", None, adopts=True, longest=MAX_NAME),
)


def pool_key(name: str) -> Key:
    """Return the key of a ProxyIPPool."""
    return Key(NAME, "", name, "", POOL.kind)


def vip_key(name: str, version: int) -> Key:
    """Return the key of a ProxyVIP's claim for an IP version."""
    return Key(NAME, "", name, SLOTS[version], VIP.kind)


POOLS = Resource(API_VERSION, POOL.kind, "proxyippools", is_namespaced=False)
VIPS = Resource(API_VERSION, VIP.kind, "proxyvips", is_namespaced=False)

RESOURCES = (POOLS, VIPS)

RIGHTS = (
    Right(Need.APPLY, POOLS, OURS),
    Right(Need.APPLY, POOLS, ("patch",), "status"),
    Right(Need.APPLY, VIPS, ("get", "list")),
    Right(Need.APPLY, VIPS, ("patch",), "status"),
    Right(Need.DOCUMENTS, VIPS, MAKE),
)
