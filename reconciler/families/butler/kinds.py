"""Kinds, keys, resources, and the record form of Butler."""

import re

from reconciler.documents.document import Document, Documents, GroupKind, Kind, text_at, value_at
from reconciler.families.interface import NAME_ONLY, PLACED, RecordBody, RecordForm
from reconciler.loadbalancers import controller
from reconciler.model.claim import Allocation
from reconciler.model.key import MAX_LABEL, Key
from reconciler.model.objects import EVENT, LABEL, MAKE, NODE, OURS, SERVICE, Need, Resource, Right
from reconciler.model.objects import KIND as RECORD_KIND

NAME = "butler"
"""Name of the family in keys."""

GROUP = "butler.butlerlabs.dev"
API_VERSION = f"{GROUP}/v1alpha1"
SYSTEM = "butler-system"

POOL = GroupKind(GROUP, "NetworkPool")
PROVIDER = GroupKind(GROUP, "ProviderConfig")
TENANT = GroupKind(GROUP, "TenantCluster")
REQUEST = GroupKind(GROUP, RECORD_KIND)  # requests and records have the same kind
TEAM = GroupKind(GROUP, "Team")

KINDS = (
    Kind(API_VERSION, POOL.kind, "butler/NetworkPool.json", SYSTEM, longest=MAX_LABEL),
    Kind(API_VERSION, PROVIDER.kind, "butler/ProviderConfig.json", SYSTEM, role="provider"),
    Kind(API_VERSION, TENANT.kind, "butler/TenantCluster.json", "default"),
    Kind(API_VERSION, REQUEST.kind, "butler/IPAllocation.json", SYSTEM),
    Kind(API_VERSION, TEAM.kind, "butler/Team.json", None, role="team"),
)

LB, NODES = "loadbalancer", "nodes"
"""Slots of a tenant, and types of records. Its cluster announces the addresses of `LB`."""

BALANCER = controller()
"""The load-balancer controller of tenant clusters."""
NAMED = BALANCER.named
"""The annotation of a tenant that names the pool that `ipam` manages in its cluster."""

SLOTS = {NODES: TENANT.kind, LB: TENANT.kind, "request": REQUEST.kind}
GROWS = (NODES, LB)
SIZES = {NODES: 5, LB: 8}
"""Addresses of claims for which neither a document nor a pool states a number."""


def pool_key(namespace: str, name: str) -> Key:
    """Return the key of a NetworkPool."""
    return Key(NAME, namespace, name, "", POOL.kind)


def tenant_key(namespace: str, name: str, slot: str) -> Key:
    """Return the key of a tenant's claim."""
    return Key(NAME, namespace, name, slot, TENANT.kind)


def owner(tenant: Document) -> tuple[str, str, str, str]:
    """Return the owner of a tenant's claims."""
    return NAME, TENANT.kind, tenant.namespace, tenant.name


def request_key(namespace: str, name: str) -> Key:
    """Return the key of a request's claim."""
    return Key(NAME, namespace, name, "request", REQUEST.kind)


def own_name(tenant: tuple[str, str], kind: str) -> str:
    """Return Butler's name for the record of a tenant's own claim of a type."""
    return f"{tenant[0]}-{tenant[1]}-{'lb' if kind == LB else kind}"


NETWORK_POOL = Resource(API_VERSION, POOL.kind, "networkpools")
PROVIDER_CONFIG = Resource(API_VERSION, PROVIDER.kind, "providerconfigs")
TENANT_CLUSTER = Resource(API_VERSION, TENANT.kind, "tenantclusters")
TEAMS = Resource(API_VERSION, TEAM.kind, "teams", is_namespaced=False)
MACHINE = Resource("cluster.x-k8s.io/v1beta1", "Machine", "machines")

RESOURCES = (NETWORK_POOL, PROVIDER_CONFIG, TENANT_CLUSTER, TEAMS)
OBSERVED = (SERVICE, NODE, MACHINE)

OWNER = "tenantClusterRef"

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


CRDS = tuple(f"{GROUP}_{it.plural}.yaml" for it in (NETWORK_POOL, PROVIDER_CONFIG, TENANT_CLUSTER))
_GROWTH_NAME = re.compile(r".*-(?:lb|nodes)-([0-9]{1,6})", re.ASCII)


def claim_of_copy(body: RecordBody) -> Key | None:
    """Return the tenant's claim that a copied record states by tenant, type, and name."""
    namespace, name = (text_at(body, "spec", OWNER, it) for it in ("namespace", "name"))
    slot = text_at(body, "spec", "type")
    if not namespace or not name or slot not in GROWS:
        return None
    role = text_at(body, "metadata", "labels", f"{LABEL}allocation-role")
    grown = _GROWTH_NAME.fullmatch(text_at(body, "metadata", "name"))
    if grown and role != "initial" and value_at(body, "spec", "pinnedRange") is None:
        slot = f"{slot}-{int(grown.group(1))}"
    claim = tenant_key(namespace, name, slot)
    return claim if claim.is_sound else None


def adopt(record: Allocation, documents: Documents) -> Key:
    """Return the claim of the request with the record's name, else the tenant's own claim."""
    if documents.find(REQUEST, record.namespace, record.name) is None:
        return record.claim
    return request_key(record.namespace, record.name)


FORM = RecordForm(
    pool=NAME_ONLY,
    owner=OWNER,
    owner_fields=PLACED,
    type=LB,
    claim=claim_of_copy,
    types={slot: slot for slot in GROWS},
)
