"""Metrics of Butler pools and tenants."""

from collections.abc import Iterator, Mapping

from reconciler.families.butler.kinds import NAME, POOL
from reconciler.families.butler.providers import (
    Providers,
    capacity,
    names_no_pool,
    nodes_per_tenant,
)
from reconciler.families.interface import FamilyMetrics, Measured, Turn
from reconciler.model.key import Key
from reconciler.model.metric import Metric, MetricKind, Sample
from reconciler.model.plan import Grant, Refuse, Usage

_OF_POOL = ("pool", "namespace")
_OF_PROVIDER = ("provider", "namespace")


def _pool(name: str, help_: str) -> Metric:
    return Metric(f"butler_network_pool_{name}", MetricKind.GAUGE, help_, _OF_POOL)


_TOTAL = _pool("total_ips", "Addresses that the pool can give out")
_ALLOCATED = _pool("allocated_ips", "Addresses that tenants hold")
_AVAILABLE = _pool("available_ips", "Addresses that are neither allocated nor held after release")
_COUNT = _pool("allocation_count", "Allocations of the pool")
_FRAGMENTATION = _pool("fragmentation_percent", "100 minus the share of the largest free block")
_LARGEST = _pool("largest_free_block", "Size of the largest free block, in addresses")

_PROCESSED = Metric(
    "butler_ip_allocation_processed_total",
    MetricKind.COUNTER,
    "Allocations that were made (success), or refused anew (failed)",
    ("pool", "namespace", "result"),
)
_READY = Metric(
    "butler_provider_config_ready",
    MetricKind.GAUGE,
    "1 when the provider names pools that have addresses left, else 0",
    ("provider", "namespace", "type", "scope"),
)
_LEFT = Metric(
    "butler_provider_config_available_ips",
    MetricKind.GAUGE,
    "Addresses that the provider's pools have left",
    _OF_PROVIDER,
)
_TENANTS = Metric(
    "butler_provider_config_estimated_tenants",
    MetricKind.GAUGE,
    "Tenants that the provider's pools have room for",
    _OF_PROVIDER,
)


def _of_pools(usage: Mapping[Key, Usage]) -> Iterator[Sample]:
    for key, used in usage.items():
        if key.family != NAME or key.kind != POOL.kind:
            continue
        labels = key.name, key.namespace
        for metric, value in (
            (_TOTAL, used.total),
            (_ALLOCATED, used.allocated),
            (_AVAILABLE, used.available),
            (_COUNT, used.count),
            (_FRAGMENTATION, used.fragmentation),
            (_LARGEST, used.largest),
        ):
            yield Sample(metric, labels, value)


def _of_documents(measured: Measured) -> Iterator[Sample]:
    """Yield samples of providers of mode `ipam`; cloud providers allocate no addresses here."""
    nodes = nodes_per_tenant(measured.documents)
    for provider in Providers(measured.documents).all():
        if not provider.is_ipam:
            continue
        document = provider.document
        labels = document.name, document.namespace
        left, tenants = capacity(measured.usage, provider, nodes)
        type_ = str(document.spec.get("provider") or "")
        scope = str((document.spec.get("scope") or {}).get("type") or "platform")
        is_ready = left > 0 and not names_no_pool(document)
        yield Sample(_READY, (*labels, type_, scope), int(is_ready))
        yield Sample(_LEFT, labels, left)
        yield Sample(_TENANTS, labels, tenants)


def _of_turn(turn: Turn) -> Iterator[Sample]:
    for decision in turn.decisions:
        if decision.claim.family != NAME:
            continue
        if isinstance(decision, Grant):
            pool = decision.allocation.pool
            yield Sample(_PROCESSED, (pool.name, pool.namespace, "success"), 1)
        elif isinstance(decision, Refuse) and decision.claim in turn.newly_refused:
            claim = turn.claims.get(decision.claim)
            # A claim without an existing pool is not counted for any pool.
            first = claim.candidates[0] if claim is not None and claim.candidates else None
            names = (first.name, first.namespace) if first is not None else ("", "")
            yield Sample(_PROCESSED, (*names, "failed"), 1)


METERING = FamilyMetrics(
    metrics=(
        *(_TOTAL, _ALLOCATED, _AVAILABLE, _COUNT, _FRAGMENTATION, _LARGEST),
        *(_PROCESSED, _READY, _LEFT, _TENANTS),
    ),
    of_pools=_of_pools,
    of_documents=_of_documents,
    of_turn=_of_turn,
)
