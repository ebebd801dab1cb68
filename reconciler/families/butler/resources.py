"""Butler's kinds in clusters: what they look like there, and which rights they need."""

from collections.abc import Mapping

from reconciler.documents.shipped import crd_files
from reconciler.families.butler.announcing import TENANT_CLUSTER
from reconciler.families.butler.kinds import API_VERSION, POOL, PROVIDER, TEAM
from reconciler.model.builtin import EVENT, NODE, SERVICE
from reconciler.model.resource import Resource
from reconciler.model.right import MAKE, OURS, Need, Right
from reconciler.model.shape import CONDITIONS, HOST, NAMED, Check, fields, stored

NETWORK_POOL = Resource(API_VERSION, POOL.kind, "networkpools")
PROVIDER_CONFIG = Resource(API_VERSION, PROVIDER.kind, "providerconfigs")
TEAMS = Resource(API_VERSION, TEAM.kind, "teams", is_namespaced=False)
MACHINE = Resource("cluster.x-k8s.io/v1beta1", "Machine", "machines")

RESOURCES = (NETWORK_POOL, PROVIDER_CONFIG, TENANT_CLUSTER, TEAMS)
OBSERVED = (SERVICE, NODE, MACHINE)

SHAPES: Mapping[Resource, Check] = {
    NETWORK_POOL: stored(status=fields(conditions=CONDITIONS)),
    TENANT_CLUSTER: stored(status=fields(conditions=CONDITIONS)),
    MACHINE: stored(status=HOST),
}
RECORD_SPEC: Mapping[str, Check] = {"tenantClusterRef": NAMED}

RIGHTS = (
    Right(Need.APPLY, NETWORK_POOL, OURS),
    Right(Need.APPLY, NETWORK_POOL, ("patch",), "status"),
    Right(Need.APPLY, PROVIDER_CONFIG, ("get", "list")),
    Right(Need.APPLY, PROVIDER_CONFIG, ("patch",), "status"),
    Right(Need.APPLY, TENANT_CLUSTER, ("get", "list")),
    Right(Need.APPLY, TENANT_CLUSTER, ("patch",), "status"),
    Right(Need.APPLY, EVENT, ("list", "create")),
    *(Right(Need.DOCUMENTS, kind, MAKE) for kind in (PROVIDER_CONFIG, TENANT_CLUSTER)),
    Right(Need.DOCUMENTS, TEAMS, OURS),
    *(Right(Need.OBSERVE, kind, ("list",)) for kind in OBSERVED),
)


def crds() -> Mapping[str, str]:
    """Its CRDs that ship with the program."""
    kinds = (NETWORK_POOL, PROVIDER_CONFIG, TENANT_CLUSTER)
    return crd_files(*(f"{kind.group}_{kind.plural}.yaml" for kind in kinds))
