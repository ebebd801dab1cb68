"""NovaEdge's kinds in clusters, and which rights they need."""

from collections.abc import Mapping

from reconciler.documents.shipped import crd_files
from reconciler.families.novaedge.kinds import API_VERSION, GROUP, POOL, VIP
from reconciler.model.resource import Resource
from reconciler.model.right import MAKE, OURS, Need, Right
from reconciler.model.shape import CONDITIONS, Check, fields, stored

POOLS = Resource(API_VERSION, POOL.kind, "proxyippools", is_namespaced=False)
VIPS = Resource(API_VERSION, VIP.kind, "proxyvips", is_namespaced=False)

RESOURCES = (POOLS, VIPS)

SHAPES: Mapping[Resource, Check] = {
    kind: stored(status=fields(conditions=CONDITIONS)) for kind in RESOURCES
}

RIGHTS = (
    Right(Need.APPLY, POOLS, OURS),
    Right(Need.APPLY, POOLS, ("patch",), "status"),
    Right(Need.APPLY, VIPS, ("get", "list")),
    Right(Need.APPLY, VIPS, ("patch",), "status"),
    Right(Need.DOCUMENTS, VIPS, MAKE),
)


def crds() -> Mapping[str, str]:
    """Its CRDs that ship with the program."""
    return crd_files(*(f"{GROUP}_{kind.plural}.yaml" for kind in RESOURCES))
