"""Objects and announcements of ClusterTargets."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from reconciler.addresses import IPRange
from reconciler.documents.document import Document, Documents
from reconciler.families.interface import Announcing, Projection, ProjectionInput
from reconciler.families.plain.kinds import LOADBALANCER, NAME, TARGET, target_key
from reconciler.families.plain.targets import Entry, Held, held_entries, object_name, read_entries
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
        entries, balancer = read_entries(document, []), balancer_of(document)
        pools = tuple(_pool(it, held.get((document.name, it.name), {})) for it in entries)
        manifests = controller(balancer.controller).objects(pools, balancer.namespace)
        made += [Projection(document.name, it) for it in manifests]
    return tuple(made)


def _pool(entry: Entry, records: Mapping[int, Held]) -> LoadBalancerPool:
    ranges = (it.range for version in sorted(records) for _, it in records[version])
    services, cluster = entry.body.get("services") or {}, entry.request.document.name
    return LoadBalancerPool(
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
            CLAIM: str(target_key(cluster, entry.name)),
        },
        avoids_buggy=entry.body.get("avoidBuggyIPs", False),
        spec=entry.body.get("poolSpec") or {},
    )


def changed_entries(
    before: Iterable[Document], now: Documents, records: Iterable[Allocation]
) -> Iterator[tuple[Entry, Entry, LoadBalancerPool, LoadBalancerPool]]:
    """Yield recorded entries and their pools in clusters, before and after a change of the pools."""
    held = held_entries(_announced(records))
    for document in before:
        new = now.find(TARGET, "", document.name) if document.kind.id == TARGET else None
        old = {it.name: it for it in read_entries(document, [])} if new else {}
        for entry in read_entries(new, []) if new else ():
            mine = held.get((document.name, entry.name), {})
            for was in (old[it] for it in entry.names if mine and it in old):
                pools = _pool(replace(was, name=entry.name), mine), _pool(entry, mine)
                if pools[0] != pools[1]:
                    yield was, entry, *pools


ANNOUNCING = Announcing(
    cluster_of=cluster_of, announces=announces, documents=(TARGET,), balancers=balancers
)
