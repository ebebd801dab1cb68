"""Objects of Cluster API."""

from collections import Counter
from collections.abc import Container, Iterator, Mapping
from typing import Any

from reconciler.addresses import format_address
from reconciler.documents.document import Document
from reconciler.families.capi.claims import class_of, is_adopted, variables_of
from reconciler.families.capi.kinds import (
    ADDRESS,
    ADDRESSES,
    CLAIM,
    CLAIM_NAMES,
    CLAIMS,
    CLASS,
    CLASS_LABEL,
    CLUSTER,
    CLUSTERS,
    CONTROL_PLANE,
    GLOBAL_POOL,
    GROUP,
    INGRESS,
    INGRESS_VIP,
    IPAM_GROUP,
    NAME,
    POOL,
    ROLE_LABEL,
    VARIABLES,
)
from reconciler.families.capi.pools import LISTED, pool_key
from reconciler.families.fields import condition
from reconciler.families.interface import Projection, ProjectionInput
from reconciler.model.claim import Allocation
from reconciler.model.key import Key, is_label_value
from reconciler.model.objects import ADOPT, MANAGEMENT, Ref
from reconciler.model.pool import Pool

CLUSTER_NAME = f"{GROUP}/cluster-name"
_REASONS = {
    "pool-exhausted": "PoolExhausted",
    "pool-fragmented": "PoolExhausted",
    "pool-not-found": "PoolNotReady",
    "pool-frozen": "PoolNotReady",
    "auto-assign-disabled": "PoolNotReady",
    "no-matching-pool": "PoolNotReady",
}


def project_held(given: ProjectionInput) -> Iterator[Projection]:
    """Yield the objects of all records: addresses, then claims, then Clusters."""
    pools = _holding_pools(given)
    documents = {(it.namespace, it.name): it for it in given.documents.of(CLAIM)}
    clusters = {(it.namespace, it.name): it for it in given.documents.of(CLUSTER)}
    mine = [it for it in given.records if it.claim.family == NAME and it.path not in given.withheld]
    claims = given.reading.claims
    held = [it for it in mine if it.is_live and it.pool in pools and not _rests(it, claims)]
    for record in held:
        claimants = documents if record.claim.slot == ADDRESS else clusters
        claimant = claimants.get((record.claim.namespace, record.claim.name))
        yield Projection(MANAGEMENT, _address(record, pools[record.pool], claimant))
    for record in mine:
        document = documents.get((record.claim.namespace, object_name(record.claim)))
        if _rests(record, claims):
            yield from _kept(record, document)
        elif document is not None or (record.is_live and record.pool in pools):
            claimant = clusters.get((record.claim.namespace, record.claim.name))
            yield _claim(record, document, claimant, is_whole=given.applies_documents)
    yield from _clusters(given, clusters, held)


def _rests(record: Allocation, claims: Container[Key]) -> bool:
    """Return whether no claim requests a record: it is released, or will be after a pause."""
    return record.is_released or (record.is_live and record.claim not in claims)


def _kept(record: Allocation, document: Document | None) -> Iterator[Projection]:
    """Yield the objects of a record without a claim.

    Existing objects stay until the record is deleted.
    """
    kinds = (ADDRESSES,) if document is not None else (ADDRESSES, CLAIMS)
    for kind in kinds:
        metadata = {"name": object_name(record.claim), "namespace": record.claim.namespace}
        manifest = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata}
        yield Projection(MANAGEMENT, manifest, is_part=True)


def object_name(claim: Key) -> str:
    """Return the name of the IPAddressClaim and the IPAddress of a claim."""
    return f"{CLAIM_NAMES.get(claim.slot, '')}{claim.name}"


def _holding_pools(given: ProjectionInput) -> dict[Key, Document]:
    """Return the documents of valid pools, by key."""
    return {
        key: document
        for kind in (GLOBAL_POOL, POOL)
        for document in given.documents.of(kind)
        if (key := pool_key(kind.kind, document.namespace, document.name)) in given.reading.pools
    }


def address_of(record: Allocation) -> str:
    """Return the address of a record."""
    assert record.range is not None  # noqa: S101 - only such have objects  # nosec B101
    return format_address(record.range.version, record.range.first)


def _reference(pool: Key) -> dict[str, str]:
    return {"apiGroup": IPAM_GROUP, "kind": pool.kind, "name": pool.name}


def _metadata(record: Allocation, claimant: Document | None) -> dict[str, Any]:
    claim = record.claim
    labels = {} if claim.slot == ADDRESS else {CLUSTER_NAME: claim.name, ROLE_LABEL: claim.slot}
    adopts = claimant is not None and is_adopted(claimant)
    return {
        "name": object_name(claim),
        "namespace": claim.namespace,
        **({"labels": labels} if labels else {}),
        **({"annotations": {ADOPT: "true"}} if adopts else {}),
    }


def _address(record: Allocation, pool: Document, claimant: Document | None) -> dict[str, Any]:
    metadata = _metadata(record, claimant)
    labels = {key: text for key, text in metadata.get("labels", {}).items() if key != ROLE_LABEL}
    gateway = pool.spec.get("gateway")
    return {
        "apiVersion": ADDRESSES.api_version,
        "kind": ADDRESSES.kind,
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
    manifest: dict[str, Any] = {"apiVersion": CLAIMS.api_version, "kind": CLAIMS.kind}
    status: dict[str, Any] = {"conditions": [_ready(record)]}
    if record.range is not None:
        status |= {"addressRef": {"name": metadata["name"]}}
    after = (Ref(ADDRESSES, metadata["namespace"], metadata["name"]),) if record.range else ()
    if document is not None and not is_whole:
        named = {key: metadata[key] for key in ("name", "namespace")}
        manifest |= {"metadata": named, "status": status}
        return Projection(MANAGEMENT, manifest, is_status_only=True, rests_on=after)
    if document is not None:
        spec = document.spec
        metadata = {**document.metadata, "namespace": document.namespace}
    else:
        spec = {"clusterName": record.claim.name, "poolRef": _reference(record.pool)}
    manifest |= {"metadata": metadata, "spec": spec, "status": status}
    return Projection(MANAGEMENT, manifest, rests_on=after)


def _ready(record: Allocation) -> Mapping[str, str]:
    """Return the Ready condition of a claim, with the reasons that Cluster API's core uses."""
    if record.range is not None:
        message = f"{address_of(record)} allocated from {record.pool.name}"
        said = ("True", "AddressAllocated", message)
    else:
        said = ("False", _REASONS.get(record.reason, "AllocationFailed"), record.message)
    return condition("Ready", *said, record.allocated_at or record.since)


def _clusters(
    given: ProjectionInput,
    clusters: Mapping[tuple[str, str], Document],
    held: list[Allocation],
) -> Iterator[Projection]:
    """Yield the fields of each Cluster with live records and a document in the tree."""
    live: dict[tuple[str, str], dict[str, Allocation]] = {}
    for record in held:
        if record.claim.slot != ADDRESS:
            name = record.claim.namespace, record.claim.name
            live.setdefault(name, {})[record.claim.slot] = record
    classes = {(it.namespace, it.name): variables_of(it) for it in given.documents.of(CLASS)}
    for name in sorted(live.keys() & clusters.keys()):
        reference = class_of(clusters[name])
        defined = classes.get(reference, frozenset()) if reference else frozenset()
        yield _cluster(clusters[name], live[name], defined, given.default_port)


def _cluster(
    document: Document,
    records: Mapping[str, Allocation],
    defined: frozenset[str],
    default_port: int,
) -> Projection:
    metadata: dict[str, Any] = {"name": document.name, "namespace": document.namespace}
    spec: dict[str, Any] = {}
    if (record := records.get(CONTROL_PLANE)) is not None:
        endpoint = document.spec.get("controlPlaneEndpoint") or {}
        port = endpoint.get("port") or default_port
        spec["controlPlaneEndpoint"] = {"host": address_of(record), "port": port}
    if (record := records.get(INGRESS)) is not None:
        address = address_of(record)
        metadata["annotations"] = {INGRESS_VIP: address}
        if record.range is not None and record.range.version == 4:  # a label cannot contain a colon
            metadata["labels"] = {INGRESS_VIP: address}
    variables = [
        {"name": VARIABLES[slot], "value": address_of(records[slot])}
        for slot in (CONTROL_PLANE, INGRESS)
        if slot in records and VARIABLES[slot] in defined
    ]
    if variables:
        spec["topology"] = {"variables": variables}
    manifest = {
        "apiVersion": CLUSTERS.api_version,
        "kind": CLUSTERS.kind,
        "metadata": metadata,
        **({"spec": spec} if spec else {}),
    }
    after = tuple(
        Ref(ADDRESSES, document.namespace, object_name(record.claim)) for record in records.values()
    )
    return Projection(MANAGEMENT, manifest, is_part=True, rests_on=after)


_MAX_PROJECTING = 2**63 - 1
"""The provider's counters stop at this value."""


def project(given: ProjectionInput) -> tuple[Projection, ...]:
    """Return the objects of the management cluster."""
    return (*_projecting_pools(given), *project_held(given))


def _projecting_pools(given: ProjectionInput) -> Iterator[Projection]:
    """Yield valid pools, with their counters."""
    used, outside = _held(given)
    for kind in (GLOBAL_POOL, POOL):
        for document in given.documents.of(kind):
            key = pool_key(kind.kind, document.namespace, document.name)
            pool = given.reading.pools.get(key)
            if pool is None:
                continue
            place = {"namespace": document.namespace} if document.namespace else {}
            manifest = {
                "apiVersion": document.kind.api_version,
                "kind": kind.kind,
                "metadata": {**document.metadata, **_labels(document), **place},
                "spec": document.spec,
                "status": {"ipAddresses": counters(pool, used[key], outside[key])},
            }
            yield Projection(MANAGEMENT, manifest)


def counters(pool: Pool, used: int, outside: int) -> Mapping[str, int]:
    """Return the address counts of the provider, including used addresses outside the pool."""
    total = pool.usable.size
    return {
        "free": min(total - used, _MAX_PROJECTING),
        "outOfRange": outside,
        "total": min(total, _MAX_PROJECTING),
        "used": used,
    }


def _held(given: ProjectionInput) -> tuple[Counter[Key], Counter[Key]]:
    """Return how many addresses records hold of each pool, and how many of them are outside it."""
    used: Counter[Key] = Counter()
    outside: Counter[Key] = Counter()
    for record in given.records:
        if record.range is None or record.claim.family != NAME:
            continue
        used[record.pool] += record.range.size
        pool = given.reading.pools.get(record.pool)
        if pool is not None and not pool.usable.covers(record.range):
            outside[record.pool] += record.range.size
    return used, outside


def _labels(document: Document) -> dict[str, Any]:
    """Return valid labels and annotations: a list of values becomes an annotation."""
    labels, annotations = dict(document.labels()), dict(document.annotations())
    for name in (CLASS_LABEL, ROLE_LABEL):
        if not is_label_value(labels.get(name, "")):
            annotations[name] = labels[name]
            labels[name] = LISTED
    found = {"labels": labels, "annotations": annotations}
    return {key: value for key, value in found.items() if value}
