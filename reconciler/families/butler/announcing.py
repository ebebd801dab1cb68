"""Which cluster announces a tenant's addresses, which ones, and where its kubeconfig is."""

from collections.abc import Iterator

from reconciler.addresses import IPRange, IPSet
from reconciler.families._family import Announcing, ClusterKind, ProjectionInput
from reconciler.families.butler.kinds import API_VERSION, NAME, TENANT
from reconciler.families.butler.manual import manual_title
from reconciler.families.butler.record_form import ANNOUNCED
from reconciler.model.allocation import Allocation
from reconciler.model.cluster import tenant_name
from reconciler.model.resource import Manifest, Resource

TENANT_CLUSTER = Resource(API_VERSION, TENANT.kind, "tenantclusters")
_NOTHING = IPSet()


def cluster_of(record: Allocation) -> str:
    """The tenant's own cluster."""
    return tenant_name(record.owner.namespace, record.owner.name)


def announcer(manifest: Manifest) -> str | None:
    """The same of an IPAllocation in the management cluster."""
    spec = manifest.get("spec") or {}
    owner = spec.get("tenantClusterRef") or {}
    if spec.get("type") != ANNOUNCED or not owner.get("name"):
        return None
    return tenant_name(owner.get("namespace", ""), owner["name"])


def _homes(live: Manifest | None, namespace: str) -> Iterator[str]:
    """The namespace that the TenantCluster's status names, then its own."""
    inner = ((live or {}).get("status") or {}).get("tenantNamespace")
    if not isinstance(inner, str | None):
        raise ValueError("status.tenantNamespace is not a text")
    if inner:
        yield inner
    yield namespace


def announces(world: ProjectionInput) -> dict[str, list[IPRange]]:
    """What each tenant's cluster announces, by its name.

    A record is a fact: what a tenant announces goes with its record, not with a mistake in its
    document. What a claim left when it moved stays beside the new range. A range set by hand counts
    only while no live record says otherwise; one that a claim pins, until that claim has its record.
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
