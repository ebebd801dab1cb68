"""Objects and announcements of ClusterTargets."""

from collections.abc import Iterable, Iterator

from reconciler.addresses import IPRange
from reconciler.documents.document import Document, Documents
from reconciler.families.interface import Announcing, Projection, ProjectionInput
from reconciler.families.plain.kinds import LOADBALANCER, NAME, TARGET, target_key
from reconciler.families.plain.targets import held_entries, object_name, read_entries
from reconciler.loadbalancers import controller
from reconciler.loadbalancers.interface import (
    DEFAULT,
    NOT_ADVERTISED,
    ClusterBalancer,
    LoadBalancerPool,
    ServiceSelection,
)
from reconciler.model.claim import Allocation
from reconciler.model.objects import CLAIM, MANAGEMENT


def cluster_of(record: Allocation) -> str:
    """Return the cluster that announces the addresses of a record."""
    return record.claim.name if record.type == LOADBALANCER else MANAGEMENT


def balancer_of(document: Document) -> ClusterBalancer:
    """Return the controller of a ClusterTarget."""
    stated = document.spec.get("controller") or {}
    name = stated.get("type", DEFAULT)
    own = stated.get(f"{name[0].lower()}{name[1:]}") or {}
    return ClusterBalancer(name, own.get("namespace", ""), "objectName", has_entries=True)


def balancers(documents: Documents) -> dict[str, ClusterBalancer]:
    """Return the controllers of the clusters whose documents have entries or a controller."""
    return {
        it.name: balancer_of(it)
        for it in documents.of(TARGET)
        if not it.spec.keys().isdisjoint(("controller", "loadBalancers"))
    }


def announces(world: ProjectionInput) -> dict[str, list[IPRange]]:
    """Return the ranges that each cluster announces, by its name."""
    found: dict[str, list[IPRange]] = {}
    for record in _announced(world.records):
        if record.range is not None:
            found.setdefault(record.claim.name, []).append(record.range)
    return found


def _announced(records: Iterable[Allocation]) -> Iterator[Allocation]:
    for record in records:
        is_ours = record.claim.family == NAME and record.type == LOADBALANCER
        if is_ours and (record.is_live or record.announced):
            yield record


def project(world: ProjectionInput) -> tuple[Projection, ...]:
    """Return the objects of the entries of all clusters. The object of a removed entry is left."""
    held = held_entries(_announced(world.records))
    made: list[Projection] = []
    for document in world.documents.of(TARGET):
        pools = []
        for entry in read_entries(document, []):
            records = held.get((document.name, entry.name), {})
            ranges = (it.range for version in sorted(records) for _, it in records[version])
            services = entry.body.get("services") or {}
            pools.append(
                LoadBalancerPool(
                    object_name(entry, records),
                    tuple(it for it in ranges if it is not None),
                    ServiceSelection(
                        entry.is_default or entry.body.get("autoAssign", False),
                        tuple(services.get("namespaces") or ()),
                        services.get("selector") or {},
                    ),
                    entry.body.get("advertisement") or NOT_ADVERTISED,
                    labels=entry.body.get("labels") or {},
                    annotations={
                        **(entry.body.get("annotations") or {}),
                        CLAIM: str(target_key(document.name, entry.name)),
                    },
                    avoids_buggy=entry.body.get("avoidBuggyIPs", False),
                    spec=entry.body.get("poolSpec") or {},
                )
            )
        balancer = balancer_of(document)
        manifests = controller(balancer.controller).objects(tuple(pools), balancer.namespace)
        made += [Projection(document.name, it) for it in manifests]
    return tuple(made)


ANNOUNCING = Announcing(
    cluster_of=cluster_of, announces=announces, documents=(TARGET,), balancers=balancers
)
