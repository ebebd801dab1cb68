"""Records of Butler claims."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from reconciler.addresses import IPRange, IPSet
from reconciler.documents.document import Documents
from reconciler.documents.validators import crd_files
from reconciler.families.butler.kinds import (
    API_VERSION,
    NAME,
    POOL,
    PROVIDER,
    REQUEST,
    TEAM,
    TENANT,
    manual_title,
)
from reconciler.families.butler.requests import request_key
from reconciler.families.interface import NAME as NAME_ALONE
from reconciler.families.interface import (
    PLACED,
    Announcing,
    ClusterKind,
    ProjectionInput,
    RecordBody,
    RecordForm,
)
from reconciler.model.claim import Allocation
from reconciler.model.key import Key
from reconciler.model.objects import (
    CONDITIONS,
    EVENT,
    HOST,
    LABEL,
    MAKE,
    NAMED,
    NODE,
    OURS,
    SERVICE,
    Check,
    Manifest,
    Need,
    Resource,
    Right,
    fields,
    stored,
    tenant_name,
)

OWNER = "tenantClusterRef"
ANNOUNCED = "loadbalancer"
"""The type of claims whose addresses MetalLB announces."""
SLOTS = {"nodes": TENANT.kind, ANNOUNCED: TENANT.kind, "request": REQUEST.kind}
GROWS = ("nodes", ANNOUNCED)
_GROWTH_NAME = re.compile(r".*-(?:lb|nodes)-([0-9]{1,6})", re.ASCII)


def claim_of_copy(body: RecordBody) -> Key | None:
    """Return the tenant's claim that a copied record states by tenant, type, and name."""
    namespace, name = _text(body, "spec", OWNER, "namespace"), _text(body, "spec", OWNER, "name")
    slot = _text(body, "spec", "type")
    if not namespace or not name or slot not in GROWS:
        return None
    role = _text(body, "metadata", "labels", f"{LABEL}allocation-role")
    grown = _GROWTH_NAME.fullmatch(_text(body, "metadata", "name"))
    pinned = _in(body, "spec", "pinnedRange") is not None
    if grown and role != "initial" and not pinned:
        slot = f"{slot}-{int(grown.group(1))}"
    claim = Key(NAME, namespace, name, slot, TENANT.kind)
    return claim if claim.is_sound else None


def adopt(record: Allocation, documents: Documents) -> Key:
    """Return the claim of the request with the record's name, else the tenant's own claim."""
    if documents.find(REQUEST, record.namespace, record.name) is None:
        return record.claim
    return request_key(record.namespace, record.name)


FORM = RecordForm(
    pool=NAME_ALONE,
    owner=OWNER,
    owner_fields=PLACED,
    type="loadbalancer",
    claim=claim_of_copy,
    types={slot: slot for slot in GROWS},
)


def _in(body: RecordBody, *steps: str) -> Any:
    value: Any = body
    for step in steps:
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


def _text(body: RecordBody, *steps: str) -> str:
    value = _in(body, *steps)
    return value if isinstance(value, str) else ""


TENANT_CLUSTER = Resource(API_VERSION, TENANT.kind, "tenantclusters")
_NOTHING = IPSet()


def cluster_of(record: Allocation) -> str:
    """Return the tenant's own cluster."""
    return tenant_name(record.owner.namespace, record.owner.name)


def announcer(manifest: Manifest) -> str | None:
    """Return the cluster that announces an IPAllocation of the management cluster."""
    spec = manifest.get("spec") or {}
    owner = spec.get("tenantClusterRef") or {}
    if spec.get("type") != ANNOUNCED or not owner.get("name"):
        return None
    return tenant_name(owner.get("namespace", ""), owner["name"])


def _homes(live: Manifest | None, namespace: str) -> Iterator[str]:
    """Yield the namespace in the TenantCluster's status, then its own namespace."""
    inner = ((live or {}).get("status") or {}).get("tenantNamespace")
    if not isinstance(inner, str | None):
        raise ValueError("status.tenantNamespace is not a text")
    if inner:
        yield inner
    yield namespace


def announces(world: ProjectionInput) -> dict[str, list[IPRange]]:
    """Return the ranges that each tenant's cluster announces, by cluster name.

    Announced ranges follow records, not errors in documents. The old range of a moved claim stays
    in addition to the new range. A manual range counts only while no live record replaces it. A
    range that a claim pins counts until that claim has its record.
    """
    ranges: dict[str, list[IPRange]] = {}
    live = {record.claim for record in world.records if record.is_live}
    for record in world.records:
        if record.claim.family != NAME or record.type != ANNOUNCED:
            continue
        if (record.is_live or record.announced) and record.range is not None:
            own = IPSet((record.range,)) - world.withheld.get(record.path, _NOTHING)
            ranges.setdefault(cluster_of(record), []).extend(own)
    manual = {blocked.title: blocked for blocked in world.reading.blocked}
    for document in world.documents.of(TENANT):
        blocked = manual.get(manual_title(document))
        if blocked is None or blocked.by_hand is None:
            continue
        there = ranges.setdefault(tenant_name(document.namespace, document.name), [])
        claim = blocked.by_hand.claim
        if (claim is None and not there) or (claim is not None and claim not in live):
            there.append(blocked.range)
    return ranges


ANNOUNCING = Announcing(
    clusters=ClusterKind(TENANT_CLUSTER, _homes),
    cluster_of=cluster_of,
    announcer=announcer,
    announces=announces,
)


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
    """Return the bundled CRDs of the family."""
    kinds = (NETWORK_POOL, PROVIDER_CONFIG, TENANT_CLUSTER)
    return crd_files(*(f"{kind.group}_{kind.plural}.yaml" for kind in kinds))
