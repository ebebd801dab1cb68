"""What Cluster API's pools and records become in the management cluster."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from reconciler.documents.document import Document
from reconciler.families._family import Projection, ProjectionInput
from reconciler.families.capi.holding import project_held
from reconciler.families.capi.kinds import CLASS_LABEL, GLOBAL_POOL, NAME, POOL, ROLE_LABEL
from reconciler.families.capi.pools import pool_key
from reconciler.families.capi.serving import LISTED
from reconciler.model.cluster import MANAGEMENT
from reconciler.model.key import Key, is_label_value
from reconciler.model.pool import Pool

_MOST = 2**63 - 1
"""Counters of the provider stop there."""


def project(given: ProjectionInput) -> tuple[Projection, ...]:
    """The objects of the management cluster."""
    return (*_pools(given), *project_held(given))


def _pools(given: ProjectionInput) -> Iterator[Projection]:
    """Pools that can be read, with their counters."""
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
    """How many addresses there are, as the provider counts: what lies outside is used, too."""
    total = pool.usable.size
    return {
        "free": min(total - used, _MOST),
        "outOfRange": outside,
        "total": min(total, _MOST),
        "used": used,
    }


def _held(given: ProjectionInput) -> tuple[Counter[Key], Counter[Key]]:
    """How many addresses records hold of each pool, and how many that it does not give out."""
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
    """Labels and annotations as an API server takes them: a list of values is an annotation."""
    labels, annotations = dict(document.labels()), dict(document.annotations())
    for name in (CLASS_LABEL, ROLE_LABEL):
        if not is_label_value(labels.get(name, "")):
            annotations[name] = labels[name]
            labels[name] = LISTED
    found = {"labels": labels, "annotations": annotations}
    return {key: value for key, value in found.items() if value}
