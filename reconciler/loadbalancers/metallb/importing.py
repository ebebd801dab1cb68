"""Pools of MetalLB that a cluster has."""

from collections.abc import Iterable, Mapping
from typing import Any

from reconciler.loadbalancers.interface import ImportedPool, LoadBalancerPool, ServiceSelection
from reconciler.loadbalancers.metallb.kinds import ADDRESS_POOL, ADVERTISEMENT, BGP_ADVERTISEMENT
from reconciler.loadbalancers.metallb.objects import selects
from reconciler.loadbalancers.ranges import range_of
from reconciler.model.objects import Manifest, Resource

_KNOWN = frozenset({"addresses", "autoAssign", "avoidBuggyIPs", "serviceAllocation"})


def imported(there: Mapping[Resource, Iterable[Manifest]]) -> tuple[ImportedPool, ...]:
    """Return the pools among the objects of a cluster, with the advertisements that select them."""
    every = [
        (kind.kind, it) for kind in (ADVERTISEMENT, BGP_ADVERTISEMENT) for it in there.get(kind, ())
    ]
    found: list[ImportedPool] = []
    for manifest in there.get(ADDRESS_POOL, ()):
        metadata, spec = manifest["metadata"], manifest.get("spec") or {}
        namespace = metadata.get("namespace", "")
        problem, ranges = "", []
        try:
            ranges = [range_of(text) for text in spec.get("addresses") or ()]
        except ValueError as wrong:
            problem = str(wrong)
        services, unknown = _services(spec)
        pool = LoadBalancerPool(
            metadata["name"],
            tuple(ranges),
            services,
            labels=metadata.get("labels") or {},
            avoids_buggy=spec.get("avoidBuggyIPs") is True,
        )
        advertised_by = tuple(
            f"{kind} {it['metadata']['name']}"
            for kind, it in every
            if it["metadata"].get("namespace", "") == namespace and selects(it, manifest)
        )
        more = sorted(f"spec.{name}" for name in spec.keys() - _KNOWN)
        found.append(ImportedPool(pool, namespace, advertised_by, (*unknown, *more), problem))
    return tuple(found)


def _services(spec: Mapping[str, Any]) -> tuple[ServiceSelection, tuple[str, ...]]:
    """Return the selection, and fields that it cannot express. Then an apply sets none of them."""
    allocation = spec.get("serviceAllocation") or {}
    if spec.get("autoAssign") is False:
        return ServiceSelection(), tuple(
            f"spec.serviceAllocation.{it}" for it in sorted(allocation)
        )
    unknown = {"namespaceSelectors"} & {name for name, it in allocation.items() if it}
    selectors = allocation.get("serviceSelectors") or ()
    if len(selectors) > 1 or not all(selectors):
        unknown.add("serviceSelectors")
    if allocation.get("priority"):
        unknown.add("priority")
    selector = selectors[0] if selectors else {}
    namespaces = tuple(allocation.get("namespaces") or ())
    if is_left := bool(unknown - {"priority"}):
        unknown = {name for name, it in allocation.items() if it}
    named = tuple(f"spec.serviceAllocation.{name}" for name in sorted(unknown))
    if is_left or not (selector or namespaces):
        return ServiceSelection(is_default=True), named
    return ServiceSelection(namespaces=namespaces, selector=selector), named
