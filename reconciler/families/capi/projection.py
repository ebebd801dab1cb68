"""Objects and metrics of Cluster API."""

from collections import Counter
from collections.abc import Container, Iterator, Mapping
from typing import Any

from reconciler.addresses import format_address
from reconciler.documents.document import Document
from reconciler.families.capi import kinds
from reconciler.families.capi.pools import LISTED, read_serves
from reconciler.families.capi.reading import class_of, is_adopted, pause_of, variables_of
from reconciler.families.fields import condition
from reconciler.families.interface import (
    FamilyMetrics,
    Measured,
    Projection,
    ProjectionInput,
    Turn,
    projected,
)
from reconciler.model.claim import Allocation
from reconciler.model.key import Key, is_label_value
from reconciler.model.metric import Sample, metric_makers
from reconciler.model.objects import ADOPT, MANAGEMENT, Ref
from reconciler.model.plan import Decision, Expire, Grant, Keep, Refuse, Release, Usage

CLUSTER_NAME = f"{kinds.GROUP}/cluster-name"
_MAX_COUNTED = 2**63 - 1
"""The provider's counters stop at this value."""

_REASONS = {
    "pool-exhausted": "PoolExhausted",
    "pool-fragmented": "PoolExhausted",
    "pool-not-found": "PoolNotReady",
    "pool-frozen": "PoolNotReady",
    "auto-assign-disabled": "PoolNotReady",
    "no-matching-pool": "PoolNotReady",
}


def project(given: ProjectionInput) -> tuple[Projection, ...]:
    """Return the objects of the management cluster."""
    pools = {
        key: document
        for kind in (kinds.GLOBAL_POOL, kinds.POOL)
        for document in given.documents.of(kind)
        if (key := kinds.pool_key(kind.kind, document.namespace, document.name))
        in given.reading.pools
    }
    return (*_pools(given, pools), *_held(given, pools))


def _pools(given: ProjectionInput, pools: Mapping[Key, Document]) -> Iterator[Projection]:
    """Yield valid pools; the provider's counters include used addresses outside the pool."""
    used: Counter[Key] = Counter()
    outside: Counter[Key] = Counter()
    for record in given.records:
        if record.range is None or record.claim.family != kinds.NAME:
            continue
        used[record.pool] += record.range.size
        pool = given.reading.pools.get(record.pool)
        if pool is not None and not pool.usable.covers(record.range):
            outside[record.pool] += record.range.size
    for key, document in pools.items():
        total = given.reading.pools[key].usable.size
        counters = {
            "free": min(total - used[key], _MAX_COUNTED),
            "outOfRange": outside[key],
            "total": min(total, _MAX_COUNTED),
            "used": used[key],
        }
        yield projected(document, {"ipAddresses": counters}, **_labels(document))


def _labels(document: Document) -> dict[str, Any]:
    labels, annotations = dict(document.labels()), dict(document.annotations())
    for name in (kinds.CLASS_LABEL, kinds.ROLE_LABEL):
        if not is_label_value(labels.get(name, "")):
            annotations[name] = labels[name]
            labels[name] = LISTED
    found = {"labels": labels, "annotations": annotations}
    return {key: value for key, value in found.items() if value}


def _held(given: ProjectionInput, pools: Mapping[Key, Document]) -> Iterator[Projection]:
    documents = {(it.namespace, it.name): it for it in given.documents.of(kinds.CLAIM)}
    clusters = {(it.namespace, it.name): it for it in given.documents.of(kinds.CLUSTER)}
    mine = [it for it in given.records if it.claim.family == kinds.NAME]
    claims = given.reading.claims
    held = [it for it in mine if it.is_live and it.pool in pools and not _is_unclaimed(it, claims)]
    for record in held:
        claimants = documents if record.claim.slot == kinds.ADDRESS else clusters
        claimant = claimants.get((record.claim.namespace, record.claim.name))
        yield Projection(MANAGEMENT, _address(record, pools[record.pool], claimant))
    for record in mine:
        document = documents.get((record.claim.namespace, kinds.object_name(record.claim)))
        if _is_unclaimed(record, claims):
            yield from _kept(record, document)
        elif document is not None or (record.is_live and record.pool in pools):
            claimant = clusters.get((record.claim.namespace, record.claim.name))
            yield _claim(record, document, claimant, is_whole=given.applies_documents)
    yield from _clusters(given, clusters, held)


def _is_unclaimed(record: Allocation, claims: Container[Key]) -> bool:
    return record.is_released or (record.is_live and record.claim not in claims)


def _kept(record: Allocation, document: Document | None) -> Iterator[Projection]:
    """Existing objects of a record without a claim stay until the record is deleted."""
    for kind in (kinds.ADDRESSES, *(() if document is not None else (kinds.CLAIMS,))):
        metadata = {"name": kinds.object_name(record.claim), "namespace": record.claim.namespace}
        manifest = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata}
        yield Projection(MANAGEMENT, manifest, is_part=True)


def address_of(record: Allocation) -> str:
    """Return the address of a record."""
    assert record.range is not None  # noqa: S101 - only such have objects  # nosec B101
    return format_address(record.range.version, record.range.first)


def _reference(pool: Key) -> dict[str, str]:
    return {"apiGroup": kinds.IPAM_GROUP, "kind": pool.kind, "name": pool.name}


def _metadata(record: Allocation, claimant: Document | None) -> dict[str, Any]:
    claim = record.claim
    labels = {CLUSTER_NAME: claim.name, kinds.ROLE_LABEL: claim.slot}
    labels = {key: text for key, text in labels.items() if is_label_value(text)}
    labels = labels if claim.slot != kinds.ADDRESS else {}
    adopts = claimant is not None and is_adopted(claimant)
    return {
        "name": kinds.object_name(claim),
        "namespace": claim.namespace,
        **({"labels": labels} if labels else {}),
        **({"annotations": {ADOPT: "true"}} if adopts else {}),
    }


def _address(record: Allocation, pool: Document, claimant: Document | None) -> dict[str, Any]:
    metadata = _metadata(record, claimant)
    labels = {
        key: text for key, text in metadata.get("labels", {}).items() if key != kinds.ROLE_LABEL
    }
    gateway = pool.spec.get("gateway")
    return {
        "apiVersion": kinds.ADDRESSES.api_version,
        "kind": kinds.ADDRESSES.kind,
        "metadata": {**metadata, **({"labels": labels} if labels else {})},
        "spec": {
            "address": address_of(record),
            "claimRef": {"name": metadata["name"]},
            "poolRef": _reference(record.pool),
            "prefix": pool.spec["prefix"],
            **({"gateway": gateway} if gateway else {}),
        },
    }


def _claim(
    record: Allocation, document: Document | None, claimant: Document | None, *, is_whole: bool
) -> Projection:
    """Return the claim object of a record. For a claim with a source document, only its status."""
    metadata = _metadata(record, claimant)
    manifest: dict[str, Any] = {"apiVersion": kinds.CLAIMS.api_version, "kind": kinds.CLAIMS.kind}
    status: dict[str, Any] = {"conditions": [_ready(record)]}
    if record.range is not None:
        status |= {"addressRef": {"name": metadata["name"]}}
    after = (Ref(kinds.ADDRESSES, metadata["namespace"], metadata["name"]),) if record.range else ()
    if document is not None and not is_whole:
        named = {key: metadata[key] for key in ("name", "namespace")}
        manifest |= {"metadata": named, "status": status}
        return Projection(MANAGEMENT, manifest, is_status_only=True, rests_on=after)
    spec: dict[str, Any] = {"poolRef": _reference(record.pool)}
    spec |= {"clusterName": record.claim.name} if is_label_value(record.claim.name) else {}
    if document is not None:
        spec = dict(document.spec)
        metadata = {**document.metadata, "namespace": document.namespace}
    manifest |= {"metadata": metadata, "spec": spec, "status": status}
    return Projection(MANAGEMENT, manifest, rests_on=after)


def _ready(record: Allocation) -> Mapping[str, str]:
    if record.range is not None:
        message = f"{address_of(record)} allocated from {record.pool.name}"
        said = ("True", "AddressAllocated", message)
    else:
        said = ("False", _REASONS.get(record.reason, "AllocationFailed"), record.message)
    return condition("Ready", *said, record.allocated_at or record.since)


def _clusters(
    given: ProjectionInput, clusters: Mapping[tuple[str, str], Document], held: list[Allocation]
) -> Iterator[Projection]:
    live: dict[tuple[str, str], dict[str, Allocation]] = {}
    for record in held:
        if record.claim.slot != kinds.ADDRESS:
            name = record.claim.namespace, record.claim.name
            live.setdefault(name, {})[record.claim.slot] = record
    classes = {(it.namespace, it.name): variables_of(it) for it in given.documents.of(kinds.CLASS)}
    for name in sorted(live.keys() & clusters.keys()):
        defined = classes.get(class_of(clusters[name]), frozenset())
        yield _cluster(clusters[name], live[name], defined, given.default_port)


def _cluster(
    document: Document,
    records: Mapping[str, Allocation],
    defined: frozenset[str],
    default_port: int,
) -> Projection:
    metadata: dict[str, Any] = {"name": document.name, "namespace": document.namespace}
    spec: dict[str, Any] = {}
    if (record := records.get(kinds.CONTROL_PLANE)) is not None:
        endpoint = document.spec.get("controlPlaneEndpoint") or {}
        port = endpoint.get("port") or default_port
        spec["controlPlaneEndpoint"] = {"host": address_of(record), "port": port}
    if (record := records.get(kinds.INGRESS)) is not None:
        address = address_of(record)
        metadata["annotations"] = {kinds.INGRESS_VIP: address}
        if ":" not in address:  # a label cannot contain a colon
            metadata["labels"] = {kinds.INGRESS_VIP: address}
    variables = [
        {"name": kinds.VARIABLES[slot], "value": address_of(records[slot])}
        for slot in (kinds.CONTROL_PLANE, kinds.INGRESS)
        if slot in records and kinds.VARIABLES[slot] in defined
    ]
    if variables:
        spec["topology"] = {"variables": variables}
    manifest = {
        "apiVersion": kinds.CLUSTERS.api_version,
        "kind": kinds.CLUSTERS.kind,
        "metadata": metadata,
        **({"spec": spec} if spec else {}),
    }
    after = tuple(
        Ref(kinds.ADDRESSES, document.namespace, kinds.object_name(record.claim))
        for record in records.values()
    )
    return Projection(MANAGEMENT, manifest, is_part=True, rests_on=after)


_ROLES = (kinds.CONTROL_PLANE, kinds.INGRESS)
_OF_CLASS = ("role", "cluster_class")
_OF_NAMESPACE = ("role", "namespace")
# Outcomes of capi-vip-allocator: no claim could be made, or the claim got no address.
_UNCLAIMED = frozenset({"no-matching-pool", "pool-not-found", "auto-assign-disabled"})
_gauge, _counter, _histogram = metric_makers("capi_vip_allocator_")
_ALLOCATIONS = _counter(
    "allocations_total", "Total number of successful VIP allocations", *_OF_CLASS
)
_ERRORS = _counter(
    "allocation_errors_total", "Total number of VIP allocation errors", *_OF_CLASS, "reason"
)
_DURATION = _histogram(
    "allocation_duration_seconds",
    "Duration of VIP allocation operations: from the trigger to the end of the round",
    *_OF_CLASS,
)
_AVAILABLE = _gauge(
    "pools_available",
    "Number of pools that serve a class for a role and have an address left",
    *("cluster_class", "role"),
)
_ADDRESSES = _gauge("pool_addresses_total", "Total IP addresses in pool", "pool_name")
_FREE = _gauge("pool_addresses_free", "Free IP addresses in pool", "pool_name")
_USED = _gauge("pool_addresses_used", "Used IP addresses in pool", "pool_name")
_CLAIMS = _gauge("claims_total", "Total number of active claims of Clusters", *_OF_NAMESPACE)
_CLAIMED = _gauge("claims_ready", "Number of claims with allocated IP", *_OF_NAMESPACE)
_PENDING = _gauge("claims_pending", "Number of claims waiting for IP allocation", *_OF_NAMESPACE)
_RECONCILED = _counter(
    "reconcile_total", "Total number of cluster reconcile operations", "cluster_class", "result"
)
_TIME = _histogram(
    "reconcile_duration_seconds", "Duration of cluster reconcile operations", "cluster_class"
)


def _of_pools(usage: Mapping[Key, Usage]) -> Iterator[Sample]:
    """Namespaced pools, which the original does not have, are `namespace/name`."""
    for key, used in usage.items():
        if key.family == kinds.NAME and key.kind in (kinds.GLOBAL_POOL.kind, kinds.POOL.kind):
            yield Sample(_ADDRESSES, (key.short,), used.total)
            yield Sample(_FREE, (key.short,), used.available)
            yield Sample(_USED, (key.short,), used.allocated + used.held)


def _of_documents(measured: Measured) -> Iterator[Sample]:
    yield from _available(measured)
    claimed = [key for key in measured.claims if _is_of_cluster(key)]
    total = Counter((key.slot, key.namespace) for key in claimed)
    ready = Counter((key.slot, key.namespace) for key in claimed if key in measured.records)
    for labels in sorted(total):
        yield Sample(_CLAIMS, labels, total[labels])
        yield Sample(_CLAIMED, labels, ready[labels])
        yield Sample(_PENDING, labels, total[labels] - ready[labels])


def _available(measured: Measured) -> Iterator[Sample]:
    classes = {document.name for document in measured.documents.of(kinds.CLASS)}
    classes |= {class_of(document)[1] for document in measured.documents.of(kinds.CLUSTER)} - {""}
    found: Counter[tuple[str, str]] = Counter()
    for kind in (kinds.GLOBAL_POOL, kinds.POOL):
        for document in measured.documents.of(kind):
            key = kinds.pool_key(kind.kind, document.namespace, document.name)
            used, pool = measured.usage.get(key), measured.pools.get(key)
            if used is None or pool is None or used.available == 0 or pool.is_paused:
                continue
            serves = read_serves(document, [])
            roles = serves.roles.intersection(_ROLES)
            found.update((class_, role) for class_ in serves.classes for role in roles)
    for class_ in sorted(classes):
        for role in _ROLES:
            yield Sample(_AVAILABLE, (class_, role), found[class_, role])


def _of_turn(turn: Turn) -> Iterator[Sample]:
    by_owner: dict[tuple[str, str], list[Decision]] = {}
    for decision in turn.decisions:
        if _is_of_cluster(decision.claim) and not isinstance(decision, Release | Expire):
            owner = decision.claim.namespace, decision.claim.name
            by_owner.setdefault(owner, []).append(decision)
    for document in turn.documents.of(kinds.CLUSTER):
        if class_ := class_of(document)[1]:
            decided = by_owner.get((document.namespace, document.name), [])
            yield from _of_cluster(turn, document, class_, decided)


def _of_cluster(
    turn: Turn, document: Document, class_: str, decided: list[Decision]
) -> Iterator[Sample]:
    object_ = f"{kinds.CLUSTER.group}/{kinds.CLUSTER.kind}/{document.namespace}/{document.name}"
    is_failed = object_ in turn.failed
    for decision in decided:
        labels = decision.claim.slot, class_
        if isinstance(decision, Refuse):
            if decision.claim in turn.newly_refused:
                is_unclaimed = decision.reason in _UNCLAIMED
                reason = "claim_creation_failed" if is_unclaimed else "ip_resolution_failed"
                yield Sample(_ERRORS, (*labels, reason), 1)
        elif is_failed:
            yield Sample(_ERRORS, (*labels, "cluster_patch_failed"), 1)
        elif isinstance(decision, Grant):
            yield Sample(_ALLOCATIONS, labels, 1)
            yield Sample(_DURATION, labels, turn.since)
    if is_failed or any(isinstance(item, Refuse) for item in decided):
        result = "error"
    elif pause_of(document) or not any(isinstance(item, Grant | Keep) for item in decided):
        result = "skipped"
    else:
        result = "success" if turn.is_applied else "requeued"
    yield Sample(_RECONCILED, (class_, result), 1)
    yield Sample(_TIME, (class_,), turn.seconds)


def _is_of_cluster(key: Key) -> bool:
    return key.family == kinds.NAME and key.kind == kinds.CLUSTER.kind


METERING = FamilyMetrics(
    (
        *(_ALLOCATIONS, _ERRORS, _DURATION),
        *(_AVAILABLE, _ADDRESSES, _FREE, _USED),
        *(_CLAIMS, _CLAIMED, _PENDING, _RECONCILED, _TIME),
    ),
    _of_pools,
    _of_documents,
    _of_turn,
)
