"""Pools of MetalLB that a cluster has."""

from collections.abc import Iterable, Mapping
from typing import Any

from reconciler.addresses import BITS, IPRange, IPSet
from reconciler.loadbalancers.interface import ImportedPool, LoadBalancerPool, ServiceSelection
from reconciler.loadbalancers.metallb.kinds import ADDRESS_POOL, ADVERTISEMENT, BGP_ADVERTISEMENT
from reconciler.loadbalancers.metallb.objects import aggregation, selects
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
        services, allocation = _services(spec)
        more = {name: spec[name] for name in sorted(spec.keys() - _KNOWN)}
        pool = LoadBalancerPool(
            metadata["name"],
            tuple(ranges),
            services,
            labels=metadata.get("labels") or {},
            annotations=metadata.get("annotations") or {},
            avoids_buggy=spec.get("avoidBuggyIPs") is True,
            spec=more | ({"serviceAllocation": allocation} if allocation else {}),
        )
        advertised_by = {
            f"{kind} {it['metadata']['name']}": _announced(it, ranges)
            for kind, it in every
            if it["metadata"].get("namespace", "") == namespace and selects(it, manifest)
        }
        found.append(ImportedPool(pool, namespace, advertised_by, problem))
    return tuple(found)


def _announced(advertisement: Manifest, ranges: Iterable[IPRange]) -> IPSet:
    stated = aggregation({"type": "BGP", "bgp": advertisement.get("spec") or {}})
    hosts = {it: (1 << bits - stated.get(it, bits)) - 1 for it, bits in BITS.items()}
    return IPSet.of(IPRange(it, at & ~hosts[it], end | hosts[it]) for it, at, end in ranges)


def _services(spec: Mapping[str, Any]) -> tuple[ServiceSelection, dict[str, Any]]:
    """Return the selection, and the fields of `serviceAllocation` that it does not express."""
    allocation = {name: it for name, it in (spec.get("serviceAllocation") or {}).items() if it}
    selectors = allocation.get("serviceSelectors") or ()
    if spec.get("autoAssign") is False:
        return ServiceSelection(), allocation
    if "namespaceSelectors" in allocation or len(selectors) > 1 or not all(selectors):
        return ServiceSelection(is_default=True), allocation
    namespaces = tuple(allocation.pop("namespaces", ()))
    (selector,) = allocation.pop("serviceSelectors", None) or ({},)
    return ServiceSelection(not (namespaces or selector), namespaces, selector), allocation
