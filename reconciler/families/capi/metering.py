"""Metrics of Cluster API pools and Clusters."""

from collections import Counter
from collections.abc import Iterator, Mapping

from reconciler.documents.document import Document
from reconciler.families.capi.claims import class_of, rests
from reconciler.families.capi.kinds import (
    CLASS,
    CLUSTER,
    CONTROL_PLANE,
    GLOBAL_POOL,
    INGRESS,
    NAME,
    POOL,
)
from reconciler.families.capi.pools import pool_key, read_serves
from reconciler.families.interface import FamilyMetrics, Measured, Turn
from reconciler.model.key import Key
from reconciler.model.metric import Metric, MetricKind, Sample
from reconciler.model.plan import Decision, Expire, Grant, Keep, Refuse, Release, Usage

_PREFIX = "capi_vip_allocator_"
_OF_CLASS = ("role", "cluster_class")
_OF_NAMESPACE = ("role", "namespace")
_ROLES = (CONTROL_PLANE, INGRESS)
# Outcomes of capi-vip-allocator: no claim could be made, or the claim got no address.
_UNCLAIMED = frozenset({"no-matching-pool", "pool-not-found", "auto-assign-disabled"})


def _counter(name: str, help_: str, *labels: str) -> Metric:
    return Metric(f"{_PREFIX}{name}", MetricKind.COUNTER, help_, labels)


def _gauge(name: str, help_: str, *labels: str) -> Metric:
    return Metric(f"{_PREFIX}{name}", MetricKind.GAUGE, help_, labels)


_ALLOCATIONS = _counter(
    "allocations_total", "Total number of successful VIP allocations", *_OF_CLASS
)
_ERRORS = _counter(
    "allocation_errors_total", "Total number of VIP allocation errors", *_OF_CLASS, "reason"
)
_DURATION = Metric(
    f"{_PREFIX}allocation_duration_seconds",
    MetricKind.HISTOGRAM,
    "Duration of VIP allocation operations: from what asked for it to the end of the round",
    _OF_CLASS,
)
_POOLS = _gauge(
    "pools_available",
    "Number of pools that serve a class for a role and have an address left",
    "cluster_class",
    "role",
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
_TIME = Metric(
    f"{_PREFIX}reconcile_duration_seconds",
    MetricKind.HISTOGRAM,
    "Duration of cluster reconcile operations",
    ("cluster_class",),
)


def _of_pools(usage: Mapping[Key, Usage]) -> Iterator[Sample]:
    """Yield samples of pools.

    Namespaced pools, which the original does not have, are `namespace/name`.
    """
    for key, used in usage.items():
        if key.family == NAME and key.kind in (GLOBAL_POOL.kind, POOL.kind):
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
    """Yield the number of pools with free addresses, by class and role.

    Only classes that exist or are requested count, so a pool cannot create arbitrary label values.
    """
    classes = {document.name for document in measured.documents.of(CLASS)}
    classes |= {_class(document) for document in measured.documents.of(CLUSTER)} - {""}
    found: Counter[tuple[str, str]] = Counter()
    for kind in (GLOBAL_POOL, POOL):
        for document in measured.documents.of(kind):
            key = pool_key(kind.kind, document.namespace, document.name)
            used, pool = measured.usage.get(key), measured.pools.get(key)
            if used is None or pool is None or used.available == 0 or pool.is_paused:
                continue
            serves = read_serves(document, [])
            roles = serves.roles.intersection(_ROLES)
            found.update((class_, role) for class_ in serves.classes for role in roles)
    for class_ in sorted(classes):
        for role in _ROLES:
            yield Sample(_POOLS, (class_, role), found[class_, role])


def _of_turn(turn: Turn) -> Iterator[Sample]:
    by_owner: dict[tuple[str, str], list[Decision]] = {}
    for decision in turn.decisions:
        if _is_of_cluster(decision.claim) and not isinstance(decision, Release | Expire):
            owner = decision.claim.namespace, decision.claim.name
            by_owner.setdefault(owner, []).append(decision)
    for document in turn.documents.of(CLUSTER):
        if class_ := _class(document):
            decided = by_owner.get((document.namespace, document.name), [])
            yield from _of_cluster(turn, document, class_, decided)


def _of_cluster(
    turn: Turn, document: Document, class_: str, decided: list[Decision]
) -> Iterator[Sample]:
    """Yield samples of one Cluster's result."""
    object_ = f"{CLUSTER.group}/{CLUSTER.kind}/{document.namespace}/{document.name}"
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
    result = _result(turn, document, decided, is_failed=is_failed)
    yield Sample(_RECONCILED, (class_, result), 1)
    yield Sample(_TIME, (class_,), turn.seconds)


def _result(turn: Turn, document: Document, decided: list[Decision], *, is_failed: bool) -> str:
    if is_failed or any(isinstance(item, Refuse) for item in decided):
        return "error"
    if rests(document) or not any(isinstance(item, Grant | Keep) for item in decided):
        return "skipped"
    return "success" if turn.is_applied else "requeued"


def _is_of_cluster(key: Key) -> bool:
    return key.family == NAME and key.kind == CLUSTER.kind


def _class(document: Document) -> str:
    found = class_of(document)
    return found.name if found is not None else ""


METERING = FamilyMetrics(
    metrics=(
        *(_ALLOCATIONS, _ERRORS, _DURATION),
        *(_POOLS, _ADDRESSES, _FREE, _USED),
        *(_CLAIMS, _CLAIMED, _PENDING, _RECONCILED, _TIME),
    ),
    of_pools=_of_pools,
    of_documents=_of_documents,
    of_turn=_of_turn,
)
